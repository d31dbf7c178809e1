// Growing a tree from the root: which node comes next, when it stays a leaf. How rows are held and splits are found is the
// finder's (finder.hpp): sorted columns (sorted.hpp) or histograms (histogram.hpp).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <queue>
#include <vector>

#include "core/parallel.hpp"
#include "tree/finder.hpp"
#include "tree/grown.hpp"
#include "tree/growth.hpp"

namespace lanatus::tree {

// A node may be split at all. Children are counted in depth from the root.
template <class Part>
bool may_split(const Part& part, const Limits& limits) {
    return part.depth < limits.max_depth && part.n_rows >= limits.min_split && part.weight >= limits.min_split_weight &&
           part.impurity > 1e-14;
}

template <class Part>
bool pays(const Part& part, const Split& split, const Limits& limits) {
    return split.feature >= 0 && split.gain >= limits.min_gain - 1e-12 &&
           split.gain * part.weight / limits.total >= limits.min_decrease - 1e-15;
}

template <class Part>
bool shrinks(const Part& part, const std::vector<Part>& children, const Limits& limits) {
    if (limits.size_penalty <= 0) return true;
    double after = limits.size_penalty * static_cast<double>(children.size());
    for (const Part& child : children) after += child.impurity;
    return after < part.impurity;
}

// Places of the sizes, the largest first.
inline std::vector<std::size_t> largest_first(const std::vector<std::int64_t>& sizes) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    return order;
}

// A split in the queue of best-first growth.
struct Prospect {
    double gain;  // weighted
    std::size_t node, place;
    bool operator<(const Prospect& other) const { return gain != other.gain ? gain < other.gain : node > other.node; }
};

template <class Part>
class Grower {
    struct Open {
        std::size_t node;
        Part part;
    };
    struct Ready {  // with its split found
        std::size_t node;
        Part part;
        Split split;
    };

  public:
    Grower(Finder<Part>& finder, const Limits& limits, int n_threads)
        : finder_(finder), limits_(limits), n_threads_(n_threads) {}

    Grown grow(Part root) {
        Grown tree = begin(root);
        if (limits_.order == Order::best) {
            best_first(tree, std::move(root));
            return numbered(std::move(tree), {}, {});
        }
        if (limits_.max_leaves != std::numeric_limits<std::int64_t>::max() ||
            limits_.max_nodes != std::numeric_limits<std::int64_t>::max() || n_threads_ <= 1) {
            in_turn(tree, std::move(root), limits_.order == Order::breadth, n_threads_);
            if (limits_.order == Order::depth) return tree;  // its nodes were met in the order of a walk
            return numbered(std::move(tree), {}, {});
        }
        return side_by_side(std::move(tree), std::move(root));
    }

  private:
    // Nodes by turn, without limits on their number beyond max_leaves and max_nodes.
    void in_turn(Grown& tree, Part root, bool breadth, int n_threads) {
        std::deque<Open> open;
        open.push_back({0, std::move(root)});
        std::int64_t leaves = 1;
        while (!open.empty()) {
            Open next = breadth ? std::move(open.front()) : std::move(open.back());
            breadth ? open.pop_front() : open.pop_back();
            if (!may_split(next.part, limits_)) continue;
            Split split = finder_.best(next.part, n_threads);
            const auto more = static_cast<std::int64_t>(split.n_children);
            if (!pays(next.part, split, limits_) || leaves + more - 1 > limits_.max_leaves ||
                static_cast<std::int64_t>(tree.nodes.size()) + more > limits_.max_nodes)
                continue;
            std::vector<Part> children = finder_.divide(next.part, split, n_threads);
            if (!shrinks(next.part, children, limits_)) continue;
            leaves += more - 1;
            const std::size_t first = attach(tree, next.node, std::move(split), children);
            for (std::size_t c = children.size(); c-- > 0;) {
                const std::size_t which = breadth ? children.size() - 1 - c : c;
                open.push_back({first + which, std::move(children[which])});
            }
        }
    }

    // The split of most weighted gain first.
    void best_first(Grown& tree, Part root) {
        std::vector<Ready> ready;
        std::priority_queue<Prospect> queue;
        auto push = [&](std::size_t node, Part&& part) {
            if (!may_split(part, limits_)) return;
            Split split = finder_.best(part, n_threads_);
            if (!pays(part, split, limits_)) return;
            queue.push({split.gain * part.weight, node, ready.size()});
            ready.push_back({node, std::move(part), std::move(split)});
        };
        push(0, std::move(root));
        std::int64_t leaves = 1;
        while (!queue.empty() && leaves < limits_.max_leaves) {
            Ready next = std::move(ready[queue.top().place]);
            queue.pop();
            const auto more = static_cast<std::int64_t>(next.split.n_children);
            if (leaves + more - 1 > limits_.max_leaves ||
                static_cast<std::int64_t>(tree.nodes.size()) + more > limits_.max_nodes)
                continue;
            std::vector<Part> children = finder_.divide(next.part, next.split, n_threads_);
            if (!shrinks(next.part, children, limits_)) continue;
            leaves += more - 1;
            const std::size_t first = attach(tree, next.node, std::move(next.split), children);
            for (std::size_t c = 0; c < children.size(); ++c) push(first + c, std::move(children[c]));
        }
    }

    // The big nodes near the root by all threads together, then whole subtrees, each by one thread.
    Grown side_by_side(Grown tree, Part root) {
        constexpr std::int64_t big = 4096;
        std::deque<Open> open;
        open.push_back({0, std::move(root)});
        std::vector<Open> rest;
        while (!open.empty()) {
            Open next = std::move(open.front());
            open.pop_front();
            if (next.part.n_rows < big || (open.size() + rest.size() >= 32)) {
                rest.push_back(std::move(next));
                continue;
            }
            if (!may_split(next.part, limits_)) continue;
            Split split = finder_.best(next.part, n_threads_);
            if (!pays(next.part, split, limits_)) continue;
            std::vector<Part> children = finder_.divide(next.part, split, n_threads_);
            if (!shrinks(next.part, children, limits_)) continue;
            const std::size_t first = attach(tree, next.node, std::move(split), children);
            for (std::size_t c = 0; c < children.size(); ++c) open.push_back({first + c, std::move(children[c])});
        }
        std::vector<Grown> parts(rest.size());
        std::vector<std::size_t> at(rest.size());
        std::vector<std::int64_t> sizes(rest.size());
        for (std::size_t i = 0; i < rest.size(); ++i) at[i] = rest[i].node, sizes[i] = rest[i].part.n_rows;
        const std::vector<std::size_t> order = largest_first(sizes);
        parallel_for(rest.size(), n_threads_, [&](std::size_t i) {
            const std::size_t which = order[i];
            parts[which] = begin(rest[which].part);
            in_turn(parts[which], std::move(rest[which].part), false, 1);
        });
        return numbered(std::move(tree), std::move(at), std::move(parts));
    }

    Grown begin(const Part& part) {
        Grown tree;
        tree.width = part.said.size();
        tree.add(leaf(part), part.said.data());
        return tree;
    }
    static Node leaf(const Part& part) {
        Node node;
        node.weight = part.weight;
        node.n_rows = part.n_rows;
        node.impurity = part.impurity;
        return node;
    }
    std::size_t attach(Grown& tree, std::size_t at, Split&& split, const std::vector<Part>& children) {
        const std::size_t first = tree.nodes.size();
        for (std::size_t c = 0; c < children.size(); ++c) {
            Node node = leaf(children[c]);
            node.parent = static_cast<std::int32_t>(at);
            node.share = split.share(c);
            tree.add(std::move(node), children[c].said.data());
        }
        tree.split(at, std::move(split), first);
        return first;
    }

    Finder<Part>& finder_;
    const Limits& limits_;
    int n_threads_;
};

}  // namespace lanatus::tree
