#include "cluster/kmeans_csr.hpp"

#include <algorithm>
#include <cstddef>

#include "core/parallel.hpp"

namespace lanatus::cluster {

using metric::ColumnPoints;
using metric::for_scores;
using metric::lowest;

template <class T>
PassResult lloyd_pass(const CsrView<T>& X, std::span<const double> w, MatrixView<const T> centers,
                      std::span<std::int32_t> labels, MatrixView<double> sums, std::span<double> mass, int n_threads) {
    const ColumnPoints columns(centers);
    auto parts = parallel_parts<ClusterSums>(
        chunks_for_sums(X.rows, centers.rows, X.cols), n_threads, [&](std::size_t begin, std::size_t end) {
            ClusterSums part(centers.rows, X.cols);
            for_scores(X, columns, begin, end, [&](std::size_t i, double norm, std::span<const double> scores) {
                const std::size_t c = lowest(scores);
                const double weight = w.empty() ? 1.0 : w[i];
                part.n_changed += labels[i] != static_cast<std::int32_t>(c);
                labels[i] = static_cast<std::int32_t>(c);
                part.inertia += weight * metric::sq_dist(norm, scores[c]);
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

template <class T>
void assign(const CsrView<T>& X, MatrixView<const T> centers, std::span<std::int32_t> labels, std::span<double> sq_dist,
            int n_threads) {
    const ColumnPoints columns(centers);
    parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        for_scores(X, columns, begin, end, [&](std::size_t i, double norm, std::span<const double> scores) {
            const std::size_t c = lowest(scores);
            labels[i] = static_cast<std::int32_t>(c);
            sq_dist[i] = metric::sq_dist(norm, scores[c]);
        });
    });
}

template <class T>
double inertia(const CsrView<T>& X, std::span<const double> w, MatrixView<const T> centers,
               std::span<const std::int32_t> labels, int n_threads) {
    const ColumnPoints columns(centers);
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
            sum += (w.empty() ? 1.0 : w[i]) * metric::sq_dist(norm, score);
        }
        return sum;
    }));
}

template <class T>
double min_sq_dist(const CsrView<T>& X, std::span<const double> w, MatrixView<const T> centers,
                   std::span<double> sq_dist, int n_threads) {
    const ColumnPoints columns(centers);
    return sum_of(parallel_parts<double>(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for_scores(X, columns, begin, end, [&](std::size_t i, double norm, std::span<const double> scores) {
            sq_dist[i] = std::min(sq_dist[i], metric::sq_dist(norm, scores[lowest(scores)]));
            sum += (w.empty() ? 1.0 : w[i]) * sq_dist[i];
        });
        return sum;
    }));
}

// ---- for float and double

#define LANATUS_INSTANTIATE(T)                                                                                         \
    template PassResult lloyd_pass<T>(const CsrView<T>&, std::span<const double>, MatrixView<const T>,                 \
                                      std::span<std::int32_t>, MatrixView<double>, std::span<double>, int);            \
    template void assign<T>(const CsrView<T>&, MatrixView<const T>, std::span<std::int32_t>, std::span<double>, int);  \
    template double inertia<T>(const CsrView<T>&, std::span<const double>, MatrixView<const T>,                        \
                               std::span<const std::int32_t>, int);                                                    \
    template double min_sq_dist<T>(const CsrView<T>&, std::span<const double>, MatrixView<const T>, std::span<double>, \
                                   int);

LANATUS_INSTANTIATE(float)
LANATUS_INSTANTIATE(double)

}  // namespace lanatus::cluster
