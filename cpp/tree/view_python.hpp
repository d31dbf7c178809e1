// The arrays of a Python Tree as a TreeView.
#pragma once
#include <algorithm>

#include "core/ndarray.hpp"
#include "tree/route.hpp"

namespace lanatus::tree {

template <class T>
std::span<const T> array_of(const nb::object& owner, const char* name) {
    return span(nb::cast<In1<T>>(owner.attr(name)));
}
template <class T>
std::span<const T> item_of(const nb::dict& owner, const char* name) {
    return span(nb::cast<In1<T>>(owner[name]));
}

// Where lists begin among all their items, the last end included.
inline void require_starts(std::span<const std::int64_t> start, std::size_t lists, std::size_t items) {
    require(start.size() == lists + 1 && start.front() >= 0 && std::is_sorted(start.begin(), start.end()) &&
                start.back() <= static_cast<std::int64_t>(items),
            "the lists of the tree are out of order");
}

// The view holds while the Tree does.
inline TreeView tree_view(const nb::object& tree, std::size_t n_columns) {
    TreeView v;
    v.feature = array_of<std::int32_t>(tree, "feature");
    v.kind = array_of<std::int8_t>(tree, "kind");
    v.threshold = array_of<double>(tree, "threshold");
    v.first_child = array_of<std::int32_t>(tree, "first_child");
    v.n_children = array_of<std::int32_t>(tree, "n_children");
    v.missing = array_of<std::int32_t>(tree, "missing");
    v.share = array_of<double>(tree, "share");
    v.subset_start = array_of<std::int64_t>(tree, "subset_start");
    v.subset = array_of<std::uint32_t>(tree, "subset");
    const std::size_t n = v.feature.size();
    require(n > 0 && v.kind.size() == n && v.threshold.size() == n && v.first_child.size() == n && v.n_children.size() == n &&
                v.missing.size() == n && v.share.size() == n && v.subset_start.size() == n + 1,
            "the arrays of the tree differ in length");
    for (std::size_t i = 0; i < n; ++i) {
        if (v.n_children[i] <= 0) continue;
        const auto last = std::int64_t{v.first_child[i]} + v.n_children[i];
        require(v.feature[i] >= 0 && static_cast<std::size_t>(v.feature[i]) < n_columns, "a node tests a column that X has not");
        require(std::size_t(v.first_child[i]) > i && last <= static_cast<std::int64_t>(n), "a child stands outside the tree");
        require(v.n_children[i] == 2 || static_cast<Kind>(v.kind[i]) == Kind::values, "a test in two has not two children");
        require(v.missing[i] < v.n_children[i], "missing values go to a child that is not there");
    }
    require_starts(v.subset_start, n, v.subset.size());
    if (const nb::object more = tree.attr("surrogates"); !more.is_none()) {
        const auto s = nb::cast<nb::dict>(more);
        v.stand_start = item_of<std::int64_t>(s, "start");
        v.stand_feature = item_of<std::int32_t>(s, "feature");
        v.stand_below = item_of<std::int32_t>(s, "below");
        v.stand_threshold = item_of<double>(s, "threshold");
        v.stand_subset_start = item_of<std::int64_t>(s, "subset_start");
        v.stand_subset = item_of<std::uint32_t>(s, "subset");
        v.stand_known_start = item_of<std::int64_t>(s, "known_start");
        v.stand_known = item_of<std::uint32_t>(s, "known");
        const std::size_t count = v.stand_feature.size();
        require_starts(v.stand_start, n, count);
        require(v.stand_below.size() == count && v.stand_threshold.size() == count, "the surrogates do not fit the tree");
        require_starts(v.stand_subset_start, count, v.stand_subset.size());
        require_starts(v.stand_known_start, count, v.stand_known.size());
        for (const std::int32_t c : v.stand_below) require(c == 0 || c == 1, "a surrogate leads to a child that is not there");
        for (const std::int32_t j : v.stand_feature)
            require(j >= 0 && static_cast<std::size_t>(j) < n_columns, "a surrogate tests a column that X has not");
    }
    return v;
}

}  // namespace lanatus::tree
