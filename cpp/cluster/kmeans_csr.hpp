// k-means on compressed rows: the passes of kmeans.hpp at a cost of (entries) x k.
//
// With the centers by columns, an entry x_ij lowers the scores of all centers by x_ij mu_cj in one vector sweep:
//     1/2 |x_i - mu_c|^2 = 1/2 |x_i|^2 + ( 1/2 |mu_c|^2 - sum_j x_ij mu_cj ),   in double whatever the data.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/kmeans.hpp"
#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/simd.hpp"

namespace lanatus::cluster {

// Centers by columns, k padded to whole vectors.
struct ColumnCenters {
    std::size_t k, d, stride;
    std::vector<double> values, half_norm;  // (d, stride), (stride,)

    template <class T>
    explicit ColumnCenters(MatrixView<const T> centers)
        : k(centers.rows), d(centers.cols), stride((k + 7) / 8 * 8), values(d * stride), half_norm(stride) {
        for (std::size_t c = 0; c < k; ++c)
            for (std::size_t j = 0; j < d; ++j) {
                const auto value = static_cast<double>(centers.row(c)[j]);
                values[j * stride + c] = value;
                half_norm[c] += value * value / 2;
            }
    }
};

namespace detail {

// scores[c] <- 1/2 |mu_c|^2 - x mu_c; returns |x|^2.
template <class T, class I>
LANATUS_INLINE double score_row(const T* values, const I* columns, std::size_t entries, const double* centers,
                                const double* half_norm, std::size_t stride, double* __restrict scores) {
    for (std::size_t c = 0; c < stride; ++c) scores[c] = half_norm[c];
    double norm = 0;
    for (std::size_t e = 0; e < entries; ++e) {
        const auto x = static_cast<double>(values[e]);
        const double* row = centers + static_cast<std::size_t>(columns[e]) * stride;
        norm += x * x;
        for (std::size_t c = 0; c < stride; ++c) scores[c] -= x * row[c];
    }
    return norm;
}

#define LANATUS_SCORE_LEAF(T, I)                                                                                      \
    LANATUS_CLONES static double score_leaf(const T* values, const I* columns, std::size_t entries,                   \
                                            const ColumnCenters& m, double* scores) {                                 \
        return score_row(values, columns, entries, m.values.data(), m.half_norm.data(), m.stride, scores);            \
    }
LANATUS_SCORE_LEAF(float, std::int32_t)
LANATUS_SCORE_LEAF(float, std::int64_t)
LANATUS_SCORE_LEAF(double, std::int32_t)
LANATUS_SCORE_LEAF(double, std::int64_t)
#undef LANATUS_SCORE_LEAF

// visit(i, |x_i|^2, scores) for the rows [begin, end)
template <class T, class I, class Visit>
void for_scores(const CsrView<T, I>& X, const ColumnCenters& centers, std::size_t begin, std::size_t end,
                const Visit& visit) {
    std::vector<double> scores(centers.stride);
    for (std::size_t i = begin; i < end; ++i) {
        const auto row = X.row(i);
        const double norm = score_leaf(row.values.data(), row.columns.data(), row.values.size(), centers, scores.data());
        visit(i, norm, std::span<const double>(scores.data(), centers.k));
    }
}

inline std::size_t lowest(std::span<const double> scores) {
    return static_cast<std::size_t>(std::min_element(scores.begin(), scores.end()) - scores.begin());
}
inline double sq_dist(double norm, double score) { return std::max(norm + 2 * score, 0.0); }

}  // namespace detail

template <std::floating_point T, std::integral I>
PassResult lloyd_pass(const CsrView<T, I>& X, std::span<const double> w, MatrixView<const T> centers,
                      std::span<std::int32_t> labels, MatrixView<double> sums, std::span<double> mass, int n_threads) {
    const ColumnCenters columns(centers);
    auto parts = parallel_parts<ClusterSums>(
        chunks_for_sums(X.rows, centers.rows, X.cols), n_threads, [&](std::size_t begin, std::size_t end) {
            ClusterSums part(centers.rows, X.cols);
            detail::for_scores(X, columns, begin, end, [&](std::size_t i, double norm, std::span<const double> scores) {
                const std::size_t c = detail::lowest(scores);
                const double weight = w.empty() ? 1.0 : w[i];
                part.n_changed += labels[i] != static_cast<std::int32_t>(c);
                labels[i] = static_cast<std::int32_t>(c);
                part.inertia += weight * detail::sq_dist(norm, scores[c]);
                part.mass[c] += weight;
                double* sum = part.row(c);
                const auto row = X.row(i);
                for (std::size_t e = 0; e < row.values.size(); ++e)
                    sum[static_cast<std::size_t>(row.columns[e])] += weight * static_cast<double>(row.values[e]);
            });
            return part;
        });
    std::fill_n(sums.data, sums.size(), 0.0);
    std::fill(mass.begin(), mass.end(), 0.0);
    return merge(parts, sums, mass, n_threads);
}

template <std::floating_point T, std::integral I>
void assign(const CsrView<T, I>& X, MatrixView<const T> centers, std::span<std::int32_t> labels,
            std::span<double> sq_dist, int n_threads) {
    const ColumnCenters columns(centers);
    parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        detail::for_scores(X, columns, begin, end, [&](std::size_t i, double norm, std::span<const double> scores) {
            const std::size_t c = detail::lowest(scores);
            labels[i] = static_cast<std::int32_t>(c);
            sq_dist[i] = detail::sq_dist(norm, scores[c]);
        });
    });
}

template <std::floating_point T, std::integral I>
void pairwise_sq(const CsrView<T, I>& X, MatrixView<const T> centers, MatrixView<T> out, int n_threads) {
    const ColumnCenters columns(centers);
    parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        detail::for_scores(X, columns, begin, end, [&](std::size_t i, double norm, std::span<const double> scores) {
            for (std::size_t c = 0; c < scores.size(); ++c)
                out.row(i)[c] = static_cast<T>(detail::sq_dist(norm, scores[c]));
        });
    });
}

template <std::floating_point T, std::integral I>
double inertia(const CsrView<T, I>& X, std::span<const double> w, MatrixView<const T> centers,
               std::span<const std::int32_t> labels, int n_threads) {
    const ColumnCenters columns(centers);
    return sum_of(parallel_parts<double>(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = X.row(i);
            const auto c = static_cast<std::size_t>(labels[i]);
            double norm = 0, score = columns.half_norm[c];
            for (std::size_t e = 0; e < row.values.size(); ++e) {
                const auto x = static_cast<double>(row.values[e]);
                norm += x * x;
                score -= x * static_cast<double>(centers.row(c)[static_cast<std::size_t>(row.columns[e])]);
            }
            sum += (w.empty() ? 1.0 : w[i]) * detail::sq_dist(norm, score);
        }
        return sum;
    }));
}

template <std::floating_point T, std::integral I>
double min_sq_dist(const CsrView<T, I>& X, std::span<const double> w, MatrixView<const T> centers,
                   std::span<double> sq_dist, int n_threads) {
    const ColumnCenters columns(centers);
    return sum_of(parallel_parts<double>(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        detail::for_scores(X, columns, begin, end, [&](std::size_t i, double norm, std::span<const double> scores) {
            sq_dist[i] = std::min(sq_dist[i], detail::sq_dist(norm, scores[detail::lowest(scores)]));
            sum += (w.empty() ? 1.0 : w[i]) * sq_dist[i];
        });
        return sum;
    }));
}

}  // namespace lanatus::cluster
