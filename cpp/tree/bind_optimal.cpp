#include "core/ndarray.hpp"
#include "tree/optimal.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

constexpr std::size_t most_counts = std::size_t{1} << 27;  // a gigabyte of them

auto py_optimal_tree(In2<std::uint8_t> tests, In1<std::uint32_t> codes, const Weights& weights, std::size_t n_classes,
                     int max_depth, std::size_t min_rows, double leaf_cost, std::uint64_t max_solved) {
    const std::size_t F = tests.shape(0), n = tests.shape(1);
    require(codes.shape(0) == n && n < (std::size_t{1} << 32), "codes must have one entry a row");
    require_weights(weights, n);
    require(n_classes >= 1 && max_depth >= 1 && max_depth <= 32 && min_rows >= 1 && leaf_cost >= 0,
            "an option of the optimal tree is out of range");
    require(F == 0 || F <= most_counts / n_classes / F, "there are too many tests to count their pairs");
    for (std::size_t i = 0; i < n; ++i) require(codes.data()[i] < n_classes, "a code is no class");
    for (std::size_t k = 0; k < F * n; ++k) require(tests.data()[k] <= 1, "tests must be 0 or 1");
    const OptimalOptions options{max_depth, min_rows, leaf_cost, max_solved};
    OptimalTree tree;
    {
        nb::gil_scoped_release nogil;
        tree = optimal_tree(view(tests), span(codes), n_classes, span(weights), options);
    }
    auto nodes = new_array<std::int32_t>(tree.nodes.size(), 3);
    for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
        const OptimalNode& at = tree.nodes[node];
        std::int32_t* row = nodes.data() + 3 * node;
        row[0] = at.test, row[1] = at.first_child, row[2] = at.parent;
    }
    return std::tuple(nodes, tree.cost, tree.n_solved, tree.optimal);
}

}  // namespace

void bind_optimal(nb::module_& m) {
    m.def("optimal_tree", &py_optimal_tree, "tests"_a.noconvert(), "codes"_a.noconvert(),
          "weights"_a.noconvert().none(), nb::kw_only(), "n_classes"_a, "max_depth"_a, "min_rows"_a, "leaf_cost"_a,
          "max_solved"_a,
          "-> (nodes of test, first child and parent, cost, sets of rows solved, whether the tree is optimal)");
}

}  // namespace lanatus::tree
