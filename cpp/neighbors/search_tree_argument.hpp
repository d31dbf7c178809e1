// The arrays of a search tree as they come from Python, checked.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/ndarray.hpp"
#include "neighbors/search_tree.hpp"

namespace lanatus::neighbors {

template <class T>
SearchTree<T> search_tree_of(const In2<T>& leaves, const In2<T>& nodes, const In1<std::int32_t>& order, std::size_t d,
                             bool balls) {
    const std::size_t n = order.shape(0);
    require(n >= 1 && d >= 1, "a tree needs a row and a column");
    require(leaves.shape(1) % (d * leaf_grain) == 0 && leaves.shape(1) > 0,
            "queries and the rows of the tree differ in number of features");
    const TreeShape shape(n, d, leaves.shape(1) / d, balls ? Bound::ball : Bound::box);
    require(leaves.shape(0) == shape.leaves(), "leaves and order differ in number of rows");
    require(nodes.shape(0) == shape.nodes() && nodes.shape(1) == shape.node_values(), "nodes and leaves do not fit");
    for (const std::int32_t row : span(order))
        require(row >= 0 && static_cast<std::size_t>(row) < n, "order must be rows of the tree");
    return {shape, view(leaves).data, view(nodes).data, span(order).data()};
}

}  // namespace lanatus::neighbors
