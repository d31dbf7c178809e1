// Isolation trees -- book 9.7; Liu, Ting, Zhou 2012.
//
// A tree parts a few rows again and again at a random place of a random column, until each is alone or the tree is
// max_depth deep. Rows that are soon alone are odd. Nodes of all trees stand one after the other; a tree's right child
// stands behind its left one, and both behind their parent.
//
// Given   rows X (n, d); the rows that each tree sees, the columns that it may cut, and a seed for each.
// Result  per node its column (-1: a leaf), where it is cut (x <= threshold goes left), its left child, and for leaves the
//         path: their depth, and what a tree of all their rows would add, c(m) = 2 (ln(m - 1) + gamma) - 2 (m - 1) / m.
// Growing costs O(trees rows_a_tree max_depth); asking O(trees max_depth) a row. Sums go by the order of the trees.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::cluster {

template <class T>
struct IsolationTrees {
    std::vector<std::int64_t> starts;  // of each tree, and the end
    std::vector<std::int32_t> column, left;
    std::vector<T> threshold;
    std::vector<double> path;
};

template <class T>
struct IsolationView {
    std::span<const std::int64_t> starts;
    const std::int32_t *column, *left;
    const T* threshold;
    const double* path;
};

template <class T>
IsolationTrees<T> grow_isolation(MatrixView<const T> X, MatrixView<const std::int64_t> rows,
                                 MatrixView<const std::int32_t> columns, std::span<const std::uint64_t> seeds,
                                 std::size_t max_depth, int n_threads);

// out[i] <- mean over the trees of the path of row i.
template <class T>
void isolation_paths(MatrixView<const T> X, const IsolationView<T>& trees, double* out, int n_threads);

}  // namespace lanatus::cluster
