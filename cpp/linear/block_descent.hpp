// Block coordinate descent on a Gram matrix: the group lasso, and the lasso for several targets at once.
//
// Objective   1/2 ||Y - X W||_F^2 + sum_g a_g ||W_g||_F + b/2 ||W||_F^2, the rows of W cut into consecutive blocks g.
// Given       G = X'X, W (m x t) and its gradient X'(Y - X W), steps L_g >= largest eigenvalue of G's block g.
// Step        U = W_g + gradient_g / L_g; W_g <- U max(0, 1 - a_g / (L_g ||U||)) L_g / (L_g + b). Exact for blocks of one.
// Stop        after `rounds` rounds, or when no block changes beyond rounding; the caller measures the duality gap.
// Cost        O(m t) per row of W changed.
// Source      Yuan, Lin (2006), Model selection and estimation in regression with grouped variables.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "linear/coordinate_descent.hpp"

namespace lanatus::linear {

struct Blocks {
    std::span<const std::int64_t> begin;  // one more than there are blocks
    std::span<const double> a, step;
};

namespace detail {

// One block's new rows into `moved` (as differences); whether anything changed.
inline bool block_step(const Blocks& blocks, std::size_t g, double b, const double* w, const double* gradient,
                       std::size_t size, double* moved) {
    const double L = blocks.step[g];
    double squared = 0;
    for (std::size_t e = 0; e < size; ++e) {
        moved[e] = L > 0 ? w[e] + gradient[e] / L : 0.0;
        squared += moved[e] * moved[e];
    }
    const double norm = std::sqrt(squared);
    const double shrink = L > 0 && L * norm > blocks.a[g] ? (1 - blocks.a[g] / (L * norm)) * L / (L + b) : 0.0;
    bool changed = false;
    for (std::size_t e = 0; e < size; ++e) {
        moved[e] = shrink * moved[e] - w[e];
        changed = changed || moved[e] != 0;
    }
    return changed;
}

}  // namespace detail

// Up to `rounds` rounds in place; the largest change of the fit in the last one, as a length. seed 0: blocks in order.
inline double block_descent(MatrixView<const double> G, const Blocks& blocks, double b, MatrixView<double> W,
                            MatrixView<double> gradient, int rounds, double floor, std::uint64_t seed) {
    const std::size_t m = W.rows, t = W.cols;
    std::vector<double> moved(m * t);
    std::vector<std::size_t> order(blocks.a.size());
    for (std::size_t g = 0; g < order.size(); ++g) order[g] = g;
    double largest = 0;
    for (int round = 0; round < rounds; ++round) {
        largest = 0;
        if (seed != 0) {
            const Philox random(seed + static_cast<std::uint64_t>(round));
            for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
        }
        for (const std::size_t g : order) {
            const auto first = static_cast<std::size_t>(blocks.begin[g]);
            const auto last = static_cast<std::size_t>(blocks.begin[g + 1]);
            const std::size_t size = (last - first) * t;
            if (!detail::block_step(blocks, g, b, W.row(first), gradient.row(first), size, moved.data())) continue;
            double squared = 0;
            for (std::size_t e = 0; e < size; ++e) {
                W.row(first)[e] += moved[e];
                squared += moved[e] * moved[e];
            }
            for (std::size_t j = first; j < last; ++j) {
                const double* by = moved.data() + (j - first) * t;
                for (std::size_t i = 0; i < m; ++i)
                    for (std::size_t k = 0; k < t; ++k) gradient.row(i)[k] -= G.row(j)[i] * by[k];
            }
            largest = std::max(largest, std::sqrt(squared * blocks.step[g]));
        }
        if (largest <= floor) break;
    }
    return largest;
}

}  // namespace lanatus::linear
