// k-means on compressed rows: the passes of kmeans.hpp at a cost of (entries) x k.
#pragma once
#include <cstdint>
#include <span>

#include "cluster/kmeans.hpp"
#include "core/matrix.hpp"
#include "metric/sq_csr.hpp"

namespace lanatus::cluster {

template <class T>
PassResult lloyd_pass(const CsrView<T>& X, std::span<const double> w, MatrixView<const T> centers,
                      std::span<std::int32_t> labels, MatrixView<double> sums, std::span<double> mass, int n_threads);

template <class T>
void assign(const CsrView<T>& X, MatrixView<const T> centers, std::span<std::int32_t> labels, std::span<double> sq_dist,
            int n_threads);

template <class T>
double inertia(const CsrView<T>& X, std::span<const double> w, MatrixView<const T> centers,
               std::span<const std::int32_t> labels, int n_threads);

template <class T>
double min_sq_dist(const CsrView<T>& X, std::span<const double> w, MatrixView<const T> centers,
                   std::span<double> sq_dist, int n_threads);

}  // namespace lanatus::cluster
