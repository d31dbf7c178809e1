// k-means -- book 9.4.1, Fig. 9.2. Objective (9.24), with weights:
//
//     minimise over mu, c    E = sum_i w_i || x_i - mu_c(i) ||^2
//
// One call is one pass over the rows; the loop over passes, the means and the empty clusters are the caller's. Ties go
// to the lowest center. Results do not depend on the number of threads.
//
// Which pass? Measured once on 2 busy cores with AVX2, float32, 20k-200k rows, at most 25 rounds, k = 8, 32, 128;
// time(lloyd) / time(hamerly):
//
//                  noise          overlapping      separated clusters
//     d = 4        0.3 - 0.9      0.3 - 0.9        0.8 - 1.3
//     d = 8        0.5 - 0.8      0.5 - 1.0        0.6 - 2.1
//     d = 16       0.6 - 1.1      0.7 - 1.1        0.8 - 3.4
//     d = 32       1.0 - 1.1      1.2 - 2.0        1.9 - 4.4
//     d = 64, 256  1.1 - 1.3      1.3 - 4.1        2.1 - 4.9
//
// Bounds pay by what the data let them skip, which a shape alone does not tell: algorithm="auto" (_kmeans_pass.py) tries
// them where k * d is large and keeps to them while they spare half of the distances.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "cluster/kmeans_leaf.hpp"
#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::cluster {

// Differences cost twice the expanded form, but give the winner's distance for nothing.
inline Form cheapest_form(std::size_t k, std::size_t d) {
    if (d >= 128) return Form::dots;
    return k * d <= 128 || k <= 4 ? Form::direct : Form::expanded;
}

// Chunks of rows for per-chunk sums of k x d doubles: few enough to fit 64 MB.
inline Chunks chunks_for_sums(std::size_t n, std::size_t k, std::size_t d) {
    const std::size_t bytes = std::max<std::size_t>(k * d * sizeof(double), 1);
    return Chunks::of(n, 480, std::clamp<std::size_t>((std::size_t{64} << 20) / bytes, 4, 64));
}

struct PassResult {
    double inertia = 0;
    std::int64_t n_changed = 0, n_distances = 0;
};

// sums, mass += the parts, in order.
inline PassResult merge(std::span<ClusterSums> parts, MatrixView<double> sums, std::span<double> mass, int n_threads) {
    PassResult total;
    for (ClusterSums& part : parts) {
        total.inertia += part.inertia;
        total.n_changed += part.n_changed;
        total.n_distances += part.n_distances;
    }
    const std::size_t d = sums.cols;
    parallel_for(sums.rows, parts.size() * sums.size() > 100000 ? n_threads : 1, [&](std::size_t c) {
        for (ClusterSums& part : parts) {
            if (!part.met[c]) continue;
            mass[c] += part.mass[c];
            const double* more = part.sums.data() + c * d;
            for (std::size_t j = 0; j < d; ++j) sums.row(c)[j] += more[j];
        }
    });
    return total;
}

// labels <- nearest centers; sums, mass <- weighted sums and weights of the clusters so formed.
template <std::floating_point T>
PassResult lloyd_pass(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                      std::span<std::int32_t> labels, MatrixView<double> sums, std::span<double> mass, int n_threads) {
    const PackedCenters<T> packed(centers, cheapest_form(centers.rows, centers.cols));
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

// Hamerly's pass (Making k-means even faster, SDM 2010). upper >= distance to the own center and lower <= distance to
// any other; after the centers moved by `drift` the bounds move along, and a row with upper below lower, or below half
// the gap between its center and the nearest other, keeps its label unseen. The others are scanned in full, by tiles.
// sums and mass follow the rows that move. labels of -1 (first pass) are always scanned. Bounds are rounded outwards.
template <std::floating_point T>
PassResult hamerly_pass(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                        const T* old_centers, std::span<std::int32_t> labels, std::span<T> upper, std::span<T> lower,
                        MatrixView<double> sums, std::span<double> mass, int n_threads) {
    const std::size_t k = centers.rows, d = centers.cols;
    const PackedCenters<T> packed(centers, cheapest_form(k, d) == Form::dots ? Form::dots : Form::direct);
    const PackedCenters<T> exact(centers, Form::direct);
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
    const BoundedTask<T> task{X, centers, w.empty() ? nullptr : w.data(), packed, labels.data(), upper.data(),
                              lower.data(), drift.data(), k ? drift[most] : T{0}, second, most, gap.data(), slack,
                              2 * *std::max_element(packed.start.data(), packed.start.data() + k)};
    auto parts = parallel_parts<ClusterSums>(chunks_for_sums(X.rows, k, d), n_threads,
                                             [&](std::size_t begin, std::size_t end) {
                                                 ClusterSums part(k, d);
                                                 bounded_rows(task, begin, end, part);
                                                 return part;
                                             });
    return merge(parts, sums, mass, n_threads);
}

template <std::floating_point T>
void assign(MatrixView<const T> X, MatrixView<const T> centers, std::span<std::int32_t> labels, std::span<double> sq_dist,
            int n_threads) {
    const PackedCenters<T> packed(centers, cheapest_form(centers.rows, centers.cols));
    parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        nearest_rows(X, centers, packed, begin, end, labels.data(), sq_dist.data());
    });
}

template <std::floating_point T>
void pairwise_sq(MatrixView<const T> X, MatrixView<const T> centers, MatrixView<T> out, int n_threads) {
    const PackedCenters<T> packed(centers, Form::direct);
    parallel_chunks(Chunks::of(X.rows, 96), n_threads, [&](std::size_t begin, std::size_t end) {
        pairwise_rows(X, packed, begin, end, out.data, centers.rows, 1);
    });
}

inline double sum_of(const std::vector<double>& parts) {
    double total = 0;
    for (const double part : parts) total += part;
    return total;
}

// E for given labels.
template <std::floating_point T>
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

// sq_dist[i] <- min(sq_dist[i], squared distance to the nearest of the new centers); returns sum_i w_i sq_dist[i].
template <std::floating_point T>
double min_sq_dist(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                   std::span<double> sq_dist, int n_threads) {
    const PackedCenters<T> packed(centers, cheapest_form(centers.rows, centers.cols));
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

}  // namespace lanatus::cluster
