#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "core/parallel.hpp"
#include "sparse/angles.hpp"
#include "sparse/atoms.hpp"
#include "sparse/nonnegative.hpp"
#include "sparse/penalized.hpp"
#include "sparse/pursuit.hpp"
#include "sparse/ratings.hpp"

namespace lanatus::sparse {
using namespace nb::literals;

namespace {

void require_products(const In2<double>& G, const In2<double>& Q, const In1<double>& squares) {
    require(G.shape(0) == G.shape(1), "G must be square");
    require(Q.shape(1) == G.shape(0), "Q must have a column for each row of G");
    require(squares.shape(0) == Q.shape(0), "squares and Q differ in number of signals");
}

auto py_pursue(In2<double> G, In2<double> Q, In1<double> squares, std::size_t most, double tol, int n_threads) {
    require_products(G, Q, squares);
    require_threads(n_threads);
    require(most <= G.shape(0), "most must not be above the number of atoms");
    const std::size_t n = Q.shape(0);
    auto places = new_array<std::int32_t>(n, most);
    auto weights = new_array<double>(n, most);
    auto counts = new_array<std::int32_t>(n);
    const auto gram = view(G), products = view(Q);
    const auto xx = span(squares);
    {
        nb::gil_scoped_release nogil;
        parallel_chunks(Chunks::of(n, 64, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
            BatchPursuit pursuit(gram, most);
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t used =
                    pursuit.run(products.row(i), xx[i], tol, places.data() + i * most, weights.data() + i * most);
                counts.data()[i] = static_cast<std::int32_t>(used);
                for (std::size_t t = used; t < most; ++t)
                    places.data()[i * most + t] = 0, weights.data()[i * most + t] = 0;
            }
        });
    }
    return std::tuple(places, weights, counts);
}

std::size_t py_penalized(In2<double> G, In2<double> Q, In1<double> squares, In1<std::int64_t> begin, In1<double> weight,
                         In1<double> step, bool positive, double tol, int max_iter, InOut2<double> S, int n_threads) {
    require_products(G, Q, squares);
    require_threads(n_threads);
    require(S.shape(0) == Q.shape(0) && S.shape(1) == Q.shape(1), "S and Q differ in shape");
    require(weight.shape(0) == step.shape(0) && begin.shape(0) == weight.shape(0) + 1,
            "begin, weight and step differ in size");
    const auto edges = span(begin);
    require(edges.front() == 0 && static_cast<std::size_t>(edges.back()) == G.shape(0) && std::ranges::is_sorted(edges),
            "begin must rise from 0 to the number of atoms");
    const CodeGroups groups{edges, span(weight), span(step)};
    const auto gram = view(G), products = view(Q);
    const auto codes = view(S);
    const auto xx = span(squares);
    nb::gil_scoped_release nogil;
    const auto parts = parallel_parts<std::size_t>(
        Chunks::of(products.rows, 16, 64, 1), n_threads, [&](std::size_t first, std::size_t last) {
            PenalizedCodes solver(gram, groups, positive, tol, max_iter);
            std::size_t unfinished = 0;
            for (std::size_t i = first; i < last; ++i) unfinished += !solver.run(products.row(i), xx[i], codes.row(i));
            return unfinished;
        });
    std::size_t unfinished = 0;
    for (const std::size_t part : parts) unfinished += part;
    return unfinished;
}

Out2<double> py_angles(In2<double> G, In2<double> Q, bool lasso, bool positive, std::size_t most, double floor,
                       int n_threads) {
    require(G.shape(0) == G.shape(1) && Q.shape(1) == G.shape(0), "Q must have a column for each row of a square G");
    require_threads(n_threads);
    auto S = new_array<double>(Q.shape(0), Q.shape(1));
    const auto gram = view(G), products = view(Q);
    const auto codes = view(S);
    {
        nb::gil_scoped_release nogil;
        parallel_chunks(Chunks::of(products.rows, 16, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
            AnglePath path(gram, lasso, positive, most, floor);
            for (std::size_t i = begin; i < end; ++i) path.run(products.row(i), codes.row(i));
        });
    }
    return S;
}

std::size_t py_update_atoms(InOut2<double> R, InOut2<double> S, InOut2<double> D, int power) {
    require(R.shape(0) == S.shape(0) && S.shape(1) == D.shape(0) && D.shape(1) == R.shape(1),
            "R, S and D do not fit together");
    nb::gil_scoped_release nogil;
    return AtomSweep{view(R), view(S), view(D), power}.run();
}

double py_nonnegative_round(InOut2<double> W, In2<double> C, In2<double> G, In1<std::int64_t> order, int n_threads) {
    const std::size_t k = W.shape(1);
    require(C.shape(0) == W.shape(0) && C.shape(1) == k, "C and W differ in shape");
    require(G.shape(0) == k && G.shape(1) == k, "G must be square, with a row for each column of W");
    require(order.shape(0) == k, "order must name each column of W");
    for (const std::int64_t t : span(order))
        require(t >= 0 && static_cast<std::size_t>(t) < k, "order names no column");
    require_threads(n_threads);
    nb::gil_scoped_release nogil;
    return nonnegative_round(view(W), view(C), view(G), span(order), n_threads);
}

double py_nonnegative_pass(In2<double> X, InOut2<double> W, In2<double> Ht, In2<double> G, double l1,
                           In1<std::int64_t> order, std::optional<InOut2<double>> cross, int n_threads) {
    const std::size_t k = W.shape(1);
    require(X.shape(0) == W.shape(0), "X and W differ in number of rows");
    require(Ht.shape(0) == X.shape(1) && Ht.shape(1) == k, "Ht must have a row for each column of X, and W's columns");
    require(G.shape(0) == k && G.shape(1) == k, "G must be square, with a row for each column of W");
    require(!cross || (cross->shape(0) == X.shape(1) && cross->shape(1) == k), "cross and Ht differ in shape");
    require(order.shape(0) == k, "order must name each column of W");
    for (const std::int64_t t : span(order))
        require(t >= 0 && static_cast<std::size_t>(t) < k, "order names no column");
    require_threads(n_threads);
    const MatrixView<double> sums = cross ? view(*cross) : MatrixView<double>{};
    nb::gil_scoped_release nogil;
    return nonnegative_pass(view(X), view(W), view(Ht), view(G), l1, span(order), sums, n_threads);
}

void require_known(const Csr<double>& known, std::size_t rows, std::size_t cols) {
    require(known.rows() == rows && known.cols() == cols,
            "known entries and factors differ in number of rows or columns");
}

Out2<double> py_solve_rows(const Csr<double>& known, In2<double> V, double reg, bool by_count, int n_threads) {
    require_known(known, known.rows(), V.shape(0));
    require(reg >= 0, "reg must not be negative");
    require_threads(n_threads);
    auto U = new_array<double>(known.rows(), V.shape(1));
    nb::gil_scoped_release nogil;
    solve_rows(known.view(), view(V), reg, by_count, view(U), n_threads);
    return U;
}

Out1<double> py_known_products(const Csr<double>& known, In2<double> U, In2<double> V, int n_threads) {
    require_known(known, U.shape(0), V.shape(0));
    require(U.shape(1) == V.shape(1), "U and V differ in number of columns");
    require_threads(n_threads);
    const auto entries = known.view();
    auto out = new_array<double>(static_cast<std::size_t>(entries.indptr[entries.rows]));
    nb::gil_scoped_release nogil;
    known_products(entries, view(U), view(V), out.data(), n_threads);
    return out;
}

}  // namespace

void bind(nb::module_& m) {
    m.def(
        "pursue", &py_pursue, "G"_a.noconvert(), "Q"_a.noconvert(), "squares"_a.noconvert(), nb::kw_only(), "most"_a,
        "tol"_a, "n_threads"_a,
        "Orthogonal matching pursuit of each row of products: places and weights of the atoms used, and their number.");
    m.def("penalized", &py_penalized, "G"_a.noconvert(), "Q"_a.noconvert(), "squares"_a.noconvert(), nb::kw_only(),
          "begin"_a.noconvert(), "weight"_a.noconvert(), "step"_a.noconvert(), "positive"_a, "tol"_a, "max_iter"_a,
          "S"_a.noconvert(), "n_threads"_a,
          "Codes with a group penalty, from S on and into it; how many do not stand still at the end.");
    m.def("angles", &py_angles, "G"_a.noconvert(), "Q"_a.noconvert(), nb::kw_only(), "lasso"_a, "positive"_a, "most"_a,
          "floor"_a, "n_threads"_a, "Codes by least angle regression, or of the lasso by the same steps.");
    m.def("update_atoms", &py_update_atoms, "R"_a.noconvert(), "S"_a.noconvert(), "D"_a.noconvert(), nb::kw_only(),
          "power"_a, "The dictionary step of K-SVD, in place; the number of atoms that no row uses.");
    m.def("nonnegative_round", &py_nonnegative_round, "W"_a.noconvert(), "C"_a.noconvert(), "G"_a.noconvert(),
          "order"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "A round of coordinate descent on W >= 0 in place; the sum of its projected gradients.");
    m.def("nonnegative_pass", &py_nonnegative_pass, "X"_a.noconvert(), "W"_a.noconvert(), "Ht"_a.noconvert(),
          "G"_a.noconvert(), nb::kw_only(), "l1"_a, "order"_a.noconvert(), "cross"_a.noconvert().none(), "n_threads"_a,
          "The same from X and H' instead of their product; X'W of the new W goes into cross.");
    m.def("solve_rows", &py_solve_rows, "known"_a, "V"_a.noconvert(), nb::kw_only(), "reg"_a, "by_count"_a,
          "n_threads"_a, "Least squares factors of the rows of a matrix of which some entries are known.");
    m.def("known_products", &py_known_products, "known"_a, "U"_a.noconvert(), "V"_a.noconvert(), nb::kw_only(),
          "n_threads"_a, "Products of factors at the known places.");
}

}  // namespace lanatus::sparse
