#include "cluster/kmeans.hpp"

#include <cmath>
#include <limits>

#include "metric/pairwise.hpp"

namespace lanatus::cluster {

using metric::sq_distance;

namespace {

// Differences cost twice the expanded form, but give the winner's distance for nothing.
inline Form cheapest_form(std::size_t k, std::size_t d) {
    if (d >= 128) return Form::dots;
    return k * d <= 128 || k <= 4 ? Form::direct : Form::expanded;
}

}  // namespace

template <class T>
PassResult lloyd_pass(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                      std::span<std::int32_t> labels, MatrixView<double> sums, std::span<double> mass, int n_threads) {
    const PackedRows<T> packed(centers, cheapest_form(centers.rows, centers.cols));
    const LloydTask<T> task{X, centers, w.empty() ? nullptr : w.data(), packed, labels.data()};
    auto parts = parallel_parts<ClusterSums>(chunks_for_sums(X.rows, centers.rows, X.cols), n_threads,
                                             [&](std::size_t begin, std::size_t end) {
                                                 ClusterSums part(centers.rows, centers.cols);
                                                 lloyd_rows(task, begin, end, part);
                                                 return part;
                                             });
    std::fill_n(sums.data, sums.size(), 0.0);
    std::fill(mass.begin(), mass.end(), 0.0);
    return merge(parts, sums, mass, n_threads);
}

template <class T>
PassResult hamerly_pass(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                        const T* old_centers, std::span<std::int32_t> labels, std::span<T> upper, std::span<T> lower,
                        MatrixView<double> sums, std::span<double> mass, int n_threads) {
    const std::size_t k = centers.rows, d = centers.cols;
    const PackedRows<T> packed(centers, cheapest_form(k, d) == Form::dots ? Form::dots : Form::direct);
    const PackedRows<T> exact(centers, Form::direct);
    const T slack = static_cast<T>(d + 8) * std::numeric_limits<T>::epsilon();
    std::vector<T> drift(k), gap(k), unused(k);
    std::size_t most = 0;
    for (std::size_t c = 0; c < k && old_centers; ++c) {
        drift[c] = std::sqrt(sq_distance(centers.row(c), old_centers + c * d, d)) * (1 + slack);
        if (drift[c] > drift[most]) most = c;
    }
    T second = 0;
    for (std::size_t c = 0; c < k; ++c)
        if (c != most) second = std::max(second, drift[c]);
    parallel_chunks(Chunks::of(k, 24, 64, 24), n_threads, [&](std::size_t begin, std::size_t end) {
        two_nearest_rows(centers, exact, begin, end, unused.data(), gap.data());
    });
    for (T& g : gap) g = std::sqrt(g) / 2 * (1 - slack);
    const BoundedTask<T> task{X,
                              centers,
                              w.empty() ? nullptr : w.data(),
                              packed,
                              labels.data(),
                              upper.data(),
                              lower.data(),
                              drift.data(),
                              k ? drift[most] : T{0},
                              second,
                              most,
                              gap.data(),
                              slack,
                              2 * *std::max_element(packed.start.data(), packed.start.data() + k)};
    auto parts =
        parallel_parts<ClusterSums>(chunks_for_sums(X.rows, k, d), n_threads, [&](std::size_t begin, std::size_t end) {
            ClusterSums part(k, d);
            bounded_rows(task, begin, end, part);
            return part;
        });
    return merge(parts, sums, mass, n_threads);
}

template <class T>
void assign(MatrixView<const T> X, MatrixView<const T> centers, std::span<std::int32_t> labels,
            std::span<double> sq_dist, int n_threads) {
    const PackedRows<T> packed(centers, cheapest_form(centers.rows, centers.cols));
    parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        nearest_rows(X, centers, packed, begin, end, labels.data(), sq_dist.data());
    });
}

template <class T>
double inertia(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
               std::span<const std::int32_t> labels, int n_threads) {
    return sum_of(parallel_parts<double>(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i)
            sum += (w.empty() ? 1.0 : w[i]) *
                   static_cast<double>(sq_distance(X.row(i), centers.row(static_cast<std::size_t>(labels[i])), X.cols));
        return sum;
    }));
}

template <class T>
double min_sq_dist(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                   std::span<double> sq_dist, int n_threads) {
    const PackedRows<T> packed(centers, cheapest_form(centers.rows, centers.cols));
    return sum_of(parallel_parts<double>(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<double> fresh(X.rows ? end - begin : 0);
        if (centers.rows)
            nearest_rows({X.row(begin), end - begin, X.cols}, centers, packed, 0, end - begin, nullptr, fresh.data());
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
            if (centers.rows) sq_dist[i] = std::min(sq_dist[i], fresh[i - begin]);
            sum += (w.empty() ? 1.0 : w[i]) * sq_dist[i];
        }
        return sum;
    }));
}

// ---- for float and double

#define LANATUS_INSTANTIATE(T)                                                                                       \
    template PassResult lloyd_pass<T>(MatrixView<const T>, std::span<const double>, MatrixView<const T>,             \
                                      std::span<std::int32_t>, MatrixView<double>, std::span<double>, int);          \
    template PassResult hamerly_pass<T>(MatrixView<const T>, std::span<const double>, MatrixView<const T>, const T*, \
                                        std::span<std::int32_t>, std::span<T>, std::span<T>, MatrixView<double>,     \
                                        std::span<double>, int);                                                     \
    template void assign<T>(MatrixView<const T>, MatrixView<const T>, std::span<std::int32_t>, std::span<double>,    \
                            int);                                                                                    \
    template double inertia<T>(MatrixView<const T>, std::span<const double>, MatrixView<const T>,                    \
                               std::span<const std::int32_t>, int);                                                  \
    template double min_sq_dist<T>(MatrixView<const T>, std::span<const double>, MatrixView<const T>,                \
                                   std::span<double>, int);

LANATUS_INSTANTIATE(float)
LANATUS_INSTANTIATE(double)

}  // namespace lanatus::cluster
