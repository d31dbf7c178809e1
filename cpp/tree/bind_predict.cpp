#include "core/ndarray.hpp"
#include "tree/predict.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

using Ints = In1<std::int32_t>;
using Longs = In1<std::int64_t>;

// A node's child stands after it in the same tree, so that every walk ends.
void require_trees(const TreeArrays& trees, std::size_t n_columns, std::size_t n_outputs) {
    const std::size_t n = trees.feature.size();
    require(!trees.start.empty() && trees.start.front() == 0 && static_cast<std::size_t>(trees.start.back()) == n &&
                trees.output.size() + 1 == trees.start.size(),
            "start must go from 0 to the number of nodes, with an output for each tree");
    require(trees.kind.size() == n && trees.threshold.size() == n && trees.first_child.size() == n &&
                trees.missing.size() == n && trees.value.rows == n && trees.subset_start.size() == n + 1,
            "the nodes' arrays differ in length");
    for (const std::int32_t output : trees.output)
        require(output < 0 ? trees.value.cols == n_outputs : static_cast<std::size_t>(output) < n_outputs,
                "a tree's output is not one of the outputs");
    for (std::size_t t = 0; t + 1 < trees.start.size(); ++t) {
        const std::int64_t begin = trees.start[t], end = trees.start[t + 1];
        require(begin < end, "a tree must have a node");
        for (std::int64_t i = begin; i < end; ++i) {
            const auto at = static_cast<std::size_t>(i);
            require(trees.kind[at] == 0 || trees.kind[at] == 1 || trees.kind[at] == 3, "only binary trees can be compact");
            if (trees.kind[at] == 0) continue;
            require(trees.feature[at] >= 0 && static_cast<std::size_t>(trees.feature[at]) < n_columns,
                    "a node tests no column of X");
            require(begin + trees.first_child[at] > i && begin + trees.first_child[at] + 1 < end,
                    "a node's children must stand after it");
            require(trees.missing[at] == 0 || trees.missing[at] == 1, "a missing value must go to one child");
        }
    }
}

void new_forest(CompactForest* self, std::size_t n_columns, std::size_t n_outputs, Longs start, Ints feature,
                In1<std::int8_t> kind, In1<double> threshold, Ints first_child, Ints missing, Longs subset_start,
                In1<std::uint32_t> subset, In2<double> value, Ints output) {
    const TreeArrays trees{span(start),   span(feature),      span(kind),   span(threshold), span(first_child),
                           span(missing), span(subset_start), span(subset), view(value),     span(output)};
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
    forest.def("__init__", &new_forest, "n_columns"_a, "n_outputs"_a, "start"_a.noconvert(), "feature"_a.noconvert(),
               "kind"_a.noconvert(), "threshold"_a.noconvert(), "first_child"_a.noconvert(), "missing"_a.noconvert(),
               "subset_start"_a.noconvert(), "subset"_a.noconvert(), "value"_a.noconvert(), "output"_a.noconvert());
    bind_dtype<double>(forest), bind_dtype<float>(forest);
}

}  // namespace lanatus::tree
