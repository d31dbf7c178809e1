// Points in one to three dimensions under a tree of cells, halved in every dimension at once, as Barnes and Hut (1986) do.
//
// Points are ordered by the interleaved bits of their places (Morton's order), so that a cell is a run of them. A cell
// knows its mean, its number of points and the box around them. O(n log n), on one thread.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::reduce {

template <std::size_t D>
struct Cell {
    std::array<float, D> mean, low, high;
    float sq_size = 0;  // square of the longest side of the box
    std::uint32_t begin = 0, end = 0;
    std::uint32_t first_child = 0, n_children = 0;  // none: a leaf

    float mass() const noexcept { return static_cast<float>(end - begin); }
    // The square of what lies between a place and the box, at least.
    float sq_gap(const std::array<float, D>& place) const noexcept {
        float sum = 0;
        for (std::size_t k = 0; k < D; ++k) {
            const float gap = std::max(std::max(low[k] - place[k], place[k] - high[k]), 0.0f);
            sum += gap * gap;
        }
        return sum;
    }
};

template <std::size_t D>
class CellTree {
  public:
    static constexpr std::size_t leaf_size = 32;

    explicit CellTree(MatrixView<const float> Y) {
        sort(Y);
        split();
        for (std::size_t c = cells.size(); c-- > 0;) sum_up(cells[c]);
    }

    std::vector<Cell<D>> cells;            // the first is the root; children follow their parent
    std::vector<std::uint32_t> leaves;     // in the order of their points
    std::vector<std::uint32_t> order;      // the rows, as they stand in the tree
    std::array<std::vector<float>, D> at;  // their coordinates

  private:
    static constexpr std::size_t bits = std::min<std::size_t>(22, 44 / D);  // of each dimension
    static constexpr std::size_t digit = 11;

    void sort(MatrixView<const float> Y) {
        const std::size_t n = Y.rows;
        std::array<float, D> low, high;
        low.fill(std::numeric_limits<float>::infinity());
        high.fill(-std::numeric_limits<float>::infinity());
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < D; ++k)
                low[k] = std::min(low[k], Y.row(i)[k]), high[k] = std::max(high[k], Y.row(i)[k]);
        float side = 0;
        for (std::size_t k = 0; k < D; ++k) side = std::max(side, high[k] - low[k]);
        const double scale = side > 0 ? static_cast<double>((std::uint64_t{1} << bits) - 1) / side : 0.0;
        codes_.resize(n), order.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            std::uint64_t code = 0;
            for (std::size_t k = 0; k < D; ++k)
                code |= spread(static_cast<std::uint64_t>(static_cast<double>(Y.row(i)[k] - low[k]) * scale)) << k;
            codes_[i] = code, order[i] = static_cast<std::uint32_t>(i);
        }
        std::vector<std::uint64_t> codes(n);
        std::vector<std::uint32_t> rows(n);
        for (std::size_t shift = 0; shift < bits * D; shift += digit) {
            std::array<std::uint32_t, (1u << digit) + 1> starts{};
            constexpr std::uint64_t mask = (1u << digit) - 1;
            for (const std::uint64_t code : codes_) ++starts[(code >> shift & mask) + 1];
            for (std::size_t d = 1; d < starts.size(); ++d) starts[d] += starts[d - 1];
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t to = starts[codes_[i] >> shift & mask]++;
                codes[to] = codes_[i], rows[to] = order[i];
            }
            codes.swap(codes_), rows.swap(order);
        }
        for (std::size_t k = 0; k < D; ++k) {
            at[k].resize(n);
            for (std::size_t i = 0; i < n; ++i) at[k][i] = Y.row(order[i])[k];
        }
    }

    // The bits of x, D apart.
    static std::uint64_t spread(std::uint64_t x) noexcept {
        std::uint64_t out = 0;
        if constexpr (D == 1) return x;
        if constexpr (D == 2) {
            x = (x | x << 16) & 0x0000FFFF0000FFFF;
            x = (x | x << 8) & 0x00FF00FF00FF00FF;
            x = (x | x << 4) & 0x0F0F0F0F0F0F0F0F;
            x = (x | x << 2) & 0x3333333333333333;
            return (x | x << 1) & 0x5555555555555555;
        }
        for (std::size_t b = 0; b < bits; ++b) out |= (x >> b & 1) << (b * D);
        return out;
    }

    void split() {
        std::vector<std::uint32_t> level{0};  // bits left below each cell, D at a time
        cells.push_back({.begin = 0, .end = static_cast<std::uint32_t>(order.size())});
        level[0] = bits;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const Cell<D> cell = cells[c];
            if (cell.end - cell.begin <= leaf_size || level[c] == 0) {
                leaves.push_back(static_cast<std::uint32_t>(c));
                continue;
            }
            const std::uint32_t below = level[c] - 1;
            const auto first = static_cast<std::uint32_t>(cells.size());
            for (std::uint32_t from = cell.begin; from < cell.end;) {
                const std::uint64_t part = codes_[from] >> (below * D);
                const auto to =
                    std::upper_bound(codes_.begin() + from, codes_.begin() + cell.end, part,
                                     [&](std::uint64_t p, std::uint64_t code) { return p < code >> (below * D); });
                const auto stop = static_cast<std::uint32_t>(to - codes_.begin());
                cells.push_back({.begin = from, .end = stop});
                level.push_back(below);
                from = stop;
            }
            cells[c].first_child = first;
            cells[c].n_children = static_cast<std::uint32_t>(cells.size()) - first;
        }
        std::sort(leaves.begin(), leaves.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return cells[a].begin < cells[b].begin; });
    }

    void sum_up(Cell<D>& cell) {
        cell.low.fill(std::numeric_limits<float>::infinity());
        cell.high.fill(-std::numeric_limits<float>::infinity());
        std::array<double, D> sum{};
        if (cell.n_children == 0) {
            for (std::size_t k = 0; k < D; ++k)
                for (std::uint32_t i = cell.begin; i < cell.end; ++i) {
                    sum[k] += at[k][i];
                    cell.low[k] = std::min(cell.low[k], at[k][i]), cell.high[k] = std::max(cell.high[k], at[k][i]);
                }
        } else {
            for (std::uint32_t c = cell.first_child; c < cell.first_child + cell.n_children; ++c)
                for (std::size_t k = 0; k < D; ++k) {
                    sum[k] += static_cast<double>(cells[c].mean[k]) * cells[c].mass();
                    cell.low[k] = std::min(cell.low[k], cells[c].low[k]);
                    cell.high[k] = std::max(cell.high[k], cells[c].high[k]);
                }
        }
        float side = 0;
        for (std::size_t k = 0; k < D; ++k) {
            cell.mean[k] = static_cast<float>(sum[k] / std::max(cell.mass(), 1.0f));
            side = std::max(side, cell.high[k] - cell.low[k]);
        }
        cell.sq_size = side * side;
    }

    std::vector<std::uint64_t> codes_;
};

}  // namespace lanatus::reduce
