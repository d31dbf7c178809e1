// The hot loops of k-means, run on a range of rows by one thread, on the register tile of metric/sq_tile.inl. Compiled once
// per instruction set from kmeans_leaf.inl; the functions here pick the machine's.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/matrix.hpp"
#include "metric/sq_tile.hpp"

namespace lanatus::cluster {

using metric::Form;
using metric::PackedRows;
using metric::TileSpace;

// What one chunk of rows adds to the clusters. A cluster's row is cleared when first met, so that merging costs only
// what was touched.
struct ClusterSums {
    std::size_t k = 0, d = 0;
    Buffer<double> sums;
    std::vector<double> mass;
    std::vector<char> met;
    double inertia = 0;
    std::int64_t n_changed = 0, n_distances = 0;

    ClusterSums() = default;
    ClusterSums(std::size_t k_, std::size_t d_) : k(k_), d(d_), sums(k_ * d_), mass(k_), met(k_) {}
    double* row(std::size_t c) {
        if (!met[c]) {
            met[c] = 1;
            std::fill_n(sums.data() + c * d, d, 0.0);
        }
        return sums.data() + c * d;
    }
};

template <class T>
struct LloydTask {
    MatrixView<const T> X, centers;
    const double* w;  // or null
    const PackedRows<T>& packed;
    std::int32_t* labels;
};

template <class T>
struct BoundedTask {
    MatrixView<const T> X, centers;
    const double* w;  // or null
    const PackedRows<T>& packed;
    std::int32_t* labels;  // -1: not yet assigned
    T* upper;              // >= distance to the own center
    T* lower;              // <= distance to every other center
    const T* drift;        // how far each center moved
    T most_drift, second_drift;
    std::size_t most_drifted;
    const T* half_gap;  // half the distance from each center to its nearest other
    T slack;            // relative rounding error of a computed distance, generous
    T most_norm;        // the largest |c|^2 of the packed (shifted) centers
};

void lloyd_rows(const LloydTask<float>&, std::size_t begin, std::size_t end, ClusterSums&);
void lloyd_rows(const LloydTask<double>&, std::size_t begin, std::size_t end, ClusterSums&);
void bounded_rows(const BoundedTask<float>&, std::size_t begin, std::size_t end, ClusterSums&);
void bounded_rows(const BoundedTask<double>&, std::size_t begin, std::size_t end, ClusterSums&);

// labels[i] <- nearest center, sq_dist[i] <- its squared distance, by differences. Either may be null.
void nearest_rows(MatrixView<const float> X, MatrixView<const float> centers, const PackedRows<float>&,
                  std::size_t begin, std::size_t end, std::int32_t* labels, double* sq_dist);
void nearest_rows(MatrixView<const double> X, MatrixView<const double> centers, const PackedRows<double>&,
                  std::size_t begin, std::size_t end, std::int32_t* labels, double* sq_dist);

// The two smallest squared distances from each row, by differences (packed must be direct).
void two_nearest_rows(MatrixView<const float> X, const PackedRows<float>&, std::size_t begin, std::size_t end,
                      float* first, float* second);
void two_nearest_rows(MatrixView<const double> X, const PackedRows<double>&, std::size_t begin, std::size_t end,
                      double* first, double* second);

}  // namespace lanatus::cluster
