// The Gaussian kernel of all pairs -- book 6.3, table 6.1.
//
// Given   X (n, d), points (m, d), gamma >= 0.
// Leaves  out (n, m): exp(-gamma |x - p|^2), right to a few units in the last place; equal rows are at exactly 1. Exponents
//         below the least normal number give 0. O(n m d). The answer does not depend on the number of threads.
#pragma once
#include <concepts>
#include <cstddef>

#include "core/parallel.hpp"
#include "metric/pairwise.hpp"

namespace lanatus::kernel {

// values <- exp(-gamma values), for values >= 0
void decay(float* values, std::size_t n, double gamma);
void decay(double* values, std::size_t n, double gamma);

template <std::floating_point T>
void gaussian(MatrixView<const T> X, MatrixView<const T> points, double gamma, MatrixView<T> out, int n_threads) {
    const metric::PackedRows<T> packed(points, metric::Form::direct);
    parallel_chunks(Chunks::of(X.rows, 48), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i += 48) {  // few rows at a time, so that they are still in the cache
            const std::size_t stop = std::min(end, i + 48);
            metric::pairwise_rows(X, packed, i, stop, out.data, points.rows, 1);
            decay(out.row(i), (stop - i) * points.rows, gamma);
        }
    });
}

}  // namespace lanatus::kernel
