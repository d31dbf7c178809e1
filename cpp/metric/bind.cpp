#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "metric/pairwise.hpp"
#include "metric/sq_csr.hpp"

namespace lanatus::metric {
using namespace nb::literals;

namespace {

template <class T, class Table>
auto pairwise(const Table& X, const In2<T>& points, int n_threads) {
    require(points.shape(1) == X.cols, "points and X differ in number of features");
    require_threads(n_threads);
    auto out = new_array<T>(X.rows, points.shape(0));
    nb::gil_scoped_release nogil;
    pairwise_sq<T>(X, view(points), view(out), n_threads);
    return out;
}

template <class T>
auto py_pairwise(In2<T> X, In2<T> points, int n_threads) {
    return pairwise<T>(view(X), points, n_threads);
}
template <class T>
auto py_pairwise_csr(const Csr<T>& X, In2<T> points, int n_threads) {
    return pairwise<T>(X.view(), points, n_threads);
}

template <class T>
auto py_minkowski(In2<T> X, In2<T> points, double p, int n_threads) {
    require(points.shape(1) == X.shape(1), "points and X differ in number of features");
    require(p > 0, "p must be above 0");
    require_threads(n_threads);
    auto out = new_array<T>(X.shape(0), points.shape(0));
    nb::gil_scoped_release nogil;
    pairwise_minkowski<T>(view(X), view(points), p, view(out), n_threads);
    return out;
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("pairwise_sq", &py_pairwise<T>, "X"_a.noconvert(), "points"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n, m): squared Euclidean distances, by differences where the rows are dense.");
    m.def("pairwise_minkowski", &py_minkowski<T>, "X"_a.noconvert(), "points"_a.noconvert(), nb::kw_only(), "p"_a,
          "n_threads"_a, "-> (n, m): Minkowski's distances of order p.");
    m.def("pairwise_sq", &py_pairwise_csr<T>, "X"_a, "points"_a.noconvert(), nb::kw_only(), "n_threads"_a);
}

}  // namespace

void bind(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::metric
