// A k-d tree whose nodes know their rows through a box, a weight, a centre and a spread.
//
// Every node halves its rows by rank along the widest side of its box, so that the tree is complete: node i has the
// children 2 i + 1 and 2 i + 2, and which rows a node holds follows from their number alone. The tree is therefore two
// plain tables: the rows in the order of the leaves, and one record a node.
// Building takes O(n d log n) time; memory O(n d).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::neighbors {

// Rows [begin, end) below a node.
struct Place {
    std::size_t node, begin, end;

    std::size_t middle() const noexcept { return begin + (end - begin) / 2; }
    Place left() const noexcept { return {2 * node + 1, begin, middle()}; }
    Place right() const noexcept { return {2 * node + 2, middle(), end}; }
    bool empty() const noexcept { return begin == end; }
};

// One record: low (d), high (d), centre (d), weight, spread = sum of w |x - centre|^2.
inline std::size_t record_size(std::size_t d) { return 3 * d + 2; }

struct KdTree {
    MatrixView<const double> rows;   // in the order of the leaves
    const double* weight;            // of each row, or null
    MatrixView<const double> nodes;  // records

    std::size_t d() const noexcept { return rows.cols; }
    Place root() const noexcept { return {0, 0, rows.rows}; }
    bool is_leaf(const Place& at) const noexcept { return 2 * at.node + 1 >= nodes.rows; }
    const double* low(const Place& at) const noexcept { return nodes.row(at.node); }
    const double* high(const Place& at) const noexcept { return nodes.row(at.node) + d(); }
    const double* centre(const Place& at) const noexcept { return nodes.row(at.node) + 2 * d(); }
    double mass(const Place& at) const noexcept { return nodes.row(at.node)[3 * d()]; }
    double spread(const Place& at) const noexcept { return nodes.row(at.node)[3 * d() + 1]; }
};

// Levels of the smallest complete tree with at most leaf_size rows a leaf.
inline std::size_t tree_levels(std::size_t n, std::size_t leaf_size) {
    std::size_t levels = 1;
    while (((n - 1) >> (levels - 1)) + 1 > leaf_size) ++levels;
    return levels;
}
inline std::size_t tree_nodes(std::size_t levels) { return (std::size_t{1} << levels) - 1; }

namespace detail {

template <class T>
class TreeBuilder {
  public:
    TreeBuilder(MatrixView<const T> X, const double* weight, std::span<std::int64_t> order, MatrixView<double> nodes)
        : X_(X), weight_(weight), order_(order), nodes_(nodes) {
        std::iota(order.begin(), order.end(), std::int64_t{0});
    }

    // The first levels on this thread, the subtrees below them on many.
    void build(int n_threads) {
        constexpr std::size_t alone = 15;  // nodes of four levels
        std::vector<Place> level{{0, 0, X_.rows}};
        while (level.front().node < alone && 2 * level.front().node + 1 < nodes_.rows) {
            parallel_for(level.size(), n_threads, [&](std::size_t i) { settle(level[i]); });
            std::vector<Place> below;
            for (const Place& at : level) below.push_back(at.left()), below.push_back(at.right());
            level = std::move(below);
        }
        parallel_for(level.size(), n_threads, [&](std::size_t i) { descend(level[i]); });
    }

  private:
    MatrixView<const T> X_;
    const double* weight_;
    std::span<std::int64_t> order_;
    MatrixView<double> nodes_;

    double value(std::size_t place, std::size_t j) const {
        return static_cast<double>(X_.row(static_cast<std::size_t>(order_[place]))[j]);
    }

    void descend(const Place& at) {
        settle(at);
        if (2 * at.node + 1 >= nodes_.rows) return;
        descend(at.left());
        descend(at.right());
    }

    // Describes a node and parts its rows.
    void settle(const Place& at) {
        const std::size_t widest = describe(at);
        if (2 * at.node + 1 >= nodes_.rows || at.end - at.begin < 2) return;
        const auto before = [&](std::int64_t a, std::int64_t b) {
            const T x = X_.row(static_cast<std::size_t>(a))[widest], y = X_.row(static_cast<std::size_t>(b))[widest];
            return x < y || (x == y && a < b);
        };
        const auto first = order_.begin();
        std::nth_element(first + static_cast<std::ptrdiff_t>(at.begin),
                         first + static_cast<std::ptrdiff_t>(at.middle()), first + static_cast<std::ptrdiff_t>(at.end),
                         before);
    }

    // Fills the record; returns the widest side.
    std::size_t describe(const Place& at) {
        const std::size_t d = X_.cols;
        double *low = nodes_.row(at.node), *high = low + d, *centre = high + d, *mass = centre + d, *spread = mass + 1;
        std::fill_n(low, d, std::numeric_limits<double>::infinity());
        std::fill_n(high, d, -std::numeric_limits<double>::infinity());
        std::fill_n(centre, d + 2, 0.0);
        for (std::size_t i = at.begin; i < at.end; ++i) {
            const double w = weight_ ? weight_[order_[i]] : 1.0;
            *mass += w;
            for (std::size_t j = 0; j < d; ++j) {
                const double x = value(i, j);
                low[j] = std::min(low[j], x);
                high[j] = std::max(high[j], x);
                centre[j] += w * (x - value(at.begin, j));  // from a row, so that far-off data keep their digits
            }
        }
        std::size_t widest = 0;
        for (std::size_t j = 0; j < d && !at.empty(); ++j) {
            centre[j] = value(at.begin, j) + (*mass > 0 ? centre[j] / *mass : 0.0);
            if (high[j] - low[j] > high[widest] - low[widest]) widest = j;
        }
        for (std::size_t i = at.begin; i < at.end; ++i)
            for (std::size_t j = 0; j < d; ++j) {
                const double gap = value(i, j) - centre[j];
                *spread += (weight_ ? weight_[order_[i]] : 1.0) * gap * gap;
            }
        return widest;
    }
};

}  // namespace detail

// order <- the rows of X by leaves; nodes (tree_nodes(levels), record_size(d)) <- the records.
template <class T>
void build_kd_tree(MatrixView<const T> X, const double* weight, std::span<std::int64_t> order, MatrixView<double> nodes,
                   int n_threads) {
    detail::TreeBuilder<T>(X, weight, order, nodes).build(n_threads);
}

}  // namespace lanatus::neighbors
