// Binned columns and what the bins of a histogram hold.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::tree {

struct BinnedColumns {
    MatrixView<const std::uint8_t> codes;               // 255 is missing
    std::vector<std::span<const double>> edges;         // numbers: upper edges of the bins but the last
    std::vector<std::span<const std::uint8_t>> bin_of;  // nominal columns: the bin of each category, else empty
    bool is_nominal(std::size_t j) const { return !bin_of[j].empty(); }
};

struct BinnedRules {
    bool random = false;
    std::size_t max_features = std::numeric_limits<std::size_t>::max();
    std::int64_t min_leaf = 1;
    double min_leaf_weight = 0;
    std::uint64_t seed = 0;
};

inline constexpr std::size_t bins_a_column = 256, missing_bin = 255;

// ---------------------------------------------------------------- what a bin holds

// Weights of the classes.
struct ClassCells {
    using Number = std::int32_t;
    std::size_t width;  // numbers in a cell: the classes
    const std::uint32_t* label;
    const std::int32_t* weight;  // whole, or null for ones
    const std::uint32_t* labels() const { return label; }
    void add(Number* cell, std::int32_t label_, std::int32_t w) const { cell[label_] += w; }
    void to_state(const Number* cell, double* state) const {
        for (std::size_t k = 0; k < width; ++k) state[k] = static_cast<double>(cell[k]);
    }
    bool is_empty(const Number* cell) const {
        Number any = 0;
        for (std::size_t k = 0; k < width; ++k) any |= cell[k];
        return any == 0;
    }
};

// Weight, and weight times target, the target as a whole number.
// Targets in whole steps from about their mean. The step is a power of two and the origin a multiple of it, so that a mean
// summed in another order, of blocks say, gives the same.
struct TargetGrid {
    double origin = 0, step = 1;
    static TargetGrid of(double mean, double farthest) {
        if (!(farthest > 1e-300)) return {mean, 1.0};  // all the same, or as good as that
        const double step = std::exp2(std::ceil(std::log2(farthest) - 24));
        return {std::rint(mean / step) * step, step};
    }
};

struct MeanCells {
    using Number = std::int64_t;
    std::size_t width;  // 2
    const std::int32_t* target;
    const std::int32_t* weight;
    const std::int32_t* labels() const { return target; }
    void add(Number* cell, std::int32_t y, std::int32_t w) const {
        cell[0] += w;
        cell[1] += std::int64_t{w} * y;
    }
    double step = 1;  // of the target
    void to_state(const Number* cell, double* state) const {
        state[0] = static_cast<double>(cell[0]);
        state[1] = static_cast<double>(cell[1]) * step;
        state[2] = 0;
    }
    bool is_empty(const Number* cell) const { return cell[0] == 0; }
};

// ---------------------------------------------------------------- bytes

// Least and largest.
inline std::pair<std::uint8_t, std::uint8_t> range_of(const std::uint8_t* codes, std::size_t m) {
    std::uint8_t low = 255, high = 0;
    for (std::size_t i = 0; i < m; ++i) {
        low = std::min(low, codes[i]);
        high = std::max(high, codes[i]);
    }
    return {low, high};
}

// How many are at most `limit`, and how many of those are marked with a one.
inline std::pair<std::int64_t, std::int64_t> count_up_to(const std::uint8_t* codes, const std::uint8_t* mark,
                                                         std::size_t m, std::uint8_t limit) {
    constexpr std::size_t lanes = 16, longest = 255;  // sums of so many ones fit into a byte
    using Bytes = std::uint8_t __attribute__((vector_size(lanes)));
    const Bytes limits = Bytes{} + limit;
    std::int64_t all = 0, marked = 0;
    std::size_t i = 0;
    while (i + lanes <= m) {
        Bytes some{}, some_marked{};
        for (std::size_t step = 0; step < longest && i + lanes <= m; ++step, i += lanes) {
            Bytes code, is_marked;
            std::memcpy(&code, codes + i, lanes);
            std::memcpy(&is_marked, mark + i, lanes);
            const Bytes in = reinterpret_cast<Bytes>(code <= limits);
            some -= in;
            some_marked += in & is_marked;
        }
        for (std::size_t k = 0; k < lanes; ++k) all += some[k], marked += some_marked[k];
    }
    for (; i < m; ++i) {
        const int in = codes[i] <= limit;
        all += in, marked += in & mark[i];
    }
    return {all, marked};
}

}  // namespace lanatus::tree
