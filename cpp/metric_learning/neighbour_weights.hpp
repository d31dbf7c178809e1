// Weights of pairs of rows in the gradients of learned metrics, for a block of rows against all.
//
// Both objectives below have the gradient  sum_ij W_ij (x_i - x_j)(x_i - x_j)'  up to constants; the matrix products that turn W into
// it are left to BLAS. D holds inner products z_i' z_j of the block's rows with all rows on entry, and W on return.
//
// NCA (Goldberger, Roweis, Hinton, Salakhutdinov 2005; book (10.35) to (10.38)):
//   p_ij = exp(-||z_i - z_j||^2) / sum_l exp(-||z_i - z_l||^2),  p_i = sum_{j in class of i} p_ij,  W_ij = p_ij p_i - [same] p_ij.
//   j runs over the others; l too, but with `self_term` over the row itself as well. Result: sum of p_i over the block. Exponents are taken from the largest, so that none overflows.
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

// Of one row, vectorised in neighbour_weights.cpp. least_of: the least of squares[j] - 2 D[j]. exponentials: D[j] becomes
// exp(least - squares[j] + 2 D[j]), at most 1; their sum is returned. scale: D[j] *= factor.
double least_of(const double* D, const double* squares, std::size_t n);
double least_of(const float* D, const double* squares, std::size_t n);
double exponentials(double* D, const double* squares, double least, std::size_t n);
double exponentials(float* D, const double* squares, double least, std::size_t n);
void scale(double* D, double factor, std::size_t n);
void scale(float* D, double factor, std::size_t n);

// Rows are in the order of their classes: those of a class are a range.
template <class T>
double nca_row(const NeighbourTask& task, std::size_t i, T* D) {
    const std::size_t n = task.squares.size(), own = task.first + i;
    const auto [low, high] = std::equal_range(task.classes.begin(), task.classes.end(), task.classes[own]);
    const auto first = static_cast<std::size_t>(low - task.classes.begin());
    const auto last = static_cast<std::size_t>(high - task.classes.begin());
    const double* squares = task.squares.data();
    const double itself = squares[own] - 2 * static_cast<double>(D[own]);
    // Exponents are taken from the nearest row that counts.
    double least = std::min(least_of(D, squares, own), least_of(D + own + 1, squares + own + 1, n - own - 1));
    if (task.self_term) least = std::min(least, itself);
    const double before = exponentials(D, squares, least, first);
    double same = exponentials(D + first, squares + first, least, own - first);
    same += exponentials(D + own + 1, squares + own + 1, least, last - own - 1);
    const double after = exponentials(D + last, squares + last, least, n - last);
    const double total = same + before + after + (task.self_term ? std::exp(least - itself) : 0.0);
    D[own] = 0;
    if (!(total > 0)) {
        std::fill_n(D, n, T{0});
        return 0;
    }
    const double p = same / total;
    scale(D, p / total, first), scale(D + first, (p - 1) / total, last - first), scale(D + last, p / total, n - last);
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
