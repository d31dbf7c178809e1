// Rows through one tree of any kind: many-way tests, rows that go to several leaves in parts, stand-in tests.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "tree/grown.hpp"

namespace lanatus::tree {

// The arrays of a Tree as they lie in memory.
struct TreeView {
    std::span<const std::int32_t> feature;
    std::span<const std::int8_t> kind;
    std::span<const double> threshold;
    std::span<const std::int32_t> first_child, n_children, missing;
    std::span<const double> share;
    std::span<const std::int64_t> subset_start;
    std::span<const std::uint32_t> subset;
    // Stand-ins, or empty.
    std::span<const std::int64_t> stand_start;
    std::span<const std::int32_t> stand_feature, stand_below;
    std::span<const double> stand_threshold;
    std::span<const std::int64_t> stand_subset_start, stand_known_start;
    std::span<const std::uint32_t> stand_subset, stand_known;

    // The child (from 0) that takes a row, -1 for all of them.
    template <class T>
    std::int32_t child(std::size_t node, const T* x) const {
        const auto value = static_cast<double>(x[feature[node]]);
        if (std::isnan(value)) return stand_in(node, x);
        switch (static_cast<Kind>(kind[node])) {
            case Kind::threshold: return value <= threshold[node] ? 0 : 1;
            case Kind::values: {
                const auto code = static_cast<std::int32_t>(value);
                return code < n_children[node] ? code : missing[node];
            }
            default: return in(subset, subset_start, node, value) ? 0 : 1;
        }
    }

  private:
    static bool in(std::span<const std::uint32_t> words, std::span<const std::int64_t> start, std::size_t i,
                   double code) {
        const auto from = static_cast<std::size_t>(start[i]), to = static_cast<std::size_t>(start[i + 1]);
        return has_bit(words.data() + from, to - from, static_cast<std::size_t>(code));
    }
    template <class T>
    std::int32_t stand_in(std::size_t node, const T* x) const {
        if (stand_start.empty()) return missing[node];
        for (auto s = static_cast<std::size_t>(stand_start[node]); s < static_cast<std::size_t>(stand_start[node + 1]);
             ++s) {
            const auto value = static_cast<double>(x[stand_feature[s]]);
            if (std::isnan(value)) continue;
            if (!std::isnan(stand_threshold[s]))
                return value <= stand_threshold[s] ? stand_below[s] : 1 - stand_below[s];
            if (in(stand_known, stand_known_start, s, value))
                return in(stand_subset, stand_subset_start, s, value) ? 0 : 1;
        }
        return missing[node];
    }
};

// visit(leaf, part of the row) for every leaf that a row reaches; node by node from the left.
template <class T, class Visit>
void reach(const TreeView& tree, const T* x, std::vector<std::pair<std::size_t, double>>& stack, const Visit& visit) {
    stack.assign(1, {0, 1.0});
    while (!stack.empty()) {
        auto [node, part] = stack.back();
        stack.pop_back();
        while (tree.n_children[node] > 0) {
            const auto first = static_cast<std::size_t>(tree.first_child[node]);
            const std::int32_t c = tree.child(node, x);
            if (c >= 0) {
                node = first + static_cast<std::size_t>(c);
                continue;
            }
            const auto count = static_cast<std::size_t>(tree.n_children[node]);
            for (std::size_t i = count; i-- > 1;)
                if (tree.share[first + i] > 0) stack.emplace_back(first + i, part * tree.share[first + i]);
            part *= tree.share[first];
            node = first;
            if (!(part > 0)) break;
        }
        if (part > 0) visit(node, part);
    }
}

// out (n x width, zeroed) += part * value[leaf].
template <class T>
void spread(const TreeView& tree, MatrixView<const T> X, MatrixView<const double> value, MatrixView<double> out,
            int n_threads) {
    parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<std::pair<std::size_t, double>> stack;
        for (std::size_t i = begin; i < end; ++i)
            reach(tree, X.row(i), stack, [&](std::size_t leaf, double part) {
                for (std::size_t k = 0; k < value.cols; ++k) out.row(i)[k] += part * value.row(leaf)[k];
            });
    });
}

// out (n_nodes x width, zeroed): sums of amounts over the rows that end at each leaf, in parts where they do.
template <class T>
void tally(const TreeView& tree, MatrixView<const T> X, MatrixView<const double> amounts, MatrixView<double> out) {
    std::vector<std::pair<std::size_t, double>> stack;
    for (std::size_t i = 0; i < X.rows; ++i)
        reach(tree, X.row(i), stack, [&](std::size_t leaf, double part) {
            for (std::size_t k = 0; k < amounts.cols; ++k) out.row(leaf)[k] += part * amounts.row(i)[k];
        });
}

// The leaf that a row reaches, the one that takes most of it where there are several.
template <class T>
void leaves(const TreeView& tree, MatrixView<const T> X, std::int64_t* out, int n_threads) {
    parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<std::pair<std::size_t, double>> stack;
        for (std::size_t i = begin; i < end; ++i) {
            double most = -1;
            reach(tree, X.row(i), stack, [&](std::size_t leaf, double part) {
                if (part > most * (1 + 1e-12)) most = part, out[i] = static_cast<std::int64_t>(leaf);
            });
        }
    });
}

}  // namespace lanatus::tree
