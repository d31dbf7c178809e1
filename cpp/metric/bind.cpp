#include "core/ndarray.hpp"
#include "metric/csr_argument.hpp"
#include "metric/pairwise.hpp"
#include "metric/sq_csr.hpp"

namespace lanatus::metric {
using namespace nb::literals;

namespace {

template <class T>
void require_columns(std::size_t n_cols, const In2<T>& points) {
    require(points.shape(1) == n_cols, "points and X differ in number of features");
}

template <class T>
auto py_pairwise(In2<T> X, In2<T> points, int n_threads) {
    require_columns(X.shape(1), points);
    require_threads(n_threads);
    auto out = new_array<T>(X.shape(0), points.shape(0));
    nb::gil_scoped_release nogil;
    pairwise_sq<T>(view(X), view(points), view(out), n_threads);
    return out;
}

template <class T>
auto py_pairwise_csr(In1<T> data, In1<std::int32_t> columns, In1<std::int32_t> indptr, std::size_t n_cols, In2<T> points,
                     int n_threads) {
    const auto X = csr<T>(data, columns, indptr, n_cols);
    require_columns(n_cols, points);
    require_threads(n_threads);
    auto out = new_array<T>(X.rows, points.shape(0));
    nb::gil_scoped_release nogil;
    pairwise_sq<T>(X, view(points), view(out), n_threads);
    return out;
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("pairwise_sq", &py_pairwise<T>, "X"_a.noconvert(), "points"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n, m): squared Euclidean distances, by differences.");
    m.def("pairwise_sq_csr", &py_pairwise_csr<T>, "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(),
          "n_cols"_a, "points"_a.noconvert(), nb::kw_only(), "n_threads"_a, "pairwise_sq on compressed rows.");
}

}  // namespace

void bind(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::metric
