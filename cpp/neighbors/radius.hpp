// How far the neighbours reach that together weigh k -- cookbook 3.4.2.
//
// Given   a tree over rows with weights (or 1 each) and k, at most the total weight.
// Leaves  in out[q] the least r with  sum of w_i over |q - x_i| <= r  at least k.
// O(log n) leaves a query in low dimension, all of them in high.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "density/space_tree.hpp"

namespace lanatus::density {

class NeighborRadius {
  public:
    NeighborRadius(const SpaceTree& tree, Metric metric, double k) : tree_(tree), metric_(metric), k_(k) {}

    double operator()(const double* query) {
        kept_.clear();
        held_ = 0;
        query_ = query;
        visit(tree_.root(), 0);
        return length_of(metric_, kept_.front().first);
    }

  private:
    const SpaceTree& tree_;
    Metric metric_;
    double k_;
    const double* query_ = nullptr;
    std::vector<std::pair<double, double>> kept_;  // a heap, farthest first: distance (as a sum) and weight
    double held_ = 0;                              // weight kept

    double limit() const { return held_ >= k_ ? kept_.front().first : std::numeric_limits<double>::infinity(); }
    double away(const Place& at) const {
        if (at.empty()) return std::numeric_limits<double>::infinity();
        return reach(metric_, query_, query_, tree_.low(at), tree_.high(at), tree_.d()).nearest;
    }

    void visit(const Place& at, double gap) {
        if (at.empty() || gap > limit()) return;
        if (tree_.is_leaf(at)) {
            for (std::size_t i = at.begin; i < at.end; ++i) keep(i);
            return;
        }
        const double left = away(at.left()), right = away(at.right());
        if (left <= right) visit(at.left(), left), visit(at.right(), right);
        else visit(at.right(), right), visit(at.left(), left);
    }

    void keep(std::size_t row) {
        const double sum = distance_sum(metric_, query_, tree_.rows.row(row), tree_.d());
        if (sum >= limit()) return;
        const double weight = tree_.weight ? tree_.weight[row] : 1.0;
        kept_.emplace_back(sum, weight);
        std::push_heap(kept_.begin(), kept_.end());
        held_ += weight;
        while (held_ - kept_.front().second >= k_) {
            held_ -= kept_.front().second;
            std::pop_heap(kept_.begin(), kept_.end());
            kept_.pop_back();
        }
    }
};

inline void neighbor_radii(const SpaceTree& tree, Metric metric, double k, MatrixView<const double> queries, double* out,
                           int n_threads) {
    parallel_chunks(Chunks::of(queries.rows, 64, 256, 16), n_threads, [&](std::size_t begin, std::size_t end) {
        NeighborRadius radius(tree, metric, k);
        for (std::size_t q = begin; q < end; ++q) out[q] = radius(queries.row(q));
    });
}

}  // namespace lanatus::density
