#include <cmath>

#include "core/ndarray.hpp"
#include "graph/chains.hpp"

namespace lanatus::graph {
using namespace nb::literals;

namespace {

using In3 = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;  // (k, k), or (n, k, k)

void require_chances(std::span<const double> values, const char* message) {
    for (const double value : values) require(value >= 0 && std::isfinite(value), message);
}

// Chains over arrays that were looked at: a state with a number above any, or NaN, would spoil all.
Chains checked(const In2<double>& potential, const In1<std::int64_t>& start, const In1<double>& initial,
               const In3& transition) {
    require_aligned(transition);
    const Chains chains{view(potential), span(start), span(initial), {transition.data(), transition.size()}};
    const std::size_t k = chains.k(), n = chains.potential.rows;
    require(k > 0 && chains.potential.cols == k, "potential must have a column for each state");
    const bool own = transition.ndim() == 3;
    require((own || transition.ndim() == 2) && transition.shape(transition.ndim() - 1) == k &&
                transition.shape(transition.ndim() - 2) == k && (!own || transition.shape(0) == n),
            "transition must have the shape (k, k), or (n, k, k)");
    require(!chains.start.empty() && chains.start.front() == 0 && chains.start.back() == static_cast<std::int64_t>(n),
            "start does not cut the rows into sequences");
    for (std::size_t s = 0; s + 1 < chains.start.size(); ++s)
        require(chains.start[s] <= chains.start[s + 1], "start does not cut the rows into sequences");
    require_chances(chains.initial, "initial holds a number that is negative, NaN or infinite");
    require_chances(chains.transition, "transition holds a number that is negative, NaN or infinite");
    for (std::size_t i = 0; i < chains.potential.size(); ++i)
        require(chains.potential.data[i] < std::numeric_limits<double>::infinity(), "potential holds NaN or infinity");
    return chains;
}

auto py_forward_backward(const In2<double>& potential, const In1<std::int64_t>& start, const In1<double>& initial,
                         const In3& transition, const Weights& w, bool pairs, int n_threads) {
    require_threads(n_threads);
    const Chains chains = checked(potential, start, initial, transition);
    require_weights(w, chains.sequences());
    auto posterior = new_array<double>(potential.shape(0), chains.k());
    auto log_sum = new_array<double>(chains.sequences());
    auto sums = new_array<double>(pairs ? chains.transition.size() : 0);
    {
        nb::gil_scoped_release nogil;
        forward_backward(chains, span(w), view(posterior), span(log_sum), span(sums), n_threads);
    }
    return std::tuple(posterior, log_sum, sums);
}

auto py_forward(const In2<double>& potential, const In1<std::int64_t>& start, const In1<double>& initial,
                const In3& transition, int n_threads) {
    require_threads(n_threads);
    const Chains chains = checked(potential, start, initial, transition);
    auto filtered = new_array<double>(potential.shape(0), chains.k());
    auto log_sum = new_array<double>(chains.sequences());
    {
        nb::gil_scoped_release nogil;
        forward(chains, view(filtered), span(log_sum), n_threads);
    }
    return std::tuple(filtered, log_sum);
}

auto py_viterbi(const In2<double>& potential, const In1<std::int64_t>& start, const In1<double>& initial,
                const In3& transition, int n_threads) {
    require_threads(n_threads);
    const Chains chains = checked(potential, start, initial, transition);
    auto path = new_array<std::int32_t>(potential.shape(0));
    auto log_product = new_array<double>(chains.sequences());
    {
        nb::gil_scoped_release nogil;
        viterbi(chains, span(path), span(log_product), n_threads);
    }
    return std::tuple(path, log_product);
}

auto py_draw_path(const In1<double>& initial, const In2<double>& transition, const In1<double>& uniform) {
    const std::size_t k = initial.shape(0);
    require(k > 0 && transition.shape(0) == k && transition.shape(1) == k, "transition must have the shape (k, k)");
    auto path = new_array<std::int32_t>(uniform.shape(0));
    {
        nb::gil_scoped_release nogil;
        draw_path(span(initial), {transition.data(), k * k}, span(uniform), span(path));
    }
    return path;
}

}  // namespace

void bind_chains(nb::module_& m) {
    m.def("forward_backward", &py_forward_backward, "potential"_a.noconvert(), "start"_a.noconvert(),
          "initial"_a.noconvert(), "transition"_a.noconvert(), "w"_a.none(), nb::kw_only(), "pairs"_a, "n_threads"_a,
          "-> (posterior (n, k), log of the sum over all paths (sequences,), expected transitions, flat, or none)");
    m.def("forward", &py_forward, "potential"_a.noconvert(), "start"_a.noconvert(), "initial"_a.noconvert(),
          "transition"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (filtered (n, k), log of the sum over all paths (sequences,))");
    m.def("viterbi", &py_viterbi, "potential"_a.noconvert(), "start"_a.noconvert(), "initial"_a.noconvert(),
          "transition"_a.noconvert(), nb::kw_only(), "n_threads"_a, "-> (path (n,), log of its product (sequences,))");
    m.def("draw_path", &py_draw_path, "initial"_a.noconvert(), "transition"_a.noconvert(), "uniform"_a.noconvert(),
          "-> path, a state for each of the uniform numbers");
}

}  // namespace lanatus::graph
