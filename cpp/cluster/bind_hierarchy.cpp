#include <string>

#include "cluster/birch.hpp"
#include "cluster/linkage.hpp"
#include "cluster/spanning_tree.hpp"
#include "core/ndarray.hpp"

namespace lanatus::cluster {
using namespace nb::literals;

namespace {

Linkage linkage_named(const std::string& name) {
    if (name == "single") return Linkage::single;
    if (name == "complete") return Linkage::complete;
    if (name == "average") return Linkage::average;
    if (name == "weighted") return Linkage::weighted;
    if (name == "ward") return Linkage::ward;
    require(name == "centroid", "there is no such linkage");
    return Linkage::centroid;
}

template <class Find>
auto tree_of(std::size_t n, bool monotone, const Find& find) {
    require(n >= 1, "there must be at least one row");
    auto children = new_array<std::int64_t>(n - 1, std::size_t{2});
    auto heights = new_array<double>(n - 1);
    {
        nb::gil_scoped_release nogil;
        std::vector<Merge> merges = find();
        if (monotone) sort_merges(merges);
        number_merges(merges, view(children), span(heights));
    }
    return std::tuple(children, heights);
}

auto py_linkage_rows(In2<double> X, const std::string& name, int n_threads) {
    require_threads(n_threads);
    const Linkage how = linkage_named(name);
    return tree_of(X.shape(0), true, [&] {
        return how == Linkage::ward ? ward_merges(view(X)) : chain_merges_of_rows(view(X), how, n_threads);
    });
}

auto py_linkage_matrix(InOut2<double> D, const std::string& name) {
    require(D.shape(0) == D.shape(1), "the distances must be a square matrix");
    const Linkage how = linkage_named(name);
    std::vector<double> size(D.shape(0), 1.0);
    return tree_of(D.shape(0), how != Linkage::centroid, [&] {
        return how == Linkage::centroid ? generic_merges(view(D), size, how) : chain_merges(view(D), size, how);
    });
}

auto py_single_rows(In2<double> X, bool by_tree, int n_threads, Weights core) {
    require_threads(n_threads);
    require(!core || core->shape(0) == X.shape(0), "core and X differ in number of rows");
    require(!by_tree || X.shape(1) >= 1, "a tree needs a column");
    require(X.shape(0) <= 0x7fffffff, "too many rows");
    return tree_of(X.shape(0), true, [&] {
        return by_tree ? boruvka(view(X), n_threads, span(core)) : prim(view(X), n_threads, span(core));
    });
}

auto py_single_matrix(In2<double> D) {
    require(D.shape(0) == D.shape(1), "the distances must be a square matrix");
    return tree_of(D.shape(0), true, [&] { return prim_of_matrix(view(D)); });
}

void insert_rows(FeatureTree& tree, In2<double> X, Weights w, Weights deviations) {
    require(X.shape(1) == tree.columns(), "X and the tree differ in number of features");
    require_weights(w, X.shape(0));
    require_weights(deviations, X.shape(0));
    const auto rows = view(X);
    const auto weight = span(w), spread = span(deviations);
    nb::gil_scoped_release nogil;
    for (std::size_t i = 0; i < rows.rows; ++i)
        tree.insert(rows.row(i), weight.empty() ? 1.0 : weight[i], spread.empty() ? 0.0 : spread[i]);
}

auto subclusters(const FeatureTree& tree) {
    std::size_t count = 0;
    tree.each([&](double, const double*, double) { ++count; });
    auto means = new_array<double>(count, tree.columns());
    auto weight = new_array<double>(count), deviations = new_array<double>(count);
    std::size_t at = 0;
    tree.each([&](double own, const double* mean, double spread) {
        std::copy_n(mean, tree.columns(), means.data() + at * tree.columns());
        weight.data()[at] = own;
        deviations.data()[at++] = spread;
    });
    return std::tuple(means, weight, deviations);
}

}  // namespace

void bind_hierarchy(nb::module_& m) {
    const char* result = "-> (children (n - 1, 2), heights (n - 1)): merges as SciPy numbers them.";
    m.def("linkage_rows", &py_linkage_rows, "X"_a.noconvert(), "linkage"_a, nb::kw_only(), "n_threads"_a, result);
    m.def("linkage_matrix", &py_linkage_matrix, "D"_a.noconvert(), "linkage"_a, result);
    m.def("single_rows", &py_single_rows, "X"_a.noconvert(), nb::kw_only(), "by_tree"_a, "n_threads"_a,
          "core"_a.noconvert().none() = nb::none(), result);
    m.def("single_matrix", &py_single_matrix, "D"_a.noconvert(), result);
    nb::class_<FeatureTree>(m, "FeatureTree", "A clustering-feature tree: see cpp/cluster/birch.hpp.")
        .def(
            "__init__",
            [](FeatureTree* self, std::size_t d, double threshold, std::size_t branching) {
                require(d >= 1, "a tree needs a column");
                require(branching >= 2, "a node needs two children");
                require(threshold >= 0, "the threshold must not be negative");
                new (self) FeatureTree(d, threshold, branching);
            },
            "d"_a, "threshold"_a, "branching"_a)
        .def("insert", &insert_rows, "X"_a.noconvert(), "w"_a.noconvert().none() = nb::none(),
             "deviations"_a.noconvert().none() = nb::none(),
             "Takes up rows, or subclusters with weights and deviations.")
        .def("subclusters", &subclusters, "-> (means, weights, squared deviations)");
}

}  // namespace lanatus::cluster
