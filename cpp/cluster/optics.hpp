// OPTICS -- book 9.7; Ankerst, Breunig, Kriegel, Sander 1999.
//
// Given   rows X (n, d), the core distance of each (how far its min_samples-th neighbour is, itself counted; infinity where
//         that is beyond max_eps), max_eps, and Minkowski's order p.
// Result  order: rows one after the other, each time the one that is reached most easily from those before it;
//         reach[i]: the least max(core[j], |x_i - x_j|) over rows j before i within max_eps (infinity: none), and from[i],
//         the j that gave it, or -1. Equally easy rows come by their number; the first of equal j stays.
//
// By comparing all pairs, O(n^2 d) with memory O(n d), where max_eps takes in most of the data; otherwise by searches in a
// tree and a heap, O(n m log n) for m rows within max_eps.
#pragma once
#include <cstdint>
#include <span>

#include "core/matrix.hpp"
#include "neighbors/search_tree.hpp"

namespace lanatus::cluster {

struct Reachability {
    std::int64_t *order, *from;
    double* reach;
};

template <class T>
void optics_pairs(MatrixView<const T> X, std::span<const double> core, double max_eps, double p,
                  const Reachability& out);

template <class T>
void optics_tree(MatrixView<const T> X, const neighbors::SearchTree<T>& tree, std::span<const double> core,
                 double max_eps, double p, const Reachability& out);

// The same of a matrix of distances (n, n): row j holds those from j.
void optics_matrix(MatrixView<const double> D, std::span<const double> core, double max_eps, const Reachability& out);

}  // namespace lanatus::cluster
