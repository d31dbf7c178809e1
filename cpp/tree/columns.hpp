// Columns as the exact finder sees them: the rank of each value.
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
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::tree {

// The values of the columns as ranks among the distinct ones (nominal columns: as their codes).
class Columns {
  public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    template <class T>
    Columns(MatrixView<const T> X, std::span<const std::int32_t> n_values, int n_threads)
        : n(X.rows), d(X.cols), values(n_values.begin(), n_values.end()), rank(d), distinct(d) {
        parallel_for(d, n * d < 100'000 ? 1 : n_threads,
                     [&](std::size_t j) { read(X, j); });  // threads cost more than small sorts
    }
    bool is_nominal(std::size_t j) const { return values[j] > 0; }

    std::size_t n, d;
    std::vector<std::int32_t> values;              // number of values of a nominal column, 0 for numbers
    std::vector<std::vector<std::uint32_t>> rank;  // by column, then row
    std::vector<std::vector<double>> distinct;

  private:
    struct Keyed {
        std::uint64_t key;
        std::uint32_t row;
    };
    // Doubles as unsigned numbers of the same order, and back.
    static std::uint64_t key_of(double x) {
        const auto bits = std::bit_cast<std::uint64_t>(x);
        return bits ^ (bits >> 63 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
    }
    static double value_of(std::uint64_t key) {
        return std::bit_cast<double>(key ^ (key >> 63 ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
    }
    // By six digits of eleven bits, the last first; digits that all share are skipped.
    static void sort(std::vector<Keyed>& column) {
        if (column.size() < 4096) {
            std::sort(column.begin(), column.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
            return;
        }
        constexpr std::size_t digits = 6, base = 2048;
        std::vector<std::array<std::uint32_t, base>> count(digits);
        for (auto& digit : count) digit.fill(0);
        for (const Keyed& item : column)
            for (std::size_t p = 0; p < digits; ++p) ++count[p][item.key >> (11 * p) & (base - 1)];
        std::vector<Keyed> other(column.size());
        for (std::size_t p = 0; p < digits; ++p) {
            auto& at = count[p];
            if (at[column[0].key >> (11 * p) & (base - 1)] == column.size()) continue;
            std::exclusive_scan(at.begin(), at.end(), at.begin(), 0u);
            for (const Keyed& item : column) other[at[item.key >> (11 * p) & (base - 1)]++] = item;
            column.swap(other);
        }
    }
    template <class T>
    void read(MatrixView<const T> X, std::size_t j) {
        rank[j].assign(n, none);
        if (is_nominal(j)) {
            for (std::size_t i = 0; i < n; ++i)
                if (const double x = static_cast<double>(X.row(i)[j]); !std::isnan(x))
                    rank[j][i] = static_cast<std::uint32_t>(x);
            return;
        }
        std::vector<Keyed> column;
        column.reserve(n);
        for (std::size_t i = 0; i < n; ++i)
            if (const double x = static_cast<double>(X.row(i)[j]) + 0.0; !std::isnan(x))  // -0.0 becomes 0.0
                column.push_back({key_of(x), static_cast<std::uint32_t>(i)});
        sort(column);
        for (std::size_t i = 0; i < column.size(); ++i) {
            if (i == 0 || column[i].key != column[i - 1].key) distinct[j].push_back(value_of(column[i].key));
            rank[j][column[i].row] = static_cast<std::uint32_t>(distinct[j].size() - 1);
        }
    }
};

// A threshold from `low` on and below `high`.
inline double between(double low, double high) {
    const double middle = low / 2 + high / 2;
    return middle >= low && middle < high ? middle : low;
}

}  // namespace lanatus::tree
