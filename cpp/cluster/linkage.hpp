// Agglomerative clustering (AGNES, book 9.6, figure 9.11) in O(n^2): which two clusters are merged, and how far apart.
//
// Given   n rows, or the (n, n) symmetric matrix of their distances.
// Leaves  n - 1 merges of slots, in no particular order but each below those that contain it; `sort_merges` puts them in
//         order of height, `number_merges` numbers clusters: rows are 0 .. n-1, the i-th merge makes cluster n + i.
// Ties go to the lower slot; in a chain to the cluster before, without which a chain of ties would not end.
//
// Nearest-neighbour chains (Benzecri 1982; Murtagh 1983) are for linkages that are reducible: merging two clusters never
// brings the union closer to a third than the nearer of the two was. Centroid linkage is not; it keeps the nearest cluster
// of each (Muellner 2011, generic algorithm).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::cluster {

struct Merge {
    std::int64_t first, second;
    double height;
};

enum class Linkage { single, complete, average, weighted, ward, centroid };

// Leaves D in ruins. ward and centroid want squared distances and give squared heights; the others take any.
std::vector<Merge> chain_merges(MatrixView<double> D, std::span<double> size, Linkage how);
std::vector<Merge> generic_merges(MatrixView<double> D, std::span<double> size, Linkage how);

// Complete, average and weighted linkage of rows by their Euclidean distances, which it holds: 8 n^2 bytes.
std::vector<Merge> chain_merges_of_rows(MatrixView<const double> X, Linkage how, int n_threads);

// Ward's linkage of rows, from the means of the clusters alone: memory O(n d). Heights as sqrt(2 a b / (a + b)) |mean_a -
// mean_b| for sizes a and b.
std::vector<Merge> ward_merges(MatrixView<const double> X);

// Puts merges, or the edges of a spanning tree, in order of height. Not for centroid linkage, whose heights may fall.
void sort_merges(std::vector<Merge>& merges);

// Numbers the clusters of merges in order: children (n - 1, 2), the lower first, and heights (n - 1).
void number_merges(std::span<const Merge> merges, MatrixView<std::int64_t> children, std::span<double> heights);

}  // namespace lanatus::cluster
