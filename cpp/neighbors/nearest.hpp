// The k nearest neighbours of some queries among some points, exactly, by one of two routes.
//
// Given   points (n x d), queries (m x d), 1 <= k <= n; for each query the point that is the query itself and does not count
//         (own, with k < n), or none.
// Result  for each query the k points of least distance, nearest first, and their distances; ties go to the lower point.
//
// Both routes decide by the same double-precision sums, so that they give the same answer in the Euclidean distance; the
// number of threads does not show in it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/matrix.hpp"

namespace lanatus::neighbors {

struct Queries {
    MatrixView<const double> rows;
    std::span<const std::int64_t> own;  // the point that each is, or empty

    bool excludes(std::size_t query, std::size_t point) const noexcept {
        return !own.empty() && static_cast<std::size_t>(own[query]) == point;
    }
};

// m x k: distances as sums (squares, for the Euclidean distance) until the search is over, then as lengths.
struct Neighbors {
    std::size_t k;
    double* distance;
    std::int32_t* point;
};

// The best k so far of one query, nearest first; -1 is no point yet.
struct NearestList {
    std::size_t k;
    double* sum;
    std::int32_t* point;

    NearestList(const Neighbors& all, std::size_t query)
        : k(all.k), sum(all.distance + query * all.k), point(all.point + query * all.k) {}

    void clear() {
        for (std::size_t i = 0; i < k; ++i) sum[i] = std::numeric_limits<double>::infinity(), point[i] = -1;
    }
    bool full() const noexcept { return point[k - 1] >= 0; }
    double farthest() const noexcept { return full() ? sum[k - 1] : std::numeric_limits<double>::infinity(); }

    bool before(double found, std::int32_t candidate, std::size_t at) const noexcept {
        return point[at] < 0 || found < sum[at] || (found == sum[at] && candidate < point[at]);
    }
    void offer(double found, std::size_t row) {
        const auto candidate = static_cast<std::int32_t>(row);
        std::size_t at = k - 1;
        if (!before(found, candidate, at)) return;
        for (; at > 0 && before(found, candidate, at - 1); --at) sum[at] = sum[at - 1], point[at] = point[at - 1];
        sum[at] = found;
        point[at] = candidate;
    }
};

// By comparing every query with every point: brute.cpp. Euclidean.
void nearest_brute(MatrixView<const double> points, const Queries& queries, const Neighbors& out, int n_threads);

// By a k-d tree over the points: tree_search.cpp. Minkowski's distance of order p.
void nearest_tree(MatrixView<const double> points, const Queries& queries, double p, std::size_t leaf_size,
                  const Neighbors& out, int n_threads);

}  // namespace lanatus::neighbors
