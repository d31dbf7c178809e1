#include "neighbors/radius.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "metric/minkowski.hpp"

namespace lanatus::neighbors {

namespace {

template <class Distance>
class Radius {
  public:
    Radius(const KdTree& tree, const Distance& distance, double k) : tree_(tree), distance_(distance), k_(k) {}

    double operator()(const double* query) {
        kept_.clear();
        held_ = 0;
        query_ = query;
        visit(tree_.root(), 0);
        return distance_.length(kept_.empty() ? infinity : kept_.front().first);
    }

  private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    const KdTree& tree_;
    Distance distance_;
    double k_;
    const double* query_ = nullptr;
    std::vector<std::pair<double, double>> kept_;  // a heap, farthest first: distance (as a sum) and weight
    double held_ = 0;                              // weight kept

    double limit() const { return held_ >= k_ ? kept_.front().first : infinity; }
    double away(const Place& at) const {
        if (at.empty()) return infinity;
        return metric::gap_to_box(distance_, query_, tree_.low(at), tree_.high(at), tree_.d());
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
        double sum = metric::distance_sum(distance_, query_, tree_.rows.row(row), tree_.d());
        if (!(sum < infinity)) sum = infinity;  // overflow and NaN are as far as can be, and count as rows all the same
        if (held_ >= k_ && sum >= limit()) return;
        const double weight = tree_.weight ? tree_.weight[row] : 1.0;
        kept_.emplace_back(sum, weight);
        std::push_heap(kept_.begin(), kept_.end());
        held_ += weight;
        while (!kept_.empty() && held_ - kept_.front().second >= k_) {
            held_ -= kept_.front().second;
            std::pop_heap(kept_.begin(), kept_.end());
            kept_.pop_back();
        }
    }
};

}  // namespace

void neighbor_radii(const KdTree& tree, double p, double k, MatrixView<const double> queries, double* out,
                    int n_threads) {
    metric::with_order(p, [&](const auto& distance) {
        parallel_chunks(Chunks::of(queries.rows, 64, 256, 16), n_threads, [&](std::size_t begin, std::size_t end) {
            Radius radius(tree, distance, k);
            for (std::size_t q = begin; q < end; ++q) out[q] = radius(queries.row(q));
        });
    });
}

}  // namespace lanatus::neighbors
