// Chains of hidden states: forward and backward recursions, the best path, paths drawn at random.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::graph {

// Sequences one behind the other, each a chain of k states: P(path) is proportional to
//   initial[s_0] e^{potential[0, s_0]} prod_t transition_t[s_t-1, s_t] e^{potential[t, s_t]}.
// The transition is one matrix (k, k), or one for each step into place t (n, k, k), of which the first of a sequence is
// not read. Neither it nor `initial` need sum to one: a hidden Markov model and a random field are the same here.
struct Chains {
    MatrixView<const double> potential;   // (n, k), logarithms
    std::span<const std::int64_t> start;  // (sequences + 1,), where sequences begin
    std::span<const double> initial;      // (k,)
    std::span<const double> transition;   // (k * k,) or (n * k * k,)

    std::size_t k() const noexcept { return initial.size(); }
    std::size_t sequences() const noexcept { return start.size() - 1; }
    const double* into(std::size_t t) const noexcept {
        return transition.data() + (transition.size() > k() * k() ? t * k() * k() : 0);
    }
    bool stationary() const noexcept { return transition.size() == k() * k(); }
};

// Sequences are dealt out in groups that depend on their number alone.
inline Chunks groups_of(std::size_t sequences) { return Chunks::of(sequences, 1, 64, 1); }

// What one thread needs for the recursions of a sequence.
class ChainWorker {
  public:
    explicit ChainWorker(const Chains& chains) : chains_(chains), k_(chains.k()), back_(k_), ahead_(k_) {}

    // Probabilities of the states given all places into `posterior` (rows of the sequence), and the logarithm of the sum
    // over all paths. `pairs`, if not null, gets expected transitions: the sums of a stationary chain, to be multiplied
    // by the transition at the end, or each step's own (n, k, k).
    double run(std::size_t begin, std::size_t end, double* posterior, double* pairs, bool both_ways) {
        scale_.resize(end - begin);
        weight_.resize((end - begin) * k_);
        const double log_sum = forward(begin, end, posterior);
        if (std::isinf(log_sum)) {
            std::fill(posterior, posterior + (end - begin) * k_, 0.0);
            return log_sum;
        }
        if (both_ways) backward(begin, end, posterior, pairs);
        return log_sum;
    }

  private:
    const Chains& chains_;
    std::size_t k_;
    std::vector<double> back_, ahead_, scale_, weight_;

    double forward(std::size_t begin, std::size_t end, double* alpha) {
        double log_sum = 0;
        for (std::size_t t = begin; t < end; ++t) {
            double* row = alpha + (t - begin) * k_;
            double* weight = weight_.data() + (t - begin) * k_;
            const double* potential = chains_.potential.row(t);
            const double top = *std::max_element(potential, potential + k_);
            if (!(top > -std::numeric_limits<double>::infinity())) return -std::numeric_limits<double>::infinity();
            for (std::size_t j = 0; j < k_; ++j) weight[j] = std::exp(potential[j] - top);
            if (t == begin) {
                std::copy(chains_.initial.begin(), chains_.initial.end(), row);
            } else {
                step(row - k_, chains_.into(t), row);
            }
            double sum = 0;
            for (std::size_t j = 0; j < k_; ++j) sum += row[j] *= weight[j];
            if (!(sum > 0)) return -std::numeric_limits<double>::infinity();
            for (std::size_t j = 0; j < k_; ++j) row[j] /= sum;
            scale_[t - begin] = sum;
            log_sum += std::log(sum) + top;
        }
        return log_sum;
    }

    void step(const double* from, const double* transition, double* to) const {
        std::fill(to, to + k_, 0.0);
        for (std::size_t i = 0; i < k_; ++i) {
            const double mass = from[i];
            const double* row = transition + i * k_;
            for (std::size_t j = 0; j < k_; ++j) to[j] += mass * row[j];
        }
    }

    // alpha becomes the posterior as it goes; back_ is beta of the place before.
    void backward(std::size_t begin, std::size_t end, double* alpha, double* pairs) {
        std::fill(back_.begin(), back_.end(), 1.0);
        for (std::size_t t = end; t-- > begin;) {
            double* row = alpha + (t - begin) * k_;
            const double* weight = weight_.data() + (t - begin) * k_;
            const double scale = scale_[t - begin];
            for (std::size_t j = 0; j < k_; ++j) {
                ahead_[j] = weight[j] * back_[j] / scale;
                row[j] *= back_[j];
            }
            normalise(row);
            if (t == begin) break;
            const double* before = row - k_;
            const double* transition = chains_.into(t);
            for (std::size_t i = 0; i < k_; ++i) {
                double sum = 0;
                for (std::size_t j = 0; j < k_; ++j) sum += transition[i * k_ + j] * ahead_[j];
                back_[i] = sum;
            }
            if (pairs != nullptr)
                add_pairs(before, transition, pairs + (chains_.stationary() ? 0 : (t - begin) * k_ * k_));
        }
    }

    void add_pairs(const double* before, const double* transition, double* pairs) const {
        const bool stationary = chains_.stationary();
        for (std::size_t i = 0; i < k_; ++i)
            for (std::size_t j = 0; j < k_; ++j)
                pairs[i * k_ + j] += before[i] * ahead_[j] * (stationary ? 1.0 : transition[i * k_ + j]);
    }

    void normalise(double* row) const {
        double sum = 0;
        for (std::size_t j = 0; j < k_; ++j) sum += row[j];
        if (sum > 0)
            for (std::size_t j = 0; j < k_; ++j) row[j] /= sum;
    }
};

// Objective: P(s_t | all places) and ln of the sum over all paths, for each sequence.
// Result: posterior (n, k); log_sum (sequences,), -infinity and a posterior of 0 where no path is possible; `pairs` (k, k), or
// (n, k, k) for transitions of their own, expected transitions; of the given weights of sequences, where there are any.
// Sums of groups are added in order. Cost: O(n k^2), threads over sequences.
inline void forward_backward(const Chains& chains, std::span<const double> weights, MatrixView<double> posterior,
                             std::span<double> log_sum, std::span<double> pairs, int n_threads) {
    const std::size_t k = chains.k(), cells = k * k;
    const bool stationary = chains.stationary();
    std::fill(pairs.begin(), pairs.end(), 0.0);
    const auto parts = parallel_parts<std::vector<double>>(
        groups_of(chains.sequences()), n_threads, [&](std::size_t from, std::size_t to) {
            std::vector<double> sums(stationary ? cells : 0), own(stationary ? cells : 0);
            ChainWorker worker(chains);
            for (std::size_t s = from; s < to; ++s) {
                const auto begin = static_cast<std::size_t>(chains.start[s]),
                           end = static_cast<std::size_t>(chains.start[s + 1]);
                std::fill(own.begin(), own.end(), 0.0);
                double* into = pairs.empty() ? nullptr : stationary ? own.data() : pairs.data() + begin * cells;
                log_sum[s] = end == begin ? 0.0 : worker.run(begin, end, posterior.row(begin), into, true);
                const double weight = weights.empty() ? 1.0 : weights[s];
                for (std::size_t c = 0; c < own.size(); ++c) sums[c] += weight * own[c];
            }
            return sums;
        });
    if (!stationary || pairs.empty()) return;
    for (const auto& part : parts)
        for (std::size_t c = 0; c < cells; ++c) pairs[c] += part[c];
    for (std::size_t c = 0; c < cells; ++c) pairs[c] *= chains.transition[c];
}

// Objective: ln of the sum over all paths and, into `filtered` (n, k), P(s_t | places up to t).
inline void forward(const Chains& chains, MatrixView<double> filtered, std::span<double> log_sum, int n_threads) {
    parallel_chunks(groups_of(chains.sequences()), n_threads, [&](std::size_t from, std::size_t to) {
        ChainWorker worker(chains);
        for (std::size_t s = from; s < to; ++s) {
            const auto begin = static_cast<std::size_t>(chains.start[s]),
                       end = static_cast<std::size_t>(chains.start[s + 1]);
            log_sum[s] = end == begin ? 0.0 : worker.run(begin, end, filtered.row(begin), nullptr, false);
        }
    });
}

// Objective: the path of the largest product, by dynamic programming over logarithms.
// Result: path (n,), log_product (sequences,), -infinity and a path of -1 where none is possible. Ties: the lower state.
// Cost: O(n k^2) time, n k bytes times 4 for the longest sequence.
inline void viterbi(const Chains& chains, std::span<std::int32_t> path, std::span<double> log_product, int n_threads) {
    const std::size_t k = chains.k();
    std::vector<double> log_initial(k), log_transition(chains.transition.size());
    for (std::size_t i = 0; i < k; ++i) log_initial[i] = std::log(chains.initial[i]);
    for (std::size_t c = 0; c < log_transition.size(); ++c) log_transition[c] = std::log(chains.transition[c]);
    parallel_chunks(groups_of(chains.sequences()), n_threads, [&](std::size_t from, std::size_t to) {
        std::vector<double> best(k), next(k);
        std::vector<std::int32_t> back;
        for (std::size_t s = from; s < to; ++s) {
            const auto begin = static_cast<std::size_t>(chains.start[s]),
                       end = static_cast<std::size_t>(chains.start[s + 1]);
            log_product[s] = 0;
            if (end == begin) continue;
            back.resize((end - begin) * k);
            for (std::size_t j = 0; j < k; ++j) best[j] = log_initial[j] + chains.potential.row(begin)[j];
            for (std::size_t t = begin + 1; t < end; ++t) {
                const double* transition = log_transition.data() + (chains.stationary() ? 0 : t * k * k);
                std::int32_t* from_state = back.data() + (t - begin) * k;
                std::fill(next.begin(), next.end(), -std::numeric_limits<double>::infinity());
                std::fill(from_state, from_state + k, 0);
                for (std::size_t i = 0; i < k; ++i)
                    for (std::size_t j = 0; j < k; ++j) {
                        const double value = best[i] + transition[i * k + j];
                        if (value > next[j]) next[j] = value, from_state[j] = static_cast<std::int32_t>(i);
                    }
                for (std::size_t j = 0; j < k; ++j) best[j] = next[j] + chains.potential.row(t)[j];
            }
            const auto top = static_cast<std::size_t>(std::max_element(best.begin(), best.end()) - best.begin());
            log_product[s] = best[top];
            const bool possible = best[top] > -std::numeric_limits<double>::infinity();
            auto state = possible ? static_cast<std::int32_t>(top) : -1;
            for (std::size_t t = end; t-- > begin;) {
                path[t] = state;
                if (possible) state = back[(t - begin) * k + static_cast<std::size_t>(state)];
            }
        }
    });
}

// Objective: a path of a stationary chain drawn at random, by one number of [0, 1) a step.
// Given: initial and rows of `transition` that sum to one; what rounding leaves over goes to the last state with a chance.
inline void draw_path(std::span<const double> initial, std::span<const double> transition,
                      std::span<const double> uniform, std::span<std::int32_t> path) {
    const std::size_t k = initial.size();
    const double* chances = initial.data();
    for (std::size_t t = 0; t < path.size(); ++t) {
        double left = uniform[t];
        std::size_t state = 0, last = 0;
        for (; state < k; ++state) {
            if (chances[state] > 0) last = state;
            if (left < chances[state]) break;
            left -= chances[state];
        }
        path[t] = static_cast<std::int32_t>(state < k ? state : last);
        chances = transition.data() + static_cast<std::size_t>(path[t]) * k;
    }
}

}  // namespace lanatus::graph
