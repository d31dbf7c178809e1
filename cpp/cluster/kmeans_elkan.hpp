// Elkan's k-means pass (Using the triangle inequality to accelerate k-means, ICML 2003): one lower bound a row and center.
//
// Given   upper[i] >= |x_i - mu_own| and lower[i][c] <= |x_i - mu_c| for the centers of the pass before, old_centers.
// Leaves  labels of the nearest centers (ties to the lowest), the bounds for these centers, and sums and mass, which follow
//         the rows that move. labels of -1 (first pass) are compared with every center.
//
// Once the centers have moved by drift, the bounds move along. A center c is looked at only if upper >= lower[c] and
// upper >= half the distance from the own center to c. Bounds are rounded outwards, so that no closer center is missed.
// Cost O(nk) for the bounds, O(d) for each distance that they do not spare; memory O(nk).
#pragma once
#include <cstdint>
#include <span>

#include "cluster/kmeans.hpp"
#include "core/matrix.hpp"

namespace lanatus::cluster {

template <class T>
PassResult elkan_pass(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                      const T* old_centers, std::span<std::int32_t> labels, std::span<T> upper, MatrixView<T> lower,
                      MatrixView<double> sums, std::span<double> mass, int n_threads);

}  // namespace lanatus::cluster
