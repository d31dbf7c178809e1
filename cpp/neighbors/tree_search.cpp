// The leaves of a k-d tree in the order of how near their boxes are, until no box can hold a nearer point. Cost:
// O(n d log n) for the tree, O(d (k + log n)) a query in low dimension, up to O(n d) in high.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/parallel.hpp"
#include "metric/minkowski.hpp"
#include "neighbors/kd_tree.hpp"
#include "neighbors/leaf.hpp"
#include "neighbors/nearest.hpp"
#include "neighbors/scaling.hpp"

namespace lanatus::neighbors {

namespace {

template <class Distance>
class TreeSearch {
  public:
    TreeSearch(const KdTree& tree, std::span<const std::int64_t> order, const Distance& distance,
               const Queries& queries, std::size_t leaf_size)
        : tree_(tree), order_(order), distance_(distance), queries_(queries), sums_(leaf_size),
          slack_(1 - 4 * static_cast<double>(tree.d() + 4) * std::numeric_limits<double>::epsilon()) {}

    void operator()(std::size_t query, const Neighbors& out) {
        NearestList best(out, query);
        best.clear();
        visit(tree_.root(), 0, query, best);
        for (std::size_t i = 0; i < best.k; ++i) best.sum[i] = distance_.length(best.sum[i]);
    }

  private:
    const KdTree& tree_;
    std::span<const std::int64_t> order_;  // the point at each place of the tree
    Distance distance_;
    const Queries& queries_;
    std::vector<double> sums_;
    double slack_;  // sums of boxes and of points may round apart

    double away(const Place& at, const double* x) const {
        if (at.empty()) return std::numeric_limits<double>::infinity();
        return metric::gap_to_box(distance_, x, tree_.low(at), tree_.high(at), tree_.d());
    }

    // Equal distances are looked at, since the lower point wins.
    void visit(const Place& at, double gap, std::size_t query, NearestList& best) {
        if (at.empty() || gap * slack_ > best.farthest()) return;
        if (tree_.is_leaf(at)) return scan(at, query, best);
        const double* x = queries_.rows.row(query);
        const double left = away(at.left(), x), right = away(at.right(), x);
        if (left <= right) visit(at.left(), left, query, best), visit(at.right(), right, query, best);
        else visit(at.right(), right, query, best), visit(at.left(), left, query, best);
    }

    void scan(const Place& at, std::size_t query, NearestList& best) {
        const std::size_t n = at.end - at.begin, d = tree_.d();
        const double* x = queries_.rows.row(query);
        if constexpr (std::is_same_v<Distance, metric::Euclidean>)
            sq_distances(x, tree_.rows.row(at.begin), n, d, sums_.data());
        else
            for (std::size_t i = 0; i < n; ++i)
                sums_[i] = metric::distance_sum(distance_, x, tree_.rows.row(at.begin + i), d);
        for (std::size_t i = 0; i < n; ++i) {
            if (sums_[i] > best.farthest()) continue;
            const auto point = static_cast<std::size_t>(order_[at.begin + i]);
            if (!queries_.excludes(query, point)) best.offer(sums_[i], point);
        }
    }
};

}  // namespace

void nearest_tree(MatrixView<const double> points, const Queries& queries, double p, std::size_t leaf_size,
                  const Neighbors& out, int n_threads) {
    const Scaled scaled(points, queries);
    const Queries asked = scaled.queries();
    const std::size_t n = points.rows, d = points.cols, count = tree_nodes(tree_levels(n, leaf_size));
    std::vector<std::int64_t> order(n);
    Buffer<double> records(count * record_size(d)), rows(n * d);
    build_kd_tree<double>(scaled.points(), nullptr, order, {records.data(), count, record_size(d)}, n_threads);
    for (std::size_t i = 0; i < n; ++i)
        std::copy_n(scaled.points().row(static_cast<std::size_t>(order[i])), d, rows.data() + i * d);
    const KdTree tree{{rows.data(), n, d}, nullptr, {records.data(), count, record_size(d)}};
    metric::with_order(p, [&](const auto& distance) {
        parallel_chunks(Chunks::of(asked.rows.rows, 64, 256, 16), n_threads, [&](std::size_t begin, std::size_t end) {
            TreeSearch search(tree, order, distance, asked, leaf_size);
            for (std::size_t q = begin; q < end; ++q) search(q, out);
            for (std::size_t i = begin * out.k; i < end * out.k; ++i) out.distance[i] = scaled.length(out.distance[i]);
        });
    });
}

}  // namespace lanatus::neighbors
