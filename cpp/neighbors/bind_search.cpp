// Searches for neighbours.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ndarray.hpp"
#include "neighbors/nearest.hpp"
#include "neighbors/search_tree_argument.hpp"
#include "neighbors/within.hpp"

namespace lanatus::neighbors {
using namespace nb::literals;

namespace {

using Own = std::optional<In1<std::int64_t>>;

template <class T>
Queries<T> queries_of(const In2<T>& queries, const Own& own, std::size_t n, std::size_t d) {
    require(n >= 1 && d >= 1, "there must be at least one point and one feature");
    require(n < std::numeric_limits<std::int32_t>::max(), "there are too many points");
    require(queries.shape(1) == d, "queries and points differ in number of features");
    require(queries.shape(0) < std::numeric_limits<std::int32_t>::max(), "there are too many queries");
    if (!own) return {view(queries), {}};
    require(own->shape(0) == queries.shape(0), "own and queries differ in length");
    for (const std::int64_t row : span(*own))
        require(row >= 0 && static_cast<std::size_t>(row) < n, "own must be rows of points");
    return {view(queries), span(*own)};
}

template <class T, class Search>
auto nearest_found(std::size_t n, std::size_t m, const Own& own, std::size_t k, const Search& search) {
    require(k >= 1 && k <= n - (own ? 1 : 0),
            "k must be at least 1 and at most the number of points (other than the own)");
    auto index = new_array<std::int32_t>(m, k);
    auto distance = new_array<T>(m, k);
    {
        nb::gil_scoped_release nogil;
        search(Neighbors<T>{k, distance.data(), index.data()});
    }
    return std::tuple(index, distance);
}

// The lists of the chunks as one: starts of the queries (m + 1), points, distances.
template <class T>
auto joined(const std::vector<FoundWithin>& found, std::size_t m) {
    std::size_t total = 0;
    for (const FoundWithin& part : found) total += part.point.size();
    auto starts = new_array<std::int64_t>(m + 1);
    auto index = new_array<std::int32_t>(total);
    auto distance = new_array<T>(total);
    std::size_t at = 0, query = 0;
    starts.data()[0] = 0;
    for (const FoundWithin& part : found) {
        std::copy(part.point.begin(), part.point.end(), index.data() + at);
        std::transform(part.distance.begin(), part.distance.end(), distance.data() + at,
                       [](double length) { return static_cast<T>(length); });
        for (const std::size_t end : part.ends) starts.data()[++query] = static_cast<std::int64_t>(at + end);
        at += part.point.size();
    }
    return std::tuple(starts, index, distance);
}

template <class T, class Search>
auto all_found(const In2<T>& queries, const In1<double>& radii, const Search& search) {
    require(radii.shape(0) == 1 || radii.shape(0) == queries.shape(0), "radii must be one, or one a query");
    std::vector<FoundWithin> found;
    {
        nb::gil_scoped_release nogil;
        found = search(Radii{span(radii)});
    }
    return joined<T>(found, queries.shape(0));
}

template <class T>
auto py_nearest_brute(In2<T> points, In2<T> queries, std::size_t k, Own own, int n_threads) {
    require_threads(n_threads);
    const auto asked = queries_of<T>(queries, own, points.shape(0), points.shape(1));
    return nearest_found<T>(points.shape(0), queries.shape(0), own, k,
                            [&](const auto& out) { nearest_brute<T>(view(points), asked, out, n_threads); });
}

template <class T>
auto py_within_brute(In2<T> points, In2<T> queries, In1<double> radii, Own own, int n_threads) {
    require_threads(n_threads);
    const auto asked = queries_of<T>(queries, own, points.shape(0), points.shape(1));
    return all_found<T>(queries, radii,
                        [&](const Radii& given) { return within_brute<T>(view(points), asked, given, n_threads); });
}

template <class T>
auto py_search_tree(In2<T> X, std::size_t leaf_size, bool balls, double p, int n_threads) {
    require_threads(n_threads);
    require(X.shape(0) >= 1 && X.shape(1) >= 1 && leaf_size >= 1, "a tree needs a row, a column and leaves");
    require(X.shape(0) < std::numeric_limits<std::int32_t>::max(), "there are too many points");
    require(p >= 1, "p must be at least 1");
    const std::size_t most = (X.shape(0) + leaf_grain - 1) / leaf_grain,
                      asked = (leaf_size + leaf_grain - 1) / leaf_grain;
    const TreeShape shape(X.shape(0), X.shape(1), std::min(most, asked) * leaf_grain, balls ? Bound::ball : Bound::box);
    auto leaves = new_array<T>(shape.leaves(), shape.leaf_values());
    auto nodes = new_array<T>(shape.nodes(), shape.node_values());
    auto order = new_array<std::int32_t>(shape.n);
    {
        nb::gil_scoped_release nogil;
        build_search_tree<T>(view(X), shape, p, leaves.data(), nodes.data(), span(order), n_threads);
    }
    return std::tuple(leaves, nodes, order);
}

template <class T>
auto py_nearest_tree(In2<T> queries, In2<T> leaves, In2<T> nodes, In1<std::int32_t> order, bool balls, double p,
                     std::size_t k, Own own, int n_threads) {
    require_threads(n_threads);
    require(p >= 1, "p must be at least 1");
    const auto tree = search_tree_of<T>(leaves, nodes, order, queries.shape(1), balls);
    const auto asked = queries_of<T>(queries, own, tree.shape.n, tree.shape.d);
    return nearest_found<T>(tree.shape.n, queries.shape(0), own, k,
                            [&](const auto& out) { nearest_tree<T>(tree, p, asked, out, n_threads); });
}

template <class T>
double py_effort(In2<T> queries, In2<T> leaves, In2<T> nodes, In1<std::int32_t> order, bool balls, double p,
                 std::size_t k) {
    require(p >= 1, "p must be at least 1");
    const auto tree = search_tree_of<T>(leaves, nodes, order, queries.shape(1), balls);
    require(k >= 1 && k <= tree.shape.n && queries.shape(0) >= 1, "k or the number of queries is out of range");
    nb::gil_scoped_release nogil;
    return leaves_a_query<T>(tree, p, view(queries), k);
}

template <class T>
auto py_within_tree(In2<T> queries, In2<T> leaves, In2<T> nodes, In1<std::int32_t> order, bool balls, double p,
                    In1<double> radii, Own own, int n_threads) {
    require_threads(n_threads);
    require(p >= 1, "p must be at least 1");
    const auto tree = search_tree_of<T>(leaves, nodes, order, queries.shape(1), balls);
    const auto asked = queries_of<T>(queries, own, tree.shape.n, tree.shape.d);
    return all_found<T>(queries, radii,
                        [&](const Radii& given) { return within_tree<T>(tree, p, asked, given, n_threads); });
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def(
        "nearest_brute", &py_nearest_brute<T>, "points"_a.noconvert(), "queries"_a.noconvert(), "k"_a,
        "own"_a.noconvert().none(), nb::kw_only(), "n_threads"_a,
        "-> (index (m, k) int32, distance (m, k)): the k points nearest to each query by Euclidean distance, nearest\n"
        "first, by comparing all pairs. own: the point that each query is, which does not count.");
    m.def("within_brute", &py_within_brute<T>, "points"_a.noconvert(), "queries"_a.noconvert(), "radii"_a.noconvert(),
          "own"_a.noconvert().none(), nb::kw_only(), "n_threads"_a,
          "-> (starts (m + 1) int64, index int32, distance): all points within a radius, by comparing all pairs.");
    m.def("search_tree", &py_search_tree<T>, "X"_a.noconvert(), nb::kw_only(), "leaf_size"_a, "balls"_a, "p"_a,
          "n_threads"_a, "-> (leaves, nodes, order): a tree to search for neighbours in.");
    m.def("nearest_tree", &py_nearest_tree<T>, "queries"_a.noconvert(), "leaves"_a.noconvert(), "nodes"_a.noconvert(),
          "order"_a.noconvert(), nb::kw_only(), "balls"_a, "p"_a, "k"_a, "own"_a.noconvert().none(), "n_threads"_a,
          "As nearest_brute, by a tree and Minkowski's distance of order p.");
    m.def("leaves_a_query", &py_effort<T>, "queries"_a.noconvert(), "leaves"_a.noconvert(), "nodes"_a.noconvert(),
          "order"_a.noconvert(), nb::kw_only(), "balls"_a, "p"_a, "k"_a,
          "-> how many leaves a search for k neighbours looks at, in the mean");
    m.def("within_tree", &py_within_tree<T>, "queries"_a.noconvert(), "leaves"_a.noconvert(), "nodes"_a.noconvert(),
          "order"_a.noconvert(), nb::kw_only(), "balls"_a, "p"_a, "radii"_a.noconvert(), "own"_a.noconvert().none(),
          "n_threads"_a, "As within_brute, by a tree and Minkowski's distance of order p.");
}

}  // namespace

void bind_search(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::neighbors
