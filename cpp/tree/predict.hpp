// What many binary trees say about many rows.
//
// Given   trees whose nodes test x <= threshold, or whether a code is in a set; a missing value (NaN) goes where the node
//         says. X (n x d) of float or double.
// Result  for each row, the sum over the trees of the values of its leaves, tree by tree in order; or the leaves.
//
// Where each column has fewer than 2^16 - 1 distinct thresholds t_0 < t_1 < ..., rows are first turned into ranks: that of
// x is the number of t below it, so x <= t_k just when rank <= k, exactly. Then
// - trees of at most 64 leaves on ranks of one byte are done as in predict_leaves.hpp. Each column has two ranks, which
//   differ for a missing value only: one is above all thresholds, one below, and the test picks;
// - in other trees the rows are not walked down but divided: a test parts the rows that reach it as growing the tree would,
//   without branches. A column of ranks then stays in the fastest cache and a node is read once for all its rows.
// Rows walk down one by one in trees with sets, in very few trees, and where the thresholds are too many.
// Cost: O(rows x (columns x log thresholds + trees x depth)).
#pragma once
#include <cstdint>
#include <stdexcept>

#include "tree/bins.hpp"
#include "tree/predict_leaves.hpp"

namespace lanatus::tree {

// The arrays of all trees one after another (see lanatus.tree.Tree), children by their place in the tree.
struct TreeArrays {
    std::span<const std::int64_t> start;  // where each tree's nodes begin, and the end
    std::span<const std::int32_t> feature;
    std::span<const std::int8_t> kind;
    std::span<const double> threshold;
    std::span<const std::int32_t> first_child, missing;
    std::span<const std::int64_t> subset_start;  // of each node, and the end
    std::span<const std::uint32_t> subset;
    MatrixView<const double> value;
    std::span<const std::int32_t> output;  // column that a tree's only value is added to; -1: its values to all columns
};

class CompactForest {
  public:
    CompactForest(const TreeArrays& trees, std::size_t n_columns, std::size_t n_outputs)
        : n_columns_(n_columns), n_outputs_(n_outputs), width_(trees.value.cols),
          value_(trees.value.data, trees.value.data + trees.value.size()),
          output_(trees.output.begin(), trees.output.end()), start_(trees.start.begin(), trees.start.end()),
          subset_(trees.subset.begin(), trees.subset.end()) {
        const std::size_t n = trees.feature.size();
        slow_.resize(n);
        has_set_.resize(output_.size());
        std::vector<std::vector<double>> thresholds(n_columns);
        for (std::size_t t = 0; t + 1 < start_.size(); ++t)
            for (auto i = static_cast<std::size_t>(start_[t]); i < static_cast<std::size_t>(start_[t + 1]); ++i) {
                slow_[i] = slow_node(trees, i, static_cast<std::uint32_t>(start_[t]));
                if (trees.kind[i] == 3) has_set_[t] = 1;
                if (trees.kind[i] == 1)
                    thresholds[static_cast<std::size_t>(trees.feature[i])].push_back(trees.threshold[i]);
            }
        rank(thresholds);
    }

    std::size_t n_columns() const noexcept { return n_columns_; }
    std::size_t n_outputs() const noexcept { return n_outputs_; }
    std::size_t n_trees() const noexcept { return output_.size(); }

    // out (n x n_outputs) += the sums.
    template <class T>
    void add(MatrixView<const T> X, MatrixView<double> out, int n_threads) const {
        const auto node = [&](std::size_t row, std::size_t t, std::size_t at) {
            say(out.row(row), t, value_.data() + at * width_);
        };
        walk_all(
            X, n_threads, node,
            [&](std::size_t row, std::size_t t, std::size_t count, const std::uint8_t* leaf) {
                if (output_[t] < 0 && n_outputs_ > 1) {
                    for (std::size_t k = 0; k < count; ++k) node(row + k, t, leaf_node(t, leaf[k]));
                    return;
                }
                const double* value = leaf_value_.data() + leaf_start_[t];
                double* to = out.row(row) + std::max(output_[t], 0);
                for (std::size_t k = 0; k < count; ++k) to[k * n_outputs_] += value[leaf[k]];
            },
            [&](std::size_t first, std::size_t t, std::size_t leaf, std::span<const std::uint16_t> rows) {
                const double* value = deep_value_.data() + leaf * width_;
                for (const std::size_t row : rows) say(out.row(first + row), t, value);
            });
    }

    // out (n x n_trees) = the leaf in each tree.
    template <class T>
    void apply(MatrixView<const T> X, MatrixView<std::int32_t> out, int n_threads) const {
        const auto node = [&](std::size_t row, std::size_t t, std::size_t at) {
            out.row(row)[t] = static_cast<std::int32_t>(at - static_cast<std::size_t>(start_[t]));
        };
        walk_all(
            X, n_threads, node,
            [&](std::size_t row, std::size_t t, std::size_t count, const std::uint8_t* leaf) {
                for (std::size_t k = 0; k < count; ++k) node(row + k, t, leaf_node(t, leaf[k]));
            },
            [&](std::size_t first, std::size_t t, std::size_t leaf, std::span<const std::uint16_t> rows) {
                for (const std::size_t row : rows) node(first + row, t, leaf_nodes_[leaf]);
            });
    }

  private:
    void say(double* to, std::size_t t, const double* value) const noexcept {
        if (output_[t] >= 0) to[output_[t]] += value[0];
        else
            for (std::size_t k = 0; k < n_outputs_; ++k) to[k] += value[k];
    }
    // A test of a deep tree: a row whose rank at `place` is above `rank` goes to the second child. A child is a test of the
    // tree, or, with the highest bit set, a leaf. There are two places a column, see `Columns`.
    struct Fast {
        std::uint16_t place, rank;
        std::uint32_t child[2];
    };
    static constexpr std::uint32_t leaf_bit = std::uint32_t{1} << 31;
    struct Slow {
        double threshold;
        std::uint32_t child;
        std::int32_t feature;  // -1 at a leaf
        std::uint32_t set, words;
        bool missing_left, is_set;
    };
    struct Column {
        std::size_t edges = 0, half = 0, place = 0;
    };
    enum class Way { slow, planes, ranks };

    static constexpr std::size_t block = 1024;  // rows that pass through the trees together, a multiple of rows_at_once
    static constexpr std::size_t deep_block =
        16384;  // of deep trees: many to a node, and a column is no more than the first cache
    static constexpr std::size_t least_deep_block = 1024;
    static constexpr std::uint16_t never = 0xffff;
    static constexpr std::size_t least_trees = 4;  // fewer are not worth ranks

    static Slow slow_node(const TreeArrays& trees, std::size_t i, std::uint32_t start) {
        const auto begin = static_cast<std::uint32_t>(trees.subset_start[i]);
        const auto words = static_cast<std::uint32_t>(trees.subset_start[i + 1]) - begin;
        return {trees.threshold[i],
                start + static_cast<std::uint32_t>(std::max(trees.first_child[i], 0)),
                trees.kind[i] == 0 ? -1 : trees.feature[i],
                begin,
                words,
                trees.missing[i] == 0,
                trees.kind[i] == 3};
    }

    std::size_t begin_of(std::size_t t) const noexcept { return static_cast<std::size_t>(start_[t]); }
    std::size_t end_of(std::size_t t) const noexcept { return static_cast<std::size_t>(start_[t + 1]); }
    std::size_t leaf_node(std::size_t t, std::size_t leaf) const noexcept { return leaf_nodes_[leaf_start_[t] + leaf]; }

    // Chooses the way, and lays the trees out for it.
    void rank(std::vector<std::vector<double>>& thresholds) {
        std::size_t most = 0, leaves = 0;
        column_.resize(n_columns_);
        for (std::size_t j = 0; j < n_columns_; ++j) {
            auto& t = thresholds[j];
            std::sort(t.begin(), t.end());
            t.erase(std::unique(t.begin(), t.end()), t.end());
            most = std::max(most, t.size());
            if (t.empty()) continue;
            column_[j] = {edges_.size(), std::bit_ceil(t.size() + 1) / 2, used_.size()};
            used_.push_back(j);
            edges_.insert(edges_.end(), t.begin(), t.end());
            edges_.resize(column_[j].edges + 2 * column_[j].half, std::numeric_limits<double>::infinity());
        }
        for (std::size_t t = 0; t < n_trees(); ++t)
            if (!has_set_[t]) leaves = std::max(leaves, (end_of(t) - begin_of(t) + 1) / 2);
        bytes_ = most < 255;
        if (n_trees() < least_trees || most >= never || 2 * used_.size() >= never) return;
        way_ = bytes_ && leaves <= 8 * most_planes ? Way::planes : Way::ranks;
        leaf_start_.resize(n_trees() + 1), plane_start_.resize(n_trees() + 1), root_.resize(n_trees());
        fast_start_.resize(n_trees());
        for (std::size_t t = 0; t < n_trees(); ++t) {
            if (!has_set_[t] && way_ == Way::planes) lay_planes(t, thresholds);
            if (!has_set_[t] && way_ == Way::ranks) lay_nodes(t, thresholds);
            leaf_start_[t + 1] = leaf_nodes_.size(), plane_start_[t + 1] = test_start_.size();
        }
    }

    static std::size_t rank_of(const Slow& node, const std::vector<std::vector<double>>& thresholds) {
        const auto& t = thresholds[static_cast<std::size_t>(node.feature)];
        return static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), node.threshold) - t.begin());
    }

    // The tests of a tree by the planes of leaves that they touch.
    void lay_planes(std::size_t t, const std::vector<std::vector<double>>& thresholds) {
        std::array<std::vector<PlaneTest>, most_planes> planes;
        struct Open {
            std::size_t node, first;  // the first leaf of its left subtree, once that is done
            bool left_done;
        };
        std::size_t leaves = 0;
        std::vector<Open> stack{{begin_of(t), 0, false}};
        while (!stack.empty()) {
            Open& top = stack.back();
            const Slow& node = slow_[top.node];
            if (node.feature < 0) {
                leaf_nodes_.push_back(static_cast<std::uint32_t>(top.node));
                leaf_value_.push_back(value_[top.node * width_]);
                ++leaves;
                stack.pop_back();
            } else if (!top.left_done) {
                top.first = leaves, top.left_done = true;
                stack.push_back({node.child, 0, false});
            } else {
                const auto place = 2 * column_[static_cast<std::size_t>(node.feature)].place + node.missing_left;
                for (std::size_t p = top.first / 8; p * 8 < leaves; ++p) {
                    unsigned lost = 0;
                    for (std::size_t bit = 0; bit < 8; ++bit)
                        if (8 * p + bit >= top.first && 8 * p + bit < leaves) lost |= 1u << bit;
                    planes[p].push_back({static_cast<std::uint16_t>(place),
                                         static_cast<std::uint8_t>(rank_of(node, thresholds)),
                                         static_cast<std::uint8_t>(~lost)});
                }
                top = {node.child + std::size_t{1}, 0, false};
            }
        }
        for (std::size_t p = 0; p * 8 < leaves; ++p) {
            test_start_.push_back(static_cast<std::uint32_t>(tests_.size()));
            tests_.insert(tests_.end(), planes[p].begin(), planes[p].end());
        }
        test_start_.push_back(static_cast<std::uint32_t>(tests_.size()));
    }

    // The tests of a tree in the order in which `divide` meets them; the leaves apart, in that order too.
    void lay_nodes(std::size_t t, const std::vector<std::vector<double>>& thresholds) {
        const std::size_t first = fast_.size();
        std::uint32_t leaves = 0;
        const auto laid = [&](std::size_t node) {
            if (slow_[node].feature < 0) {
                leaf_nodes_.push_back(static_cast<std::uint32_t>(node));
                deep_value_.insert(deep_value_.end(), value_.begin() + static_cast<std::ptrdiff_t>(node * width_),
                                   value_.begin() + static_cast<std::ptrdiff_t>((node + 1) * width_));
                return leaf_bit | leaves++;
            }
            const Slow& test = slow_[node];
            const auto place = 2 * column_[static_cast<std::size_t>(test.feature)].place + test.missing_left;
            fast_.push_back(
                {static_cast<std::uint16_t>(place), static_cast<std::uint16_t>(rank_of(test, thresholds)), {0, 0}});
            return static_cast<std::uint32_t>(fast_.size() - 1 - first);
        };
        fast_start_[t] = first;
        root_[t] = laid(begin_of(t));
        struct Open {
            std::size_t node;
            std::uint32_t above;  // the test that leads to it
            unsigned side;
        };
        std::vector<Open> stack;
        const auto open = [&](std::size_t node, std::uint32_t at) {
            stack.push_back({slow_[node].child + std::size_t{1}, at, 1});
            stack.push_back({slow_[node].child, at, 0});
        };
        if (!(root_[t] & leaf_bit)) open(begin_of(t), root_[t]);
        while (!stack.empty()) {
            const Open next = stack.back();
            stack.pop_back();
            const std::uint32_t at = laid(next.node);
            fast_[first + next.above].child[next.side] = at;
            if (!(at & leaf_bit)) open(next.node, at);
        }
    }

    // node(row, tree, node), leaves(row, tree, count, leaf in the tree of each) or deep(first row of the block, tree, leaf
    // among all, rows of the block).
    template <class T, class VisitNode, class VisitLeaves, class VisitDeep>
    void walk_all(MatrixView<const T> X, int n_threads, const VisitNode& node, const VisitLeaves& leaves,
                  const VisitDeep& deep) const {
        parallel_chunks(Chunks{X.rows, way_ == Way::ranks ? deep_share(X.rows, n_threads) : block}, n_threads,
                        [&](std::size_t begin, std::size_t end) {
                            if (way_ == Way::planes) return walk_planes(X, begin, end, node, leaves);
                            if (way_ == Way::ranks && bytes_)
                                return walk_ranked<std::uint8_t>(X, begin, end, node, deep);
                            if (way_ == Way::ranks) return walk_ranked<std::uint16_t>(X, begin, end, node, deep);
                            for (std::size_t t = 0; t < n_trees(); ++t) walk_slowly(X, begin, end, t, node);
                        });
    }

    template <class T, class Visit>
    void walk_slowly(MatrixView<const T> X, std::size_t begin, std::size_t end, std::size_t t,
                     const Visit& visit) const {
        for (std::size_t row = begin; row < end; ++row) {
            const T* x = X.row(row);
            auto at = begin_of(t);
            while (slow_[at].feature >= 0) {
                const Slow& node = slow_[at];
                const auto value = static_cast<double>(x[node.feature]);
                const bool left = value != value ? node.missing_left
                                  : node.is_set  ? in_set(node, value)
                                                 : value <= node.threshold;
                at = node.child + !left;
            }
            visit(row, t, at);
        }
    }

    bool in_set(const Slow& node, double value) const noexcept {
        if (!(value >= 0) || value >= 32.0 * node.words) return false;
        const auto code = static_cast<std::size_t>(value);
        return subset_[node.set + code / 32] >> code % 32 & 1;
    }

    template <class T, class VisitNode, class VisitLeaves>
    void walk_planes(MatrixView<const T> X, std::size_t begin, std::size_t end, const VisitNode& node,
                     const VisitLeaves& leaves) const {
        Buffer<std::uint8_t> ranks(2 * used_.size() * block);
        for (const std::size_t j : used_) {
            std::uint8_t *above = ranks.data() + 2 * column_[j].place * block, *below = above + block;
            rank_column(X, j, begin, end, [&](std::size_t i, std::size_t rank, bool missing) {
                above[i] = missing ? std::uint8_t{255} : static_cast<std::uint8_t>(rank);
                below[i] = static_cast<std::uint8_t>(rank);
            });
            const std::size_t count = end - begin, whole = (count + rows_at_once - 1) / rows_at_once * rows_at_once;
            std::fill(above + count, above + whole, std::uint8_t{0});
            std::fill(below + count, below + whole, std::uint8_t{0});
        }
        std::array<std::uint8_t, rows_at_once> leaf;
        for (std::size_t t = 0; t < n_trees(); ++t) {
            if (has_set_[t]) {
                walk_slowly(X, begin, end, t, node);
                continue;
            }
            const auto starts = std::span(test_start_).subspan(plane_start_[t], plane_start_[t + 1] - plane_start_[t]);
            for (std::size_t row = begin; row < end; row += rows_at_once) {
                find_leaves(ranks.data() + (row - begin), block, tests_, starts, leaf.data());
                leaves(row, t, std::min(rows_at_once, end - row), leaf.data());
            }
        }
    }

    // Rows of a block of deep trees, so that all threads end together.
    static std::size_t deep_share(std::size_t rows, int n_threads) noexcept {
        const auto threads = static_cast<std::size_t>(std::max(n_threads, 1));
        if (rows <= least_deep_block * threads) return least_deep_block;
        const std::size_t rounds = (rows + deep_block * threads - 1) / (deep_block * threads);
        return (rows + rounds * threads - 1) / (rounds * threads);
    }

    // The ranks of a block of rows, column by column, in two versions that differ where a value is missing.
    template <class Rank>
    struct Columns {
        std::vector<const Rank*> at;  // 2 j: missing is above all thresholds; 2 j + 1: below
        Buffer<Rank> above, below;

        Columns(std::size_t columns, std::size_t rows)
            : at(2 * columns), above(columns * rows), below(columns * rows) {}
    };

    template <class Rank, class T, class Visit, class VisitLeaf>
    void walk_ranked(MatrixView<const T> X, std::size_t begin, std::size_t end, const Visit& visit,
                     const VisitLeaf& visit_leaf) const {
        const std::size_t count = end - begin;
        Columns<Rank> columns(used_.size(), count);
        for (const std::size_t j : used_) {
            const std::size_t place = column_[j].place;
            Rank *above = columns.above.data() + place * count, *below = columns.below.data() + place * count;
            bool holes = false;
            rank_column(X, j, begin, end, [&](std::size_t i, std::size_t rank, bool missing) {
                above[i] = static_cast<Rank>(missing ? never : rank);
                holes |= missing;
            });
            if (holes)
                for (std::size_t i = 0; i < count; ++i)
                    below[i] = above[i] == static_cast<Rank>(never) ? Rank{0} : above[i];
            columns.at[2 * place] = above;
            columns.at[2 * place + 1] = holes ? below : above;
        }
        Buffer<std::uint16_t> rows(2 * count);
        for (std::size_t t = 0; t < n_trees(); ++t)
            if (has_set_[t]) walk_slowly(X, begin, end, t, visit);
            else
                divide(columns, rows, count, t, [&](std::size_t leaf, std::span<const std::uint16_t> those) {
                    visit_leaf(begin, t, leaf_start_[t] + leaf, those);
                });
    }

    // visit(leaf of the tree, rows) for every leaf that a row of the block comes to. The rows of a node stand side by side
    // in one half of `rows`, those of its children in the same places of the other half: of the first child from the
    // left, of the second from the right.
    template <class Rank, class Visit>
    void divide(const Columns<Rank>& columns, Buffer<std::uint16_t>& rows, std::size_t count, std::size_t t,
                const Visit& visit) const {
        struct Part {
            std::uint32_t node, begin, end;
            bool half;
        };
        const Fast* nodes = fast_.data() + fast_start_[t];
        const std::array<std::uint16_t*, 2> halves{rows.data(), rows.data() + count};
        for (std::size_t i = 0; i < count; ++i) rows[i] = static_cast<std::uint16_t>(i);
        std::vector<Part> stack;
        Part part{root_[t], 0, static_cast<std::uint32_t>(count), false};
        while (true) {
            const std::uint16_t* from = halves[part.half];
            if (part.end - part.begin == 1)
                for (const std::size_t row = from[part.begin]; !(part.node & leaf_bit);) {
                    const Fast& node = nodes[part.node];
                    part.node = node.child[columns.at[node.place][row] > node.rank];
                }
            if (part.node & leaf_bit) {
                visit(part.node & ~leaf_bit, std::span(from + part.begin, part.end - part.begin));
                if (stack.empty()) return;
                part = stack.back();
                stack.pop_back();
                continue;
            }
            const Fast& node = nodes[part.node];
            const Rank* ranks = columns.at[node.place];
            std::uint16_t* to = halves[!part.half];
            std::uint32_t first = part.begin, second = part.end;
            for (std::uint32_t k = part.begin; k < part.end; ++k) {
                const std::uint16_t row = from[k];
                // The sign of a difference: a comparison may become a branch that nobody can foresee.
                const auto is_second = static_cast<unsigned>(int{node.rank} - int{ranks[row]}) >> 31;
                to[first] = row;
                to[second - 1] = row;
                first += 1 - is_second;
                second -= is_second;
            }
            if (first > part.begin && first < part.end) stack.push_back({node.child[1], first, part.end, !part.half});
            part = first > part.begin ? Part{node.child[0], part.begin, first, !part.half}
                                      : Part{node.child[1], part.begin, part.end, !part.half};
        }
    }

    // put(i, rank, is missing) for row begin + i; the rank of a missing value is 0.
    template <class T, class Put>
    void rank_column(MatrixView<const T> X, std::size_t j, std::size_t begin, std::size_t end, const Put& put) const {
        constexpr std::size_t side = 8;
        const Column& column = column_[j];
        for (std::size_t row = begin; row < end; row += side) {
            const std::size_t count = std::min(side, end - row);
            double x[side] = {};
            std::size_t below[side] = {};
            for (std::size_t k = 0; k < count; ++k) x[k] = static_cast<double>(X.row(row + k)[j]);
            count_below<side>(edges_.data() + column.edges, column.half, x, below);
            for (std::size_t k = 0; k < count; ++k) put(row + k - begin, below[k], x[k] != x[k]);
        }
    }

    std::size_t n_columns_, n_outputs_, width_;
    std::vector<double> value_;
    std::vector<std::int32_t> output_;
    std::vector<std::int64_t> start_;
    std::vector<std::uint32_t> subset_;
    std::vector<Slow> slow_;
    std::vector<std::uint8_t> has_set_;
    Way way_ = Way::slow;
    bool bytes_ = false;
    // ranks: thresholds of each column, padded
    std::vector<Column> column_;
    std::vector<std::size_t> used_;
    std::vector<double> edges_;
    // planes
    std::vector<PlaneTest> tests_;
    std::vector<std::uint32_t> test_start_, leaf_nodes_;
    std::vector<std::size_t> plane_start_, leaf_start_;
    std::vector<double> leaf_value_;
    // walks
    std::vector<Fast> fast_;
    std::vector<std::uint32_t> root_;
    std::vector<std::size_t> fast_start_;
    std::vector<double> deep_value_;  // of the leaves of deep trees
};

}  // namespace lanatus::tree
