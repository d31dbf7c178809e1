#include "core/ndarray.hpp"
#include "tree/predict.hpp"
#include "tree/sound.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

using Ints = In1<std::int32_t>;
using Longs = In1<std::int64_t>;

// Trees laid one after another: each is a tree by itself, its children counted from its first node.
void require_trees(const TreeArrays& trees, std::size_t n_columns, std::size_t n_outputs) {
    const std::size_t n = trees.feature.size(), n_trees = trees.output.size();
    require(trees.start.size() == n_trees + 1 && trees.start.front() == 0 &&
                static_cast<std::size_t>(trees.start.back()) == n &&
                std::is_sorted(trees.start.begin(), trees.start.end()),
            "start must rise from 0 to the number of nodes, with an output for each tree");
    require(trees.kind.size() == n && trees.threshold.size() == n && trees.first_child.size() == n &&
                trees.missing.size() == n && trees.value.rows == n && trees.subset_start.size() == n + 1,
            "the nodes' arrays differ in length");
    require(trees.value.cols >= 1, "value has no column, wanted at least one");
    require(n_outputs >= 1, "there must be an output");
    for (const std::int32_t output : trees.output)
        require(output < 0 ? trees.value.cols == n_outputs : static_cast<std::size_t>(output) < n_outputs,
                "a tree's output is not one of the outputs");
    std::vector<std::uint8_t> scratch;
    for (std::size_t t = 0; t < n_trees; ++t) {
        const auto begin = static_cast<std::size_t>(trees.start[t]),
                   size = static_cast<std::size_t>(trees.start[t + 1]) - begin;
        TreeView one;
        one.feature = trees.feature.subspan(begin, size);
        one.kind = trees.kind.subspan(begin, size);
        one.threshold = trees.threshold.subspan(begin, size);
        one.first_child = trees.first_child.subspan(begin, size);
        one.missing = trees.missing.subspan(begin, size);
        one.subset_start = trees.subset_start.subspan(begin, size + 1);
        one.subset = trees.subset;
        require(require_tree(one, true, scratch) <= n_columns, "a node tests no column of X");
    }
}

void new_forest(CompactForest* self, std::size_t n_columns, std::size_t n_outputs, Longs start, Ints feature,
                In1<std::int8_t> kind, In1<double> threshold, Ints first_child, Ints missing, Longs subset_start,
                In1<std::uint32_t> subset, In2<double> value, Ints output) {
    const TreeArrays trees{.start = span(start),
                           .feature = span(feature),
                           .kind = span(kind),
                           .threshold = span(threshold),
                           .first_child = span(first_child),
                           .missing = span(missing),
                           .subset_start = span(subset_start),
                           .subset = span(subset),
                           .value = view(value),
                           .output = span(output)};
    require_trees(trees, n_columns, n_outputs);
    new (self) CompactForest(trees, n_columns, n_outputs);
}

template <class T>
auto py_sum(const CompactForest& forest, In2<T> X, int n_threads) {
    require_threads(n_threads);
    require(X.shape(1) == forest.n_columns(), "the trees and X differ in number of columns");
    auto out = new_array<double>(X.shape(0), forest.n_outputs());
    nb::gil_scoped_release nogil;
    std::fill_n(out.data(), X.shape(0) * forest.n_outputs(), 0.0);
    forest.add(view(X), view(out), n_threads);
    return out;
}

template <class T>
auto py_apply(const CompactForest& forest, In2<T> X, int n_threads) {
    require_threads(n_threads);
    require(X.shape(1) == forest.n_columns(), "the trees and X differ in number of columns");
    auto out = new_array<std::int32_t>(X.shape(0), forest.n_trees());
    nb::gil_scoped_release nogil;
    forest.apply(view(X), view(out), n_threads);
    return out;
}

template <class T>
void bind_dtype(nb::class_<CompactForest>& forest) {
    forest.def("predict_sum", &py_sum<T>, "X"_a.noconvert(), nb::kw_only(), "n_threads"_a,
               "-> (n, n_outputs): the sum over the trees of the values of each row's leaves.");
    forest.def("apply", &py_apply<T>, "X"_a.noconvert(), nb::kw_only(), "n_threads"_a,
               "-> (n, n_trees) int32: each row's leaves.");
}

}  // namespace

void bind_predict(nb::module_& m) {
    nb::class_<CompactForest> forest(m, "CompactForest", "Binary trees laid out for fast prediction.");
    forest.def("__init__", &new_forest, "n_columns"_a, "n_outputs"_a, nb::kw_only(), "start"_a.noconvert(),
               "feature"_a.noconvert(), "kind"_a.noconvert(), "threshold"_a.noconvert(), "first_child"_a.noconvert(),
               "missing"_a.noconvert(), "subset_start"_a.noconvert(), "subset"_a.noconvert(), "value"_a.noconvert(),
               "output"_a.noconvert());
    bind_dtype<double>(forest), bind_dtype<float>(forest);
}

}  // namespace lanatus::tree
