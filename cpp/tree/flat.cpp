#include "tree/flat.hpp"

#include <algorithm>

namespace lanatus::tree {

Flat::Flat(const Grown& tree) : n(tree.nodes.size()), width(tree.width) {
    make(n, feature, first_child, n_children, parent, missing, kind, threshold, share, weight, impurity, gain, n_rows);
    make(n * width, value);
    make(n + 1, subset_start);
    std::copy(tree.value.begin(), tree.value.end(), value.get());
    bool any_surrogates = false;
    for (std::size_t i = 0; i < n; ++i) {
        const Node& node = tree.nodes[i];
        feature[i] = node.feature, kind[i] = static_cast<std::int8_t>(node.kind), threshold[i] = node.threshold;
        first_child[i] = node.first_child, n_children[i] = node.n_children, parent[i] = node.parent;
        missing[i] = node.missing, share[i] = node.share, weight[i] = node.weight, n_rows[i] = node.n_rows;
        impurity[i] = node.impurity, gain[i] = node.gain;
        subset_start[i] = static_cast<std::int64_t>(subset.size());
        if (!node.extra) continue;
        subset.insert(subset.end(), node.extra->subset.begin(), node.extra->subset.end());
        any_surrogates |= !node.extra->surrogates.empty();
    }
    subset_start[n] = static_cast<std::int64_t>(subset.size());
    if (!any_surrogates) return;
    for (const Node& node : tree.nodes) {
        surrogate_start.push_back(static_cast<std::int64_t>(surrogates.size()));
        if (node.extra)
            surrogates.insert(surrogates.end(), node.extra->surrogates.begin(), node.extra->surrogates.end());
    }
    surrogate_start.push_back(static_cast<std::int64_t>(surrogates.size()));
}

}  // namespace lanatus::tree
