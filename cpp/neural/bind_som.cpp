#include "core/ndarray.hpp"
#include "neural/som.hpp"

namespace lanatus::neural {
using namespace nb::literals;

namespace {

template <class T>
auto py_best_units(In2<T> X, In2<T> W, bool two, int n_threads) {
    require_threads(n_threads);
    require(X.shape(1) == W.shape(1), "X and W differ in number of columns");
    require(W.shape(0) >= (two ? 2u : 1u), "a map needs a unit, and two for the next best");
    auto first = new_array<std::int32_t>(X.shape(0)), second = new_array<std::int32_t>(two ? X.shape(0) : 0);
    {
        nb::gil_scoped_release nogil;
        best_units<T>(view(X), view(W), span(first), span(second), n_threads);
    }
    return std::tuple(first, second);
}

// The neighbourhood falls with the distance of units on the grid, given as squares for each pair.
template <class T>
void py_som_online(In2<T> X, InOut2<T> W, In2<double> squares, In1<std::int64_t> order, In1<double> eta,
                   In1<double> sigma, bool bubble) {
    const std::size_t q = W.shape(0);
    require(X.shape(1) == W.shape(1), "X and W differ in number of columns");
    require(q >= 1 && squares.shape(0) == q && squares.shape(1) == q, "squares must be of shape (units, units)");
    require(eta.shape(0) == order.shape(0) && sigma.shape(0) == order.shape(0), "there must be a rate for each row");
    for (const std::int64_t i : span(order))
        require(i >= 0 && static_cast<std::size_t>(i) < X.shape(0), "order names a row that X has not");
    const MatrixView<const double> apart = view(squares);
    const auto rates = span(eta), widths = span(sigma);
    nb::gil_scoped_release nogil;
    som_online<T>(view(X), span(order), view(W), [&](std::size_t t, std::size_t c, T* out) {
        const double* from = apart.row(c);
        const T factor = static_cast<T>(-0.5 / (widths[t] * widths[t])), limit = static_cast<T>(widths[t] * widths[t]);
        const T rate = static_cast<T>(rates[t]);
        for (std::size_t j = 0; j < q; ++j) out[j] = static_cast<T>(from[j]);
        if (bubble) {
            for (std::size_t j = 0; j < q; ++j) out[j] = out[j] <= limit ? rate : T{0};
            return;
        }
        for (std::size_t j = 0; j < q; ++j) out[j] *= factor;
        activate(Unit::exponential, out, q);
        // What is farther than five widths is left where it is.
        for (std::size_t j = 0; j < q; ++j) out[j] = out[j] < T(3e-6) ? T{0} : out[j] * rate;
    });
}

template <class T>
auto py_unit_sums(In2<T> X, Weights weight, In1<std::int32_t> unit, std::size_t n_units) {
    require(unit.shape(0) == X.shape(0), "unit and X differ in number of samples");
    require_weights(weight, X.shape(0));
    for (const std::int32_t q : span(unit))
        require(q >= 0 && static_cast<std::size_t>(q) < n_units, "a unit is out of range");
    auto sums = new_array<double>(n_units, X.shape(1));
    auto mass = new_array<double>(n_units);
    std::fill_n(sums.data(), n_units * X.shape(1), 0.0);
    std::fill_n(mass.data(), n_units, 0.0);
    {
        nb::gil_scoped_release nogil;
        unit_sums<T>(view(X), span(weight), span(unit), view(sums), span(mass));
    }
    return std::tuple(sums, mass);
}

template <class T>
void bind_map(nb::module_& m) {
    m.def("best_units", &py_best_units<T>, "X"_a.noconvert(), "W"_a.noconvert(), nb::kw_only(), "two"_a, "n_threads"_a,
          "-> (nearest unit, next nearest or nothing) of each row");
    m.def("som_online", &py_som_online<T>, "X"_a.noconvert(), "W"_a.noconvert(), "squares"_a.noconvert(),
          "order"_a.noconvert(), "eta"_a.noconvert(), "sigma"_a.noconvert(), nb::kw_only(), "bubble"_a,
          "Rows shown one after the other; W changes in place.");
}

}  // namespace

void bind_som(nb::module_& m) {
    bind_map<double>(m);
    bind_map<float>(m);
    m.def("unit_sums", by_dtype<py_unit_sums<double>, py_unit_sums<float>>, "X"_a.noconvert(), "weight"_a.none(),
          "unit"_a.noconvert(), nb::kw_only(), "n_units"_a, "-> (sums of the rows, sums of their weights) by unit");
}

}  // namespace lanatus::neural
