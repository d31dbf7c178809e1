// The arrays of a tree as they come from Python, checked.
#pragma once
#include <cstddef>

#include "core/ndarray.hpp"
#include "neighbors/kd_tree.hpp"

namespace lanatus::neighbors {

inline KdTree tree_of(const In2<double>& rows, const Weights& w, const In2<double>& nodes) {
    require(rows.shape(0) >= 1 && rows.shape(1) >= 1, "a tree needs a row and a column");
    require_weights(w, rows.shape(0));
    require(nodes.shape(1) == record_size(rows.shape(1)), "nodes and rows differ in number of features");
    const std::size_t count = nodes.shape(0);
    require(count >= 1 && (count & (count + 1)) == 0, "nodes must make a complete tree");
    return {view(rows), w ? span(w).data() : nullptr, view(nodes)};
}

}  // namespace lanatus::neighbors
