#include "core/ndarray.hpp"
#include "kernel/gaussian.hpp"

namespace lanatus::kernel {
using namespace nb::literals;

namespace {

template <class T>
void py_gaussian(In2<T> X, In2<T> points, InOut2<T> out, double gamma, int n_threads) {
    require(points.shape(1) == X.shape(1), "points and X differ in number of features");
    require(out.shape(0) == X.shape(0) && out.shape(1) == points.shape(0), "out must be (n, m)");
    require(gamma >= 0, "gamma must not be negative");
    require_threads(n_threads);
    nb::gil_scoped_release nogil;
    gaussian<T>(view(X), view(points), gamma, view(out), n_threads);
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("gaussian", &py_gaussian<T>, "X"_a.noconvert(), "points"_a.noconvert(), "out"_a.noconvert(), nb::kw_only(),
          "gamma"_a, "n_threads"_a, "out (n, m) <- exp(-gamma |x - p|^2) of all pairs.");
}

}  // namespace

void bind_gaussian(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::kernel
