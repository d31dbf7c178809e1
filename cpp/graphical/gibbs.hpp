// Gibbs sampling of discrete variables whose joint distribution is a product of tables.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"

namespace lanatus::graphical {

// Tables one behind the other. Table f holds the variables scope[scope_start[f] ..), with the stride of each; the tables
// that variable v stands in are used[used_start[v] ..), with its stride in each.
struct FactorTables {
    std::span<const double> values;
    std::span<const std::int64_t> start;        // (tables + 1,)
    std::span<const std::int64_t> scope_start;  // (tables + 1,)
    std::span<const std::int32_t> scope;        // (scope_start[tables],)
    std::span<const std::int64_t> scope_stride;
    std::span<const std::int64_t> used_start;  // (variables + 1,)
    std::span<const std::int32_t> used;        // (used_start[variables],)
    std::span<const std::int64_t> used_stride;
    std::span<const std::int32_t> cardinality;  // (variables,)
};

// One chain: the states of all variables, and where they stand in each table.
class GibbsChain {
  public:
    GibbsChain(const FactorTables& tables, std::span<const std::int32_t> start, std::uint64_t seed,
               std::uint64_t stream)
        : tables_(tables), state_(start.begin(), start.end()), place_(tables.start.size() - 1), draw_(seed, stream) {
        for (std::size_t f = 0; f < place_.size(); ++f) {
            place_[f] = tables.start[f];
            for (auto s = static_cast<std::size_t>(tables.scope_start[f]);
                 s < static_cast<std::size_t>(tables.scope_start[f + 1]); ++s)
                place_[f] += tables.scope_stride[s] * state_[static_cast<std::size_t>(tables.scope[s])];
        }
    }

    // Draws one variable given all others; false if every state of it is impossible, which leaves it as it is.
    bool draw(std::size_t v) {
        const auto k = static_cast<std::size_t>(tables_.cardinality[v]);
        weight_.assign(k, 1.0);
        const auto begin = static_cast<std::size_t>(tables_.used_start[v]),
                   end = static_cast<std::size_t>(tables_.used_start[v + 1]);
        for (std::size_t u = begin; u < end; ++u) {
            const std::int64_t stride = tables_.used_stride[u];
            const double* at =
                tables_.values.data() + place_[static_cast<std::size_t>(tables_.used[u])] - stride * state_[v];
            for (std::size_t s = 0; s < k; ++s) weight_[s] *= at[static_cast<std::int64_t>(s) * stride];
        }
        double total = 0;
        for (const double weight : weight_) total += weight;
        if (!(total > 0)) return false;
        double left = draw_.uniform(drawn_++) * total;
        std::size_t chosen = 0, last = 0;
        for (; chosen < k; ++chosen) {
            if (weight_[chosen] > 0) last = chosen;
            if (left < weight_[chosen]) break;
            left -= weight_[chosen];
        }
        move(v, static_cast<std::int32_t>(chosen < k ? chosen : last));
        return true;
    }

    std::span<const std::int32_t> state() const noexcept { return state_; }
    std::size_t drawn_variable(std::uint64_t of) { return static_cast<std::size_t>(draw_.below(drawn_++, of)); }

  private:
    const FactorTables& tables_;
    std::vector<std::int32_t> state_;
    std::vector<std::int64_t> place_;
    std::vector<double> weight_;
    Philox draw_;
    std::uint64_t drawn_ = 0;

    void move(std::size_t v, std::int32_t to) {
        const std::int64_t step = to - state_[v];
        if (step == 0) return;
        for (auto u = static_cast<std::size_t>(tables_.used_start[v]);
             u < static_cast<std::size_t>(tables_.used_start[v + 1]); ++u)
            place_[static_cast<std::size_t>(tables_.used[u])] += step * tables_.used_stride[u];
        state_[v] = to;
    }
};

// Objective: samples of the free variables given the others, a row of states after each sweep behind the burn-in.
// Given: start (chains, variables), of which those that are not free stay. Result: samples (chains * n, variables), int32,
// and how many draws found every state impossible. Chains are independent of each other and of the number of threads.
// Cost: a step a state and table of each variable and sweep.
inline std::size_t gibbs_samples(const FactorTables& tables, MatrixView<const std::int32_t> start,
                                 std::span<const std::int32_t> free, std::size_t burn_in, std::size_t n,
                                 bool random_scan, std::uint64_t seed, MatrixView<std::int32_t> samples,
                                 int n_threads) {
    std::vector<std::size_t> stuck(start.rows);
    parallel_for(start.rows, n_threads, [&](std::size_t c) {
        GibbsChain chain(tables, {start.row(c), start.cols}, seed, c);
        for (std::size_t sweep = 0; sweep < burn_in + n; ++sweep) {
            for (std::size_t i = 0; i < free.size(); ++i) {
                const std::size_t at = random_scan ? chain.drawn_variable(free.size()) : i;
                stuck[c] += !chain.draw(static_cast<std::size_t>(free[at]));
            }
            if (sweep < burn_in) continue;
            const auto state = chain.state();
            std::copy(state.begin(), state.end(), samples.row(c * n + sweep - burn_in));
        }
    });
    std::size_t total = 0;
    for (const std::size_t one : stuck) total += one;
    return total;
}

}  // namespace lanatus::graphical
