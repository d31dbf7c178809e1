// Squared Euclidean distances of compressed rows to dense points, at a cost of (entries) x (points).
//
// With the points by columns, an entry x_ij lowers the scores of all points by x_ij p_cj in one vector sweep:
//     1/2 |x_i - p_c|^2 = 1/2 |x_i|^2 + ( 1/2 |p_c|^2 - sum_j x_ij p_cj ),   in double whatever the data.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::metric {

// Points by columns, their number padded to whole vectors.
struct ColumnPoints {
    std::size_t n, d, stride;
    std::vector<double> values, half_norm;  // (d, stride), (stride,)

    template <class T>
    explicit ColumnPoints(MatrixView<const T> points)
        : n(points.rows), d(points.cols), stride((n + 7) / 8 * 8), values(d * stride), half_norm(stride) {
        for (std::size_t c = 0; c < n; ++c)
            for (std::size_t j = 0; j < d; ++j) {
                const auto value = static_cast<double>(points.row(c)[j]);
                values[j * stride + c] = value;
                half_norm[c] += value * value / 2;
            }
    }
};

// scores[c] <- 1/2 |p_c|^2 - x p_c; returns |x|^2.
double score_row(const CsrView<float>::Row& x, const ColumnPoints& points, double* scores);
double score_row(const CsrView<double>::Row& x, const ColumnPoints& points, double* scores);

// visit(i, |x_i|^2, scores) for the rows [begin, end)
template <class T, class Visit>
void for_scores(const CsrView<T>& X, const ColumnPoints& points, std::size_t begin, std::size_t end,
                const Visit& visit) {
    std::vector<double> scores(points.stride);
    for (std::size_t i = begin; i < end; ++i) {
        const double norm = score_row(X.row(i), points, scores.data());
        visit(i, norm, std::span<const double>(scores.data(), points.n));
    }
}

inline std::size_t lowest(std::span<const double> scores) {
    return static_cast<std::size_t>(std::min_element(scores.begin(), scores.end()) - scores.begin());
}
inline double sq_dist(double norm, double score) { return std::max(norm + 2 * score, 0.0); }

template <std::floating_point T>
void pairwise_sq(const CsrView<T>& X, MatrixView<const T> points, MatrixView<T> out, int n_threads) {
    const ColumnPoints columns(points);
    parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        for_scores(X, columns, begin, end, [&](std::size_t i, double norm, std::span<const double> scores) {
            for (std::size_t c = 0; c < scores.size(); ++c) out.row(i)[c] = static_cast<T>(sq_dist(norm, scores[c]));
        });
    });
}

}  // namespace lanatus::metric
