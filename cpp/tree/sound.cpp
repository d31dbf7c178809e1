#include "tree/sound.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/text.hpp"

namespace lanatus::tree {

namespace {

template <class... Part>
[[noreturn]] void refuse(const Part&... why) {
    throw std::invalid_argument(text("the tree is not sound: ", why...));
}

void require_length(const char* name, std::size_t got, std::size_t wanted, const char* of) {
    if (got != wanted) refuse(name, " has length ", got, ", wanted ", wanted, ", one for each ", of);
}

// Where lists begin among all their items, the last end included.
void require_starts(const char* name, std::span<const std::int64_t> start, std::size_t lists, std::size_t items) {
    if (start.size() != lists + 1) refuse(name, " has length ", start.size(), ", wanted ", lists + 1);
    if (start.front() < 0) refuse(name, " begins at ", start.front(), ", wanted 0 or more");
    const auto fall = std::is_sorted_until(start.begin(), start.end());
    if (fall != start.end()) refuse(name, "[", fall - start.begin(), "] is ", *fall, ", less than the one before");
    if (start.back() > static_cast<std::int64_t>(items))
        refuse(name, " ends at ", start.back(), ", but there are ", items, " items");
}

void require_test(const TreeView& tree, std::size_t i, std::int32_t n_children, bool binary) {
    const auto kind = static_cast<Kind>(tree.kind[i]);
    const auto n = static_cast<std::int64_t>(tree.feature.size());
    const std::int64_t first = tree.first_child[i];
    if (tree.feature[i] < 0) refuse("feature[", i, "] is ", tree.feature[i], ", but the node is a test");
    if (kind == Kind::threshold && std::isnan(tree.threshold[i]))
        refuse("threshold[", i, "] is NaN, but the node tests it");
    if (kind == Kind::values && binary) refuse("kind[", i, "] is 2, wanted only tests in two");
    if (kind != Kind::values && n_children != 2)
        refuse("n_children[", i, "] is ", n_children, ", wanted 2 for its kind");
    if (first <= static_cast<std::int64_t>(i) || first + n_children > n)
        refuse("first_child[", i, "] is ", first, ", wanted ", n_children, " children behind their parent among ", n,
               " nodes");
    if (tree.missing[i] < (binary ? 0 : -1) || tree.missing[i] >= n_children)
        refuse("missing[", i, "] is ", tree.missing[i], ", which is not one of ", n_children, " children");
}

// -> columns that they need
std::size_t require_stand_ins(const TreeView& tree) {
    const std::size_t count = tree.stand_feature.size();
    require_starts("surrogates['start']", tree.stand_start, tree.feature.size(), count);
    require_length("surrogates['below']", tree.stand_below.size(), count, "surrogate");
    require_length("surrogates['threshold']", tree.stand_threshold.size(), count, "surrogate");
    require_starts("surrogates['subset_start']", tree.stand_subset_start, count, tree.stand_subset.size());
    require_starts("surrogates['known_start']", tree.stand_known_start, count, tree.stand_known.size());
    std::int32_t last = -1;
    for (std::size_t s = 0; s < count; ++s) {
        if (tree.stand_below[s] != 0 && tree.stand_below[s] != 1)
            refuse("surrogates['below'][", s, "] is ", tree.stand_below[s], ", wanted 0 or 1");
        if (tree.stand_feature[s] < 0) refuse("surrogates['feature'][", s, "] is ", tree.stand_feature[s]);
        last = std::max(last, tree.stand_feature[s]);
    }
    for (std::size_t i = 0; i < tree.feature.size(); ++i)
        if (tree.stand_start[i] < tree.stand_start[i + 1] && !tree.n_children.empty() && tree.n_children[i] != 2)
            refuse("n_children[", i, "] is ", tree.n_children[i], ", but surrogates choose between two children");
    return static_cast<std::size_t>(last + 1);
}

}  // namespace

std::size_t require_tree(const TreeView& tree, bool binary, std::vector<std::uint8_t>& scratch) {
    const std::size_t n = tree.feature.size();
    if (n == 0) refuse("feature is empty, wanted at least the root");
    require_length("kind", tree.kind.size(), n, "node");
    require_length("threshold", tree.threshold.size(), n, "node");
    require_length("first_child", tree.first_child.size(), n, "node");
    require_length("missing", tree.missing.size(), n, "node");
    const bool counted = !tree.n_children.empty() || !binary;
    if (counted) require_length("n_children", tree.n_children.size(), n, "node");
    if (!binary) require_length("share", tree.share.size(), n, "node");
    require_starts("subset_start", tree.subset_start, n, tree.subset.size());
    std::size_t n_columns = 0, children = 0;
    scratch.assign(n, 0);  // which nodes have a parent
    for (std::size_t i = 0; i < n; ++i) {
        if (tree.kind[i] < 0 || tree.kind[i] > 3)
            refuse("kind[", i, "] is ", int{tree.kind[i]}, ", wanted 0, 1, 2 or 3");
        const bool leaf = tree.kind[i] == 0;
        const std::int32_t own = counted ? tree.n_children[i] : leaf ? 0 : 2;
        if (leaf != (own == 0) || own < 0)
            refuse("n_children[", i, "] is ", own, ", but kind[", i, "] is ", int{tree.kind[i]});
        if (leaf) continue;
        require_test(tree, i, own, binary);
        n_columns = std::max(n_columns, static_cast<std::size_t>(tree.feature[i]) + 1);
        for (std::int32_t c = 0; c < own; ++c) {
            std::uint8_t& has_parent = scratch[static_cast<std::size_t>(tree.first_child[i] + c)];
            if (has_parent)
                refuse("first_child[", i, "] is ", tree.first_child[i], ", but node ", tree.first_child[i] + c,
                       " has a parent already");
            has_parent = 1;
        }
        children += static_cast<std::size_t>(own);
    }
    if (children != n - 1) {
        const auto alone = std::find(scratch.begin() + 1, scratch.end(), 0) - scratch.begin();
        refuse("node ", alone, " is no child of any node in first_child");
    }
    return tree.stand_start.empty() ? n_columns : std::max(n_columns, require_stand_ins(tree));
}

}  // namespace lanatus::tree
