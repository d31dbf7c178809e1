// DBSCAN -- book 9.5, figure 9.9.
//
// Given   rows X (n, d), weights w (n,) >= 0 or none (1 each), a radius eps >= 0, min_samples, Minkowski's order p.
// Result  core[i]: whether the rows within eps of row i, itself included, weigh min_samples or more, and it has a weight;
//         labels[i]: the cluster of row i, or -1. Clusters are the connected components of core rows, two of which are
//         connected if they lie within eps; they are numbered in the order of their first core row. A row that is not
//         core but lies within eps of some goes with the lowest of their clusters, as if clusters grew one after the other.
//
// By a grid (few columns): cells so small that all rows of one lie within eps of each other; rows of full cells are core
// without a distance computed, and cells are joined as wholes. By a tree: a search a row and another a core row.
// Both decide by the same distances and agree, but for the rounding of sums of fractional weights. O(n log n) for a bounded number of neighbours; memory O(n).
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/matrix.hpp"
#include "neighbors/search_tree.hpp"

namespace lanatus::cluster {

struct DensityRule {
    double eps, min_samples, p;
    std::span<const double> weight;  // or empty

    double weight_of(std::size_t row) const noexcept { return weight.empty() ? 1.0 : weight[row]; }
};

struct DensityClusters {
    std::uint8_t* core;
    std::int32_t* labels;
};

// The largest sum of coordinates' gaps whose length is at most eps.
template <class Distance>
double largest_sum(const Distance& distance, double eps) {
    const double infinity = std::numeric_limits<double>::infinity();
    double sum = distance.add(0.0, eps);
    for (int i = 0; i < 64 && distance.length(sum) > eps; ++i) sum = std::nextafter(sum, 0.0);
    for (int i = 0; i < 64 && distance.length(std::nextafter(sum, infinity)) <= eps; ++i)
        sum = std::nextafter(sum, infinity);
    return sum;
}

// Up to three columns; false, and nothing done, where eps is so small beside the data that cells cannot be counted.
template <class T>
bool dbscan_grid(MatrixView<const T> X, const DensityRule& rule, const DensityClusters& out, int n_threads);

template <class T>
void dbscan_tree(MatrixView<const T> X, const neighbors::SearchTree<T>& tree, const DensityRule& rule,
                 const DensityClusters& out, int n_threads);

}  // namespace lanatus::cluster
