// Optimal classification trees of bounded depth, by dynamic programming with bounds -- slides 4.2. Objective:
//
//     minimise over trees of depth <= D    sum of the weights of rows in the wrong class + leaf_cost * leaves
//
// Given   tests (F, n) of 0 and 1, class codes, weights (empty: all one). A node sends rows with test 1 to its first child.
// Leaves  the nodes of the best tree, the root first, the children of a node side by side and after it.
// A set of rows is solved once for each depth, and only as far as its cost could still matter. The last two levels are
// solved at once from the counts of all pairs of tests, by popcounts where no row has a weight of its own (Demirovic et al.,
// MurTree, JMLR 2022). Of trees that cost the same, the one whose tests gain more comes first.
// Cost: O(F^2 n / 64) for two levels, times F (times what the bounds leave) for each further one; memory F^2 counts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::tree {

struct OptimalNode {
    std::int32_t test = -1;  // -1 at a leaf
    std::int32_t first_child = -1, parent = -1;
};

struct OptimalTree {
    std::vector<OptimalNode> nodes;
    double cost = 0;
    std::uint64_t n_solved = 0;
    bool optimal = true;  // false where max_solved ended the search
};

struct OptimalOptions {
    int max_depth = 3;
    std::size_t min_rows = 1;  // of a leaf
    double leaf_cost = 0;
    std::uint64_t max_solved = 0;  // sets of rows to solve at most
};

OptimalTree optimal_tree(MatrixView<const std::uint8_t> tests, std::span<const std::uint32_t> codes,
                         std::size_t n_classes, std::span<const double> weights, const OptimalOptions& options);

}  // namespace lanatus::tree
