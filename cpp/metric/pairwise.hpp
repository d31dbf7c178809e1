// Squared Euclidean distances of all pairs, by differences, so that equal rows are at distance 0.
//
// Given   X (n, d), points (m, d).
// Leaves  out (n, m). O(n m d). The answer does not depend on the number of threads.
#pragma once
#include <concepts>
#include <cstddef>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "metric/sq_tile.hpp"

namespace lanatus::metric {

// out[i * row_stride + c * point_stride] <- squared distance of row i in [begin, end) and point c (packed must be direct).
void pairwise_rows(MatrixView<const float> X, const PackedRows<float>&, std::size_t begin, std::size_t end, float* out,
                   std::size_t row_stride, std::size_t point_stride);
void pairwise_rows(MatrixView<const double> X, const PackedRows<double>&, std::size_t begin, std::size_t end,
                   double* out, std::size_t row_stride, std::size_t point_stride);

// Squared distance of two rows.
float sq_distance(const float* x, const float* y, std::size_t d);
double sq_distance(const double* x, const double* y, std::size_t d);

template <std::floating_point T>
void pairwise_sq(MatrixView<const T> X, MatrixView<const T> points, MatrixView<T> out, int n_threads) {
    const PackedRows<T> packed(points, Form::direct);
    parallel_chunks(Chunks::of(X.rows, 96), n_threads, [&](std::size_t begin, std::size_t end) {
        pairwise_rows(X, packed, begin, end, out.data, points.rows, 1);
    });
}

}  // namespace lanatus::metric
