// One tree of gradient boosting, grown best-first on binned columns.
//
// Given   codes of the columns, a gradient g and a Hessian h of each row.
// Result  a binary tree of at most max_leaves leaves; each split is the one of largest gain (boosting_split.hpp) among
//         the open leaves, and a leaf's value is -T(G) / (H + l2) times the learning rate.
//
// Gradients are rounded at random to integers, unbiased, with a scale for each tree, so that histograms add up exactly in
// any order: the tree does not depend on the number of threads. The smaller child's histogram is counted, the larger
// one's is what is left of the parent's. Values of leaves come from the unrounded gradients, and may be curbed.
// Ties: the earlier leaf, then the lower column, then the lower bin.
// Cost: O(rows x columns x depth) at most, with half of the rows or less on each level; 16 bytes a bin and open leaf.
// References: Ke et al. (2017), LightGBM; Shi et al. (2022), Quantized training of gradient boosting decision trees;
// Sun and Tran-Dinh (2019), Generalized self-concordant functions.
#pragma once
#include <cstdint>
#include <memory>
#include <numbers>
#include <queue>
#include <utility>
#include <vector>

#include "ensemble/boosting_split.hpp"

namespace lanatus::ensemble {

struct GrowOptions {
    Penalties penalties;
    std::size_t max_leaves = 31, min_split = 2;  // min_split: rows that a node needs to be split
    std::int32_t max_depth = std::numeric_limits<std::int32_t>::max();
    double learning_rate = 0.1;
    bool curbed = false;  // whether no leaf goes beyond where Newton's step is sure to lower the loss
    std::uint32_t seed = 0;
    std::span<const std::int8_t> monotone{};      // empty, or one for each column
    std::span<const std::int32_t> group_start{};  // interaction groups: columns group[start[k]] .. group[start[k + 1]]
    std::span<const std::int32_t> group{};
};

struct Node {
    std::int32_t parent = -1, first_child = -1, depth = 0;
    std::size_t begin = 0, end = 0;  // its rows
    Sums sums;                       // of rounded gradients, then of exact ones
    Split split;                     // the best found; column -1 if none
    Bounds bounds;
    double value = 0;
    std::vector<std::int32_t> groups;     // interaction groups that hold all columns tested above
    std::unique_ptr<Buffer<Cell>> cells;  // while the node may still be split

    std::size_t size() const noexcept { return end - begin; }
    bool is_leaf() const noexcept { return first_child < 0; }
};

// ---- gradients as integers

LANATUS_INLINE std::uint32_t mixed(std::uint32_t x) noexcept {  // a hash with little bias, in two multiplications
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// The random part of a row's rounding follows from its gradient and the tree's key, not from its place: the order of the
// rows does not matter.
LANATUS_CLONES static void round_block(const double* g, const double* h, double to_g, double to_h, std::uint32_t key,
                                       std::size_t begin, std::size_t end, std::uint32_t* pairs) {
    for (std::size_t i = begin; i < end; ++i) {
        const auto of_g = static_cast<float>(g[i] * to_g), of_h = static_cast<float>(h[i] * to_h);
        const std::uint32_t x = mixed(__builtin_bit_cast(std::uint32_t, of_g) * 0x9e3779b9u +
                                      __builtin_bit_cast(std::uint32_t, of_h) + key);
        // Adding a number in [0, 1) before rounding down makes the rounding right on average.
        const float up_g = of_g + static_cast<float>(static_cast<std::int32_t>(x & 0xffff)) * 0x1p-16f;
        const float up_h = of_h + static_cast<float>(static_cast<std::int32_t>(x >> 16)) * 0x1p-16f;
        std::int32_t whole_g = static_cast<std::int32_t>(up_g + 16384.0f) - 16384;
        std::int32_t whole_h = static_cast<std::int32_t>(up_h);
        whole_g = whole_g < g_levels ? whole_g : g_levels;
        whole_h = whole_h < h_levels ? whole_h : h_levels;
        pairs[i] = static_cast<std::uint32_t>(whole_g) << 16 | static_cast<std::uint32_t>(whole_h);
    }
}

// x with the digits of a float, and the range of a double.
inline double few_digits(double x) noexcept {
    int exponent = 0;
    const auto digits = static_cast<float>(std::frexp(x, &exponent));
    return std::ldexp(static_cast<double>(digits), exponent);
}

LANATUS_CLONES static void largest(const double* g, const double* h, std::size_t begin, std::size_t end, double* most) {
    double most_g = 0, most_h = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const double size = std::fabs(g[i]);
        most_g = size > most_g ? size : most_g;
        most_h = h[i] > most_h ? h[i] : most_h;
    }
    most[0] = most_g, most[1] = most_h;
}

// Nodes of at least so many rows for each thread have their rows shared out; in others, the columns.
constexpr std::size_t rows_to_share = 1 << 15;

// The binned columns that all trees are grown on.
struct BinnedColumns {
    std::vector<std::int32_t> n_bins;
    std::vector<std::uint8_t> nominal;
    std::vector<std::uint8_t> repeats;  // how many equal rows each stands for; empty: one
    CodeStore store;

    BinnedColumns(MatrixView<const std::uint8_t> codes, std::vector<std::int32_t> bins, std::vector<std::uint8_t> kinds,
                  std::vector<std::uint8_t> times, int n_threads)
        : n_bins(std::move(bins)), nominal(std::move(kinds)), repeats(std::move(times)),
          store(codes, n_bins, n_threads) {}
};

// Memory that growing a tree takes and a grown tree no longer needs.
struct Desk {
    Buffer<std::uint32_t> spare, other, pairs;         // a place a row
    std::vector<std::unique_ptr<Buffer<Cell>>> cells;  // histograms that no node holds
    std::vector<Buffer<std::uint64_t>> words;          // one a thread
    std::vector<Buffer<Cell>> extra;                   // one a thread but the first

    explicit Desk(std::size_t n_rows) : spare(n_rows), other(n_rows), pairs(n_rows) {}
};

class Grower {
  public:
    explicit Grower(const BinnedColumns& data)
        : n_bins_(data.n_bins), nominal_(data.nominal), repeats_(data.repeats), store_(data.store), rows_(store_.n) {}

    // `bag`: the rows to learn from, ascending, empty for all; `columns`: those to look at, ascending.
    void grow(std::span<const double> g, std::span<const double> h, std::span<const std::int64_t> bag,
              std::span<const std::int32_t> columns, const GrowOptions& options, Desk& desk, int n_threads) {
        options_ = options, columns_ = columns, desk_ = &desk, threads_ = n_threads;
        round_gradients(g, h);
        start(bag);
        for (std::size_t leaves = 1; leaves < options_.max_leaves && !open_.empty(); ++leaves) {
            const std::size_t next = open_.top().second.node;
            open_.pop();
            split(next, leaves + 1 < options_.max_leaves);
        }
        open_ = {};
        for (Node& node : nodes_) release(node);
        settle(g, h);
    }

    // score[row * stride] += the value of its leaf, for the rows that the tree was grown on.
    void add_to(std::span<double> score, std::size_t stride, int n_threads) const {
        each_piece(n_threads, [&](const Node& leaf, std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) score[rows_[i] * stride] += leaf.value;
        });
    }

    // Leaf of each of some rows of the store.
    void apply(std::span<const std::int64_t> rows, std::span<std::int32_t> out, int n_threads) const {
        parallel_chunks(Chunks::of(rows.size()), n_threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) out[i] = leaf_of(store_.row(static_cast<std::size_t>(rows[i])));
        });
    }
    // Leaf of each row of other codes, 255 for a missing value.
    void apply(MatrixView<const std::uint8_t> codes, std::span<std::int32_t> out, int n_threads) const {
        parallel_chunks(Chunks::of(codes.rows), n_threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) out[i] = leaf_of(codes.row(i));
        });
    }

    // Other values, one for each node; too few leave the rest.
    void set_values(std::span<const double> values) noexcept {
        for (std::size_t i = 0; i < std::min(values.size(), nodes_.size()); ++i) nodes_[i].value = values[i];
    }

    const std::vector<Node>& nodes() const noexcept { return nodes_; }
    std::size_t n_used() const noexcept { return used_; }
    const std::uint32_t* rows() const noexcept { return rows_.data(); }

  private:
    // Of a row that stands for several the gradient of one is rounded, as that of each of them would be.
    void round_gradients(std::span<const double> g, std::span<const double> h) {
        std::vector<double> one_g, one_h;
        if (!repeats_.empty()) {
            for (std::size_t i = 0; i < store_.n; ++i)
                one_g.push_back(g[i] / repeats_[i]), one_h.push_back(h[i] / repeats_[i]);
            g = one_g, h = one_h;
        }
        const Chunks chunks = Chunks::of(store_.n, 8192);
        const auto parts =
            parallel_parts<std::array<double, 2>>(chunks, threads_, [&](std::size_t begin, std::size_t end) {
                std::array<double, 2> most;
                largest(g.data(), h.data(), begin, end, most.data());
                return most;
            });
        double most_g = 0, most_h = 0;
        for (const auto& part : parts) most_g = std::max(most_g, part[0]), most_h = std::max(most_h, part[1]);
        // One level short: a random part is added before rounding down. Of few digits: a last bit that gradients of weighted
        // and of repeated rows differ in changes no sum then, and so no tie of gains.
        const double to_g = most_g > 0 ? few_digits((g_levels - 1) / most_g) : 1.0,
                     to_h = most_h > 0 ? few_digits((h_levels - 1) / most_h) : 1.0;
        scale_ = {1 / to_g, 1 / to_h};
        if (std::find(nominal_.begin(), nominal_.end(), 1) != nominal_.end())
            options_.penalties.chance = 2 / std::numbers::pi * spread(g, h);
        const std::uint32_t key = mixed(options_.seed + 1);
        parallel_chunks(chunks, threads_, [&](std::size_t begin, std::size_t end) {
            round_block(g.data(), h.data(), to_g, to_h, key, begin, end, desk_->pairs.data());
        });
        for (std::size_t i = 0; i < repeats_.size(); ++i) {
            std::uint32_t& pair = desk_->pairs[i];
            pair = rounded_pair((static_cast<std::int32_t>(pair) >> 16) * repeats_[i], (pair & 0xffff) * repeats_[i]);
        }
    }

    // Mean square of the gradients over the mean Hessian, of single rows.
    double spread(std::span<const double> g, std::span<const double> h) const {
        const auto parts = parallel_parts<std::array<double, 2>>(
            Chunks::of(store_.n, 8192), threads_, [&](std::size_t begin, std::size_t end) {
                std::array<double, 2> sums{0, 0};
                for (std::size_t i = begin; i < end; ++i) {
                    const double w = repeats_.empty() ? 1 : repeats_[i];
                    sums[0] += w * g[i] * g[i], sums[1] += w * h[i];
                }
                return sums;
            });
        double squares = 0, hessians = 0;
        for (const auto& part : parts) squares += part[0], hessians += part[1];
        return hessians > 0 ? squares / hessians : 0.0;
    }

    // ---- growing

    void start(std::span<const std::int64_t> bag) {
        used_ = bag.empty() ? store_.n : bag.size();
        whole_ = bag.empty();
        parallel_chunks(Chunks::of(used_, 16384), threads_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) rows_[i] = static_cast<std::uint32_t>(whole_ ? i : bag[i]);
        });
        nodes_.clear();
        kept_ = 0;
        Node& root = nodes_.emplace_back();
        root.end = used_;
        const std::size_t n_groups = options_.group_start.empty() ? 0 : options_.group_start.size() - 1;
        for (std::size_t k = 0; k < n_groups; ++k) root.groups.push_back(static_cast<std::int32_t>(k));
        if (options_.max_leaves < 2 || !can_split(root)) return;
        root.sums = scale_(sum_of_rows());
        hold(root);
        look_at(root, nullptr, {&root, nullptr});
    }

    Cell sum_of_rows() const {
        const auto parts =
            parallel_parts<Cell>(Chunks::of(used_, 16384), threads_, [&](std::size_t begin, std::size_t end) {
                Cell sum{0, 0};
                for (std::size_t i = begin; i < end; ++i) sum += cell_of(word_of(desk_->pairs[rows_[i]]));
                return sum;
            });
        Cell total{0, 0};
        for (const Cell& part : parts) total += part;
        return total;
    }

    bool can_split(const Node& node) const noexcept {
        return static_cast<double>(node.size()) >= 2 * options_.penalties.min_rows &&
               node.size() >= std::max<std::size_t>(options_.min_split, 2) && node.depth < options_.max_depth &&
               !columns_.empty();
    }

    void split(std::size_t which, bool go_on) {
        const auto at = static_cast<std::int32_t>(nodes_.size());
        nodes_.emplace_back(), nodes_.emplace_back();
        Node &node = nodes_[which], &left = nodes_[nodes_.size() - 2], &right = nodes_[nodes_.size() - 1];
        node.first_child = at;
        complete(node.split);
        const std::size_t middle = partition(node);
        left.begin = node.begin, left.end = right.begin = middle, right.end = node.end;
        left.sums = node.split.sums, right.sums = node.sums - node.split.sums;
        for (Node* child : {&left, &right}) {
            child->parent = static_cast<std::int32_t>(which);
            child->depth = node.depth + 1;
            child->bounds = node.bounds;
            child->groups = narrowed(node.groups, node.split.column);
        }
        bound(node, left, right);
        const bool of_left = can_split(left), of_right = can_split(right);
        if (!go_on || !(of_left || of_right)) return release(node);
        Node &small = left.size() <= right.size() ? left : right, &large = &small == &left ? right : left;
        const bool of_small = &small == &left ? of_left : of_right, of_large = &small == &left ? of_right : of_left;
        if (node.cells) {
            hold(small);
            large.cells = std::move(node.cells);
            look_at(small, &large, {of_small ? &small : nullptr, of_large ? &large : nullptr});
        } else {
            for (Node* child : {&small, &large})
                if (can_split(*child)) {
                    hold(*child);
                    look_at(*child, nullptr, {child, nullptr});
                }
        }
        for (Node* child : {&small, &large})
            if (child->split.column < 0 || kept_ > budget()) release(*child);
    }

    // The codes that go left, missing values among them.
    void complete(Split& split) const noexcept {
        const auto n_bins = static_cast<std::size_t>(n_bins_[static_cast<std::size_t>(split.column)]);
        for (std::int32_t b = 0; b <= split.bin; ++b) set_bit(split.left, static_cast<std::size_t>(b));
        if (split.missing_left) set_bit(split.left, n_bins), set_bit(split.left, slots - 1);
    }

    // The children of a split by an ordered column keep to their sides of the middle.
    void bound(const Node& node, Node& left, Node& right) const noexcept {
        const auto column = static_cast<std::size_t>(node.split.column);
        const int direction = options_.monotone.empty() || nominal_[column] ? 0 : options_.monotone[column];
        if (direction == 0) return;
        const Penalties& p = options_.penalties;
        const double middle =
            (step(left.sums, p.l1, p.l2, node.bounds) + step(right.sums, p.l1, p.l2, node.bounds)) / 2;
        (direction > 0 ? left : right).bounds.high = middle;
        (direction > 0 ? right : left).bounds.low = middle;
    }

    std::span<const std::int32_t> members(std::int32_t group) const noexcept {
        const auto k = static_cast<std::size_t>(group);
        const auto begin = static_cast<std::size_t>(options_.group_start[k]);
        return options_.group.subspan(begin, static_cast<std::size_t>(options_.group_start[k + 1]) - begin);
    }
    std::vector<std::int32_t> narrowed(const std::vector<std::int32_t>& groups, std::int32_t column) const {
        std::vector<std::int32_t> out;
        for (const std::int32_t k : groups) {
            const auto inside = members(k);
            if (std::find(inside.begin(), inside.end(), column) != inside.end()) out.push_back(k);
        }
        return out;
    }
    std::vector<std::uint8_t> allowed(const Node& node) const {
        std::vector<std::uint8_t> out;
        if (options_.group_start.empty()) return out;
        out.assign(store_.d, 0);
        for (const std::int32_t k : node.groups)
            for (const std::int32_t column : members(k)) out[static_cast<std::size_t>(column)] = 1;
        return out;
    }

    // Rows of the left child first, both in order; returns where the right ones begin.
    std::size_t partition(const Node& node) {
        const std::uint8_t* codes = store_.column(static_cast<std::size_t>(node.split.column));
        std::array<std::uint8_t, slots> left;
        for (std::size_t c = 0; c < slots; ++c) left[c] = has_bit(node.split.left, c);
        const Chunks chunks = Chunks::of(node.size(), 32768, 64, 1);
        std::vector<std::size_t> goes_left(chunks.count());
        parallel_for(chunks.count(), threads_, [&](std::size_t k) {
            const std::size_t begin = node.begin + chunks.begin(k), end = node.begin + chunks.end(k);
            std::uint32_t *to_left = desk_->spare.data() + begin, *to_right = desk_->other.data() + begin;
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint32_t row = rows_[i];
                const std::size_t is_left = left[codes[row]];
                *to_left = row, *to_right = row;
                to_left += is_left, to_right += 1 - is_left;
            }
            goes_left[k] = static_cast<std::size_t>(to_left - (desk_->spare.data() + begin));
        });
        const std::size_t middle = node.begin + std::accumulate(goes_left.begin(), goes_left.end(), std::size_t{0});
        std::vector<std::size_t> before(chunks.count(), 0);
        for (std::size_t k = 1; k < before.size(); ++k) before[k] = before[k - 1] + goes_left[k - 1];
        parallel_for(chunks.count(), threads_, [&](std::size_t k) {
            const std::size_t begin = node.begin + chunks.begin(k), length = chunks.end(k) - chunks.begin(k);
            std::copy_n(desk_->spare.data() + begin, goes_left[k], rows_.data() + node.begin + before[k]);
            std::copy_n(desk_->other.data() + begin, length - goes_left[k],
                        rows_.data() + middle + (chunks.begin(k) - before[k]));
        });
        return middle;
    }

    // ---- histograms

    std::size_t n_cells() const noexcept { return columns_.size() * slots; }
    // Histograms kept at a time: a tree of very many leaves counts both children of some nodes instead.
    std::size_t budget() const noexcept {
        return std::max<std::size_t>(64, (std::size_t{256} << 20) / (n_cells() * sizeof(Cell)));
    }

    void hold(Node& node) {
        if (!desk_->cells.empty() && desk_->cells.back()->size() >= n_cells()) {
            node.cells = std::move(desk_->cells.back());
        } else {
            desk_->cells.clear();
            node.cells = std::make_unique<Buffer<Cell>>(n_cells());
        }
        if (!desk_->cells.empty()) desk_->cells.pop_back();
        ++kept_;
    }
    void release(Node& node) {
        if (!node.cells) return;
        desk_->cells.push_back(std::move(node.cells));
        --kept_;
    }

    using Pair = std::array<Node*, 2>;

    // Counts a node's cells, takes them off its sibling's where there is one, and finds the best splits of the nodes
    // asked for. Large nodes: every thread counts some rows, then looks at some columns; others: every thread does all of
    // it for some columns, so that it waits for the others only once.
    void look_at(Node& fresh, Node* rest, const Pair& asked) {
        const RowSet set{whole_ && fresh.parent < 0 ? nullptr : rows_.data(), fresh.begin, fresh.end};
        const bool tiny = set.size() * columns_.size() < (1 << 14);
        const auto team = static_cast<std::size_t>(tiny ? 1 : std::max(threads_, 1));
        const std::size_t tiles = (columns_.size() + tile - 1) / tile, shares = std::min(tiles, team);
        const std::size_t parts = set.size() >= team * rows_to_share ? team : 1;
        desk_->words.resize(std::max(desk_->words.size(), team));
        desk_->extra.resize(std::max(desk_->extra.size(), parts - 1));
        if (parts > 1)
            parallel_for(parts, threads_, [&](std::size_t part) {
                const RowSet own{set.rows, set.begin + set.size() * part / parts,
                                 set.begin + set.size() * (part + 1) / parts};
                Buffer<Cell>& cells = part == 0 ? *fresh.cells : desk_->extra[part - 1];
                if (cells.size() < n_cells()) cells = Buffer<Cell>(n_cells());
                count(own, 0, columns_.size(), desk_->words[part], cells.data());
            });
        const std::array<std::vector<std::uint8_t>, 2> masks{
            asked[0] ? allowed(*asked[0]) : std::vector<std::uint8_t>{},
            asked[1] ? allowed(*asked[1]) : std::vector<std::uint8_t>{}};
        std::vector<std::array<Split, 2>> found(shares);
        parallel_for(shares, threads_, [&](std::size_t share) {
            const std::size_t first = tiles * share / shares * tile;
            const std::size_t last = std::min(columns_.size(), tiles * (share + 1) / shares * tile);
            if (parts == 1) count(set, first, last, desk_->words[share], fresh.cells->data());
            SplitFinder finder(options_.penalties, scale_);
            for (std::size_t c = first; c < last; ++c) {
                settle_column(fresh, rest, c, parts);
                for (std::size_t k = 0; k < 2; ++k)
                    if (asked[k]) look_by(finder, *asked[k], masks[k], c, found[share][k]);
            }
        });
        for (std::size_t k = 0; k < 2; ++k) {
            if (!asked[k]) continue;
            for (const auto& best : found)
                if (best[k].gain > asked[k]->split.gain) asked[k]->split = best[k];
            if (asked[k]->split.column >= 0)
                open_.push({asked[k]->split.gain, {static_cast<std::size_t>(asked[k] - nodes_.data())}});
        }
    }

    void count(const RowSet& set, std::size_t first, std::size_t last, Buffer<std::uint64_t>& words, Cell* out) const {
        if (words.size() < n_cells()) words = Buffer<std::uint64_t>(n_cells());
        fill_cells(store_, set, columns_.subspan(first, last - first), n_bins_, desk_->pairs.data(), words.data(),
                   out + first * slots, repeats_.empty() ? 1 : most_repeats);
    }

    // One column's cells of the node just counted, from all parts, and of its sibling.
    void settle_column(Node& fresh, Node* rest, std::size_t c, std::size_t parts) const noexcept {
        const auto n_bins = static_cast<std::size_t>(n_bins_[static_cast<std::size_t>(columns_[c])]);
        Cell* cells = fresh.cells->data() + c * slots;
        for (std::size_t p = 1; p < parts; ++p)
            for (std::size_t b = 0; b <= n_bins; ++b) cells[b] += desk_->extra[p - 1][c * slots + b];
        if (rest)
            for (std::size_t b = 0; b <= n_bins; ++b) (*rest->cells)[c * slots + b] -= cells[b];
    }

    void look_by(SplitFinder& finder, const Node& node, const std::vector<std::uint8_t>& mask, std::size_t c,
                 Split& best) const {
        const auto column = static_cast<std::size_t>(columns_[c]);
        if (!mask.empty() && !mask[column]) return;
        const int direction = options_.monotone.empty() ? 0 : options_.monotone[column];
        finder.look(node.cells->data() + c * slots, columns_[c], static_cast<std::size_t>(n_bins_[column]),
                    nominal_[column], node.sums, direction, node.bounds, best);
    }

    // ---- leaves

    // body(leaf, piece, begin, end) over the rows of all leaves, cut into pieces.
    template <class Body>
    void each_piece(int n_threads, const Body& body) const {
        struct Piece {
            const Node* leaf;
            std::size_t begin, end;
        };
        std::vector<Piece> pieces;
        for (const Node& node : nodes_)
            if (node.is_leaf())
                for (std::size_t at = node.begin; at < node.end || at == node.begin; at += chunk_rows)
                    pieces.push_back({&node, at, std::min(node.end, at + chunk_rows)});
        parallel_for(pieces.size(), n_threads,
                     [&](std::size_t k) { body(*pieces[k].leaf, k, pieces[k].begin, pieces[k].end); });
    }

    // Sums of the exact gradients, from the leaves up, and the values.
    void settle(std::span<const double> g, std::span<const double> h) {
        std::vector<std::pair<const Node*, Sums>> parts(used_ / chunk_rows + nodes_.size() + 1);
        each_piece(threads_, [&](const Node& leaf, std::size_t piece, std::size_t begin, std::size_t end) {
            Sums sums;
            for (std::size_t i = begin; i < end; ++i) sums.g += g[rows_[i]], sums.h += h[rows_[i]];
            sums.count = static_cast<double>(end - begin);
            parts[piece] = {&leaf, sums};
        });
        for (Node& node : nodes_) node.sums = {};
        for (const auto& [leaf, sums] : parts)
            if (leaf) {
                Node& node = nodes_[static_cast<std::size_t>(leaf - nodes_.data())];
                node.sums = node.sums + sums;
            }
        for (std::size_t i = nodes_.size(); i-- > 1;) {
            Node& above = nodes_[static_cast<std::size_t>(nodes_[i].parent)];
            above.sums = above.sums + nodes_[i].sums;
        }
        const Penalties& p = options_.penalties;
        for (Node& node : nodes_) {
            const double newton = step(node.sums, p.l1, p.l2, node.bounds), wanted = options_.learning_rate * newton;
            node.value = options_.curbed ? curbed(newton, wanted) : wanted;
        }
    }

    // A loss whose third derivative is at most its second, as the logistic one, falls at least up to log(1 + |t|) / |t|
    // of Newton's step t. In a leaf of rows that are almost certain, and wrong, that step is far too long.
    static double curbed(double newton, double wanted) noexcept {
        return std::copysign(std::min(std::fabs(wanted), std::log1p(std::fabs(newton))), wanted);
    }

    std::int32_t leaf_of(const std::uint8_t* codes) const noexcept {
        std::size_t at = 0;
        while (!nodes_[at].is_leaf()) {
            const Split& split = nodes_[at].split;
            at = static_cast<std::size_t>(nodes_[at].first_child) +
                 !has_bit(split.left, codes[static_cast<std::size_t>(split.column)]);
        }
        return static_cast<std::int32_t>(at);
    }

    std::span<const std::int32_t> n_bins_;
    std::span<const std::uint8_t> nominal_, repeats_;
    const CodeStore& store_;
    Buffer<std::uint32_t> rows_;
    GrowOptions options_;
    std::span<const std::int32_t> columns_;
    Desk* desk_ = nullptr;  // while growing
    int threads_ = 1;
    Scale scale_;
    struct Earlier {  // of two leaves of one gain, the earlier comes first
        std::size_t node;
        bool operator<(const Earlier& other) const noexcept { return node > other.node; }
    };

    std::vector<Node> nodes_;
    std::priority_queue<std::pair<double, Earlier>> open_;
    std::size_t used_ = 0, kept_ = 0;
    bool whole_ = true;
};

}  // namespace lanatus::ensemble
