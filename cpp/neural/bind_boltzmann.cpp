#include "core/ndarray.hpp"
#include "neural/boltzmann.hpp"

namespace lanatus::neural {
using namespace nb::literals;

namespace {

template <class T>
auto py_contrast_round(In2<T> X, Weights weight, In1<std::int64_t> order, InOut2<T> W, InOut1<T> b, InOut1<T> c,
                       InOut1<T> velocity, InOut2<T> chains, std::uint64_t step, double rate, double decay,
                       double momentum, std::size_t steps, std::size_t batch, bool persistent, std::uint64_t seed) {
    const std::size_t d = W.shape(0), q = W.shape(1);
    require(X.shape(1) == d && b.shape(0) == d && c.shape(0) == q, "X, W, b and c do not fit together");
    require(velocity.shape(0) == d * q + d + q, "velocity must be as long as W, b and c");
    require(batch >= 1 && steps >= 1 && steps <= 120, "a batch needs a row, and a chain 1 to 120 steps");
    require(!persistent || (chains.shape(0) == batch && chains.shape(1) == q),
            "chains must be of shape (batch, units)");
    require_weights(weight, X.shape(0));
    for (const std::int64_t i : span(order))
        require(i >= 0 && static_cast<std::size_t>(i) < X.shape(0), "order names a row that X has not");
    const Contrast how{.rate = rate,
                       .decay = decay,
                       .momentum = momentum,
                       .steps = steps,
                       .batch = batch,
                       .persistent = persistent,
                       .seed = seed};
    double apart;
    {
        nb::gil_scoped_release nogil;
        apart = contrast_round<T>(view(X), span(weight), span(order), how, view(W), span(b).data(), span(c).data(),
                                  span(velocity).data(), view(chains).data, step);
    }
    return std::tuple(apart, step);
}

template <class T>
auto py_hidden(In2<T> X, In2<T> W, In1<T> c, int n_threads) {
    require_threads(n_threads);
    require(X.shape(1) == W.shape(0) && c.shape(0) == W.shape(1), "X, W and c do not fit together");
    auto H = new_array<T>(X.shape(0), W.shape(1));
    {
        nb::gil_scoped_release nogil;
        hidden_of<T>(view(X), view(W), span(c).data(), view(H), n_threads);
    }
    return H;
}

template <class T>
void bind_machine(nb::module_& m) {
    m.def("contrast_round", &py_contrast_round<T>, "X"_a.noconvert(), "weight"_a.none(), "order"_a.noconvert(),
          "W"_a.noconvert(), "b"_a.noconvert(), "c"_a.noconvert(), "velocity"_a.noconvert(), "chains"_a.noconvert(),
          "step"_a, nb::kw_only(), "rate"_a, "decay"_a, "momentum"_a, "steps"_a, "batch"_a, "persistent"_a, "seed"_a,
          "-> (mean squared reconstruction error, step); W, b, c, velocity and chains change in place.");
    m.def("hidden_probabilities", &py_hidden<T>, "X"_a.noconvert(), "W"_a.noconvert(), "c"_a.noconvert(), nb::kw_only(),
          "n_threads"_a, "-> P(h = 1 | x) for each row");
}

}  // namespace

void bind_boltzmann(nb::module_& m) {
    bind_machine<double>(m);
    bind_machine<float>(m);
}

}  // namespace lanatus::neural
