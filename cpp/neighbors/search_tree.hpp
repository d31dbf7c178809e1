// A tree to search for neighbours in: rows in blocks of leaves, and above them nodes of eight children each.
//
// A leaf is `leaf` rows by columns, so that a query is compared with a vector of rows at a time; a node holds what bounds
// its children by columns too, so that a query is compared with eight children at a time. What bounds a child is a box
// (k-d tree) or a ball (ball tree). All leaves but the last are full, and so are all nodes but the last of each height:
// which rows lie below a node follows from its number, and the tree is three plain arrays.
// Rows are parted by rank along the column in which they vary most. Building takes O(n d log n) time; memory O(n d).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "metric/minkowski.hpp"

namespace lanatus::neighbors {

constexpr std::size_t fan = 8;           // children of a node, 2^3: heights are shifts
constexpr std::size_t leaf_grain = 8;    // a leaf's rows are a multiple
constexpr std::size_t most_levels = 12;  // 8^11 leaves are more than there can be

enum class Bound { box, ball };

// How many rows lie where.
struct TreeShape {
    std::size_t n, d, leaf;
    Bound bound;
    std::size_t n_leaves;
    std::size_t height = 1;                        // of the root; leaves have 0
    std::array<std::size_t, most_levels> first{};  // number of the first node of each height
    std::array<std::size_t, most_levels> width{};  // leaves below a full node of each height

    TreeShape(std::size_t n_, std::size_t d_, std::size_t leaf_, Bound bound_)
        : n(n_), d(d_), leaf(leaf_), bound(bound_), n_leaves((n_ + leaf_ - 1) / leaf_) {
        width[0] = 1;
        for (std::size_t h = 1; h < most_levels; ++h) width[h] = width[h - 1] * fan;
        while (width[height] < leaves()) ++height;
        for (std::size_t h = height; h-- > 1;) first[h] = first[h + 1] + nodes_at(h + 1);
    }
    std::size_t leaves() const noexcept { return n_leaves; }
    std::size_t nodes_at(std::size_t h) const noexcept { return (n_leaves + width[h] - 1) >> 3 * h; }
    std::size_t nodes() const noexcept { return first[1] + nodes_at(1); }
    std::size_t leaf_values() const noexcept { return d * leaf; }
    std::size_t node_values() const noexcept { return bound == Bound::box ? 2 * d * fan : (d + 1) * fan; }
    // Children of the node of height h whose first leaf is `begin`.
    std::size_t children(std::size_t h, std::size_t begin) const noexcept {
        return std::min(fan, (n_leaves - begin + width[h - 1] - 1) >> 3 * (h - 1));
    }
    std::size_t node(std::size_t h, std::size_t begin) const noexcept { return first[h] + (begin >> 3 * h); }
};

template <class T>
struct SearchTree {
    TreeShape shape;
    const T* leaves;            // (leaves, d, leaf); places without a row are NaN
    const T* nodes;             // box: low (d, 8), high (d, 8); ball: centre (d, 8), radius (8)
    const std::int32_t* order;  // the row at each place

    const T* leaf(std::size_t at) const noexcept { return leaves + at * shape.leaf_values(); }
    const T* node(std::size_t h, std::size_t begin) const noexcept {
        return nodes + shape.node(h, begin) * shape.node_values();
    }
};

namespace detail {

template <class T>
class SearchTreeBuilder {
  public:
    SearchTreeBuilder(MatrixView<const T> X, const TreeShape& shape, double p, T* leaves, T* nodes,
                      std::span<std::int32_t> order)
        : X_(X), shape_(shape), p_(p), leaves_(leaves), nodes_(nodes), order_(order), keys_(X.rows) {
        std::iota(order.begin(), order.end(), std::int32_t{0});
    }

    // The first cuts level by level, the parts below them on many threads.
    void build(int n_threads) {
        constexpr std::size_t enough = 64;
        std::vector<Part> level{root()};
        while (!level.empty() && level.size() < enough) {
            std::vector<std::array<Part, 2>> below(level.size());
            parallel_for(level.size(), n_threads, [&](std::size_t i) { below[i] = settle(level[i]); });
            level.clear();
            for (const auto& pair : below)
                for (const Part& part : pair)
                    if (part.count) level.push_back(part);
        }
        parallel_for(level.size(), n_threads, [&](std::size_t i) { descend(level[i]); });
    }

  private:
    // Rows [begin, end) to be parted among `count` children, the first numbered `child`, of a node of height h.
    struct Part {
        std::size_t h = 0, first_leaf = 0, child = 0, count = 0, begin = 0, end = 0;
    };
    struct Key {
        T value;
        std::int32_t row;
        bool operator<(const Key& other) const noexcept {
            return value < other.value || (value == other.value && row < other.row);
        }
    };
    struct Box {
        std::vector<T> low, high;
    };

    MatrixView<const T> X_;
    const TreeShape& shape_;
    double p_;
    T *leaves_, *nodes_;
    std::span<std::int32_t> order_;
    std::vector<Key> keys_;

    Part root() const { return {shape_.height, 0, 0, shape_.children(shape_.height, 0), 0, X_.rows}; }
    const T* row(std::size_t place) const { return X_.row(static_cast<std::size_t>(order_[place])); }

    void descend(const Part& part) {
        for (const Part& below : settle(part))
            if (below.count) descend(below);
    }

    // Parts the rows, or describes the one child that they are.
    std::array<Part, 2> settle(const Part& part) {
        if (part.count > 1) return cut(part);
        describe(part);
        const std::size_t first_leaf = part.first_leaf + part.child * shape_.width[part.h - 1];
        if (part.h == 1) {
            fill_leaf(first_leaf, part.begin, part.end);
            return {};
        }
        return {Part{part.h - 1, first_leaf, 0, shape_.children(part.h - 1, first_leaf), part.begin, part.end}, Part{}};
    }

    // By rank, as near to the middle of the side as full children allow: outliers do not stretch two boxes.
    std::array<Part, 2> cut(const Part& part) {
        const std::size_t widest = most_spread(part);
        T low = row(part.begin)[widest], high = low;
        for (std::size_t i = part.begin; i < part.end; ++i) {
            keys_[i] = {row(i)[widest], order_[i]};
            low = std::min(low, keys_[i].value);
            high = std::max(high, keys_[i].value);
        }
        const T centre = low + (high - low) / 2;
        std::size_t below = 0;
        for (std::size_t i = part.begin; i < part.end; ++i) below += keys_[i].value < centre;
        const std::size_t rows = shape_.width[part.h - 1] * shape_.leaf;
        const std::size_t half = std::clamp<std::size_t>((below + rows / 2) / rows, 1, part.count - 1);
        const std::size_t middle = part.begin + half * rows;
        const auto at = [&](std::size_t i) { return keys_.begin() + static_cast<std::ptrdiff_t>(i); };
        std::nth_element(at(part.begin), at(middle), at(part.end));
        for (std::size_t i = part.begin; i < part.end; ++i) order_[i] = keys_[i].row;
        Part left = part, right = part;
        left.count = half, left.end = middle;
        right.count -= half, right.child += half, right.begin = middle;
        return {left, right};
    }

    // The column of largest variance in some rows of a part: a few far away do not make one wide.
    std::size_t most_spread(const Part& part) const {
        constexpr std::size_t enough = 256;
        const std::size_t d = shape_.d, step = std::max<std::size_t>(1, (part.end - part.begin) / enough);
        const T* start = row(part.begin);
        std::vector<double> sums(d), squares(d);
        double n = 0;
        for (std::size_t i = part.begin; i < part.end; i += step, ++n)
            for (std::size_t j = 0; j < d; ++j) {
                const double gap = static_cast<double>(row(i)[j]) - static_cast<double>(start[j]);
                sums[j] += gap;
                squares[j] += gap * gap;
            }
        std::size_t widest = 0;
        for (std::size_t j = 0; j < d; ++j) {
            squares[j] -= sums[j] * sums[j] / n;
            if (squares[j] > squares[widest]) widest = j;
        }
        return widest;
    }

    Box box_of(std::size_t begin, std::size_t end) const {
        const std::size_t d = shape_.d;
        Box box{std::vector<T>(row(begin), row(begin) + d), std::vector<T>(row(begin), row(begin) + d)};
        for (std::size_t i = begin + 1; i < end; ++i) {
            const T* x = row(i);
            for (std::size_t j = 0; j < d; ++j) {
                box.low[j] = std::min(box.low[j], x[j]);
                box.high[j] = std::max(box.high[j], x[j]);
            }
        }
        return box;
    }

    void describe(const Part& part) {
        const Box box = box_of(part.begin, part.end);
        T* node = nodes_ + shape_.node(part.h, part.first_leaf) * shape_.node_values();
        const std::size_t d = shape_.d;
        if (shape_.bound == Bound::box)
            for (std::size_t j = 0; j < d; ++j) {
                node[j * fan + part.child] = box.low[j];
                node[(d + j) * fan + part.child] = box.high[j];
            }
        else describe_ball(part, node);
    }

    void describe_ball(const Part& part, T* node) const {
        const std::size_t d = shape_.d;
        std::vector<double> centre(d), x(d);
        const auto share = 1 / static_cast<double>(part.end - part.begin);
        for (std::size_t i = part.begin; i < part.end; ++i)
            for (std::size_t j = 0; j < d; ++j) centre[j] += share * static_cast<double>(row(i)[j]);
        for (std::size_t j = 0; j < d; ++j) {
            node[j * fan + part.child] = static_cast<T>(centre[j]);
            centre[j] = static_cast<double>(node[j * fan + part.child]);
        }
        double radius = 0;
        metric::with_order(p_, [&](const auto& distance) {
            for (std::size_t i = part.begin; i < part.end; ++i) {
                std::copy_n(row(i), d, x.begin());
                radius = std::max(radius, distance.length(metric::distance_sum(distance, x.data(), centre.data(), d)));
            }
        });
        node[d * fan + part.child] = std::nextafter(static_cast<T>(radius), std::numeric_limits<T>::infinity());
    }

    void fill_leaf(std::size_t leaf, std::size_t begin, std::size_t end) {
        T* out = leaves_ + leaf * shape_.leaf_values();
        for (std::size_t i = 0; i < shape_.leaf; ++i)
            for (std::size_t j = 0; j < shape_.d; ++j)
                out[j * shape_.leaf + i] = begin + i < end ? row(begin + i)[j] : std::numeric_limits<T>::quiet_NaN();
    }
};

}  // namespace detail

// Fills leaves (leaves, d * leaf), nodes (nodes, node_values) and order (n); p is the order of the distance of balls.
template <class T>
void build_search_tree(MatrixView<const T> X, const TreeShape& shape, double p, T* leaves, T* nodes,
                       std::span<std::int32_t> order, int n_threads) {
    std::fill_n(nodes, shape.nodes() * shape.node_values(), std::numeric_limits<T>::quiet_NaN());
    detail::SearchTreeBuilder<T>(X, shape, p, leaves, nodes, order).build(n_threads);
}

}  // namespace lanatus::neighbors
