#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "graphical/chain_perceptron.hpp"

namespace lanatus::graphical {
using namespace nb::literals;

namespace {

std::int64_t py_epoch(const Csr<double>& rows, const In1<std::int32_t>& labels, const In1<std::int64_t>& start,
                      const In1<std::int64_t>& order, InOut2<double> state, InOut2<double> step,
                      InOut2<double> state_sum, InOut2<double> step_sum, double time) {
    const auto X = rows.view();
    const auto starts = span(start);
    const std::size_t k = step.shape(0), sequences = starts.size() - 1;
    require(k > 0 && step.shape(1) == k && step_sum.shape(0) == k && step_sum.shape(1) == k,
            "weights of steps must be (k, k)");
    require(state.shape(0) == X.cols && state.shape(1) == k && state_sum.shape(0) == X.cols && state_sum.shape(1) == k,
            "weights of features must be (features, k)");
    require(labels.shape(0) == X.rows, "labels and rows differ in length");
    for (const std::int32_t label : span(labels))
        require(label >= 0 && static_cast<std::size_t>(label) < k, "a label is none of k");
    require(!starts.empty() && starts.front() == 0 && starts.back() == static_cast<std::int64_t>(X.rows),
            "start does not cut the rows into sequences");
    for (std::size_t s = 0; s < sequences; ++s)
        require(starts[s] <= starts[s + 1], "start does not cut the rows into sequences");
    for (const std::int64_t s : span(order))
        require(s >= 0 && static_cast<std::size_t>(s) < sequences, "order names no sequence");
    nb::gil_scoped_release nogil;
    ChainPerceptron perceptron(X, span(labels), starts, {view(state), view(step), view(state_sum), view(step_sum)});
    return perceptron.epoch(span(order), time);
}

}  // namespace

void bind_chain_perceptron(nb::module_& m) {
    m.def("perceptron_epoch", &py_epoch, "rows"_a, "labels"_a.noconvert(), "start"_a.noconvert(), "order"_a.noconvert(),
          "state"_a.noconvert(), "step"_a.noconvert(), "state_sum"_a.noconvert(), "step_sum"_a.noconvert(), "time"_a,
          "-> places that were wrong; weights and their sums change in place");
}

}  // namespace lanatus::graphical
