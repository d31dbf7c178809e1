// One row of a support vector machine of several classes, solved exactly with all others fixed: see multiclass.hpp.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernel/multiclass.hpp"

namespace lanatus::kernel {

inline constexpr double no_bound = std::numeric_limits<double>::infinity();
inline constexpr double least_curvature_of_row = 1e-12;
inline constexpr int halvings = 60;
inline constexpr double full =
    1 - 1e-12;  // share of a cap from which it is used up: what rounding leaves is not room to move

// One row: its classes other than y, the slopes there, and its multipliers.
class ClassRow {
  public:
    ClassRow(std::size_t k, Margins margins) : k_(k), margins_(margins), slope_(k), at_zero_(k), coefs_(k) {}

    void look(const double* f, const double* a, std::size_t y, double cap) {
        a_ = a, y_ = y, cap_ = cap;
        for (std::size_t c = 0; c < k_; ++c) slope_[c] = margins_ == Margins::absolute ? 1 + f[c] : 1 - (f[y] - f[c]);
    }

    double violation() const {
        double highest = margins_ == Margins::relative_shared ? 0.0 : -no_bound, lowest = no_bound, worst = 0, sum = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            if (c == y_) continue;
            sum += a_[c];
            highest = std::max(highest, slope_[c]);
            if (a_[c] > 0) lowest = std::min(lowest, slope_[c]), worst = std::max(worst, -slope_[c]);
            if (a_[c] < full * cap_) worst = std::max(worst, slope_[c]);
        }
        if (margins_ != Margins::relative_shared) return worst;
        if (sum < full * cap_) lowest = std::min(lowest, 0.0);  // what is left of the cap is a multiplier as well
        return lowest < no_bound ? std::max(highest - lowest, 0.0) : 0.0;
    }

    // The best multipliers with all other rows fixed are clip((g - t) / K_ii, 0, C) for one t: found by halving.
    void solve(double own, double* a) {
        own = std::max(own, least_curvature_of_row);
        const double factor = margins_ == Margins::absolute ? -own / static_cast<double>(k_) : own;
        double sum = 0;
        for (std::size_t c = 0; c < k_; ++c) sum += c == y_ ? 0.0 : a_[c];
        double low = no_bound, high = -no_bound;
        for (std::size_t c = 0; c < k_; ++c) {
            if (c == y_) continue;
            at_zero_[c] = slope_[c] + own * a_[c] + factor * sum;
            low = std::min(low, at_zero_[c]), high = std::max(high, at_zero_[c]);
        }
        const double each = margins_ == Margins::relative_shared ? no_bound : cap_;
        const double bound = std::min(each, (high - low) / own + cap_) * static_cast<double>(k_);
        const auto total = [&](double t) {
            double found = 0;
            for (std::size_t c = 0; c < k_; ++c)
                if (c != y_) found += std::clamp((at_zero_[c] - t) / own, 0.0, each);
            return found;
        };
        double t = root(std::min({low, 0.0, factor * bound}) - own * cap_, std::max({high, 0.0, factor * bound}),
                        [&](double at) { return at - factor * total(at); });
        const bool capped = margins_ == Margins::relative_shared && total(t) > cap_;
        if (capped) t = root(low - own * cap_, high, [&](double at) { return cap_ - total(at); });
        double used = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            a[c] = c == y_ ? 0.0 : std::clamp((at_zero_[c] - t) / own, 0.0, each);
            if (a[c] < (1 - full) * cap_) a[c] = 0;
            used += a[c];
        }
        if (used > 0 && (capped || (margins_ == Margins::relative_shared && used > cap_)))  // exactly full
            for (std::size_t c = 0; c < k_; ++c) a[c] *= cap_ / used;
    }

    // What multipliers do to the coefficients of the classes.
    const double* coefficients(const double* a) {
        double sum = 0;
        for (std::size_t c = 0; c < k_; ++c) sum += a[c];
        for (std::size_t c = 0; c < k_; ++c) coefs_[c] = -a[c];
        if (margins_ != Margins::absolute) coefs_[y_] += sum;
        else
            for (std::size_t c = 0; c < k_; ++c) coefs_[c] += sum / static_cast<double>(k_);
        return coefs_.data();
    }

  private:
    // Where a rising function is 0.
    template <class Function>
    static double root(double low, double high, const Function& rising) {
        for (int step = 0; step < halvings; ++step) {
            const double middle = low + (high - low) / 2;
            (rising(middle) < 0 ? low : high) = middle;
        }
        return low + (high - low) / 2;
    }

    std::size_t k_, y_ = 0;
    Margins margins_;
    double cap_ = 0;
    const double* a_ = nullptr;
    std::vector<double> slope_, at_zero_, coefs_;
};

}  // namespace lanatus::kernel
