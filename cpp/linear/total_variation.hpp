// One-dimensional total variation, exactly.
//
// Objective   1/2 sum_i (z_i - y_i)^2 + c sum_i |z_i - z_{i-1}|
// Method      dynamic programming. The least cost of the first i values as a function of z_i has a derivative that is
//             piecewise linear and rising. Passing the total variation clips it to [-c, c]; the points where it is
//             clipped, lower[i] and upper[i], are the bounds of z_i given z_{i+1}. Going back, z_i = z_{i+1} held to them.
// Cost        O(n): every breakpoint is put in once and taken out once.
// Source      Johnson (2013), A dynamic programming algorithm for the fused lasso and L0-segmentation.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lanatus::linear {

namespace detail {

// The derivative: `left` before the first breakpoint, then each breakpoint changes slope and offset; `right` after the last.
struct RisingLine {
    double slope = 0, offset = 0;
    double at(double z) const noexcept { return slope * z + offset; }
    double where(double level) const noexcept { return (level - offset) / slope; }
};
struct Breakpoint {
    double place;
    RisingLine change;
};

}  // namespace detail

inline void total_variation(std::span<const double> y, double c, std::span<double> z) {
    using detail::Breakpoint, detail::RisingLine;
    const std::size_t n = y.size();
    if (n == 0) return;
    std::vector<double> lower(n), upper(n);
    std::vector<Breakpoint> points(2 * n + 2);  // those in use are [first, last), filled from the middle to both sides
    std::size_t first = n + 1, last = n + 1;
    RisingLine left{1.0, -y[0]}, right{1.0, -y[0]};
    for (std::size_t i = 0; i + 1 < n; ++i) {
        while (first < last && left.at(points[first].place) < -c) {
            left.slope += points[first].change.slope, left.offset += points[first].change.offset;
            ++first;
        }
        lower[i] = left.where(-c);
        while (first < last && right.at(points[last - 1].place) > c) {
            right.slope -= points[last - 1].change.slope, right.offset -= points[last - 1].change.offset;
            --last;
        }
        upper[i] = right.where(c);
        // Clipped: constant -c, the middle part, constant c. Then the next value's own term is added to all of it.
        points[--first] = {lower[i], {left.slope, left.offset + c}};
        points[last++] = {upper[i], {-right.slope, c - right.offset}};
        left = {1.0, -c - y[i + 1]}, right = {1.0, c - y[i + 1]};
    }
    while (first < last && left.at(points[first].place) < 0) {
        left.slope += points[first].change.slope, left.offset += points[first].change.offset;
        ++first;
    }
    z[n - 1] = left.where(0);
    for (std::size_t i = n - 1; i-- > 0;) z[i] = std::clamp(z[i + 1], lower[i], std::max(lower[i], upper[i]));
}

}  // namespace lanatus::linear
