// Columns cut into at most 255 bins, so that a row is a row of bytes.
//
// Given   X (n x d) with NaN for what is missing, dense or by rows; a column is numeric, or nominal with codes 0 .. K-1.
// Result  numeric: edges e_0 < e_1 < ..., and the bin of x is the number of edges below x, so x <= e_b puts it in b at
//         most; nominal: a table from code to bin. 255 stands for a missing value or a code that is not of the table.
// Edges   halfway between neighbouring distinct values if these are at most max_bins, else where the weight of a bin
//         reaches what is left for each of the bins left; a value that outweighs an average bin
//         shares its bin with little else.
// Ties    categories of equal weight: the lower code comes first.
// Cost    edges: a radix sort for each column; codes: O(log bins) for each value. Threads take whole columns or rows.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::tree {

constexpr std::uint8_t missing_bin = 255;
constexpr std::size_t most_bins = 255;
constexpr std::size_t column_group = 8;  // columns read together: a cache line of doubles
constexpr std::size_t row_block = 256;   // rows coded together, column by column

// A value as an integer of the same order; both zeros are one.
inline std::uint64_t order_key(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
    return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}
inline double key_value(std::uint64_t key) noexcept {
    return std::bit_cast<double>(key >> 63 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

struct Weighted {
    std::uint64_t key;
    double weight;
};
inline std::uint64_t key_of(std::uint64_t key) noexcept { return key; }
inline std::uint64_t key_of(const Weighted& item) noexcept { return item.key; }
inline double weight_of(std::uint64_t) noexcept { return 1.0; }
inline double weight_of(const Weighted& item) noexcept { return item.weight; }

// Sorts by the upper 33 bits in three passes, then the few runs that these do not tell apart.
template <class Item>
void sort_by_key(std::vector<Item>& items, std::vector<Item>& spare) {
    constexpr int digit = 11, first = 31;
    const auto before = [](const Item& a, const Item& b) { return key_of(a) < key_of(b); };
    if (items.size() < 4096) {
        std::stable_sort(items.begin(), items.end(), before);
        return;
    }
    spare.resize(items.size());
    std::array<std::vector<std::uint32_t>, 3> counts;
    for (auto& count : counts) count.assign(std::size_t{1} << digit, 0);
    constexpr std::uint64_t mask = (1u << digit) - 1;
    for (const Item& item : items)
        for (std::size_t p = 0; p < 3; ++p) ++counts[p][(key_of(item) >> (first + digit * static_cast<int>(p))) & mask];
    for (std::size_t p = 0; p < 3; ++p) {
        std::uint32_t at = 0;
        for (std::uint32_t& count : counts[p]) at += std::exchange(count, at);
        for (const Item& item : items)
            spare[counts[p][(key_of(item) >> (first + digit * static_cast<int>(p))) & mask]++] = item;
        items.swap(spare);
    }
    for (std::size_t i = 0, end; i < items.size(); i = end) {
        bool sorted = true;
        for (end = i + 1; end < items.size() && key_of(items[end]) >> first == key_of(items[i]) >> first; ++end)
            sorted &= key_of(items[end - 1]) <= key_of(items[end]);
        if (!sorted)
            std::stable_sort(items.begin() + static_cast<std::ptrdiff_t>(i),
                             items.begin() + static_cast<std::ptrdiff_t>(end), before);
    }
}

// A number in [below, above), about halfway.
inline double halfway(double below, double above) noexcept {
    const double middle = below / 2 + above / 2;
    return middle >= below && middle < above ? middle : below;
}

// The bins of a numeric column.
struct NumberBins {
    std::vector<double> edges, middle;  // middle: halfway between the least and the largest value of each bin

    // The bin of values from `first` up to `last` is full, and the next value begins another.
    void close(double first, double last, double next) {
        edges.push_back(halfway(last, next));
        middle.push_back(halfway(first, last));
    }
};

// Those of a column whose distinct values, ascending, have these weights.
inline NumberBins cut(std::span<const double> values, std::span<const double> mass, std::size_t max_bins) {
    NumberBins out;
    const std::size_t n = values.size();
    if (n <= max_bins) {
        for (std::size_t i = 0; i + 1 < n; ++i) out.close(values[i], values[i], values[i + 1]);
        out.middle.push_back(n > 0 ? values[n - 1] : 0.0);
        return out;
    }
    std::size_t first = 0;  // value of the bin that is being filled
    double light = std::accumulate(mass.begin(), mass.end(), 0.0);
    const double average = light / static_cast<double>(max_bins);
    std::size_t bins = max_bins;  // left for light values
    for (const double m : mass)
        if (m >= average && bins > 1) light -= m, --bins;
    double share = light / static_cast<double>(bins), held = 0;
    for (std::size_t i = 0; i + 1 < n && out.edges.size() + 1 < max_bins; ++i) {
        const bool heavy = mass[i] >= average, heavy_next = mass[i + 1] >= average;
        if (!heavy) light -= mass[i];
        held += mass[i];
        if (!heavy && held < share && !(heavy_next && held >= share / 2)) continue;
        out.close(values[first], values[i], values[i + 1]);
        first = i + 1;
        held = 0;
        if (!heavy && bins > 1) share = light / static_cast<double>(--bins);
    }
    out.middle.push_back(halfway(values[first], values[n - 1]));
    return out;
}

// Distinct values and their weights; `zeros` is the weight of zeros that are not among the items.
template <class Item>
NumberBins bins_of(std::vector<Item>& items, std::vector<Item>& spare, double zeros, std::size_t max_bins) {
    sort_by_key(items, spare);
    std::vector<double> values, mass;
    const auto add = [&](double value, double weight) {
        if (values.empty() || values.back() != value) values.push_back(value), mass.push_back(0.0);
        mass.back() += weight;
    };
    bool pending = zeros > 0;
    for (const Item& item : items) {
        const double value = key_value(key_of(item));
        if (pending && value >= 0) add(0.0, zeros), pending = false;
        add(value, weight_of(item));
    }
    if (pending) add(0.0, zeros);
    return cut(values, mass, max_bins);
}

// code -> bin of a nominal column: each category its own, or the heaviest ones and one for the rest.
inline std::vector<std::uint8_t> category_bins(std::span<const double> mass, std::size_t max_bins) {
    std::vector<std::uint8_t> bins(mass.size(), static_cast<std::uint8_t>(std::min(mass.size(), max_bins) - 1));
    std::vector<std::size_t> order(mass.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (mass.size() > max_bins) {
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return mass[a] > mass[b]; });
        order.resize(max_bins - 1);
        std::sort(order.begin(), order.end());
    }
    for (std::size_t b = 0; b < order.size(); ++b) bins[order[b]] = static_cast<std::uint8_t>(b);
    return bins;
}

inline double weight_at(std::span<const double> weight, std::size_t row) noexcept {
    return weight.empty() ? 1.0 : weight[row];
}
inline bool is_code(double x, std::int32_t n_values) noexcept { return x >= 0 && x < static_cast<double>(n_values); }

// What is known of the cuts of each column: edges and middles of the bins of numeric ones, tables of nominal ones.
struct Cuts {
    std::vector<std::vector<double>> edges, middle;
    std::vector<std::vector<std::uint8_t>> table;

    explicit Cuts(std::size_t d) : edges(d), middle(d), table(d) {}

    void set(std::size_t j, NumberBins bins) {
        edges[j] = std::move(bins.edges);
        middle[j] = std::move(bins.middle);
    }
};

// From the given rows of X; a row of weight 0 does not count.
template <class T, class Item>
Cuts find_cuts(MatrixView<const T> X, std::span<const std::int64_t> rows, std::span<const std::int32_t> n_values,
               std::span<const double> weight, std::size_t max_bins, int n_threads) {
    Cuts cuts(X.cols);
    parallel_for((X.cols + column_group - 1) / column_group, n_threads, [&](std::size_t g) {
        const std::size_t begin = g * column_group, width = std::min(X.cols - begin, column_group);
        std::vector<std::vector<Item>> items(width);
        std::vector<Item> spare;
        std::vector<std::vector<double>> mass(width);
        for (std::size_t c = 0; c < width; ++c) {
            if (n_values[begin + c] > 0) mass[c].assign(static_cast<std::size_t>(n_values[begin + c]), 0.0);
            else items[c].reserve(rows.size());
        }
        for (const std::int64_t r : rows) {
            const auto row = static_cast<std::size_t>(r);
            const double w = weight_at(weight, row);
            if (!(w > 0)) continue;
            const T* x = X.row(row) + begin;
            for (std::size_t c = 0; c < width; ++c) {
                const auto value = static_cast<double>(x[c]);
                if (std::isnan(value)) continue;
                if (n_values[begin + c] > 0) {
                    if (is_code(value, n_values[begin + c])) mass[c][static_cast<std::size_t>(value)] += w;
                } else if constexpr (std::is_same_v<Item, Weighted>) {
                    items[c].push_back({order_key(value), w});
                } else {
                    items[c].push_back(order_key(value));
                }
            }
        }
        for (std::size_t c = 0; c < width; ++c) {
            if (n_values[begin + c] > 0) cuts.table[begin + c] = category_bins(mass[c], max_bins);
            else cuts.set(begin + c, bins_of(items[c], spare, 0.0, max_bins));
        }
    });
    return cuts;
}

// From a sparse matrix compressed by columns: column j holds values[indptr[j] .. indptr[j+1]) in rows indices[...].
template <class T>
Cuts find_cuts(CsrView<T> columns, std::span<const std::int32_t> n_values, std::span<const double> weight,
               std::size_t n, std::size_t max_bins, int n_threads) {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += weight_at(weight, i);
    Cuts cuts(columns.rows);
    parallel_for(columns.rows, n_threads, [&](std::size_t j) {
        const auto column = columns.row(j);
        std::vector<Weighted> items, spare;
        std::vector<double> mass(static_cast<std::size_t>(n_values[j]), 0.0);
        double zeros = total;
        for (std::size_t i = 0; i < column.values.size(); ++i) {
            const auto value = static_cast<double>(column.values[i]);
            const double w = weight_at(weight, static_cast<std::size_t>(column.columns[i]));
            zeros -= w;
            if (std::isnan(value) || !(w > 0)) continue;
            if (n_values[j] == 0) items.push_back({order_key(value), w});
            else if (is_code(value, n_values[j])) mass[static_cast<std::size_t>(value)] += w;
        }
        zeros = column.values.size() < n ? std::max(zeros, 0.0) : 0.0;
        if (n_values[j] > 0) {
            mass[0] += zeros;
            cuts.table[j] = category_bins(mass, max_bins);
        } else {
            cuts.set(j, bins_of(items, spare, zeros, max_bins));
        }
    });
    return cuts;
}

// below[k] (zero at first) = how many of the ascending edges, padded with infinities to 2 half - 1, are below x[k]; 0 for
// NaN. Several searches at a time, without branches: the processor runs them side by side.
template <std::size_t Lanes>
inline void count_below(const double* edges, std::size_t half, const double* x, std::size_t* below) noexcept {
    for (std::size_t step = half; step > 0; step /= 2)
        for (std::size_t k = 0; k < Lanes; ++k)
            below[k] += -static_cast<std::size_t>(edges[below[k] + step - 1] < x[k]) & step;
}

// The cuts of all columns, ready to code rows.
class Coder {
  public:
    Coder(std::span<const double> edges, std::span<const std::int64_t> edge_start, std::span<const std::uint8_t> table,
          std::span<const std::int64_t> table_start)
        : table_(table), columns_(edge_start.size() - 1) {
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            Column& column = columns_[j];
            const auto begin = static_cast<std::size_t>(edge_start[j]),
                       end = static_cast<std::size_t>(edge_start[j + 1]);
            column.edges = padded_.size();
            column.half = std::bit_ceil(end - begin + 1) / 2;
            padded_.insert(padded_.end(), edges.begin() + edge_start[j], edges.begin() + edge_start[j + 1]);
            padded_.resize(column.edges + 2 * column.half, std::numeric_limits<double>::infinity());
            column.table = static_cast<std::size_t>(table_start[j]);
            column.n_values = static_cast<std::int32_t>(table_start[j + 1] - table_start[j]);
        }
    }

    std::uint8_t code(std::size_t j, double x) const noexcept {
        const Column& column = columns_[j];
        if (column.n_values > 0) return category(column, x);
        std::uint8_t out;
        search<1>(column, &x, &out, 0);
        return out;
    }

    template <class T>
    void codes(MatrixView<const T> X, MatrixView<std::uint8_t> out, int n_threads) const {
        parallel_chunks(Chunks{X.rows, row_block}, n_threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t j = 0; j < X.cols; ++j) code_column(X, out, j, begin, end);
        });
    }

    template <class T>
    void codes(CsrView<T> X, MatrixView<std::uint8_t> out, int n_threads) const {
        std::vector<std::uint8_t> zero(X.cols);
        for (std::size_t j = 0; j < X.cols; ++j) zero[j] = code(j, 0.0);
        parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                std::copy(zero.begin(), zero.end(), out.row(i));
                const auto row = X.row(i);
                for (std::size_t k = 0; k < row.values.size(); ++k) {
                    const auto j = static_cast<std::size_t>(row.columns[k]);
                    out.row(i)[j] = code(j, static_cast<double>(row.values[k]));
                }
            }
        });
    }

  private:
    struct Column {
        std::size_t edges = 0, half = 0, table = 0;
        std::int32_t n_values = 0;
    };

    std::uint8_t category(const Column& column, double x) const noexcept {
        return is_code(x, column.n_values) ? table_[column.table + static_cast<std::size_t>(x)] : missing_bin;
    }

    template <std::size_t Lanes>
    void search(const Column& column, const double* x, std::uint8_t* out, std::size_t stride) const noexcept {
        std::array<std::size_t, Lanes> bin{};
        count_below<Lanes>(padded_.data() + column.edges, column.half, x, bin.data());
        for (std::size_t k = 0; k < Lanes; ++k)
            out[k * stride] = x[k] == x[k] ? static_cast<std::uint8_t>(bin[k]) : missing_bin;
    }

    template <class T>
    void code_column(MatrixView<const T> X, MatrixView<std::uint8_t> out, std::size_t j, std::size_t begin,
                     std::size_t end) const noexcept {
        const Column& column = columns_[j];
        constexpr std::size_t lanes = 8;
        std::size_t i = begin;
        if (column.n_values == 0)
            for (; i + lanes <= end; i += lanes) {
                double x[lanes];
                for (std::size_t k = 0; k < lanes; ++k) x[k] = static_cast<double>(X.row(i + k)[j]);
                search<lanes>(column, x, out.row(i) + j, out.cols);
            }
        for (; i < end; ++i) out.row(i)[j] = code(j, static_cast<double>(X.row(i)[j]));
    }

    std::span<const std::uint8_t> table_;
    std::vector<double> padded_;
    std::vector<Column> columns_;
};

}  // namespace lanatus::tree
