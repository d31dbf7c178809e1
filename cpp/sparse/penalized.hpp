// Codes with a group penalty, of which the L1 norm is the case of groups of one, by coordinate descent on the Gram matrix.
//
// Objective:  1/2 ||x - B s||^2 + sum_g a_g ||s_g||_2      (with `positive`, s >= 0 and groups of one)
// Given:      G = B'B, q = B'x, xx = x'x; groups are runs of columns begin[g] .. begin[g+1]; step_g >= the largest eigenvalue of
//             G_gg, which for a group of one is G_jj itself, so that its step is exact.
// A round over all groups is followed by rounds over those in use until they stand still. Stops when no group moves the fit by
// more than tol ||x||. Rounds are in order, so that the result does not depend on threads: a signal is one call.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "sparse/lanes.hpp"

namespace lanatus::sparse {

struct CodeGroups {
    std::span<const std::int64_t> begin;
    std::span<const double> weight, step;
    std::size_t count() const noexcept { return weight.size(); }
};

class PenalizedCodes {
  public:
    PenalizedCodes(MatrixView<const double> G, CodeGroups groups, bool positive, double tol, int max_iter)
        : G_(G), groups_(groups), positive_(positive), tol_(tol), max_iter_(max_iter), gradient_(G.cols),
          trial_(G.cols) {}

    // s is where to begin, and the code found; whether it stands still after at most max_iter rounds.
    bool run(const double* q, double xx, double* s) {
        const std::size_t k = G_.cols;
        std::copy_n(q, k, gradient_.begin());
        for (std::size_t j = 0; j < k; ++j)
            if (s[j] != 0) detail::add_scaled(gradient_.data(), G_.row(j), -s[j], k);
        const double enough = tol_ * std::sqrt(xx);
        for (int round = 0; round < max_iter_;) {
            used_.clear();
            double moved = 0;
            for (std::size_t g = 0; g < groups_.count(); ++g) {
                moved = std::max(moved, update(g, s));
                if (in_use(g, s)) used_.push_back(g);
            }
            ++round;
            if (moved <= enough) return true;
            for (; round < max_iter_ && moved > 0.3 * enough; ++round) {
                moved = 0;
                for (const std::size_t g : used_) moved = std::max(moved, update(g, s));
            }
        }
        return false;
    }

  private:
    bool in_use(std::size_t g, const double* s) const {
        for (auto j = begin(g); j < begin(g + 1); ++j)
            if (s[j] != 0) return true;
        return false;
    }
    std::size_t begin(std::size_t g) const { return static_cast<std::size_t>(groups_.begin[g]); }

    // How far the fit was moved, at most.
    double update(std::size_t g, double* s) {
        const double step = groups_.step[g], a = groups_.weight[g];
        if (!(step > 0)) return 0;  // atoms of zeros
        const std::size_t first = begin(g), last = begin(g + 1);
        double norm = 0;
        for (std::size_t j = first; j < last; ++j) {
            double z = gradient_[j] + step * s[j];
            if (positive_ && z < 0) z = 0;
            trial_[j] = z, norm += z * z;
        }
        norm = std::sqrt(norm);
        const double shrink = norm > a ? (1 - a / norm) / step : 0.0;
        double moved = 0;
        for (std::size_t j = first; j < last; ++j) {
            const double change = shrink * trial_[j] - s[j];
            if (change == 0) continue;
            s[j] += change, moved += change * change;
            detail::add_scaled(gradient_.data(), G_.row(j), -change, G_.cols);
        }
        return std::sqrt(moved * step);
    }

    MatrixView<const double> G_;
    CodeGroups groups_;
    bool positive_;
    double tol_;
    int max_iter_;
    std::vector<double> gradient_, trial_;
    std::vector<std::size_t> used_;
};

}  // namespace lanatus::sparse
