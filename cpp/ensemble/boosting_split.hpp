// The best split of a node by one column, from its histogram.
//
// Objective   sum over children of T(G)^2 / (H + l2) less the same of the node, T(G) = sign(G) max(|G| - l1, 0):
//             twice the fall of the loss's second-order expansion when each child takes the step -T(G) / (H + l2).
// Numeric     all thresholds, with missing values on either side.
// Nominal     up to four categories: each against the rest; else all cuts of the categories in the order of
//             G / (H + smoothing), with more of l2, less what an order made from the data gains by chance: where the
//             column says nothing, G_c^2 / H_c is s^2 = E g^2 / E h on average for each of k categories, of which the
//             best cut in two keeps the part 2 / pi. A missing value counts as a category.
// Ties        the lower bin, missing values on the right.
#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "ensemble/boosting_histogram.hpp"

namespace lanatus::ensemble {

struct Penalties {
    double l1 = 0, l2 = 0;
    double min_gain = 0, min_hessian = 1e-3, min_rows = 20;
    double smoothing = 10, nominal_l2 = 10;  // of nominal columns
    double chance = 0;                       // gain by chance of a nominal column, for each category but one
};

struct Sums {
    double g = 0, h = 0, count = 0;
    Sums operator-(const Sums& other) const noexcept { return {g - other.g, h - other.h, count - other.count}; }
    Sums operator+(const Sums& other) const noexcept { return {g + other.g, h + other.h, count + other.count}; }
};

// What turns the integers of cells back into gradients.
struct Scale {
    double g = 1, h = 1;
    Sums operator()(const Cell& cell) const noexcept {
        return {static_cast<double>(cell.g) * g, static_cast<double>(cell.h()) * h, static_cast<double>(cell.count())};
    }
};

using Bits = std::array<std::uint64_t, 4>;  // one for each code
inline void set_bit(Bits& bits, std::size_t code) noexcept { bits[code / 64] |= std::uint64_t{1} << code % 64; }
inline bool has_bit(const Bits& bits, std::size_t code) noexcept { return bits[code / 64] >> code % 64 & 1; }

struct Split {
    double gain = 0;
    std::int32_t column = -1, bin = -1;  // values up to the bin go left, or, where it is -1, those of `left`
    bool missing_left = false;
    Bits left{};
    Sums sums;  // of the left child
};

// Limits of a node's value.
struct Bounds {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    bool free() const noexcept { return !(std::isfinite(low) || std::isfinite(high)); }
};

LANATUS_INLINE double shrunk(double g, double l1) noexcept {
    const double rest = std::fabs(g) - l1;
    return rest > 0 ? rest : 0.0;
}
LANATUS_INLINE double score(double g, double h, double l1, double l2) noexcept {
    const double t = shrunk(g, l1);
    return t * t / (h + l2);
}
// The step of a leaf.
inline double step(const Sums& sums, double l1, double l2) noexcept {
    const double below = sums.h + l2;
    return below > 0 ? std::copysign(shrunk(sums.g, l1), -sums.g) / below : 0.0;
}
inline double step(const Sums& sums, double l1, double l2, const Bounds& bounds) noexcept {
    return std::clamp(step(sums, l1, l2), bounds.low, bounds.high);
}

// gain[i] = the children's scores if the left one has sums (g, h, count)[i]; minus infinity where a child is too small.
LANATUS_CLONES static void score_all(const double* g, const double* h, const double* count, std::size_t n,
                                     const Sums& whole, const Penalties& p, double l2, double* gain) {
    const double l1 = p.l1, least_h = p.min_hessian, least = p.min_rows;
    const double all_g = whole.g, most_h = whole.h - least_h, all_h = whole.h, most = whole.count - least;
    for (std::size_t i = 0; i < n; ++i) {
        const double both = score(g[i], h[i], l1, l2) + score(all_g - g[i], all_h - h[i], l1, l2);
        const bool good = (h[i] >= least_h) & (h[i] <= most_h) & (count[i] >= least) & (count[i] <= most);
        gain[i] = good ? both : -std::numeric_limits<double>::infinity();
    }
}

class SplitFinder {
  public:
    SplitFinder(const Penalties& penalties, Scale scale) : p_(penalties), scale_(scale) {}

    // Betters `best` if this column can; `direction` is what the order of the children's values must be.
    void look(const Cell* cells, std::int32_t column, std::size_t n_bins, bool nominal, const Sums& whole,
              int direction, const Bounds& bounds, Split& best) {
        missing_ = scale_(cells[n_bins]);
        if (nominal) return look_nominal(cells, column, n_bins, whole, bounds, best);
        prefix(cells, n_bins);
        // Without missing values the last bin has nothing on its right.
        look_order(column, missing_.count > 0 ? n_bins : n_bins - 1, whole, p_.l2, direction, bounds, false, best);
        if (missing_.count > 0) {
            for (std::size_t b = 0; b < n_bins; ++b)
                g_[b] += missing_.g, h_[b] += missing_.h, count_[b] += missing_.count;
            look_order(column, n_bins - 1, whole, p_.l2, direction, bounds, true, best);
        }
    }

  private:
    void prefix(const Cell* cells, std::size_t n_bins) noexcept {
        Cell sum{0, 0};
        for (std::size_t b = 0; b < n_bins; ++b) {
            sum += cells[b];
            const Sums real = scale_(sum);
            g_[b] = real.g, h_[b] = real.h, count_[b] = real.count;
        }
    }

    void look_order(std::int32_t column, std::size_t n, const Sums& whole, double l2, int direction,
                    const Bounds& bounds, bool missing_left, Split& best) {
        const std::size_t at = top(n, whole, l2, direction, bounds);
        if (at >= n) return;
        const double gain = gain_[at] - score(whole.g, whole.h, p_.l1, l2);
        if (!(gain > best.gain) || !(gain > p_.min_gain)) return;
        const bool none = missing_.count == 0;  // then such values go with the most rows
        best = {gain,
                column,
                static_cast<std::int32_t>(at),
                none ? 2 * count_[at] >= whole.count : missing_left,
                {},
                {g_[at], h_[at], count_[at]}};
    }

    // Where the children's scores are largest; n if nowhere.
    std::size_t top(std::size_t n, const Sums& whole, double l2, int direction, const Bounds& bounds) {
        score_all(g_.data(), h_.data(), count_.data(), n, whole, p_, l2, gain_.data());
        if (direction != 0 || !bounds.free())
            for (std::size_t i = 0; i < n; ++i)
                if (std::isfinite(gain_[i])) gain_[i] = bounded(i, whole, l2, direction, bounds);
        std::size_t at = n;
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < n; ++i)
            if (gain_[i] > most) most = gain_[i], at = i;
        return at;
    }

    // The children's scores when their steps are held within bounds: -(2 G w + (H + l2) w^2 + 2 l1 |w|) each.
    double bounded(std::size_t i, const Sums& whole, double l2, int direction, const Bounds& bounds) const noexcept {
        const Sums left{g_[i], h_[i], count_[i]}, right = whole - left;
        const double a = step(left, p_.l1, l2, bounds), b = step(right, p_.l1, l2, bounds);
        if ((direction > 0 && a > b) || (direction < 0 && a < b)) return -std::numeric_limits<double>::infinity();
        const auto fall = [&](const Sums& s, double w) {
            return -(2 * s.g * w + (s.h + l2) * w * w + 2 * p_.l1 * std::fabs(w));
        };
        return fall(left, a) + fall(right, b);
    }

    void look_nominal(const Cell* cells, std::int32_t column, std::size_t n_bins, const Sums& whole,
                      const Bounds& bounds, Split& best) {
        std::size_t used = 0;
        for (std::size_t b = 0; b <= n_bins; ++b)
            if (cells[b].count() > 0) order_[used++] = b;
        if (used < 2) return;
        const bool few = used <= 4;
        const double l2 = few ? p_.l2 : p_.l2 + p_.nominal_l2;
        if (!few) {
            for (std::size_t i = 0; i < used; ++i) {
                const Sums s = scale_(cells[order_[i]]);
                key_[order_[i]] = s.g / (s.h + p_.smoothing);
            }
            std::stable_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(used),
                             [&](std::size_t a, std::size_t b) { return key_[a] < key_[b]; });
        }
        Sums sum;
        for (std::size_t i = 0; i < used; ++i) {
            const Sums own = scale_(cells[order_[i]]);
            sum = few ? own : sum + own;
            g_[i] = sum.g, h_[i] = sum.h, count_[i] = sum.count;
        }
        const std::size_t at = top(few ? used : used - 1, whole, l2, 0, bounds);
        if (at >= used) return;
        const double by_chance = few ? 0.0 : p_.chance * static_cast<double>(used - 1);
        const double gain = gain_[at] - score(whole.g, whole.h, p_.l1, l2) - by_chance;
        if (!(gain > best.gain) || !(gain > p_.min_gain)) return;
        best = {
            gain, column, -1, missing_.count == 0 && 2 * count_[at] >= whole.count, {}, {g_[at], h_[at], count_[at]}};
        for (std::size_t i = few ? at : 0; i <= at; ++i) {
            if (order_[i] == n_bins) best.missing_left = true;
            else set_bit(best.left, order_[i]);
        }
    }

    Penalties p_;
    Scale scale_;
    Sums missing_;
    std::array<double, slots> g_, h_, count_, gain_, key_;
    std::array<std::size_t, slots> order_;
};

}  // namespace lanatus::ensemble
