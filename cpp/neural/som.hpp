// Self-organising map: units on a grid, each with a weight vector (Kohonen). A row's best matching unit is the nearest one,
// the first of equals.
//
//     online   w_j += eta(t) h(j, c) (x - w_j),           batch   w_j = sum_i h(j, c_i) x_i / sum_i h(j, c_i)
//
// Given   X (n, d), W (q, d), the neighbourhood h by units (q, q) or by steps of the grid. Online goes row by row on one
// thread; a batch is cut into chunks by its size. O(n q d) for the units, O(q^2 d) for a batch's neighbours.
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
#include "neural/leaf.hpp"

namespace lanatus::neural {

template <class T>
std::vector<T> squared_norms(MatrixView<const T> W) {
    std::vector<T> norms(W.rows);
    for (std::size_t q = 0; q < W.rows; ++q)
        for (std::size_t j = 0; j < W.cols; ++j) norms[q] += W.row(q)[j] * W.row(q)[j];
    return norms;
}

// Nearest and next nearest unit of each row, by products of blocks of rows with all units; `second` may be empty.
template <class T>
void best_units(MatrixView<const T> X, MatrixView<const T> W, std::span<std::int32_t> first,
                std::span<std::int32_t> second, int n_threads) {
    constexpr std::size_t block = 64;
    const std::vector<T> norms = squared_norms(W);
    Buffer<T> turned(W.size());
    transpose(W, turned.data());
    parallel_chunks(Chunks::of(X.rows, 256), n_threads, [&](std::size_t begin, std::size_t end) {
        Buffer<T> products(block * W.rows), panel(panel_size<T>());
        for (std::size_t i = begin; i < end; i += block) {
            const std::size_t rows = std::min(block, end - i);
            multiply(Strided<T>{X.row(i), X.cols, 1}, turned.data(), nullptr, false,
                     MatrixView<T>{products.data(), rows, W.rows}, X.cols, panel.data());
            for (std::size_t r = 0; r < rows; ++r) {
                const T* product = products.data() + r * W.rows;
                T least = std::numeric_limits<T>::infinity(), next = least;
                std::size_t best = 0, other = 0;
                for (std::size_t q = 0; q < W.rows; ++q) {
                    const T distance = norms[q] - 2 * product[q];
                    if (distance < least) next = least, other = best, least = distance, best = q;
                    else if (distance < next) next = distance, other = q;
                }
                first[i + r] = static_cast<std::int32_t>(best);
                if (!second.empty()) second[i + r] = static_cast<std::int32_t>(other);
            }
        }
    });
}

// Rows of X in `order`, one after the other; strength(t, c, out) gives eta h(j, c) of all units for the t-th of them.
template <class T, class Strength>
void som_online(MatrixView<const T> X, std::span<const std::int64_t> order, MatrixView<T> W, const Strength& strength) {
    std::vector<T> norms = squared_norms<T>(W), pull(W.rows);
    for (std::size_t t = 0; t < order.size(); ++t) {
        const T* x = X.row(static_cast<std::size_t>(order[t]));
        const std::size_t c = nearest_row(x, MatrixView<const T>(W), norms.data());
        strength(t, c, pull.data());
        for (std::size_t q = 0; q < W.rows; ++q)
            if (pull[q] != T{0}) norms[q] = pull_towards(x, pull[q], W.row(q), W.cols);
    }
}

// Sums of the rows and their weights by best unit.
template <class T>
void unit_sums(MatrixView<const T> X, std::span<const double> weight, std::span<const std::int32_t> unit,
               MatrixView<double> sums, std::span<double> mass) {
    for (std::size_t i = 0; i < X.rows; ++i) {
        const auto q = static_cast<std::size_t>(unit[i]);
        const double w = weight.empty() ? 1 : weight[i];
        mass[q] += w;
        for (std::size_t j = 0; j < X.cols; ++j) sums.row(q)[j] += w * static_cast<double>(X.row(i)[j]);
    }
}

}  // namespace lanatus::neural
