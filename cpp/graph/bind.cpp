#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "graph/shortest_paths.hpp"

namespace lanatus::graph {
using namespace nb::literals;

namespace {

auto py_shortest_paths(const Csr<double>& graph, In1<std::int32_t> sources, int n_threads) {
    require_threads(n_threads);
    const auto edges = graph.view();
    require(edges.rows == edges.cols, "the graph must be a square matrix");
    for (const std::int32_t source : span(sources))
        require(source >= 0 && static_cast<std::size_t>(source) < edges.rows, "a source is no node of the graph");
    const std::span<const double> lengths{edges.values, static_cast<std::size_t>(edges.indptr[edges.rows])};
    for (const double length : lengths) require(length >= 0, "lengths of edges must be 0 or more, and no NaN");
    auto D = new_array<double>(sources.shape(0), edges.rows);
    {
        nb::gil_scoped_release nogil;
        shortest_paths(edges, span(sources), view(D), n_threads);
    }
    return D;
}

}  // namespace

void bind(nb::module_& m) {
    m.def("shortest_paths", &py_shortest_paths, "graph"_a, "sources"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> D (sources, nodes), lengths of the shortest paths from each source, infinite where there is none.");
}

}  // namespace lanatus::graph
