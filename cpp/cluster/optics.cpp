#include "cluster/optics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "core/simd.hpp"
#include "metric/minkowski.hpp"
#include "neighbors/within.hpp"

namespace lanatus::cluster {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Rows not yet in order, in slots 0 .. count; the last takes the place of one that leaves.
struct Waiting {
    std::vector<std::int64_t> row, from;
    std::vector<double> reach;
    std::size_t count;

    explicit Waiting(std::size_t n) : row(n), from(n, -1), reach(n, infinity), count(n) {
        for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<std::int64_t>(i);
    }
    std::size_t easiest() const {
        std::size_t best = 0;
        for (std::size_t s = 1; s < count; ++s)
            if (reach[s] < reach[best] || (reach[s] == reach[best] && row[s] < row[best])) best = s;
        return best;
    }
    void write(std::size_t slot, std::size_t place, const Reachability& out) const {
        const auto i = static_cast<std::size_t>(row[slot]);
        out.order[place] = row[slot], out.reach[i] = reach[slot], out.from[i] = from[slot];
    }
    void remove(std::size_t slot) {
        --count;
        row[slot] = row[count], from[slot] = from[count], reach[slot] = reach[count];
    }
    void reached(std::size_t slot, std::int64_t by, double distance, double core, double max_eps) {
        const double easier = std::max(core, distance);
        if (distance <= max_eps && easier < reach[slot]) reach[slot] = easier, from[slot] = by;
    }
};

template <class Distance>
LANATUS_INLINE void fill_distances(const Distance& how, const double* columns, std::size_t capacity, std::size_t d,
                                   const double* x, std::size_t count, double* __restrict distances) {
    std::fill_n(distances, count, 0.0);
    for (std::size_t j = 0; j < d; ++j) {
        const double* __restrict column = columns + j * capacity;
        for (std::size_t s = 0; s < count; ++s) distances[s] = how.add(distances[s], column[s] - x[j]);
    }
    for (std::size_t s = 0; s < count; ++s) distances[s] = how.length(distances[s]);
}
// How far the first `count` rows of columns are from x; with_order's lambda would not be cloned.
LANATUS_CLONES void distances_to(double p, const double* columns, std::size_t capacity, std::size_t d, const double* x,
                                 std::size_t count, double* distances) {
    if (p == 2) fill_distances(metric::Euclidean{}, columns, capacity, d, x, count, distances);
    else if (p == 1) fill_distances(metric::Manhattan{}, columns, capacity, d, x, count, distances);
    else if (std::isinf(p)) fill_distances(metric::Chebyshev{}, columns, capacity, d, x, count, distances);
    else fill_distances(metric::Minkowski{p}, columns, capacity, d, x, count, distances);
}

}  // namespace

template <class T>
void optics_pairs(MatrixView<const T> X, std::span<const double> core, double max_eps, double p,
                  const Reachability& out) {
    const std::size_t n = X.rows, d = X.cols;
    Waiting waiting(n);
    std::vector<double> columns(n * d), distances(n), x(d);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j) columns[j * n + i] = static_cast<double>(X.row(i)[j]);
    for (std::size_t place = 0; place < n; ++place) {
        const std::size_t slot = waiting.easiest();
        const std::int64_t row = waiting.row[slot];
        waiting.write(slot, place, out);
        waiting.remove(slot);
        for (std::size_t j = 0; j < d; ++j) {
            x[j] = columns[j * n + slot];
            columns[j * n + slot] = columns[j * n + waiting.count];
        }
        const double reach = core[static_cast<std::size_t>(row)];
        if (reach == infinity) continue;
        distances_to(p, columns.data(), n, d, x.data(), waiting.count, distances.data());
        for (std::size_t s = 0; s < waiting.count; ++s) waiting.reached(s, row, distances[s], reach, max_eps);
    }
}

void optics_matrix(MatrixView<const double> D, std::span<const double> core, double max_eps, const Reachability& out) {
    Waiting waiting(D.rows);
    for (std::size_t place = 0; place < D.rows; ++place) {
        const std::size_t slot = waiting.easiest();
        const std::int64_t row = waiting.row[slot];
        waiting.write(slot, place, out);
        waiting.remove(slot);
        const double reach = core[static_cast<std::size_t>(row)];
        if (reach == infinity) continue;
        const double* distance = D.row(static_cast<std::size_t>(row));
        for (std::size_t s = 0; s < waiting.count; ++s)
            waiting.reached(s, row, distance[waiting.row[s]], reach, max_eps);
    }
}

template <class T>
void optics_tree(MatrixView<const T> X, const neighbors::SearchTree<T>& tree, std::span<const double> core,
                 double max_eps, double p, const Reachability& out) {
    const std::size_t n = X.rows;
    using Entry = std::pair<double, std::int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>>
        seeds;  // entries that were bettered stay, and are old
    std::vector<std::uint8_t> done(n);
    std::fill_n(out.reach, n, infinity);
    std::fill_n(out.from, n, std::int64_t{-1});
    std::vector<std::int32_t> near;
    std::vector<double> distances;
    std::size_t place = 0;
    const auto visit = [&](std::size_t row) {
        done[row] = 1;
        out.order[place++] = static_cast<std::int64_t>(row);
        if (core[row] == infinity) return;
        near.clear(), distances.clear();
        neighbors::points_within(tree, p, X.row(row), max_eps, near, &distances);
        for (std::size_t k = 0; k < near.size(); ++k) {
            const auto other = static_cast<std::size_t>(near[k]);
            const double easier = std::max(core[row], distances[k]);
            if (done[other] || !(easier < out.reach[other])) continue;
            out.reach[other] = easier, out.from[other] = static_cast<std::int64_t>(row);
            seeds.emplace(easier, near[k]);
        }
    };
    for (std::size_t start = 0; start < n; ++start) {
        if (done[start]) continue;
        visit(start);
        while (!seeds.empty()) {
            const auto [reach, row] = seeds.top();
            seeds.pop();
            if (!done[static_cast<std::size_t>(row)]) visit(static_cast<std::size_t>(row));
        }
    }
}

template void optics_pairs(MatrixView<const double>, std::span<const double>, double, double, const Reachability&);
template void optics_pairs(MatrixView<const float>, std::span<const double>, double, double, const Reachability&);
template void optics_tree(MatrixView<const double>, const neighbors::SearchTree<double>&, std::span<const double>,
                          double, double, const Reachability&);
template void optics_tree(MatrixView<const float>, const neighbors::SearchTree<float>&, std::span<const double>, double,
                          double, const Reachability&);

}  // namespace lanatus::cluster
