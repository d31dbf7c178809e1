// What makes arrays a tree. A loaded model may hold anything, so its arrays are looked through once where they enter; no
// kernel looks again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/route.hpp"

namespace lanatus::tree {

// ValueError, with the array and the reason, unless
// - there is a root and all arrays have an entry for each node (an empty n_children stands for two at every test);
// - a leaf has no children; a test has a column, a threshold where it needs one, and as many children as its kind says;
// - children stand side by side behind their parent, so that no walk runs in circles;
// - every node but the root has one parent, so that no walk meets a node twice;
// - missing values go to a child that is there, or (-1) to all;
// - the words of the subsets and the stand-ins lie within their arrays.
// `binary` asks also for tests in two whose missing values go to one child. -> how many columns the tests need.
std::size_t require_tree(const TreeView& tree, bool binary, std::vector<std::uint8_t>& scratch);

}  // namespace lanatus::tree
