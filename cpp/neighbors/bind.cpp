#include <cmath>
#include <limits>

#include "core/ndarray.hpp"
#include "neighbors/kd_tree_argument.hpp"
#include "neighbors/nearest.hpp"
#include "neighbors/radius.hpp"

namespace lanatus::neighbors {
using namespace nb::literals;

namespace {

using Own = std::optional<In1<std::int64_t>>;

void require_queries(const In2<double>& points, const In2<double>& queries, int n_threads) {
    require_threads(n_threads);
    require(points.shape(0) >= 1, "there must be at least one point");
    require(queries.shape(1) == points.shape(1), "queries and points differ in number of features");
}

Queries queries_of(const In2<double>& points, const In2<double>& queries, const Own& own, std::size_t k) {
    const std::size_t n = points.shape(0);
    require(n < std::numeric_limits<std::int32_t>::max(), "there are too many points");
    require(k >= 1 && k <= n - (own ? 1 : 0),
            "k must be at least 1 and at most the number of points (other than the own)");
    if (!own) return {view(queries), {}};
    require(own->shape(0) == queries.shape(0), "own and queries differ in length");
    for (const std::int64_t row : span(*own))
        require(row >= 0 && static_cast<std::size_t>(row) < n, "own must be rows of points");
    return {view(queries), span(*own)};
}

template <class Search>
auto found(std::size_t n_queries, std::size_t k, const Search& search) {
    auto index = new_array<std::int32_t>(n_queries, k);
    auto distance = new_array<double>(n_queries, k);
    {
        nb::gil_scoped_release nogil;
        search(Neighbors{k, distance.data(), index.data()});
    }
    return std::tuple(index, distance);
}

auto py_brute(In2<double> points, In2<double> queries, std::size_t k, Own own, int n_threads) {
    require_queries(points, queries, n_threads);
    const Queries asked = queries_of(points, queries, own, k);
    return found(queries.shape(0), k,
                 [&](const Neighbors& out) { nearest_brute(view(points), asked, out, n_threads); });
}

auto py_tree(In2<double> points, In2<double> queries, std::size_t k, Own own, double p, std::size_t leaf_size,
             int n_threads) {
    require_queries(points, queries, n_threads);
    require(points.shape(1) >= 1 && leaf_size >= 1, "a tree needs a column and leaves");
    require(p >= 1, "p must be at least 1");
    const Queries asked = queries_of(points, queries, own, k);
    return found(queries.shape(0), k,
                 [&](const Neighbors& out) { nearest_tree(view(points), asked, p, leaf_size, out, n_threads); });
}

auto py_kd_tree(In2<double> X, Weights w, std::size_t leaf_size, int n_threads) {
    require_threads(n_threads);
    require(X.shape(0) >= 1 && X.shape(1) >= 1 && leaf_size >= 1, "a tree needs a row, a column and leaves");
    require_weights(w, X.shape(0));
    auto order = new_array<std::int64_t>(X.shape(0));
    auto nodes = new_array<double>(tree_nodes(tree_levels(X.shape(0), leaf_size)), record_size(X.shape(1)));
    {
        nb::gil_scoped_release nogil;
        build_kd_tree<double>(view(X), w ? span(w).data() : nullptr, span(order), view(nodes), n_threads);
    }
    return std::tuple(order, nodes);
}

auto py_radii(In2<double> queries, In2<double> rows, Weights w, In2<double> nodes, double p, double k, int n_threads) {
    require_queries(rows, queries, n_threads);
    require(k > 0, "k must be positive");
    require(p >= 1, "p must be at least 1");
    const KdTree tree = tree_of(rows, w, nodes);
    auto out = new_array<double>(queries.shape(0));
    {
        nb::gil_scoped_release nogil;
        neighbor_radii(tree, p, k, view(queries), out.data(), n_threads);
    }
    return out;
}

}  // namespace

void bind(nb::module_& m) {
    m.def(
        "nearest_brute", &py_brute, "points"_a.noconvert(), "queries"_a.noconvert(), "k"_a, "own"_a.noconvert().none(),
        nb::kw_only(), "n_threads"_a,
        "-> (index (m, k) int32, distance (m, k)): the k points nearest to each query by Euclidean distance, nearest\n"
        "first, by comparing all pairs. own: the point that each query is, which does not count.");
    m.def("nearest_tree", &py_tree, "points"_a.noconvert(), "queries"_a.noconvert(), "k"_a, "own"_a.noconvert().none(),
          nb::kw_only(), "p"_a, "leaf_size"_a, "n_threads"_a,
          "As nearest_brute, by a k-d tree and Minkowski's distance of order p.");
    m.def("kd_tree", &py_kd_tree, "X"_a.noconvert(), "w"_a.noconvert().none(), nb::kw_only(), "leaf_size"_a,
          "n_threads"_a, "-> (order of the rows by leaves (n,), records of the nodes (nodes, 3 d + 2))");
    m.def("neighbor_radii", &py_radii, "queries"_a.noconvert(), "rows"_a.noconvert(), "w"_a.noconvert().none(),
          "nodes"_a.noconvert(), nb::kw_only(), "p"_a, "k"_a, "n_threads"_a,
          "-> for each query the least radius within which the rows weigh k, by Minkowski's distance of order p.");
}

}  // namespace lanatus::neighbors
