#include "core/ndarray.hpp"
#include "metric_learning/bregman_projections.hpp"
#include "metric_learning/neighbour_weights.hpp"

namespace lanatus::metric_learning {
using namespace nb::literals;

namespace {

template <class T>
NeighbourTask task_of(const InOut2<T>& D, const In1<double>& squares, const In1<std::int32_t>& classes,
                      std::size_t first, bool self_term) {
    const std::size_t n = squares.shape(0);
    require(D.shape(1) == n && classes.shape(0) == n, "D, squares and classes differ in number of rows");
    require(first <= n && D.shape(0) <= n - first, "the block reaches beyond the rows");
    const auto all = span(squares);
    return {all.subspan(first, D.shape(0)), all, span(classes), first, self_term};
}

template <class T>
double py_nca(InOut2<T> D, In1<double> squares, In1<std::int32_t> classes, std::size_t first, bool self_term,
              int n_threads) {
    require_threads(n_threads);
    const auto task = task_of(D, squares, classes, first, self_term);
    require(std::ranges::is_sorted(task.classes), "rows must be in the order of their classes");
    const auto block = view(D);
    nb::gil_scoped_release nogil;
    return nca_block(task, block, n_threads);
}

template <class T>
double py_lmnn(InOut2<T> D, In1<double> squares, In1<std::int32_t> classes, std::size_t first,
               In2<std::int64_t> targets, double mu, int n_threads) {
    require_threads(n_threads);
    const auto task = task_of(D, squares, classes, first, false);
    const std::size_t n = squares.shape(0);
    require(targets.shape(0) == n, "targets must have a row for each row of X");
    const auto named = view(targets);
    for (std::size_t i = 0; i < named.size(); ++i)
        require(named.data[i] >= -1 && named.data[i] < static_cast<std::int64_t>(n),
                "targets name a row that is not there");
    const auto block = view(D);
    nb::gil_scoped_release nogil;
    return lmnn_block<T>(task, named, mu, block, n_threads);
}

double py_cycle(In2<double> V, In1<double> sign, double gamma, InOut2<double> M, InOut1<double> lambda,
                InOut1<double> xi) {
    require(M.shape(0) == M.shape(1) && M.shape(0) == V.shape(1), "M must be square, with a row for each column of V");
    require(sign.shape(0) == V.shape(0) && lambda.shape(0) == V.shape(0) && xi.shape(0) == V.shape(0),
            "V, sign, lambda and xi differ in number of pairs");
    nb::gil_scoped_release nogil;
    return bregman_cycle(view(V), span(sign), gamma, view(M), span(lambda), span(xi));
}

template <class T>
void bind_weights(nb::module_& m) {
    m.def("nca_weights", &py_nca<T>, "D"_a.noconvert(), "squares"_a.noconvert(), "classes"_a.noconvert(), nb::kw_only(),
          "first"_a, "self_term"_a, "n_threads"_a,
          "Inner products of a block of rows with all become the pair weights of NCA; the sum of p_i of the block.");
    m.def("lmnn_weights", &py_lmnn<T>, "D"_a.noconvert(), "squares"_a.noconvert(), "classes"_a.noconvert(),
          nb::kw_only(), "first"_a, "targets"_a.noconvert(), "mu"_a, "n_threads"_a,
          "Inner products of a block of rows with all become the pair weights of LMNN; the objective of the block.");
}

}  // namespace

void bind(nb::module_& m) {
    bind_weights<double>(m), bind_weights<float>(m);
    m.def("bregman_cycle", &py_cycle, "V"_a.noconvert(), "sign"_a.noconvert(), "gamma"_a, "M"_a.noconvert(),
          "lambda_"_a.noconvert(), "xi"_a.noconvert(),
          "One cycle of Bregman projections of ITML over all pairs, in place; how far the multipliers moved.");
}

}  // namespace lanatus::metric_learning
