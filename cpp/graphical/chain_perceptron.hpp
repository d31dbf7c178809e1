// The averaged perceptron on chains: features of places and labels that follow each other.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::graphical {

// Weights of features (features, k) and of steps (k, k), and sums of what was added to them, each times when.
struct PerceptronWeights {
    MatrixView<double> state, step, state_sum, step_sum;
};

// Objective: weights whose best path is the true one for as many places as possible; where it is not, features of the true
// labels are added and those of the best path taken away (Collins, 2002).
// Given: rows (places, features) and labels of sequences, the order in which they are looked at, and how many updates there
// were before. Result: how many places were wrong; the weights and their sums in place. Averages are weights - sums / time.
// Cost: an entry times k for the scores, k^2 a place for the path. Ties: the lower label.
class ChainPerceptron {
  public:
    ChainPerceptron(CsrView<double> rows, std::span<const std::int32_t> labels, std::span<const std::int64_t> start,
                    PerceptronWeights weights)
        : rows_(rows), labels_(labels), start_(start), w_(weights), k_(weights.step.rows), best_(k_), next_(k_) {}

    std::int64_t epoch(std::span<const std::int64_t> order, double time) {
        std::int64_t wrong = 0;
        for (const std::int64_t s : order) {
            const auto begin = static_cast<std::size_t>(start_[static_cast<std::size_t>(s)]);
            const auto end = static_cast<std::size_t>(start_[static_cast<std::size_t>(s) + 1]);
            if (begin < end) {
                find_path(begin, end);
                wrong += correct(begin, end, time);
            }
            time += 1;
        }
        return wrong;
    }

  private:
    CsrView<double> rows_;
    std::span<const std::int32_t> labels_;
    std::span<const std::int64_t> start_;
    PerceptronWeights w_;
    std::size_t k_;
    std::vector<double> best_, next_;
    std::vector<std::int32_t> back_, path_;

    void score(std::size_t place, std::vector<double>& out) const {
        const auto row = rows_.row(place);
        for (std::size_t e = 0; e < row.values.size(); ++e) {
            const double value = row.values[e];
            const double* weight = w_.state.row(static_cast<std::size_t>(row.columns[e]));
            for (std::size_t j = 0; j < k_; ++j) out[j] += value * weight[j];
        }
    }

    void find_path(std::size_t begin, std::size_t end) {
        const std::size_t n = end - begin;
        back_.resize(n * k_);
        path_.resize(n);
        std::fill(best_.begin(), best_.end(), 0.0);
        score(begin, best_);
        for (std::size_t t = 1; t < n; ++t) {
            std::int32_t* from = back_.data() + t * k_;
            std::fill(next_.begin(), next_.end(), -std::numeric_limits<double>::infinity());
            std::fill(from, from + k_, 0);
            for (std::size_t i = 0; i < k_; ++i) {
                const double* step = w_.step.row(i);
                for (std::size_t j = 0; j < k_; ++j) {
                    const double value = best_[i] + step[j];
                    const bool better = value > next_[j];
                    next_[j] = better ? value : next_[j];
                    from[j] = better ? static_cast<std::int32_t>(i) : from[j];
                }
            }
            score(begin + t, next_);
            std::swap(best_, next_);
        }
        auto state = static_cast<std::int32_t>(std::max_element(best_.begin(), best_.end()) - best_.begin());
        for (std::size_t t = n; t-- > 0;) {
            path_[t] = state;
            if (t > 0) state = back_[t * k_ + static_cast<std::size_t>(state)];
        }
    }

    std::int64_t correct(std::size_t begin, std::size_t end, double time) {
        std::int64_t wrong = 0;
        for (std::size_t t = 0; t < end - begin; ++t) {
            const auto guess = static_cast<std::size_t>(path_[t]), truth = static_cast<std::size_t>(labels_[begin + t]);
            if (guess != truth) {
                ++wrong;
                const auto row = rows_.row(begin + t);
                for (std::size_t e = 0; e < row.values.size(); ++e) {
                    const auto f = static_cast<std::size_t>(row.columns[e]);
                    add(w_.state.row(f) + truth, w_.state_sum.row(f) + truth, row.values[e], time);
                    add(w_.state.row(f) + guess, w_.state_sum.row(f) + guess, -row.values[e], time);
                }
            }
            if (t == 0) continue;
            const auto guess_before = static_cast<std::size_t>(path_[t - 1]),
                       truth_before = static_cast<std::size_t>(labels_[begin + t - 1]);
            if (guess == truth && guess_before == truth_before) continue;
            add(w_.step.row(truth_before) + truth, w_.step_sum.row(truth_before) + truth, 1.0, time);
            add(w_.step.row(guess_before) + guess, w_.step_sum.row(guess_before) + guess, -1.0, time);
        }
        return wrong;
    }

    static void add(double* weight, double* sum, double amount, double time) {
        *weight += amount;
        *sum += amount * time;
    }
};

}  // namespace lanatus::graphical
