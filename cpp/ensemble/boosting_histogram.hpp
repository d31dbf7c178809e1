// Histograms of gradients over the bins of columns, in integers: exact, and so the same for any order of the rows.
//
// Given   codes (n x d bytes), a row's gradient g and Hessian h rounded to integers |g| < 2^13, 0 <= h < 2^10.
// Result  for each column and bin: the sums of g, h and 1 over some rows.
//
// One 64-bit word holds a bin: g in the upper 27 bits, h in the 23 below, the count in the lowest 14. So one addition
// updates a bin, and 2^13 rows may be added before the words are unpacked into wider cells. Eight columns are done at a
// time: their words fit into the first cache, and the codes of a block of rows into the second.
// Cost: O(rows x columns) additions.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/simd.hpp"

namespace lanatus::ensemble {

constexpr std::size_t slots = 256;           // words of a column
constexpr std::size_t tile = 8;              // columns handled together
constexpr std::size_t chunk_rows = 1 << 13;  // rows that a word can hold
constexpr std::size_t block_rows = 1 << 11;  // rows whose codes stay in the cache
constexpr int g_levels = (1 << 13) - 1, h_levels = (1 << 10) - 1;
constexpr int most_repeats = 4;  // a row that stands for several: |g| < 2^15 and h < 2^12 then, and fewer rows a word
constexpr int count_bits = 14, h_bits = 23, wide_count_bits = 26;

// Sums of one bin; h in the upper part of hc, the count in the lower.
struct Cell {
    std::int64_t g;
    std::uint64_t hc;

    void operator+=(const Cell& other) noexcept { g += other.g, hc += other.hc; }
    void operator-=(const Cell& other) noexcept { g -= other.g, hc -= other.hc; }
    std::uint64_t h() const noexcept { return hc >> wide_count_bits; }
    std::uint64_t count() const noexcept { return hc & ((std::uint64_t{1} << wide_count_bits) - 1); }
};

// The rounded gradient of a row: g above, h below.
inline std::uint32_t rounded_pair(std::int32_t g, std::uint32_t h) noexcept {
    return static_cast<std::uint32_t>(g) << 16 | h;
}
inline std::uint64_t word_of(std::uint32_t pair) noexcept {
    const auto g = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(pair) >> 16));
    return (g << (count_bits + h_bits)) + (std::uint64_t{pair & 0xffff} << count_bits) + 1;
}
inline Cell cell_of(std::uint64_t word) noexcept {
    const std::uint64_t h = word >> count_bits & ((std::uint64_t{1} << h_bits) - 1);
    return {static_cast<std::int64_t>(word) >> (count_bits + h_bits),
            h << wide_count_bits | (word & ((std::uint64_t{1} << count_bits) - 1))};
}

// Codes by rows for histograms, each row on as few cache lines as can be, and by columns for partitions. A missing value
// has the code after the last bin.
class CodeStore {
  public:
    CodeStore(MatrixView<const std::uint8_t> codes, std::span<const std::int32_t> n_bins, int n_threads)
        : n(codes.rows), d(codes.cols), stride(padded(codes.cols)), by_row_(n * stride), by_column_(n * d) {
        parallel_chunks(Chunks::of(n, 1024, 256, 64), n_threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint8_t* from = codes.row(i);
                std::uint8_t* to = by_row_.data() + i * stride;
                for (std::size_t j = 0; j < d; ++j) to[j] = std::min(from[j], static_cast<std::uint8_t>(n_bins[j]));
                std::fill(to + d, to + stride, std::uint8_t{0});
            }
            for (std::size_t part = begin; part < end; part += 64)  // a square at a time
                for (std::size_t j = 0; j < d; ++j)
                    for (std::size_t i = part; i < std::min(end, part + 64); ++i)
                        by_column_[j * n + i] = by_row_[i * stride + j];
        });
    }

    const std::uint8_t* row(std::size_t i) const noexcept { return by_row_.data() + i * stride; }
    const std::uint8_t* column(std::size_t j) const noexcept { return by_column_.data() + j * n; }

    const std::size_t n, d, stride;

  private:
    static std::size_t padded(std::size_t d) noexcept {
        if (d > 64) return (d + 15) / 16 * 16;
        std::size_t width = tile;
        while (width < d) width *= 2;
        return width;
    }
    Buffer<std::uint8_t> by_row_, by_column_;
};

// Some rows: those listed, or all of a range.
struct RowSet {
    const std::uint32_t* rows;  // null: row i itself
    std::size_t begin, end;

    std::size_t size() const noexcept { return end - begin; }
    std::size_t at(std::size_t i) const noexcept { return rows ? rows[i] : i; }
};

namespace detail {

// Adds rows to the words of `Width` columns that stand side by side from `first`.
template <std::size_t Width>
inline void add_neighbours(const CodeStore& store, const RowSet& set, std::size_t first, const std::uint32_t* pairs,
                           std::uint64_t* words, bool fetch) {
    constexpr std::size_t ahead = 16;
    const std::uint8_t* codes = store.row(0) + first;
    for (std::size_t i = set.begin; i < set.end; ++i) {
        if (fetch && i + ahead < set.end) {
            __builtin_prefetch(codes + set.rows[i + ahead] * store.stride);
            __builtin_prefetch(pairs + set.rows[i + ahead]);
        }
        const std::size_t row = set.at(i);
        const std::uint64_t word = word_of(pairs[row]);
        const std::uint8_t* code = codes + row * store.stride;
        if constexpr (Width == tile) {
            std::uint64_t all;
            std::memcpy(&all, code, sizeof all);
            for (std::size_t k = 0; k < tile; ++k) words[k * slots + (all >> (8 * k) & 0xff)] += word;
        } else {
            for (std::size_t k = 0; k < Width; ++k) words[k * slots + code[k]] += word;
        }
    }
}

inline void add_listed(const CodeStore& store, const RowSet& set, std::span<const std::int32_t> columns,
                       const std::uint32_t* pairs, std::uint64_t* words) {
    for (std::size_t i = set.begin; i < set.end; ++i) {
        const std::size_t row = set.at(i);
        const std::uint64_t word = word_of(pairs[row]);
        const std::uint8_t* code = store.row(row);
        for (std::size_t k = 0; k < columns.size(); ++k) words[k * slots + code[columns[k]]] += word;
    }
}

inline void add_tile(const CodeStore& store, const RowSet& set, std::span<const std::int32_t> columns,
                     const std::uint32_t* pairs, std::uint64_t* words, bool first_tile) {
    const auto first = static_cast<std::size_t>(columns.front());
    const bool fetch = first_tile && set.rows;
    if (static_cast<std::size_t>(columns.back()) - first + 1 != columns.size())
        return add_listed(store, set, columns, pairs, words);
    switch (columns.size()) {
        case 8: return add_neighbours<8>(store, set, first, pairs, words, fetch);
        case 7: return add_neighbours<7>(store, set, first, pairs, words, fetch);
        case 6: return add_neighbours<6>(store, set, first, pairs, words, fetch);
        case 5: return add_neighbours<5>(store, set, first, pairs, words, fetch);
        case 4: return add_neighbours<4>(store, set, first, pairs, words, fetch);
        case 3: return add_neighbours<3>(store, set, first, pairs, words, fetch);
        case 2: return add_neighbours<2>(store, set, first, pairs, words, fetch);
        default: return add_neighbours<1>(store, set, first, pairs, words, fetch);
    }
}

}  // namespace detail

// The cells of `columns` over a set of rows, set, not added to; `words` is scratch of columns x slots. A row stands for
// at most `heaviest`.
inline void fill_cells(const CodeStore& store, const RowSet& set, std::span<const std::int32_t> columns,
                       std::span<const std::int32_t> n_bins, const std::uint32_t* pairs, std::uint64_t* words,
                       Cell* cells, std::size_t heaviest = 1) {
    const std::size_t most = chunk_rows / heaviest;
    for (std::size_t begin = set.begin; begin < set.end || begin == set.begin; begin += most) {
        const std::size_t end = std::min(set.end, begin + most);
        std::fill_n(words, columns.size() * slots, std::uint64_t{0});
        for (std::size_t at = begin; at < end; at += block_rows) {
            const RowSet block{set.rows, at, std::min(end, at + block_rows)};
            for (std::size_t c = 0; c < columns.size(); c += tile)
                detail::add_tile(store, block, columns.subspan(c, std::min(tile, columns.size() - c)), pairs,
                                 words + c * slots, c == 0);
        }
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const auto used = static_cast<std::size_t>(n_bins[static_cast<std::size_t>(columns[c])]) + 1;
            const std::uint64_t* from = words + c * slots;
            Cell* to = cells + c * slots;
            if (begin == set.begin)
                for (std::size_t b = 0; b < used; ++b) to[b] = cell_of(from[b]);
            else
                for (std::size_t b = 0; b < used; ++b) to[b] += cell_of(from[b]);
        }
        if (end == set.end) break;
    }
}

}  // namespace lanatus::ensemble
