#include <algorithm>
#include <cmath>

#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "neural/delta.hpp"

namespace lanatus::neural {
using namespace nb::literals;

namespace {

template <class Rows>
auto run(const Rows& X, In1<double> y, const Weights& weight, In1<std::int64_t> order, const std::string& rule,
         double eta, bool constant, InOut1<double> w, double b) {
    require(rule == "perceptron" || rule == "delta", "rule must be perceptron or delta");
    require(y.shape(0) == X.rows, "y and X differ in number of samples");
    require(w.shape(0) == X.cols, "w must have a number for each column");
    require_weights(weight, X.rows);
    for (const std::int64_t i : span(order))
        require(i >= 0 && static_cast<std::size_t>(i) < X.rows, "order names a row that X has not");
    DeltaSums sums;
    {
        nb::gil_scoped_release nogil;
        sums = delta_round(X, span(y), span(weight), span(order),
                           rule == "delta" ? DeltaRule::delta : DeltaRule::perceptron, eta, constant, span(w), b);
    }
    return std::tuple(sums.errors, sums.loss, b);
}

auto round_dense(const nb::object& X, In1<double> y, Weights weight, In1<std::int64_t> order, const std::string& rule,
                 double eta, bool constant, InOut1<double> w, double b) {
    if (In2<double> rows; nb::try_cast(X, rows, false))
        return run(view(rows), y, weight, order, rule, eta, constant, w, b);
    if (In2<float> rows; nb::try_cast(X, rows, false))
        return run(view(rows), y, weight, order, rule, eta, constant, w, b);
    if (nb::isinstance<Csr<double>>(X))
        return run(nb::cast<const Csr<double>&>(X).view(), y, weight, order, rule, eta, constant, w, b);
    if (nb::isinstance<Csr<float>>(X))
        return run(nb::cast<const Csr<float>&>(X).view(), y, weight, order, rule, eta, constant, w, b);
    throw nb::type_error("X must be a matrix of float32 or float64, by rows, or core.csr of one");
}

}  // namespace

void bind_delta(nb::module_& m) {
    m.def("delta_round", &round_dense, "X"_a, "y"_a.noconvert(), "weight"_a.none(), "order"_a.noconvert(),
          nb::kw_only(), "rule"_a, "eta"_a, "constant"_a, "w"_a.noconvert(), "b"_a,
          "-> (rows in error, sum of losses, b); w changes in place.");
}

}  // namespace lanatus::neural
