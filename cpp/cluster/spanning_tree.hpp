// The minimum spanning tree of rows under Euclidean distance, which is single linkage (book 9.6): its edges in order of
// length are the merges. Memory O(n d) either way.
//
// prim     (Prim 1957): the tree grows by the row nearest to it. O(n^2 d), whatever the number of columns.
// boruvka  (Boruvka 1926; March, Ram, Gray 2010): every component takes its shortest edge out, found in a k-d tree whose
//          nodes of one component are passed over. About O(n log^2 n d) in few columns. Rows must be distinct.
//
// Equally long edges are taken by the numbers of their rows, so that the tree is one and does not depend on threads.
//
// With core distances c the length of an edge is its mutual reachability, max(c_i, c_j, |x_i - x_j|) (Campello, Moulavi,
// Sander 2013). Rows need not be distinct then, and which of equally long edges is taken follows from the tree alone.
#pragma once
#include <span>
#include <vector>

#include "cluster/linkage.hpp"
#include "core/matrix.hpp"

namespace lanatus::cluster {

std::vector<Merge> prim(MatrixView<const double> X, int n_threads, std::span<const double> core = {});
std::vector<Merge> prim_of_matrix(MatrixView<const double> D);
std::vector<Merge> boruvka(MatrixView<const double> X, int n_threads, std::span<const double> core = {});

}  // namespace lanatus::cluster
