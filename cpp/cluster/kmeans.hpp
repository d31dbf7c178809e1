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
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/kmeans_leaf.hpp"
#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::cluster {

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

inline double sum_of(const std::vector<double>& parts) {
    double total = 0;
    for (const double part : parts) total += part;
    return total;
}

// labels <- nearest centers; sums, mass <- weighted sums and weights of the clusters so formed.
template <class T>
PassResult lloyd_pass(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                      std::span<std::int32_t> labels, MatrixView<double> sums, std::span<double> mass, int n_threads);

// Hamerly's pass (Making k-means even faster, SDM 2010). upper >= distance to the own center and lower <= distance to
// any other; after the centers moved by `drift` the bounds move along, and a row with upper below lower, or below half
// the gap between its center and the nearest other, keeps its label unseen. The others are scanned in full, by tiles.
// sums and mass follow the rows that move. labels of -1 (first pass) are always scanned. Bounds are rounded outwards.
template <class T>
PassResult hamerly_pass(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                        const T* old_centers, std::span<std::int32_t> labels, std::span<T> upper, std::span<T> lower,
                        MatrixView<double> sums, std::span<double> mass, int n_threads);

// labels <- nearest centers, sq_dist <- the squared distances to them.
template <class T>
void assign(MatrixView<const T> X, MatrixView<const T> centers, std::span<std::int32_t> labels,
            std::span<double> sq_dist, int n_threads);

// E for given labels.
template <class T>
double inertia(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
               std::span<const std::int32_t> labels, int n_threads);

// sq_dist[i] <- min(sq_dist[i], squared distance to the nearest of the new centers); returns sum_i w_i sq_dist[i].
template <class T>
double min_sq_dist(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                   std::span<double> sq_dist, int n_threads);

}  // namespace lanatus::cluster
