// How far the neighbours reach that together weigh k -- cookbook 3.4.2.
//
// Given   a tree over rows with weights (or 1 each), k, at most the total weight, and the order p of the distance.
// Leaves  in out[q] the least r with  sum of w_i over |q - x_i| <= r  at least k.
// O(log n) leaves a query in low dimension, all of them in high.
#pragma once
#include "core/matrix.hpp"
#include "neighbors/kd_tree.hpp"

namespace lanatus::neighbors {

void neighbor_radii(const KdTree& tree, double p, double k, MatrixView<const double> queries, double* out,
                    int n_threads);

}  // namespace lanatus::neighbors
