// Clusters by density.
#include <algorithm>
#include <limits>

#include "cluster/dbscan.hpp"
#include "cluster/hdbscan.hpp"
#include "cluster/optics.hpp"
#include "core/ndarray.hpp"
#include "neighbors/search_tree_argument.hpp"

namespace lanatus::cluster {
using namespace nb::literals;

namespace {

DensityRule rule_of(const Weights& w, std::size_t n, double eps, double min_samples, double p) {
    require(n < std::numeric_limits<std::int32_t>::max(), "there are too many rows");
    require(eps >= 0 && p >= 1, "eps must not be negative, and p at least 1");
    require_weights(w, n);
    return {eps, min_samples, p, span(w)};
}

template <class T>
auto py_dbscan_grid(In2<T> X, Weights w, double eps, double min_samples, double p, int n_threads)
    -> std::optional<std::tuple<Out1<std::int32_t>, Out1<std::uint8_t>>> {
    require_threads(n_threads);
    const DensityRule rule = rule_of(w, X.shape(0), eps, min_samples, p);
    auto labels = new_array<std::int32_t>(X.shape(0));
    auto core = new_array<std::uint8_t>(X.shape(0));
    bool done = false;
    {
        nb::gil_scoped_release nogil;
        done = dbscan_grid<T>(view(X), rule, {core.data(), labels.data()}, n_threads);
    }
    if (!done) return std::nullopt;
    return std::tuple(labels, core);
}

template <class T>
auto py_dbscan_tree(In2<T> X, In2<T> leaves, In2<T> nodes, In1<std::int32_t> order, Weights w, double eps,
                    double min_samples, double p, int n_threads) {
    require_threads(n_threads);
    const DensityRule rule = rule_of(w, X.shape(0), eps, min_samples, p);
    const auto tree = neighbors::search_tree_of<T>(leaves, nodes, order, X.shape(1), false);
    require(tree.shape.n == X.shape(0), "the tree must be over the rows of X");
    auto labels = new_array<std::int32_t>(X.shape(0));
    auto core = new_array<std::uint8_t>(X.shape(0));
    {
        nb::gil_scoped_release nogil;
        dbscan_tree<T>(view(X), tree, rule, {core.data(), labels.data()}, n_threads);
    }
    return std::tuple(labels, core);
}

using Ordered = std::tuple<Out1<std::int64_t>, Out1<double>, Out1<std::int64_t>>;

template <class Order>
Ordered ordered(std::size_t n, const In1<double>& core, const Order& order) {
    require(core.shape(0) == n, "core and X differ in number of rows");
    require(n < std::numeric_limits<std::int32_t>::max(), "there are too many rows");
    auto rows = new_array<std::int64_t>(n), from = new_array<std::int64_t>(n);
    auto reach = new_array<double>(n);
    {
        nb::gil_scoped_release nogil;
        order(Reachability{rows.data(), from.data(), reach.data()});
    }
    return {rows, reach, from};
}

template <class T>
Ordered py_optics_pairs(In2<T> X, In1<double> core, double max_eps, double p) {
    require(p >= 1, "p must be at least 1");
    return ordered(X.shape(0), core,
                   [&](const Reachability& out) { optics_pairs<T>(view(X), span(core), max_eps, p, out); });
}
template <class T>
Ordered py_optics_tree(In2<T> X, In2<T> leaves, In2<T> nodes, In1<std::int32_t> order, bool balls, In1<double> core,
                       double max_eps, double p) {
    require(p >= 1, "p must be at least 1");
    const auto tree = neighbors::search_tree_of<T>(leaves, nodes, order, X.shape(1), balls);
    require(tree.shape.n == X.shape(0), "the tree must be over the rows of X");
    return ordered(X.shape(0), core,
                   [&](const Reachability& out) { optics_tree<T>(view(X), tree, span(core), max_eps, p, out); });
}
Ordered py_optics_matrix(In2<double> D, In1<double> core, double max_eps) {
    require(D.shape(0) == D.shape(1), "D must be square");
    return ordered(D.shape(0), core,
                   [&](const Reachability& out) { optics_matrix(view(D), span(core), max_eps, out); });
}

template <class T>
Out1<T> array_of(const std::vector<T>& values) {
    auto out = new_array<T>(values.size());
    std::copy(values.begin(), values.end(), out.data());
    return out;
}

// Children stand before the cluster that they make, and every cluster has one place.
void require_merges(MatrixView<const std::int64_t> children, std::span<const double> heights) {
    require(children.cols == 2 && children.rows == heights.size(), "children must be (n - 1, 2), heights (n - 1,)");
    const std::size_t n = children.rows + 1;
    require(n < std::numeric_limits<std::int32_t>::max(), "there are too many rows");
    std::vector<std::uint8_t> seen(2 * n);
    for (std::size_t m = 0; m < children.rows; ++m)
        for (std::size_t k = 0; k < 2; ++k) {
            const std::int64_t node = children.row(m)[k];
            require(node >= 0 && static_cast<std::size_t>(node) < n + m,
                    "a merge is of clusters that are not there yet");
            require(!seen[static_cast<std::size_t>(node)], "a cluster is merged twice");
            seen[static_cast<std::size_t>(node)] = 1;
        }
}

auto py_hdbscan(In2<std::int64_t> children, In1<double> heights, std::size_t min_size, bool leaves, bool allow_root,
                double max_size, double eps) {
    require_merges(view(children), span(heights));
    require(min_size >= 2, "min_size must be at least 2");
    const Selection how{leaves, allow_root, max_size, eps};
    const std::size_t n = children.shape(0) + 1;
    auto labels = new_array<std::int32_t>(n);
    auto probability = new_array<double>(n);
    Branches tree;
    std::vector<double> stability;
    std::vector<std::uint8_t> chosen;
    {
        nb::gil_scoped_release nogil;
        tree = condense(view(children), span(heights), min_size);
        stability = stabilities(tree);
        chosen = choose(tree, stability, how);
        label_rows(tree, chosen, how, span(labels), span(probability));
    }
    return std::tuple(labels, probability, array_of(tree.parent), array_of(tree.birth), array_of(tree.size),
                      array_of(stability), array_of(chosen), array_of(tree.branch_of), array_of(tree.leaves_at));
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def(
        "dbscan_grid", &py_dbscan_grid<T>, "X"_a.noconvert(), "w"_a.noconvert().none(), nb::kw_only(), "eps"_a,
        "min_samples"_a, "p"_a, "n_threads"_a,
        "-> (labels int32, core uint8), or None where a grid cannot be laid: more than three columns, or a tiny eps.");
    m.def("dbscan_tree", &py_dbscan_tree<T>, "X"_a.noconvert(), "leaves"_a.noconvert(), "nodes"_a.noconvert(),
          "order"_a.noconvert(), nb::kw_only(), "w"_a.noconvert().none(), "eps"_a, "min_samples"_a, "p"_a,
          "n_threads"_a, "-> (labels int32, core uint8), by searches in a tree over the rows of X.");
    m.def("optics_pairs", &py_optics_pairs<T>, "X"_a.noconvert(), "core"_a.noconvert(), nb::kw_only(), "max_eps"_a,
          "p"_a, "-> (order, reachability, predecessor) by comparing all pairs.");
    m.def("optics_tree", &py_optics_tree<T>, "X"_a.noconvert(), "leaves"_a.noconvert(), "nodes"_a.noconvert(),
          "order"_a.noconvert(), nb::kw_only(), "balls"_a, "core"_a.noconvert(), "max_eps"_a, "p"_a,
          "-> (order, reachability, predecessor) by searches in a tree over the rows of X.");
}

}  // namespace

void bind_density(nb::module_& m) {
    bind_dtype<double>(m), bind_dtype<float>(m);
    m.def("optics_matrix", &py_optics_matrix, "D"_a.noconvert(), "core"_a.noconvert(), nb::kw_only(), "max_eps"_a,
          "-> (order, reachability, predecessor) of a matrix of distances.");
    m.def("hdbscan", &py_hdbscan, "children"_a.noconvert(), "heights"_a.noconvert(), nb::kw_only(), "min_size"_a,
          "leaves"_a, "allow_root"_a, "max_size"_a, "eps"_a,
          "-> (labels, probability; of branches: parent, birth, size, stability, chosen; of rows: branch, lambda).");
}

}  // namespace lanatus::cluster
