// Sums of absolute deviations from the weighted median, of numbers that come one by one.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace lanatus::tree {

// Two Fenwick trees over the ranks of the numbers: their weights, and weights times numbers. O(log n) a number.
class Deviations {
  public:
    explicit Deviations(const std::vector<double>& y) : rank_(y.size()) {
        std::vector<std::uint32_t> order(y.size());
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return y[a] < y[b]; });
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i == 0 || y[order[i]] != sorted_.back()) sorted_.push_back(y[order[i]]);
            rank_[order[i]] = static_cast<std::uint32_t>(sorted_.size());
        }
        clear();
    }
    void clear() {
        weight_.assign(sorted_.size() + 1, 0.0);
        sum_.assign(sorted_.size() + 1, 0.0);
        W_ = S_ = 0;
    }
    void add(std::size_t i, double w) {
        const double wy = w * sorted_[rank_[i] - 1];
        W_ += w;
        S_ += wy;
        for (std::size_t at = rank_[i]; at < weight_.size(); at += at & (~at + 1)) weight_[at] += w, sum_[at] += wy;
    }
    double weight() const { return W_; }
    // A number up to which lies half the weight or more; where that is exactly half, the middle between it and the next.
    double median() const {
        const Below b = below();
        const std::size_t at = std::min(b.count, sorted_.size() - 1);
        const double up_to = b.weight + weight_at(at), half = W_ / 2;
        if (std::abs(up_to - half) > 1e-12 * half) return sorted_[at];
        std::size_t next = at + 1;
        while (next < sorted_.size() && !(weight_at(next) > 1e-12 * half)) ++next;
        return next < sorted_.size() ? sorted_[at] / 2 + sorted_[next] / 2 : sorted_[at];
    }
    double total() const {
        if (!(W_ > 0)) return 0;
        const Below b = below();
        const double m = sorted_[std::min(b.count, sorted_.size() - 1)];
        return std::max(0.0, m * b.weight - b.sum + (S_ - b.sum) - m * (W_ - b.weight));
    }

  private:
    // Weight of one rank, counted from 0.
    double weight_at(std::size_t rank) const {
        double w = weight_[rank + 1];
        for (std::size_t at = rank, stop = (rank + 1) - ((rank + 1) & (~(rank + 1) + 1)); at > stop;
             at -= at & (~at + 1))
            w -= weight_[at];
        return w;
    }
    struct Below {
        std::size_t count = 0;  // ranks whose weights, added up, stay below the half
        double weight = 0, sum = 0;
    };
    Below below() const {
        Below b;
        for (std::size_t step = std::bit_floor(sorted_.size()); step > 0; step /= 2)
            if (b.count + step < weight_.size() && b.weight + weight_[b.count + step] < W_ / 2 * (1 - 1e-12)) {
                b.count += step;
                b.weight += weight_[b.count];
                b.sum += sum_[b.count];
            }
        return b;
    }
    std::vector<std::uint32_t> rank_;
    std::vector<double> sorted_, weight_, sum_;
    double W_ = 0, S_ = 0;
};

}  // namespace lanatus::tree
