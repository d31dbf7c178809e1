// A block of queries walks down a tree: see kernel_density.hpp for what may be replaced by what.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "density/window_leaf.hpp"
#include "metric/minkowski.hpp"
#include "neighbors/kd_tree.hpp"

namespace lanatus::density {

using metric::Reach;
using neighbors::KdTree;
using neighbors::Place;

// log K at a distance given as a sum.
inline double log_window(const WindowSpec& spec, double sum) {
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    const double u = (spec.metric == Metric::euclidean ? std::sqrt(sum) : sum) / spec.h;
    switch (spec.window) {
        case Window::gaussian: return -0.5 * u * u;
        case Window::exponential: return -u;
        case Window::tophat: return u < 1 ? 0 : nothing;
        case Window::box: return u <= 1 ? 0 : nothing;
        case Window::epanechnikov: return std::log(std::max(0.0, 1 - u * u));
        case Window::linear: return std::log(std::max(0.0, 1 - u));
        case Window::cosine: return u < 1 ? std::log(std::sin(std::numbers::pi / 2 * (1 - u))) : nothing;
    }
    return 0;
}

struct Bounds {
    double low, high;
};

struct Tolerance {
    double relative, absolute;
};

// ---- one block of queries

class QueryBlock {
  public:
    QueryBlock(const KdTree& tree, const WindowSpec& spec, const Tolerance& tolerance, MatrixView<const double> queries,
               std::span<const std::int64_t> members)
        : tree_(tree), spec_(spec), d_(tree.d()), n_(members.size()),
          stride_((n_ + query_group - 1) / query_group * query_group), relative_(std::max(tolerance.relative, 1e-15)),
          absolute_(tolerance.absolute), total_(tree.mass(tree.root())),
          low_(d_, std::numeric_limits<double>::infinity()), high_(d_, -std::numeric_limits<double>::infinity()),
          panel_(d_ * stride_), sums_(stride_), rough_(stride_) {
        for (std::size_t i = 0; i < stride_; ++i) {
            const double* x = queries.row(static_cast<std::size_t>(members[i < n_ ? i : 0]));
            for (std::size_t j = 0; j < d_; ++j) {
                panel_[j * stride_ + i] = x[j];
                low_[j] = std::min(low_[j], x[j]);
                high_[j] = std::max(high_[j], x[j]);
            }
        }
        consider_float();
    }

    // log S of the members; NaN where the exponent does not suffice.
    void run(std::span<const std::int64_t> members, double* log_sums) {
        add_up();
        const double least = !spec_.has_tails() ? 0 : shrunk_ ? 1e-25 : 1e-280;
        for (std::size_t i = 0; i < n_; ++i) {
            const double sum = sums_[i] + rough_[i] + shared_;
            log_sums[members[i]] = sum < least ? std::numeric_limits<double>::quiet_NaN() : std::log(sum);
        }
    }

    // The same about the largest term of each member's sum, which is found first.
    void run_far(std::span<const std::int64_t> members, double* log_sums) {
        constexpr double never = std::numeric_limits<double>::infinity();
        shrunk_ = false;
        absolute_ = 0;
        std::vector<double> nearest(stride_, never);
        seek(tree_.root(), reach_of(tree_.root()).nearest, nearest);
        shift_.resize(stride_);
        for (std::size_t i = 0; i < stride_; ++i) shift_[i] = nearest[i] < never ? -log_window(spec_, nearest[i]) : 0;
        shift_low_ = *std::min_element(shift_.begin(), shift_.end());
        shift_high_ = *std::max_element(shift_.begin(), shift_.end());
        add_up();
        for (std::size_t i = 0; i < n_; ++i) {
            // So far away that the rounding of log K exceeds the exponent, the largest term alone is as good as the sum.
            const double about = std::log(sums_[i] + rough_[i] + shared_);
            log_sums[members[i]] = nearest[i] < never ? (std::isfinite(about) ? about : 0) - shift_[i] : -never;
        }
    }

  private:
    static constexpr std::size_t batch = 64;

    const KdTree& tree_;
    WindowSpec spec_;
    std::size_t d_, n_, stride_;
    double relative_, absolute_, total_;
    std::vector<double> low_, high_, middle_;
    std::vector<double> panel_;
    std::vector<double> sums_, rough_;  // over rows, over centres
    bool shrunk_ = false;               // leaves in float32, about the middle of the block
    std::vector<float> small_panel_, small_rows_, small_weights_;
    std::vector<double> shift_;  // added to log K, where the exponent does not suffice
    double shift_low_ = 0, shift_high_ = 0;
    double certain_ = 0;                    // of S, for all members, from what was replaced
    double least_ = 0;                      // of S, for all members, from the leaves
    double saved_ = 0;                      // error that may be spent later
    double shared_ = 0;                     // the same for all members
    std::vector<double> centres_, masses_;  // waiting to be added

    Reach reach_of(const Place& at) const {
        return with_metric(spec_.metric, [&](const auto& distance) {
            return metric::reach(distance, low_.data(), high_.data(), tree_.low(at), tree_.high(at), d_);
        });
    }

    // Of K between two boxes; a hair wider than the arithmetic of the leaves could tell, but never above 1, the value at
    // no distance or, where the windows are shifted, of the nearest row.
    Bounds bounds_of(const Reach& away) const {
        constexpr double hair = 1e-13;
        return {std::exp(std::min(0.0, log_window(spec_, away.farthest * (1 + hair)) + shift_low_)),
                std::exp(std::min(0.0, log_window(spec_, away.nearest * (1 - hair)) + shift_high_))};
    }

    void add_up() {
        walk(tree_.root(), reach_of(tree_.root()));
        flush();
    }

    void seek(const Place& at, double gap, std::vector<double>& nearest) const {
        if (at.empty() || gap > *std::max_element(nearest.begin(), nearest.end())) return;
        if (tree_.is_leaf(at)) {
            const LeafTask task{spec_, d_, stride_, nullptr};
            return find_nearest(task, panel_.data(), tree_.rows.row(at.begin), at.end - at.begin, nearest.data());
        }
        const Place left = at.left(), right = at.right();
        const double to_left = reach_of(left).nearest, to_right = reach_of(right).nearest;
        if (to_left <= to_right) seek(left, to_left, nearest), seek(right, to_right, nearest);
        else seek(right, to_right, nearest), seek(left, to_left, nearest);
    }

    // Rounding of float32: every gap errs by 2^-23 of (half the block + the gap), gaps above 13 h do not matter.
    void consider_float() {
        if (spec_.window != Window::gaussian || spec_.metric != Metric::euclidean || spec_.exclude_self) return;
        double half = 0;
        for (std::size_t j = 0; j < d_; ++j) half = std::max(half, (high_[j] - low_[j]) / 2 / spec_.h);
        constexpr double unit = 1.2e-7, longest = 13;
        const double error = 2e-5 + unit * longest * std::sqrt(static_cast<double>(d_)) * (half + longest);
        shrunk_ = error <= relative_ / 8;
        if (!shrunk_) return;
        relative_ -= error;
        small_panel_.resize(panel_.size());
        small_rows_.resize(batch * d_);
        small_weights_.resize(batch);
        middle_.resize(d_);
        for (std::size_t j = 0; j < d_; ++j) {
            middle_[j] = low_[j] + (high_[j] - low_[j]) / 2;
            for (std::size_t i = 0; i < stride_; ++i)
                small_panel_[j * stride_ + i] = static_cast<float>((panel_[j * stride_ + i] - middle_[j]) / spec_.h);
        }
    }

    void walk(const Place& at, const Reach& away) {
        const double mass = tree_.mass(at);
        if (at.empty() || mass == 0) return;
        Bounds bounds = bounds_of(away);
        if (holds_self(away)) bounds.low = 0;
        const double share =
            0.5 * relative_ * bounds.low + (0.5 * relative_ * (certain_ + least_) + absolute_) / total_;
        if (replaced(at, away, bounds, mass * share)) return;
        if (tree_.is_leaf(at)) {
            const double* w = tree_.weight ? tree_.weight + at.begin : nullptr;
            add_rows(tree_.rows.row(at.begin), w, at.end - at.begin, sums_.data());
            least_ = *std::min_element(sums_.begin(), sums_.begin() + static_cast<std::ptrdiff_t>(n_));
            saved_ += mass * share;
            return;
        }
        const Place left = at.left(), right = at.right();
        const Reach to_left = reach_of(left), to_right = reach_of(right);
        const bool left_first = to_left.nearest < to_right.nearest ||
                                (to_left.nearest == to_right.nearest && to_left.farthest <= to_right.farthest);
        if (left_first) walk(left, to_left), walk(right, to_right);
        else walk(right, to_right), walk(left, to_left);
    }

    // Rows that do not count may be below the node.
    bool holds_self(const Reach& away) const { return spec_.exclude_self && away.nearest == 0; }

    bool replaced(const Place& at, const Reach& away, const Bounds& bounds, double allowed) {
        if (holds_self(away)) return false;
        const double mass = tree_.mass(at), error = mass * (bounds.high - bounds.low) / 2;
        if (error <= allowed + saved_) {
            shared_ += mass * (bounds.high + bounds.low) / 2;
            saved_ += allowed - error;
            certain_ += mass * bounds.low;
            return true;
        }
        if (spec_.window != Window::gaussian || spec_.metric != Metric::euclidean || at.end - at.begin < 2)
            return false;
        const double second = tree_.spread(at) * steepest(away, bounds) / (spec_.h * spec_.h) / 2;
        if (second > allowed + saved_) return false;
        saved_ += allowed - second;
        certain_ += mass * bounds.low;
        centres_.insert(centres_.end(), tree_.centre(at), tree_.centre(at) + d_);
        masses_.push_back(mass);
        if (masses_.size() == batch) flush();
        return true;
    }

    // Largest |eigenvalue| of the Gaussian's second derivatives, in units of h: K max(1, |u - 1|), u = r^2 / h^2.
    double steepest(const Reach& away, const Bounds& bounds) const {
        const double nearest = away.nearest / spec_.h / spec_.h, farthest = away.farthest / spec_.h / spec_.h;
        if (nearest >= 3) return (nearest - 1) * bounds.high;
        return std::max(bounds.high, farthest > 2 ? 2 * std::exp(std::min(0.0, shift_high_ - 1.5)) : 0.0);
    }

    void flush() {
        if (!masses_.empty()) add_rows(centres_.data(), masses_.data(), masses_.size(), rough_.data());
        centres_.clear();
        masses_.clear();
    }

    void add_rows(const double* rows, const double* w, std::size_t n, double* sums) {
        LeafTask task{spec_, d_, stride_, shift_.empty() ? nullptr : shift_.data()};
        if (!shrunk_) return add_windows(task, panel_.data(), rows, w, n, sums);
        task.spec.h = 1;
        const double per_h = 1 / spec_.h;
        for (std::size_t first = 0; first < n; first += batch) {
            const std::size_t count = std::min(batch, n - first);
            for (std::size_t i = 0; i < count; ++i) {
                for (std::size_t j = 0; j < d_; ++j)
                    small_rows_[i * d_ + j] = static_cast<float>((rows[(first + i) * d_ + j] - middle_[j]) * per_h);
                small_weights_[i] = w ? static_cast<float>(w[first + i]) : 1.0f;
            }
            add_windows(task, small_panel_.data(), small_rows_.data(), w ? small_weights_.data() : nullptr, count,
                        sums);
        }
    }
};

}  // namespace lanatus::density
