#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "linear/block_descent.hpp"
#include "linear/coordinate_descent.hpp"
#include "linear/lasso_path.hpp"
#include "linear/total_variation.hpp"

namespace lanatus::linear {
using namespace nb::literals;

namespace {

struct PathArrays {
    Out2<double> coef;
    Out1<double> gap;
    Out1<std::int32_t> n_iter;
    Out1<bool> converged;

    PathArrays(std::size_t steps, std::size_t p)
        : coef(new_array<double>(steps, p)), gap(new_array<double>(steps)), n_iter(new_array<std::int32_t>(steps)),
          converged(new_array<bool>(steps)) {
        std::fill_n(coef.data(), steps * p, 0.0);
    }
    void set(std::size_t k, double gap_k, int n_iter_k, bool converged_k) {
        gap.data()[k] = gap_k, n_iter.data()[k] = n_iter_k, converged.data()[k] = converged_k;
    }
    auto tuple() const { return std::tuple(coef, gap, n_iter, converged); }
};

void require_penalties(const In1<double>& l1, const In1<double>& l2) {
    require(l1.shape(0) == l2.shape(0), "l1 and l2 differ in number");
    for (std::size_t k = 0; k < l1.shape(0); ++k)
        require(l1.data()[k] >= 0 && l2.data()[k] >= 0, "penalties must not be negative");
}

auto py_gram_path(In2<double> G, In1<double> q, double yy, In1<double> l1, In1<double> l2,
                  std::optional<In1<double>> start, double tol, int max_iter, bool positive, std::uint64_t seed) {
    const std::size_t p = q.shape(0);
    require(G.shape(0) == p && G.shape(1) == p, "G must be square and of the size of q");
    require(!start || start->shape(0) == p, "start and q differ in size");
    require_penalties(l1, l2);
    PathArrays out(l1.shape(0), p);
    const auto gram = view(G);
    const auto products = span(q);
    {
        nb::gil_scoped_release nogil;
        std::vector<double> w(p, 0.0), gradient(p);
        DescentMemory memory;
        if (start) std::copy_n(start->data(), p, w.begin());
        for (std::size_t k = 0; k < l1.shape(0); ++k) {
            std::copy(products.begin(), products.end(), gradient.begin());  // anew, so that rounding does not pile up
            for (std::size_t j = 0; j < p; ++j)
                if (w[j] != 0) detail::add_scaled(gradient.data(), gram.row(j), -w[j], p);
            const auto point = GramDescent(gram.data, p, p, products.data(), yy,
                                           {.a = l1.data()[k], .b = l2.data()[k], .positive = positive}, memory)
                                   .run(w.data(), gradient.data(), tol, max_iter, seed);
            std::copy(w.begin(), w.end(), out.coef.data() + k * p);
            out.set(k, point.gap, point.n_iter, point.converged);
        }
    }
    return out.tuple();
}

template <class Design>
auto run_path(Design& X, const In1<double>& y, const In1<double>& l1, const In1<double>& l2,
              const std::optional<In1<double>>& start, const PathSettings& settings) {
    const std::size_t steps = l1.shape(0), p = X.cols();
    require(!start || start->shape(0) == p, "start and X differ in number of columns");
    require_penalties(l1, l2);
    for (const double length : X.stats().length)
        require(std::isfinite(length),
                "the products of columns overflow: X has values too large to square; scale it first.");
    PathArrays out(steps, p);
    const auto target = span(y);
    {
        nb::gil_scoped_release nogil;
        LassoPath<Design> path(X, target, settings);
        double before = 0;
        for (const double product : X.stats().product) before = std::max(before, std::abs(product));
        if (start) path.start(span(*start));
        for (std::size_t k = 0; k < steps; ++k) {
            const Penalty pen{.a = l1.data()[k], .b = l2.data()[k], .positive = settings.positive};
            const PathPoint point = path.solve(pen, std::max(before, pen.a));
            path.write(out.coef.data() + k * p);
            out.set(k, point.gap, point.n_iter, point.converged);
            before = pen.a;
        }
    }
    return out.tuple();
}

template <class T>
auto py_dense_path(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, In1<double> y, Weights scale, bool centre,
                   In1<double> l1, In1<double> l2, std::optional<In1<double>> start, double tol, int max_iter,
                   bool positive, std::uint64_t seed, std::size_t gram_limit, int n_threads) {
    const std::size_t n = X.shape(0), p = X.shape(1);
    const bool by_columns = X.stride(0) == 1 && (p == 1 || X.stride(1) == static_cast<std::int64_t>(n));
    const bool by_rows = X.stride(1) == 1 && (n == 1 || X.stride(0) == static_cast<std::int64_t>(p));
    require(by_columns || by_rows, "X must be contiguous");
    require(y.shape(0) == n, "y and X differ in number of samples");
    require_weights(scale, n);
    require_threads(n_threads);
    DenseDesign<T> design(X.data(), n, p, by_columns, span(scale), centre, n_threads);
    {
        nb::gil_scoped_release nogil;
        design.describe(span(y));
    }
    return run_path(design, y, l1, l2, start, {tol, max_iter, positive, seed, gram_limit});
}

template <class T>
auto py_csc_path(const Csc<T>& X, In1<double> y, Weights scale, bool centre, In1<double> l1, In1<double> l2,
                 std::optional<In1<double>> start, double tol, int max_iter, bool positive, std::uint64_t seed,
                 std::size_t gram_limit, int n_threads) {
    require(y.shape(0) == X.rows(), "y and X differ in number of samples");
    require_weights(scale, X.rows());
    require_threads(n_threads);
    CscDesign<T> design(X.view(), span(scale), centre, n_threads);
    {
        nb::gil_scoped_release nogil;
        design.describe(span(y));
    }
    return run_path(design, y, l1, l2, start, {tol, max_iter, positive, seed, gram_limit});
}

double py_block_descent(In2<double> G, In1<std::int64_t> begin, In1<double> a, In1<double> step, double b,
                        InOut2<double> W, InOut2<double> gradient, int rounds, double floor, std::uint64_t seed) {
    const std::size_t m = W.shape(0);
    require(G.shape(0) == m && G.shape(1) == m, "G must be square, with a row for each row of W");
    require(gradient.shape(0) == m && gradient.shape(1) == W.shape(1), "gradient and W differ in shape");
    require(a.shape(0) == step.shape(0) && begin.shape(0) == a.shape(0) + 1, "begin, a and step differ in size");
    const auto edges = span(begin);
    require(edges.front() == 0 && static_cast<std::size_t>(edges.back()) == m && std::ranges::is_sorted(edges),
            "begin must rise from 0 to the number of rows of W");
    nb::gil_scoped_release nogil;
    return block_descent(view(G), {edges, span(a), span(step)}, b, view(W), view(gradient), rounds, floor, seed);
}

auto py_total_variation(In1<double> y, double strength) {
    require(strength >= 0, "strength must not be negative");
    auto z = new_array<double>(y.shape(0));
    nb::gil_scoped_release nogil;
    total_variation(span(y), strength, span(z));
    return z;
}

template <class T>
void bind_dense(nb::module_& m) {
    m.def("dense_path", &py_dense_path<T>, "X"_a.noconvert(), "y"_a.noconvert(), "scale"_a.noconvert().none(),
          nb::kw_only(), "centre"_a, "l1"_a.noconvert(), "l2"_a.noconvert(), "start"_a.noconvert().none(), "tol"_a,
          "max_iter"_a, "positive"_a, "seed"_a, "gram_limit"_a, "n_threads"_a,
          "-> (coef (steps, p), gap, n_iter, converged): 1/2 ||y - s (X - mean) w||^2 + l1 ||w||_1 + l2/2 ||w||^2 for\n"
          "falling penalties, X stored by columns or by rows, y centred and scaled by the caller, tol absolute.");
}
template <class T>
void bind_csc(nb::module_& m) {
    m.def("csc_path", &py_csc_path<T>, "X"_a, "y"_a.noconvert(), "scale"_a.noconvert().none(), nb::kw_only(),
          "centre"_a, "l1"_a.noconvert(), "l2"_a.noconvert(), "start"_a.noconvert().none(), "tol"_a, "max_iter"_a,
          "positive"_a, "seed"_a, "gram_limit"_a, "n_threads"_a, "As dense_path, of a matrix compressed by columns.");
}

}  // namespace

void bind_sparse(nb::module_& m) {
    m.def("gram_path", &py_gram_path, "G"_a.noconvert(), "q"_a.noconvert(), "yy"_a, nb::kw_only(), "l1"_a.noconvert(),
          "l2"_a.noconvert(), "start"_a.noconvert().none(), "tol"_a, "max_iter"_a, "positive"_a, "seed"_a,
          "-> (coef (steps, p), gap, n_iter, converged): as dense_path, from G = X'X, q = X'y, yy = y'y.");
    m.def("block_descent", &py_block_descent, "G"_a.noconvert(), "begin"_a.noconvert(), "a"_a.noconvert(),
          "step"_a.noconvert(), "b"_a, "W"_a.noconvert(), "gradient"_a.noconvert(), nb::kw_only(), "rounds"_a,
          "floor"_a, "seed"_a,
          "Rounds of block coordinate descent on 1/2 ||Y - X W||^2 + sum a_g ||W_g|| + b/2 ||W||^2, in place; -> "
          "largest\n"
          "change of the fit in the last round. gradient must be X'(Y - X W).");
    m.def("total_variation", &py_total_variation, "y"_a.noconvert(), "strength"_a,
          "-> the z that minimises 1/2 ||z - y||^2 + strength sum |z_i - z_(i-1)|.");
    bind_dense<double>(m), bind_dense<float>(m);
    bind_csc<double>(m), bind_csc<float>(m);
}

}  // namespace lanatus::linear
