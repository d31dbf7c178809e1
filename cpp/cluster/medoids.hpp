// k-medoids by FasterPAM (Schubert, Rousseeuw 2021): rows are tried as medoids one after the other, and the best medoid for
// such a row to replace is replaced at once. Objective:
//
//     minimise over k rows m    sum_i w_i min_m d(i, m)
//
// Given   D (n, n) symmetric distances, w (n,) or none, medoids (k,), distinct.
// Leaves  medoids that no single swap improves, or those after max_swaps. O(n k + n) for a row that is tried, so about
//         O(n^2) a round. Ties go to the earlier medoid.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::cluster {

template <class T>
class Swaps {
  public:
    Swaps(MatrixView<const T> D, std::span<const double> w, std::span<std::int64_t> medoids)
        : D_(D), w_(w), medoids_(medoids), near_(D.rows), second_(D.rows), first_at_(D.rows), second_at_(D.rows),
          loss_(medoids.size()), change_(medoids.size()), is_medoid_(D.rows) {
        for (const std::int64_t m : medoids_) is_medoid_[static_cast<std::size_t>(m)] = 1;
        assign();
    }

    // Tries rows from `at` on, in a circle, until a whole round improves nothing or `most` swaps are done.
    // -> swaps done; `at` is where to go on, `idle` the rows tried in vain since the last swap.
    std::size_t run(std::size_t& at, std::size_t& idle, std::size_t most) {
        const std::size_t n = D_.rows;
        std::size_t done = 0;
        while (idle < n && done < most) {
            const bool swapped = !is_medoid_[at] && try_row(at);
            idle = swapped ? 0 : idle + 1;
            done += swapped;
            at = (at + 1) % n;
        }
        return done;
    }

    double total() const { return total_; }
    std::span<const std::int32_t> labels() const { return first_at_; }

  private:
    MatrixView<const T> D_;
    std::span<const double> w_;
    std::span<std::int64_t> medoids_;
    std::vector<double> near_, second_;  // distance to the nearest medoid and the next
    std::vector<std::int32_t> first_at_, second_at_;
    std::vector<double> loss_, change_;  // of taking a medoid away
    std::vector<char> is_medoid_;
    double total_ = 0;

    double weight(std::size_t i) const { return w_.empty() ? 1.0 : w_[i]; }

    void assign() {
        for (std::size_t i = 0; i < D_.rows; ++i) find(i);
        losses();
    }
    void find(std::size_t i) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        near_[i] = second_[i] = infinity;
        first_at_[i] = second_at_[i] = 0;
        for (std::size_t m = 0; m < medoids_.size(); ++m) {
            const double to = static_cast<double>(D_.row(static_cast<std::size_t>(medoids_[m]))[i]);
            if (to < near_[i]) {
                second_[i] = near_[i], second_at_[i] = first_at_[i];
                near_[i] = to, first_at_[i] = static_cast<std::int32_t>(m);
            } else if (to < second_[i]) {
                second_[i] = to, second_at_[i] = static_cast<std::int32_t>(m);
            }
        }
    }
    void losses() {
        total_ = 0;
        for (std::size_t i = 0; i < D_.rows; ++i) total_ += weight(i) * near_[i];
        std::fill(loss_.begin(), loss_.end(), 0.0);
        if (medoids_.size() < 2) return;
        for (std::size_t i = 0; i < D_.rows; ++i)
            loss_[static_cast<std::size_t>(first_at_[i])] += weight(i) * (second_[i] - near_[i]);
    }

    bool try_row(std::size_t row) {
        const T* to_row = D_.row(row);
        const bool alone = medoids_.size() < 2;
        change_ = loss_;
        double shared = 0;
        if (alone) {
            for (std::size_t i = 0; i < D_.rows; ++i) shared += weight(i) * (static_cast<double>(to_row[i]) - near_[i]);
        } else {
            for (std::size_t i = 0; i < D_.rows; ++i) {
                const double to = static_cast<double>(to_row[i]);
                if (to >= second_[i]) continue;  // most rows
                const double w = weight(i);
                if (to < near_[i]) shared += w * (to - near_[i]);
                change_[static_cast<std::size_t>(first_at_[i])] += w * (std::max(to, near_[i]) - second_[i]);
            }
        }
        std::size_t best = 0;
        for (std::size_t m = 1; m < change_.size(); ++m)
            if (change_[m] < change_[best]) best = m;
        // A gain below rounding would be undone by the next row, without end.
        if (!(change_[best] + shared < -1e-12 * total())) return false;
        replace(best, row);
        return true;
    }

    void replace(std::size_t m, std::size_t row) {
        is_medoid_[static_cast<std::size_t>(medoids_[m])] = 0;
        is_medoid_[row] = 1;
        medoids_[m] = static_cast<std::int64_t>(row);
        const auto code = static_cast<std::int32_t>(m);
        for (std::size_t i = 0; i < D_.rows; ++i) {
            const double to = static_cast<double>(D_.row(row)[i]);
            if (first_at_[i] == code || second_at_[i] == code || medoids_.size() < 2) {
                find(i);
            } else if (to < near_[i]) {
                second_[i] = near_[i], second_at_[i] = first_at_[i];
                near_[i] = to, first_at_[i] = code;
            } else if (to < second_[i]) {
                second_[i] = to, second_at_[i] = code;
            }
        }
        losses();
    }
};

}  // namespace lanatus::cluster
