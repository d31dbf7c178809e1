#include "cluster/isolation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/parallel.hpp"
#include "core/random.hpp"

namespace lanatus::cluster {

namespace {

double usual_path(std::size_t rows) {
    if (rows <= 1) return 0;
    if (rows == 2) return 1;
    const auto m = static_cast<double>(rows);
    return 2 * (std::log(m - 1) + std::numbers::egamma) - 2 * (m - 1) / m;
}

template <class T>
class Grower {
  public:
    Grower(MatrixView<const T> X, std::span<const std::int64_t> rows, std::span<const std::int32_t> columns,
           std::uint64_t seed, std::size_t max_depth)
        : X_(X), rows_(rows.begin(), rows.end()), columns_(columns.begin(), columns.end()), random_(seed),
          max_depth_(max_depth) {
        add_node();
        grow(0, 0, rows_.size(), 0);
    }
    IsolationTrees<T> tree;

  private:
    MatrixView<const T> X_;
    std::vector<std::int64_t> rows_;
    std::vector<std::int32_t> columns_;
    Philox random_;
    std::size_t max_depth_;
    std::uint64_t drawn_ = 0;

    T value(std::size_t place, std::int32_t column) const {
        return X_.row(static_cast<std::size_t>(rows_[place]))[static_cast<std::size_t>(column)];
    }
    void add_node() {
        tree.column.push_back(-1), tree.left.push_back(-1);
        tree.threshold.push_back(T{}), tree.path.push_back(0);
    }

    void grow(std::size_t node, std::size_t begin, std::size_t end, std::size_t depth) {
        tree.path[node] = static_cast<double>(depth) + usual_path(end - begin);
        if (depth >= max_depth_ || end - begin < 2) return;
        const std::int32_t column = drawn_column(begin, end);
        if (column < 0) return;  // all rows are the same
        const T cut = drawn_cut(column, begin, end);
        const auto first = rows_.begin();
        const auto middle = std::stable_partition(
            first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end),
            [&](std::int64_t row) {
                return X_.row(static_cast<std::size_t>(row))[static_cast<std::size_t>(column)] <= cut;
            });
        const auto half = static_cast<std::size_t>(middle - first);
        const std::size_t left = tree.column.size();
        tree.column[node] = column, tree.threshold[node] = cut, tree.left[node] = static_cast<std::int32_t>(left);
        add_node(), add_node();
        grow(left, begin, half, depth + 1);
        grow(left + 1, half, end, depth + 1);
    }

    std::pair<T, T> range(std::int32_t column, std::size_t begin, std::size_t end) const {
        T low = value(begin, column), high = low;
        for (std::size_t i = begin + 1; i < end; ++i)
            low = std::min(low, value(i, column)), high = std::max(high, value(i, column));
        return {low, high};
    }
    // One of those that are not constant, each as likely as the others; -1 if there is none.
    std::int32_t drawn_column(std::size_t begin, std::size_t end) {
        for (std::size_t left = columns_.size(); left > 0; --left) {
            const auto at = static_cast<std::size_t>(random_.below(drawn_++, left));
            const auto [low, high] = range(columns_[at], begin, end);
            if (low < high) return columns_[at];
            std::swap(columns_[at], columns_[left - 1]);
        }
        return -1;
    }
    T drawn_cut(std::int32_t column, std::size_t begin, std::size_t end) {
        const auto [low, high] = range(column, begin, end);
        const double share = random_.uniform(drawn_++);
        const T cut = static_cast<T>(static_cast<double>(low) * (1 - share) + static_cast<double>(high) * share);
        return cut >= low && cut < high ? cut : low;
    }
};

// Rows side by side: while one waits for a node to come from the cache, the others go on.
constexpr std::size_t lanes = 8;

template <class T>
void add_paths(const IsolationView<T>& trees, std::size_t tree, const T* const* rows, double* sums) {
    std::size_t node[lanes];
    std::fill_n(node, lanes, static_cast<std::size_t>(trees.starts[tree]));
    const auto first = static_cast<std::size_t>(trees.starts[tree]);
    for (bool moving = true; moving;) {
        moving = false;
        for (std::size_t l = 0; l < lanes; ++l) {
            const std::int32_t column = trees.column[node[l]];
            if (column < 0) continue;
            const bool right = !(rows[l][column] <= trees.threshold[node[l]]);
            node[l] = first + static_cast<std::size_t>(trees.left[node[l]]) + right;
            moving = true;
        }
    }
    for (std::size_t l = 0; l < lanes; ++l) sums[l] += trees.path[node[l]];
}

}  // namespace

template <class T>
IsolationTrees<T> grow_isolation(MatrixView<const T> X, MatrixView<const std::int64_t> rows,
                                 MatrixView<const std::int32_t> columns, std::span<const std::uint64_t> seeds,
                                 std::size_t max_depth, int n_threads) {
    std::vector<IsolationTrees<T>> grown(rows.rows);
    parallel_for(rows.rows, n_threads, [&](std::size_t t) {
        grown[t] = Grower<T>(X, {rows.row(t), rows.cols}, {columns.row(t), columns.cols}, seeds[t], max_depth).tree;
    });
    IsolationTrees<T> all;
    for (const auto& tree : grown) {
        all.starts.push_back(static_cast<std::int64_t>(all.column.size()));
        all.column.insert(all.column.end(), tree.column.begin(), tree.column.end());
        all.left.insert(all.left.end(), tree.left.begin(), tree.left.end());
        all.threshold.insert(all.threshold.end(), tree.threshold.begin(), tree.threshold.end());
        all.path.insert(all.path.end(), tree.path.begin(), tree.path.end());
    }
    all.starts.push_back(static_cast<std::int64_t>(all.column.size()));
    return all;
}

template <class T>
void isolation_paths(MatrixView<const T> X, const IsolationView<T>& trees, double* out, int n_threads) {
    const std::size_t n_trees = trees.starts.size() - 1;
    parallel_chunks(Chunks::of(X.rows, 256, 64, lanes), n_threads, [&](std::size_t begin, std::size_t end) {
        std::fill(out + begin, out + end, 0.0);
        for (std::size_t t = 0; t < n_trees; ++t)  // a tree fits into the first cache, so that it goes over many rows
            for (std::size_t i = begin; i < end; i += lanes) {
                const T* rows[lanes];
                double sums[lanes] = {};
                for (std::size_t l = 0; l < lanes; ++l) rows[l] = X.row(std::min(i + l, end - 1));
                add_paths(trees, t, rows, sums);
                for (std::size_t l = 0; l < std::min(lanes, end - i); ++l) out[i + l] += sums[l];
            }
        for (std::size_t i = begin; i < end; ++i) out[i] /= static_cast<double>(n_trees);
    });
}

template IsolationTrees<double> grow_isolation(MatrixView<const double>, MatrixView<const std::int64_t>,
                                               MatrixView<const std::int32_t>, std::span<const std::uint64_t>,
                                               std::size_t, int);
template IsolationTrees<float> grow_isolation(MatrixView<const float>, MatrixView<const std::int64_t>,
                                              MatrixView<const std::int32_t>, std::span<const std::uint64_t>,
                                              std::size_t, int);
template void isolation_paths(MatrixView<const double>, const IsolationView<double>&, double*, int);
template void isolation_paths(MatrixView<const float>, const IsolationView<float>&, double*, int);

}  // namespace lanatus::cluster
