#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "cluster/dbscan.hpp"
#include "cluster/dbscan_labels.hpp"
#include "core/parallel.hpp"
#include "core/union_find.hpp"
#include "metric/minkowski.hpp"

namespace lanatus::cluster {

namespace {

constexpr std::size_t widest = 3;  // columns

// Where a row is: its cell along each column, the last column in the lowest bits.
struct Layout {
    std::size_t d;
    double side;
    std::array<double, widest> low{};
    std::array<int, widest> shift{};
    int bits = 0, reach = 0;

    std::uint64_t key(const double* x) const noexcept {
        std::uint64_t key = 0;
        for (std::size_t j = 0; j < d; ++j)
            key |= (static_cast<std::uint64_t>((x[j] - low[j]) / side) + static_cast<std::uint64_t>(reach)) << shift[j];
        return key;
    }
};

// Stable, by the lowest `bits` of the keys.
void sort_by_key(std::vector<std::uint64_t>& keys, std::vector<std::int32_t>& rows, int bits) {
    constexpr int digit = 11;
    std::vector<std::uint64_t> other_keys(keys.size());
    std::vector<std::int32_t> other_rows(rows.size());
    for (int at = 0; at < bits; at += digit) {
        std::vector<std::size_t> start((std::size_t{1} << digit) + 1);
        const auto place = [&](std::uint64_t key) { return (key >> at) & ((std::uint64_t{1} << digit) - 1); };
        for (const std::uint64_t key : keys) ++start[place(key) + 1];
        for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::size_t to = start[place(keys[i])]++;
            other_keys[to] = keys[i], other_rows[to] = rows[i];
        }
        keys.swap(other_keys), rows.swap(other_rows);
    }
}

template <class Distance>
class Grid {
  public:
    Grid(const Layout& layout, const Distance& how, const DensityRule& rule, std::vector<double> rows,
         std::vector<std::int32_t> order, const std::vector<std::uint64_t>& keys)
        : layout_(layout), how_(how), rule_(rule), limit_(largest_sum(how, rule.eps)), rows_(std::move(rows)),
          order_(std::move(order)) {
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (i == 0 || keys[i] != keys[i - 1]) cell_keys_.push_back(keys[i]), starts_.push_back(i);
        starts_.push_back(keys.size());
    }

    void run(const DensityClusters& out, int n_threads) {
        over_cells(n_threads, [&](std::size_t c) { describe(c); });
        find_neighbours(n_threads);
        over_cells(n_threads, [&](std::size_t c) { find_core(c); });
        UnionFind sets(cells());
        over_cells(n_threads, [&](std::size_t c) { connect(c, sets); });
        number_ = numbered(first_core(), [&](std::int32_t c) { return sets.find(c); });
        over_cells(n_threads, [&](std::size_t c) { label(c, out); });
    }

  private:
    const Layout& layout_;
    const Distance& how_;
    const DensityRule& rule_;
    double limit_;
    std::vector<double> rows_;         // by cells
    std::vector<std::int32_t> order_;  // the row of X that each is
    std::vector<std::uint64_t> cell_keys_;
    std::vector<std::size_t> starts_;
    std::vector<double> boxes_;  // low (d), high (d) of the rows of each cell
    std::vector<std::size_t> near_starts_;
    std::vector<std::int32_t> near_;  // cells with a row that may be within eps
    std::vector<std::uint8_t> core_;
    std::vector<std::int32_t> number_;

    std::size_t d() const noexcept { return layout_.d; }
    std::size_t cells() const noexcept { return cell_keys_.size(); }
    const double* row(std::size_t i) const noexcept { return rows_.data() + i * d(); }
    const double* low(std::size_t c) const noexcept { return boxes_.data() + 2 * d() * c; }
    const double* high(std::size_t c) const noexcept { return low(c) + d(); }
    double weight(std::size_t i) const noexcept { return rule_.weight_of(static_cast<std::size_t>(order_[i])); }
    bool within(const double* x, std::size_t i) const noexcept {
        return metric::distance_sum(how_, x, row(i), d()) <= limit_;
    }
    bool may_reach(const double* x, std::size_t c) const noexcept {
        return metric::gap_to_box(how_, x, low(c), high(c), d()) * (1 - 1e-12) <= limit_;
    }

    template <class Body>
    void over_cells(int n_threads, const Body& body) {
        boxes_.resize(2 * d() * cells());
        core_.resize(order_.size());
        parallel_chunks(Chunks::of(cells(), 64, 256, 16), n_threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c) body(c);
        });
    }

    void describe(std::size_t c) {
        double* box = boxes_.data() + 2 * d() * c;
        for (std::size_t j = 0; j < d(); ++j) box[j] = box[d() + j] = row(starts_[c])[j];
        for (std::size_t i = starts_[c] + 1; i < starts_[c + 1]; ++i)
            for (std::size_t j = 0; j < d(); ++j) {
                box[j] = std::min(box[j], row(i)[j]);
                box[d() + j] = std::max(box[d() + j], row(i)[j]);
            }
    }

    void find_neighbours(int n_threads) {
        const Chunks chunks = Chunks::of(cells(), 64, 256, 16);
        struct Part {
            std::vector<std::int32_t> near;
            std::vector<std::size_t> ends;
        };
        const auto parts = parallel_parts<Part>(chunks, n_threads, [&](std::size_t begin, std::size_t end) {
            Part part;
            std::vector<std::size_t> cursor;
            for (std::size_t c = begin; c < end; ++c) {
                append_neighbours(c, cursor, part.near);
                part.ends.push_back(part.near.size());
            }
            return part;
        });
        near_starts_.push_back(0);
        for (const Part& part : parts) {
            const std::size_t before = near_.size();
            near_.insert(near_.end(), part.near.begin(), part.near.end());
            for (const std::size_t end : part.ends) near_starts_.push_back(before + end);
        }
    }

    // Cells side by side along the last column have keys one after the other, a line; and where the lines around a cell
    // begin only moves on from cell to cell, so that a cursor for each finds them without a search.
    void append_neighbours(std::size_t c, std::vector<std::size_t>& cursor, std::vector<std::int32_t>& near) const {
        const auto reach = static_cast<std::uint64_t>(layout_.reach), span = 2 * reach + 1;
        const std::size_t leading = d() - 1;
        std::uint64_t lines = 1, first = cell_keys_[c] - reach;
        for (std::size_t j = 0; j < leading; ++j) lines *= span, first -= reach << layout_.shift[j];
        const bool fresh = cursor.empty();
        cursor.resize(lines);
        for (std::uint64_t line = 0; line < lines; ++line) {
            std::uint64_t key = first, rest = line;
            for (std::size_t j = leading; j-- > 0; rest /= span) key += (rest % span) << layout_.shift[j];
            std::size_t& at = cursor[line];
            if (fresh) {
                const auto from = std::lower_bound(cell_keys_.begin(), cell_keys_.end(), key);
                at = static_cast<std::size_t>(from - cell_keys_.begin());
            }
            while (at < cells() && cell_keys_[at] < key) ++at;
            for (std::size_t other = at; other < cells() && cell_keys_[other] <= key + 2 * reach; ++other) {
                const auto gap = metric::reach(how_, low(c), high(c), low(other), high(other), d()).nearest;
                if (other != c && gap * (1 - 1e-12) <= limit_) near.push_back(static_cast<std::int32_t>(other));
            }
        }
    }

    template <class Body>
    void each_near(std::size_t c, const Body& body) const {
        for (std::size_t k = near_starts_[c]; k < near_starts_[c + 1]; ++k)
            if (!body(static_cast<std::size_t>(near_[k]))) return;
    }

    void find_core(std::size_t c) {
        double own = 0;
        for (std::size_t i = starts_[c]; i < starts_[c + 1]; ++i) own += weight(i);
        for (std::size_t i = starts_[c]; i < starts_[c + 1]; ++i) {
            double mass = own;
            each_near(c, [&](std::size_t other) {
                if (mass < rule_.min_samples && may_reach(row(i), other))
                    for (std::size_t k = starts_[other]; k < starts_[other + 1]; ++k)
                        if (within(row(i), k)) mass += weight(k);
                return mass < rule_.min_samples;
            });
            core_[i] = mass >= rule_.min_samples && weight(i) > 0;
        }
    }

    void connect(std::size_t c, UnionFind& sets) const {
        each_near(c, [&](std::size_t other) {
            const auto a = static_cast<std::int32_t>(c), b = static_cast<std::int32_t>(other);
            if (other < c && !sets.same(a, b) && touch(c, other)) sets.join(a, b);
            return true;
        });
    }

    // Whether a core row of one lies within eps of a core row of the other.
    bool touch(std::size_t c, std::size_t other) const {
        for (std::size_t i = starts_[c]; i < starts_[c + 1]; ++i) {
            if (!core_[i] || !may_reach(row(i), other)) continue;
            for (std::size_t k = starts_[other]; k < starts_[other + 1]; ++k)
                if (core_[k] && within(row(i), k)) return true;
        }
        return false;
    }

    std::vector<std::int32_t> first_core() const {
        std::vector<std::int32_t> first(cells(), -1);
        for (std::size_t c = 0; c < cells(); ++c)
            for (std::size_t i = starts_[c]; i < starts_[c + 1]; ++i)
                if (core_[i] && (first[c] < 0 || order_[i] < first[c])) first[c] = order_[i];
        return first;
    }

    void label(std::size_t c, const DensityClusters& out) const {
        for (std::size_t i = starts_[c]; i < starts_[c + 1]; ++i) {
            const auto to = static_cast<std::size_t>(order_[i]);
            out.core[to] = core_[i];
            // A cell with a core row is a cluster's own, and all its rows lie within eps of that row.
            std::int32_t best = number_[c];
            if (!core_[i])
                each_near(c, [&](std::size_t other) {
                    const std::int32_t cluster = number_[other];
                    if (cluster >= 0 && (best < 0 || cluster < best) && reaches_core(row(i), other)) best = cluster;
                    return true;
                });
            out.labels[to] = best;
        }
    }

    bool reaches_core(const double* x, std::size_t c) const {
        for (std::size_t k = starts_[c]; k < starts_[c + 1]; ++k)
            if (core_[k] && within(x, k)) return true;
        return false;
    }
};

// False where a column is too long for the side of a cell.
template <class T>
bool lay_out(MatrixView<const T> X, const DensityRule& rule, Layout& layout) {
    const auto d = static_cast<double>(X.cols);
    const double diagonal = std::isinf(rule.p) ? 1.0 : std::pow(d, 1 / rule.p);
    // A little smaller than it might be: rounding puts no two rows into one cell that are farther apart than eps.
    layout.side = rule.eps / diagonal * (1 - 1e-6);
    layout.reach = static_cast<int>(std::ceil(diagonal * (1 + 1e-5)));
    if (!(layout.side > 0)) return false;
    int bits = 0;
    for (std::size_t j = X.cols; j-- > 0;) {
        T low = X.row(0)[j], high = low;
        for (std::size_t i = 1; i < X.rows; ++i) low = std::min(low, X.row(i)[j]), high = std::max(high, X.row(i)[j]);
        layout.low[j] = static_cast<double>(low);
        const double cells = (static_cast<double>(high) - layout.low[j]) / layout.side;
        if (!(cells < 0x1p20)) return false;
        layout.shift[j] = bits;
        bits += std::bit_width(static_cast<std::uint64_t>(cells) + 2 * static_cast<std::uint64_t>(layout.reach) + 1);
    }
    layout.bits = bits;
    return bits <= 64;
}

}  // namespace

template <class T>
bool dbscan_grid(MatrixView<const T> X, const DensityRule& rule, const DensityClusters& out, int n_threads) {
    const std::size_t n = X.rows, d = X.cols;
    Layout layout{d, 0.0};
    if (d > widest || n == 0 || !lay_out(X, rule, layout)) return false;
    std::vector<std::uint64_t> keys(n);
    std::vector<std::int32_t> order(n);
    const Chunks chunks = Chunks::of(n, 4096, 64);
    parallel_chunks(chunks, n_threads, [&](std::size_t begin, std::size_t end) {
        double x[widest];
        for (std::size_t i = begin; i < end; ++i) {
            std::copy_n(X.row(i), d, x);
            keys[i] = layout.key(x), order[i] = static_cast<std::int32_t>(i);
        }
    });
    sort_by_key(keys, order, layout.bits);
    std::vector<double> rows(n * d);
    parallel_chunks(chunks, n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            std::copy_n(X.row(static_cast<std::size_t>(order[i])), d, rows.data() + i * d);
    });
    metric::with_order(rule.p, [&](const auto& how) {
        Grid(layout, how, rule, std::move(rows), std::move(order), keys).run(out, n_threads);
    });
    return true;
}

template bool dbscan_grid(MatrixView<const double>, const DensityRule&, const DensityClusters&, int);
template bool dbscan_grid(MatrixView<const float>, const DensityRule&, const DensityClusters&, int);

}  // namespace lanatus::cluster
