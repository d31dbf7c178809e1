// Children in the order of how near their bounds are, until none can hold a nearer point. Cost: O(d (k + log n)) a query in
// low dimension, up to O(n d) in high.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/simd.hpp"
#include "metric/minkowski.hpp"
#include "metric/sq_tile.hpp"
#include "neighbors/exact.hpp"
#include "neighbors/nearest.hpp"
#include "neighbors/within.hpp"

#define LANATUS_FOREACH_FILE "neighbors/tree_search.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::neighbors {

namespace {

constexpr std::size_t cached = 256 * 1024;  // bytes of a tree that any order of queries finds in the cache

template <class T>
void nearest_rows(const SearchTree<T>& tree, double p, const Queries<T>& queries, const std::int32_t* order,
                  std::size_t begin, std::size_t end, const Neighbors<T>& out) {
    LANATUS_DISPATCH(nearest_rows_of<T>, tree, p, queries, order, begin, end, out);
}
template <class T>
void homes(const SearchTree<T>& tree, MatrixView<const T> rows, std::size_t begin, std::size_t end,
           std::uint32_t* out) {
    LANATUS_DISPATCH(homes_of<T>, tree, rows, begin, end, out);
}
template <class T>
void within_row(const SearchTree<T>& tree, double p, const T* x, double radius, std::int64_t own,
                std::vector<std::int32_t>& points, std::vector<double>* distances, std::size_t enough) {
    LANATUS_DISPATCH(within_row_of<T>, tree, p, x, radius, own, points, distances, enough);
}

// Queries by the leaves that they fall in, so that one finds in the cache what the one before it needed.
template <class T>
std::vector<std::int32_t> by_leaves(const SearchTree<T>& tree, const Queries<T>& queries, int n_threads) {
    const std::size_t m = queries.rows.rows;
    if (m < 256 || tree.shape.n * tree.shape.d * sizeof(T) < cached) return {};
    std::vector<std::uint32_t> home(m);
    parallel_chunks(Chunks::of(m, 1024), n_threads,
                    [&](std::size_t begin, std::size_t end) { homes(tree, queries.rows, begin, end, home.data()); });
    std::vector<std::int32_t> starts(tree.shape.leaves() + 1), order(m);
    for (const std::uint32_t leaf : home) ++starts[leaf + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (std::size_t q = 0; q < m; ++q)
        order[static_cast<std::size_t>(starts[home[q]]++)] = static_cast<std::int32_t>(q);
    return order;
}

void sort_by_point(FoundWithin& found, std::size_t begin) {
    const std::size_t count = found.point.size() - begin;
    std::vector<std::pair<std::int32_t, double>> both(count);
    for (std::size_t i = 0; i < count; ++i) both[i] = {found.point[begin + i], found.distance[begin + i]};
    std::sort(both.begin(), both.end());
    for (std::size_t i = 0; i < count; ++i) std::tie(found.point[begin + i], found.distance[begin + i]) = both[i];
}

}  // namespace

template <class T>
void nearest_tree(const SearchTree<T>& tree, double p, const Queries<T>& queries, const Neighbors<T>& out,
                  int n_threads) {
    const std::vector<std::int32_t> order = by_leaves(tree, queries, n_threads);
    parallel_chunks(Chunks::of(queries.rows.rows, 64, 256, 16), n_threads, [&](std::size_t begin, std::size_t end) {
        nearest_rows(tree, p, queries, order.empty() ? nullptr : order.data(), begin, end, out);
    });
}

template <class T>
std::vector<FoundWithin> within_tree(const SearchTree<T>& tree, double p, const Queries<T>& queries, const Radii& radii,
                                     int n_threads) {
    const auto chunks = Chunks::of(queries.rows.rows, 64, 256, 16);
    return parallel_parts<FoundWithin>(chunks, n_threads, [&](std::size_t begin, std::size_t end) {
        FoundWithin found;
        for (std::size_t q = begin; q < end; ++q) {
            const std::size_t before = found.point.size();
            within_row(tree, p, queries.rows.row(q), radii.of(q), queries.own.empty() ? -1 : queries.own[q],
                       found.point, &found.distance, std::numeric_limits<std::size_t>::max());
            sort_by_point(found, before);
            found.ends.push_back(found.point.size());
        }
        return found;
    });
}

template <class T>
double leaves_a_query(const SearchTree<T>& tree, double p, MatrixView<const T> queries, std::size_t k) {
    std::size_t effort = 0;
    LANATUS_DISPATCH(effort_of<T>, tree, p, queries, k, &effort);
    return static_cast<double>(effort) / static_cast<double>(queries.rows);
}

template <class T>
void points_within(const SearchTree<T>& tree, double p, const T* x, double radius, std::vector<std::int32_t>& points,
                   std::vector<double>* distances) {
    within_row(tree, p, x, radius, -1, points, distances, std::numeric_limits<std::size_t>::max());
}

template <class T>
std::size_t count_within(const SearchTree<T>& tree, double p, const T* x, double radius, std::size_t enough) {
    std::vector<std::int32_t> points;
    within_row(tree, p, x, radius, -1, points, nullptr, enough);
    return points.size();
}

#define LANATUS_INSTANTIATE(T)                                                                                         \
    template void nearest_tree(const SearchTree<T>&, double, const Queries<T>&, const Neighbors<T>&, int);             \
    template std::vector<FoundWithin> within_tree(const SearchTree<T>&, double, const Queries<T>&, const Radii&, int); \
    template double leaves_a_query(const SearchTree<T>&, double, MatrixView<const T>, std::size_t);                    \
    template void points_within(const SearchTree<T>&, double, const T*, double, std::vector<std::int32_t>&,            \
                                std::vector<double>*);                                                                 \
    template std::size_t count_within(const SearchTree<T>&, double, const T*, double, std::size_t);

LANATUS_INSTANTIATE(float)
LANATUS_INSTANTIATE(double)

}  // namespace lanatus::neighbors
