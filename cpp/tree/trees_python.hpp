// Trees and growth options between C++ and Python.
#pragma once
#include "core/ndarray.hpp"
#include "tree/grower.hpp"

namespace lanatus::tree {

template <class Get>
auto column(const Grown& tree, const Get& get) {
    using T = std::decay_t<decltype(get(tree.nodes[0]))>;
    auto out = new_array<T>(tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) out.data()[i] = get(tree.nodes[i]);
    return out;
}

// Lists of items, one list a node, one after the other: where each begins, and all of them.
template <class T, class Item, class Get>
void add_lists(nb::dict& out, const char* start_name, const char* name, const std::vector<Item>& items, const Get& get) {
    auto start = new_array<std::int64_t>(items.size() + 1);
    std::size_t total = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        start.data()[i] = static_cast<std::int64_t>(total);
        total += get(items[i]).size();
    }
    start.data()[items.size()] = static_cast<std::int64_t>(total);
    auto values = new_array<T>(total);
    T* at = values.data();
    for (const auto& item : items)
        for (const auto& value : get(item)) *at++ = static_cast<T>(value);
    out[start_name] = start;
    out[name] = values;
}

inline nb::dict arrays_of(const Grown& tree) {
    nb::dict out;
    out["feature"] = column(tree, [](const Node& n) { return n.feature; });
    out["kind"] = column(tree, [](const Node& n) { return static_cast<std::int8_t>(n.kind); });
    out["threshold"] = column(tree, [](const Node& n) { return n.threshold; });
    out["first_child"] = column(tree, [](const Node& n) { return n.first_child; });
    out["n_children"] = column(tree, [](const Node& n) { return n.n_children; });
    out["parent"] = column(tree, [](const Node& n) { return n.parent; });
    out["missing"] = column(tree, [](const Node& n) { return n.missing; });
    out["share"] = column(tree, [](const Node& n) { return n.share; });
    out["weight"] = column(tree, [](const Node& n) { return n.weight; });
    out["n_rows"] = column(tree, [](const Node& n) { return n.n_rows; });
    out["impurity"] = column(tree, [](const Node& n) { return n.impurity; });
    out["gain"] = column(tree, [](const Node& n) { return n.gain; });
    auto value = new_array<double>(tree.nodes.size(), tree.width);
    std::copy(tree.value.begin(), tree.value.end(), value.data());
    out["value"] = value;
    static const Bits nothing;
    add_lists<std::uint32_t>(out, "subset_start", "subset", tree.nodes, [](const Node& n) -> const Bits& { return n.extra ? n.extra->subset : nothing; });
    std::vector<Surrogate> surrogates;
    std::vector<std::vector<std::int32_t>> owner;  // features of the surrogates of each node
    for (const Node& node : tree.nodes) {
        auto& mine = owner.emplace_back();
        if (node.extra)
            for (const Surrogate& s : node.extra->surrogates) {
                mine.push_back(s.feature);
                surrogates.push_back(s);
            }
    }
    if (surrogates.empty()) return out;
    nb::dict more;
    add_lists<std::int32_t>(more, "start", "feature", owner, [](const auto& mine) -> const auto& { return mine; });
    auto threshold = new_array<double>(surrogates.size()), agreement = new_array<double>(surrogates.size());
    auto below = new_array<std::int32_t>(surrogates.size());
    for (std::size_t i = 0; i < surrogates.size(); ++i) {
        threshold.data()[i] = surrogates[i].threshold;
        agreement.data()[i] = surrogates[i].agreement;
        below.data()[i] = surrogates[i].below;
    }
    more["threshold"] = threshold;
    more["agreement"] = agreement;
    more["below"] = below;
    add_lists<std::uint32_t>(more, "subset_start", "subset", surrogates, [](const Surrogate& s) -> const Bits& { return s.subset; });
    add_lists<std::uint32_t>(more, "known_start", "known", surrogates, [](const Surrogate& s) -> const Bits& { return s.known; });
    out["surrogates"] = more;
    return out;
}


template <class T>
T option(const nb::dict& options, const char* name, T otherwise) {
    return options.contains(name) && !options[name].is_none() ? nb::cast<T>(options[name]) : otherwise;
}

inline Limits limits_of(const nb::dict& o) {
    Limits l;
    const auto order = option<std::string>(o, "builder", "depth");
    l.order = order == "best" ? Order::best : order == "breadth" ? Order::breadth : Order::depth;
    l.max_depth = option(o, "max_depth", l.max_depth);
    l.max_leaves = option(o, "max_leaf_nodes", l.max_leaves);
    l.max_nodes = option(o, "max_nodes", l.max_nodes);
    l.min_split = option(o, "min_samples_split", l.min_split);
    l.min_decrease = option(o, "min_impurity_decrease", 0.0);
    l.min_gain = option(o, "min_gain", 0.0);
    l.size_penalty = option(o, "size_penalty", 0.0);
    return l;
}

}  // namespace lanatus::tree
