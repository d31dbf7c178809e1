#include "core/ndarray.hpp"
#include "neighbors/kd_tree_argument.hpp"
#include "neighbors/radius.hpp"

namespace lanatus::neighbors {
using namespace nb::literals;

namespace {

void require_queries(const In2<double>& points, const In2<double>& queries, int n_threads) {
    require_threads(n_threads);
    require(points.shape(0) >= 1, "there must be at least one point");
    require(queries.shape(1) == points.shape(1), "queries and points differ in number of features");
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
    m.def("kd_tree", &py_kd_tree, "X"_a.noconvert(), "w"_a.noconvert().none(), nb::kw_only(), "leaf_size"_a,
          "n_threads"_a, "-> (order of the rows by leaves (n,), records of the nodes (nodes, 3 d + 2))");
    m.def("neighbor_radii", &py_radii, "queries"_a.noconvert(), "rows"_a.noconvert(), "w"_a.noconvert().none(),
          "nodes"_a.noconvert(), nb::kw_only(), "p"_a, "k"_a, "n_threads"_a,
          "-> for each query the least radius within which the rows weigh k, by Minkowski's distance of order p.");
}

}  // namespace lanatus::neighbors
