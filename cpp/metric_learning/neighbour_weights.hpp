// Weights of pairs of rows in the gradients of learned metrics, for a block of rows against all.
//
// Both objectives below have the gradient  sum_ij W_ij (x_i - x_j)(x_i - x_j)'  up to constants; the matrix products that turn W into
// it are left to BLAS. D holds inner products z_i' z_j of the block's rows with all rows on entry, and W on return.
//
// NCA (Goldberger, Roweis, Hinton, Salakhutdinov 2005; book (10.35) to (10.38)):
//   p_ij = exp(-||z_i - z_j||^2) / sum_l exp(-||z_i - z_l||^2),  p_i = sum_{j in class of i} p_ij,  W_ij = p_ij p_i - [same] p_ij.
//   Without `self_term` p_ii = 0. Result: sum of p_i over the block. Exponents are taken from the largest, so that none overflows.
// Deterministic: a row is one call.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/simd.hpp"

namespace lanatus::metric_learning {

struct NeighbourTask {
    std::span<const double> block_squares, squares;  // ||z||^2 of the block's rows and of all
    std::span<const std::int32_t> classes;           // of all rows
    std::size_t first = 0;                           // the number of the block's first row
    bool self_term = false;
};

// exp(-||z_i - z_j||^2) of one row: D[j] becomes the value; vectorised in neighbour_weights.cpp.
void exponentials(double* D, const double* squares, double least, std::size_t n);
void exponentials(float* D, const double* squares, double least, std::size_t n);

template <class T>
double nca_row(const NeighbourTask& task, std::size_t i, T* D) {
    const std::size_t n = task.squares.size(), own = task.first + i;
    // Half the squared distance up to ||z_i||^2 / 2 is squares / 2 - product; the least of it gives the largest exponent.
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < n; ++j) {
        const double away = task.squares[j] - 2 * static_cast<double>(D[j]);
        if (away < least && (task.self_term || j != own)) least = away;
    }
    exponentials(D, task.squares.data(), least, n);
    if (!task.self_term) D[own] = 0;
    double total = 0, same = 0;
    const std::int32_t label = task.classes[own];
    for (std::size_t j = 0; j < n; ++j) {
        const double e = static_cast<double>(D[j]);
        total += e;
        same += task.classes[j] == label ? e : 0.0;
    }
    if (!(total > 0)) {
        std::fill_n(D, n, T{0});
        return 0;
    }
    const double p = same / total;
    const T others = static_cast<T>(p / total), mine = static_cast<T>((p - 1) / total);
    for (std::size_t j = 0; j < n; ++j) D[j] *= task.classes[j] == label ? mine : others;
    return p;
}

template <class T>
double nca_block(const NeighbourTask& task, MatrixView<T> D, int n_threads) {
    std::vector<double> p(D.rows);
    parallel_chunks(Chunks::of(D.rows, 4, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) p[i] = nca_row(task, i, D.row(i));
    });
    double total = 0;
    for (const double each : p) total += each;
    return total;
}

// LMNN (Weinberger, Saul 2009): pull (1 - mu) sum_{j of i} d_ij + push mu sum_{j of i, l} [1 + d_ij - d_il]_+, d squared distances,
// j the target neighbours of i, l rows of other classes. Result: the objective of the block; W_ij = (1 - mu) + mu (active l of (i, j)),
// W_il = -mu (active j of (i, l)).
template <class T>
double lmnn_row(const NeighbourTask& task, const std::int64_t* targets, std::size_t k, double mu, std::size_t i, T* D,
                std::vector<double>& reach, std::vector<double>& active) {
    const std::size_t n = task.squares.size(), own = task.first + i;
    const std::int32_t label = task.classes[own];
    double value = 0, farthest = -std::numeric_limits<double>::infinity();
    reach.clear();
    for (std::size_t t = 0; t < k; ++t) {
        if (targets[t] < 0) break;  // fewer rows of its class than k
        const auto j = static_cast<std::size_t>(targets[t]);
        const double away = std::max(task.block_squares[i] + task.squares[j] - 2 * static_cast<double>(D[j]), 0.0);
        value += (1 - mu) * away;
        reach.push_back(1 + away), farthest = std::max(farthest, 1 + away);
    }
    active.assign(reach.size(), 0.0);
    const double limit = farthest - task.block_squares[i];
    for (std::size_t j = 0; j < n; ++j) {
        const double away = task.squares[j] - 2 * static_cast<double>(D[j]);
        D[j] = 0;
        if (!(away < limit) || task.classes[j] == label) continue;
        double pushed = 0;
        for (std::size_t t = 0; t < reach.size(); ++t) {
            const double over = reach[t] - std::max(away + task.block_squares[i], 0.0);
            if (over > 0) value += mu * over, pushed += 1, active[t] += 1;
        }
        D[j] = static_cast<T>(-mu * pushed);
    }
    for (std::size_t t = 0; t < reach.size(); ++t)
        D[static_cast<std::size_t>(targets[t])] = static_cast<T>((1 - mu) + mu * active[t]);
    return value;
}

template <class T>
double lmnn_block(const NeighbourTask& task, MatrixView<const std::int64_t> targets, double mu, MatrixView<T> D,
                  int n_threads) {
    std::vector<double> values(D.rows);
    parallel_chunks(Chunks::of(D.rows, 4, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<double> reach, active;
        for (std::size_t i = begin; i < end; ++i)
            values[i] = lmnn_row(task, targets.row(task.first + i), targets.cols, mu, i, D.row(i), reach, active);
    });
    double total = 0;
    for (const double each : values) total += each;
    return total;
}

}  // namespace lanatus::metric_learning
