// Distances from rows to whole clusters of points: the sum, the largest or the smallest over a cluster's points.
//
// Given   X (n, d), points (m, d), cluster (m,) in [0, k) of each point.
// Leaves  out (n, k): for every row and cluster the sum of the Euclidean distances, or the largest or smallest of the
//         squared ones; 0, -infinity or infinity where a cluster has no points. O(n m d), memory O(n k), nothing n by m.
// The answer does not depend on the number of threads.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "metric/sq_tile.hpp"

namespace lanatus::cluster {

enum class Over { sum, largest, smallest };

// Rows [begin, end) of X; packed must be direct.
void to_clusters_rows(MatrixView<const double> X, const metric::PackedRows<double>& packed, const std::int32_t* cluster,
                      Over over, MatrixView<double> out, std::size_t begin, std::size_t end);

inline void to_clusters(MatrixView<const double> X, MatrixView<const double> points,
                        std::span<const std::int32_t> cluster, Over over, MatrixView<double> out, int n_threads) {
    const metric::PackedRows<double> packed(points, metric::Form::direct);
    parallel_chunks(Chunks::of(X.rows, 96), n_threads, [&](std::size_t begin, std::size_t end) {
        to_clusters_rows(X, packed, cluster.data(), over, out, begin, end);
    });
}

}  // namespace lanatus::cluster
