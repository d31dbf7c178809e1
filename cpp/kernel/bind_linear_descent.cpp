#include <algorithm>
#include <cmath>

#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "kernel/linear_descent.hpp"

namespace lanatus::kernel {
using namespace nb::literals;

namespace {

template <class T>
MatrixView<const T> rows_of(const In2<T>& X) {
    return view(X);
}
template <class T>
CsrView<T> rows_of(const Csr<T>& X) {
    return X.view();
}

void require_caps(std::span<const double> cap) {
    require(std::all_of(cap.begin(), cap.end(), [](double c) { return c >= 0 && std::isfinite(c); }),
            "caps must be finite and not negative");
}

template <class Matrix>
auto py_descend(const Matrix& X, In1<double> y, In1<double> cap, bool classes, bool squared, double epsilon,
                double constant, double tol, std::size_t max_sweeps, std::uint64_t seed) {
    const auto rows = rows_of(X);
    require(y.shape(0) == rows.rows && cap.shape(0) == rows.rows, "y, cap and X differ in number of rows");
    require_caps(span(cap));
    auto beta = new_array<double>(rows.rows), w = new_array<double>(rows.cols + 1);
    Descended found;
    {
        nb::gil_scoped_release nogil;
        found = descend(rows, {span(y), span(cap), classes, squared, epsilon, constant}, {tol, max_sweeps, seed},
                        span(beta), span(w));
    }
    return std::tuple(w, beta, found.sweeps, found.violation);
}

template <class Matrix>
auto py_descend_classes(const Matrix& X, In1<std::int32_t> y, In1<double> cap, std::size_t n_classes, double constant,
                        double tol, std::size_t max_sweeps, std::uint64_t seed) {
    const auto rows = rows_of(X);
    require(y.shape(0) == rows.rows && cap.shape(0) == rows.rows, "y, cap and X differ in number of rows");
    const auto labels = span(y);
    require(std::all_of(labels.begin(), labels.end(),
                        [&](std::int32_t label) { return label >= 0 && static_cast<std::size_t>(label) < n_classes; }),
            "a label is beyond the classes");
    require_caps(span(cap));
    auto a = new_array<double>(rows.rows, n_classes), W = new_array<double>(n_classes, rows.cols + 1);
    Descended found;
    {
        nb::gil_scoped_release nogil;
        found = descend_classes(rows, {labels, span(cap), constant}, {tol, max_sweeps, seed}, view(a), view(W));
    }
    return std::tuple(W, a, found.sweeps, found.violation);
}

template <class Matrix>
void py_pegasos(const Matrix& X, In1<double> y, In1<double> weight, InOut1<double> w, InOut1<double> average,
                double lambda, double constant, std::size_t batch, std::size_t steps, std::uint64_t seed,
                std::uint64_t done) {
    const auto rows = rows_of(X);
    require(y.shape(0) == rows.rows && weight.shape(0) == rows.rows, "y, weight and X differ in number of rows");
    require(w.shape(0) == rows.cols + 1 && average.shape(0) == rows.cols + 1,
            "w and average must have a number for each column and one more");
    require(lambda > 0 && batch > 0 && rows.rows > 0, "lambda, batch and rows must be above zero");
    const auto weights = span(weight);
    double mass = 0;
    for (const double one : weights) mass += one;
    require(mass > 0 && std::isfinite(mass), "weights must have a sum above zero");
    nb::gil_scoped_release nogil;
    pegasos(rows, {span(y), weights, lambda, constant, mass, batch, steps, seed, done}, span(w), span(average));
}

template <class Matrix>
void bind_rows(nb::module_& m) {
    m.def("linear_descent", &py_descend<Matrix>, "X"_a.noconvert(), "y"_a.noconvert(), "cap"_a.noconvert(),
          nb::kw_only(), "classes"_a, "squared"_a, "epsilon"_a, "constant"_a, "tol"_a, "max_sweeps"_a, "seed"_a,
          "-> (w (d + 1), beta (n), sweeps, violation) of a linear machine of two classes, or of numbers.");
    m.def("linear_descent_classes", &py_descend_classes<Matrix>, "X"_a.noconvert(), "y"_a.noconvert(),
          "cap"_a.noconvert(), nb::kw_only(), "n_classes"_a, "constant"_a, "tol"_a, "max_sweeps"_a, "seed"_a,
          "-> (W (k, d + 1), multipliers (n, k), sweeps, violation) of Crammer and Singer's linear machine.");
    m.def("pegasos", &py_pegasos<Matrix>, "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
          "w"_a.noconvert(), "average"_a.noconvert(), nb::kw_only(), "lambda_"_a, "constant"_a, "batch"_a, "steps"_a,
          "seed"_a, "done"_a, "w and the average of the iterates go on by some steps of Pegasos.");
}

}  // namespace

void bind_linear_descent(nb::module_& m) {
    bind_rows<In2<double>>(m), bind_rows<In2<float>>(m);
    bind_rows<Csr<double>>(m), bind_rows<Csr<float>>(m);
}

}  // namespace lanatus::kernel
