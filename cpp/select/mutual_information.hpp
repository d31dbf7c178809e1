// Mutual information by nearest neighbours in one dimension, by sorting and sliding windows.
//
// Discrete target (Ross 2014):  psi(n) + <psi(k_i)> - <psi(n_c)> - <psi(m_i)>, where the k_i = min(k, n_c - 1) nearest rows of the class
//   of row i lie within r_i, and m_i rows of all lie within r_i, the row itself counted. Rows alone in their class are left out.
// Continuous target (Kraskov, Stoegbauer, Grassberger 2004, first):  psi(n) + psi(k) - <psi(a_i + 1)> - <psi(b_i + 1)> with a_i, b_i
//   rows nearer than r_i in either column, r_i the largest of both differences to the k-th nearest row.
// Cost: O(n log n) for the first, and O(n (k + s)) for the second, s the rows of the window searched.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace lanatus::select {

inline std::vector<double> digammas(std::size_t n) {  // psi(1) .. psi(n) at places 1 .. n
    std::vector<double> psi(n + 2);
    psi[1] = -0.57721566490153286061;
    for (std::size_t i = 1; i <= n; ++i) psi[i + 1] = psi[i] + 1 / static_cast<double>(i);
    return psi;
}

// The distance to the k-th nearest of sorted values, from place i: k + 1 values in a row that hold it, of least reach.
struct SlidingReach {
    std::span<const double> sorted;
    std::size_t k, left = 0;

    double at(std::size_t i) {
        const std::size_t last = sorted.size() - 1 - k;
        left = std::max(left, i >= k ? i - k : 0);
        while (left < last && left < i && sorted[left + k + 1] - sorted[i] < sorted[i] - sorted[left]) ++left;
        return std::max(sorted[i] - sorted[left], sorted[left + k] - sorted[i]);
    }
};

inline double mutual_information_discrete(std::span<const double> x, std::span<const std::int32_t> y,
                                          std::size_t n_classes, std::size_t k, std::span<const double> psi) {
    const std::size_t n = x.size();
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return x[a] < x[b]; });
    std::vector<std::vector<double>> of_class(n_classes);
    for (const std::uint32_t i : order) of_class[static_cast<std::size_t>(y[i])].push_back(x[i]);
    std::vector<double> kept;
    std::size_t used = 0;
    for (const auto& values : of_class)
        if (values.size() > 1) used += values.size();
    if (used == 0) return 0;
    kept.reserve(used);
    for (const std::uint32_t i : order)
        if (of_class[static_cast<std::size_t>(y[i])].size() > 1) kept.push_back(x[i]);
    double neighbours = 0, sizes = 0, within = 0;
    for (const auto& values : of_class) {
        const std::size_t size = values.size();
        if (size < 2) continue;
        const std::size_t own = std::min(k, size - 1);
        neighbours += static_cast<double>(size) * psi[own], sizes += static_cast<double>(size) * psi[size];
        SlidingReach reach{values, own};
        std::size_t low = 0, high = 0;
        for (std::size_t i = 0; i < size; ++i) {
            // A hair less, so that the k-th neighbour itself is outside, as nearer than r is meant.
            const double r = std::nextafter(reach.at(i), 0.0);
            while (low < used && values[i] - kept[low] > r) ++low;
            while (low > 0 && values[i] - kept[low - 1] <= r) --low;
            if (high < low) high = low;
            while (high < used && kept[high] - values[i] <= r) ++high;
            while (high > 0 && kept[high - 1] - values[i] > r) --high;
            within += psi[std::max<std::size_t>(high - low, 1)];
        }
    }
    const double m = static_cast<double>(used);
    return std::max(0.0, psi[used] + (neighbours - sizes - within) / m);
}

// Both columns in the order of x.
inline double mutual_information_continuous(std::span<const double> x, std::span<const double> y, std::size_t k,
                                            std::span<const double> psi) {
    const std::size_t n = x.size();
    if (n < 2) return 0;
    k = std::min(k, n - 1);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return x[a] < x[b]; });
    std::vector<double> sx(n), py(n), sy(y.begin(), y.end()), best(k);
    for (std::size_t i = 0; i < n; ++i) sx[i] = x[order[i]], py[i] = y[order[i]];
    std::sort(sy.begin(), sy.end());
    const auto nearer = [n](const std::vector<double>& sorted, double at, double r) {
        const auto low =
            std::lower_bound(sorted.begin(), sorted.end(), at, [r](double v, double c) { return c - v > r; });
        const auto high = std::upper_bound(low, sorted.end(), at, [r](double c, double v) { return v - c > r; });
        return static_cast<std::size_t>(high - low);
    };
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::fill(best.begin(), best.end(), std::numeric_limits<double>::infinity());
        std::size_t left = i, right = i + 1;
        while (true) {
            const double a = left > 0 ? sx[i] - sx[left - 1] : std::numeric_limits<double>::infinity();
            const double b = right < n ? sx[right] - sx[i] : std::numeric_limits<double>::infinity();
            const double step = std::min(a, b);
            if (!(step < best[k - 1])) break;
            const std::size_t j = a <= b ? --left : right++;
            const double away = std::max(step, std::abs(py[j] - py[i]));
            if (away < best[k - 1]) {
                std::size_t t = k - 1;
                for (; t > 0 && best[t - 1] > away; --t) best[t] = best[t - 1];
                best[t] = away;
            }
        }
        const double r = std::nextafter(best[k - 1], 0.0);
        total +=
            psi[std::max<std::size_t>(nearer(sx, sx[i], r), 1)] + psi[std::max<std::size_t>(nearer(sy, py[i], r), 1)];
    }
    const double value = psi[n] + psi[k] - total / static_cast<double>(n);
    return std::max(0.0, value);
}

}  // namespace lanatus::select
