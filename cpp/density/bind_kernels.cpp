#include <string>

#include "core/ndarray.hpp"
#include "density/kernel_density.hpp"
#include "neighbors/kd_tree_argument.hpp"

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

auto py_log_kernel_sums(In2<double> queries, In2<double> rows, Weights w, In2<double> nodes, const std::string& kernel,
                        const std::string& metric, double h, double rtol, double atol, bool exclude_self,
                        std::size_t block_size, int n_threads) {
    require_threads(n_threads);
    require(queries.shape(1) == rows.shape(1), "queries and rows differ in number of features");
    require(h > 0 && block_size >= 1, "h and block_size must be positive");
    require(rtol >= 0 && atol >= 0, "rtol and atol must not be negative");
    const KdTree tree = neighbors::tree_of(rows, w, nodes);
    const WindowSpec spec{window_named(kernel), metric_named(metric), h, exclude_self};
    auto out = new_array<double>(queries.shape(0));
    {
        nb::gil_scoped_release nogil;
        log_kernel_sums(tree, spec, {rtol, atol}, view(queries), block_size, out.data(), n_threads);
    }
    return out;
}

}  // namespace

void bind_kernels(nb::module_& m) {
    m.def("log_kernel_sums", &py_log_kernel_sums, "queries"_a.noconvert(), "rows"_a.noconvert(),
          "w"_a.noconvert().none(), "nodes"_a.noconvert(), nb::kw_only(), "kernel"_a, "metric"_a, "h"_a, "rtol"_a,
          "atol"_a, "exclude_self"_a, "block_size"_a, "n_threads"_a,
          "-> log of sum_i w_i K(|q - x_i| / h) for each query; rows and w in the order of the tree. exclude_self "
          "leaves\n"
          "out rows at distance 0.");
}

}  // namespace lanatus::density
