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
void py_descend(const Matrix& X, In1<double> y, In1<double> cap, InOut1<double> beta, InOut1<double> w, Sweeps& sweeps,
                bool classes, bool squared, double epsilon, double constant, double tol, std::size_t max_sweeps) {
    const auto rows = rows_of(X);
    require(y.shape(0) == rows.rows && cap.shape(0) == rows.rows && beta.shape(0) == rows.rows &&
                sweeps.size() == rows.rows,
            "y, cap, beta, the sweeps and X differ in number of rows");
    require(w.shape(0) == rows.cols + 1, "w must have a number for each column and one more");
    require_caps(span(cap));
    nb::gil_scoped_release nogil;
    descend(rows, {span(y), span(cap), classes, squared, epsilon, constant}, {tol, max_sweeps, sweeps}, span(beta),
            span(w));
}

template <class Matrix>
void py_descend_classes(const Matrix& X, In1<std::int32_t> y, In1<double> cap, InOut2<double> a, InOut2<double> W,
                        Sweeps& sweeps, double constant, double tol, std::size_t max_sweeps) {
    const auto rows = rows_of(X);
    require(
        y.shape(0) == rows.rows && cap.shape(0) == rows.rows && a.shape(0) == rows.rows && sweeps.size() == rows.rows,
        "y, cap, the multipliers, the sweeps and X differ in number of rows");
    const std::size_t n_classes = W.shape(0);
    require(a.shape(1) == n_classes && W.shape(1) == rows.cols + 1,
            "multipliers must have a column a class, and W a row of as many numbers as X has columns and one more");
    const auto labels = span(y);
    require(std::all_of(labels.begin(), labels.end(),
                        [&](std::int32_t label) { return label >= 0 && static_cast<std::size_t>(label) < n_classes; }),
            "a label is beyond the classes");
    require_caps(span(cap));
    nb::gil_scoped_release nogil;
    descend_classes(rows, {labels, span(cap), constant}, {tol, max_sweeps, sweeps}, view(a), view(W));
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
          "beta"_a.noconvert(), "w"_a.noconvert(), "sweeps"_a, nb::kw_only(), "classes"_a, "squared"_a, "epsilon"_a,
          "constant"_a, "tol"_a, "max_sweeps"_a,
          "beta (n) and w (d + 1) of a linear machine of two classes, or of numbers, go on by some sweeps.");
    m.def("linear_descent_classes", &py_descend_classes<Matrix>, "X"_a.noconvert(), "y"_a.noconvert(),
          "cap"_a.noconvert(), "a"_a.noconvert(), "W"_a.noconvert(), "sweeps"_a, nb::kw_only(), "constant"_a, "tol"_a,
          "max_sweeps"_a,
          "Multipliers a (n, k) and W (k, d + 1) of Crammer and Singer's linear machine go on by some sweeps.");
    m.def("pegasos", &py_pegasos<Matrix>, "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
          "w"_a.noconvert(), "average"_a.noconvert(), nb::kw_only(), "lambda_"_a, "constant"_a, "batch"_a, "steps"_a,
          "seed"_a, "done"_a, "w and the average of the iterates go on by some steps of Pegasos.");
}

}  // namespace

void bind_linear_descent(nb::module_& m) {
    nb::class_<Sweeps>(m, "Sweeps", "How far the sweeps of coordinate descent are.")
        .def(nb::init<std::size_t, std::uint64_t>(), "n_rows"_a, "seed"_a)
        .def_ro("taken", &Sweeps::taken)
        .def_ro("violation", &Sweeps::violation)
        .def_ro("done", &Sweeps::done);
    bind_rows<In2<double>>(m), bind_rows<In2<float>>(m);
    bind_rows<Csr<double>>(m), bind_rows<Csr<float>>(m);
}

}  // namespace lanatus::kernel
