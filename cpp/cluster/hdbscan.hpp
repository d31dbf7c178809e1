// HDBSCAN -- Campello, Moulavi, Sander 2013; McInnes, Healy 2017: which branches of a tree of merges are clusters.
//
// Given   the merges of n rows by single linkage of their mutual reachability (children (n - 1, 2), heights), and
//         min_size: a part with fewer rows that splits off is no branch, but rows that fall out of one.
// Result  branches: the root 0 and, numbered behind it from the top down, every part that a merge of two large parts made.
//         A branch has a parent, the density lambda = 1 / height at which it is born, and its number of rows; a row has
//         the branch that it falls out of last, and the density at which it does.
//
// Stability of a branch: sum over its rows of how far density rises from its birth until they leave it or it parts.
// "eom" takes the branches of most stability, none inside another; "leaf" those that never part. O(n) after the merges.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::cluster {

struct Branches {
    std::vector<std::int32_t> parent;  // of the root: -1
    std::vector<double> birth;
    std::vector<std::int64_t> size;
    std::vector<std::int32_t> branch_of;  // of each row
    std::vector<double> leaves_at;        // lambda of each row
};

Branches condense(MatrixView<const std::int64_t> children, std::span<const double> heights, std::size_t min_size);

std::vector<double> stabilities(const Branches& tree);

struct Selection {
    bool leaves = false;      // "leaf" rather than "eom"
    bool allow_root = false;  // one cluster of all rows
    double max_size = 0;      // most rows of a cluster; 0 is no limit
    double eps = 0;           // clusters do not part below this distance
};

// chosen[b]: whether branch b is a cluster.
std::vector<std::uint8_t> choose(const Branches& tree, std::span<const double> stability, const Selection& how);

// labels: clusters numbered by their branches, -1 for noise; probability: lambda of a row over the largest in its cluster.
void label_rows(const Branches& tree, std::span<const std::uint8_t> chosen, const Selection& how,
                std::span<std::int32_t> labels, std::span<double> probability);

}  // namespace lanatus::cluster
