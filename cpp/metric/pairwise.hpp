// Squared Euclidean distances of all pairs, by differences, so that equal rows are at distance 0.
//
// Given   X (n, d), points (m, d).
// Leaves  out (n, m). O(n m d). The answer does not depend on the number of threads.
#pragma once
#include <cmath>
#include <concepts>
#include <cstddef>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "metric/minkowski.hpp"
#include "metric/sq_tile.hpp"

namespace lanatus::metric {

// out[i * row_stride + c * point_stride] <- squared distance of row i in [begin, end) and point c (packed must be direct).
void pairwise_rows(MatrixView<const float> X, const PackedRows<float>&, std::size_t begin, std::size_t end, float* out,
                   std::size_t row_stride, std::size_t point_stride);
void pairwise_rows(MatrixView<const double> X, const PackedRows<double>&, std::size_t begin, std::size_t end,
                   double* out, std::size_t row_stride, std::size_t point_stride);

// out (n, m) <- sums of gaps (Manhattan's distance), or the largest gap (Chebyshev's).
void gap_rows(MatrixView<const float> X, const PackedRows<float>&, bool largest, std::size_t begin, std::size_t end,
              float* out);
void gap_rows(MatrixView<const double> X, const PackedRows<double>&, bool largest, std::size_t begin, std::size_t end,
              double* out);

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

// Minkowski's distances of order p of all pairs.
template <std::floating_point T>
void pairwise_minkowski(MatrixView<const T> X, MatrixView<const T> points, double p, MatrixView<T> out, int n_threads) {
    const PackedRows<T> packed(points, Form::direct);
    const Minkowski general(p);
    parallel_chunks(Chunks::of(X.rows, 96), n_threads, [&](std::size_t begin, std::size_t end) {
        if (p == 1 || std::isinf(p)) return gap_rows(X, packed, p != 1, begin, end, out.data);
        if (p == 2) {
            pairwise_rows(X, packed, begin, end, out.data, points.rows, 1);
            for (std::size_t i = begin * points.rows; i < end * points.rows; ++i) out.data[i] = std::sqrt(out.data[i]);
            return;
        }
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t c = 0; c < points.rows; ++c) {
                double sum = 0;
                for (std::size_t j = 0; j < X.cols; ++j)
                    sum = general.add(sum, static_cast<double>(X.row(i)[j]) - static_cast<double>(points.row(c)[j]));
                out.row(i)[c] = static_cast<T>(general.length(sum));
            }
    });
}

}  // namespace lanatus::metric
