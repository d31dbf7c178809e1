#include <string>

#include "core/ndarray.hpp"
#include "density/kernel_density.hpp"
#include "density/neighbor_radius.hpp"
#include "density/space_tree.hpp"

namespace lanatus::density {
namespace {

using namespace nb::literals;

Metric metric_named(const std::string& name) {
    if (name == "euclidean") return Metric::euclidean;
    if (name == "manhattan") return Metric::manhattan;
    require(name == "chebyshev", "metric must be 'euclidean', 'manhattan' or 'chebyshev'");
    return Metric::chebyshev;
}

Window window_named(const std::string& name) {
    if (name == "gaussian") return Window::gaussian;
    if (name == "tophat") return Window::tophat;
    if (name == "epanechnikov") return Window::epanechnikov;
    if (name == "exponential") return Window::exponential;
    if (name == "linear") return Window::linear;
    if (name == "cosine") return Window::cosine;
    require(name == "box", "there is no such kernel");
    return Window::box;
}

SpaceTree tree_of(const In2<double>& rows, const Weights& w, const In2<double>& nodes) {
    require(rows.shape(0) >= 1 && rows.shape(1) >= 1, "a tree needs a row and a column");
    require_weights(w, rows.shape(0));
    require(nodes.shape(1) == record_size(rows.shape(1)), "nodes and rows differ in number of features");
    const std::size_t count = nodes.shape(0);
    require(count >= 1 && (count & (count + 1)) == 0, "nodes must make a complete tree");
    return {view(rows), w ? span(w).data() : nullptr, view(nodes)};
}

template <class T>
auto py_space_tree(In2<T> X, Weights w, std::size_t leaf_size, int n_threads) {
    require_threads(n_threads);
    require(X.shape(0) >= 1 && X.shape(1) >= 1 && leaf_size >= 1, "a tree needs a row, a column and leaves");
    require_weights(w, X.shape(0));
    auto order = new_array<std::int64_t>(X.shape(0));
    auto nodes = new_array<double>(tree_nodes(tree_levels(X.shape(0), leaf_size)), record_size(X.shape(1)));
    {
        nb::gil_scoped_release nogil;
        build_space_tree<T>(view(X), w ? span(w).data() : nullptr, span(order), view(nodes), n_threads);
    }
    return std::tuple(order, nodes);
}

auto py_log_kernel_sums(In2<double> queries, In2<double> rows, Weights w, In2<double> nodes, const std::string& kernel,
                        const std::string& metric, double h, double rtol, double atol, bool exclude_self,
                        std::size_t block_size, int n_threads) {
    require_threads(n_threads);
    require(queries.shape(1) == rows.shape(1), "queries and rows differ in number of features");
    require(h > 0 && block_size >= 1, "h and block_size must be positive");
    require(rtol >= 0 && atol >= 0, "rtol and atol must not be negative");
    const SpaceTree tree = tree_of(rows, w, nodes);
    const WindowSpec spec{window_named(kernel), metric_named(metric), h, exclude_self};
    auto out = new_array<double>(queries.shape(0));
    {
        nb::gil_scoped_release nogil;
        log_kernel_sums(tree, spec, {rtol, atol}, view(queries), block_size, out.data(), n_threads);
    }
    return out;
}

auto py_neighbor_radii(In2<double> queries, In2<double> rows, Weights w, In2<double> nodes, const std::string& metric,
                       double k, int n_threads) {
    require_threads(n_threads);
    require(queries.shape(1) == rows.shape(1), "queries and rows differ in number of features");
    require(k > 0, "k must be positive");
    const SpaceTree tree = tree_of(rows, w, nodes);
    const Metric kind = metric_named(metric);
    auto out = new_array<double>(queries.shape(0));
    {
        nb::gil_scoped_release nogil;
        neighbor_radii(tree, kind, k, view(queries), out.data(), n_threads);
    }
    return out;
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("space_tree", &py_space_tree<T>, "X"_a.noconvert(), "w"_a.noconvert().none(), nb::kw_only(), "leaf_size"_a,
          "n_threads"_a, "-> (order of the rows by leaves (n,), records of the nodes (nodes, 3 d + 2))");
}

}  // namespace

void bind_kernels(nb::module_& m) {
    bind_dtype<double>(m), bind_dtype<float>(m);
    m.def("log_kernel_sums", &py_log_kernel_sums, "queries"_a.noconvert(), "rows"_a.noconvert(), "w"_a.noconvert().none(),
          "nodes"_a.noconvert(), nb::kw_only(), "kernel"_a, "metric"_a, "h"_a, "rtol"_a, "atol"_a, "exclude_self"_a,
          "block_size"_a, "n_threads"_a,
          "-> log of sum_i w_i K(|q - x_i| / h) for each query; rows and w in the order of the tree. exclude_self leaves\n"
          "out rows at distance 0.");
    m.def("neighbor_radii", &py_neighbor_radii, "queries"_a.noconvert(), "rows"_a.noconvert(), "w"_a.noconvert().none(),
          "nodes"_a.noconvert(), nb::kw_only(), "metric"_a, "k"_a, "n_threads"_a,
          "-> for each query the least radius within which the rows weigh k.");
}

}  // namespace lanatus::density
