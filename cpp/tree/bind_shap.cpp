#include "tree/shap.hpp"
#include "tree/view_python.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

void py_shap(const CheckedTree& tree, In2<double> X, In1<double> cover, In2<double> value, InOut2<double> phi,
             std::size_t n_outputs, std::size_t first, int n_threads) {
    require_threads(n_threads);
    const TreeView& v = tree.view(X.shape(1));
    require(cover.shape(0) == v.feature.size() && value.shape(0) == v.feature.size(),
            "cover and value must have a row for each node");
    require(phi.shape(0) == X.shape(0) && phi.shape(1) == X.shape(1) * n_outputs, "phi must be (n, columns * outputs)");
    require(first + value.shape(1) <= n_outputs, "the tree has more outputs than phi has room for");
    nb::gil_scoped_release nogil;
    const ShapPlan plan(v, span(cover), view(value));
    shap(plan, view(X), view(phi), n_outputs, first, n_threads);
}

Out2<double> py_expect(const CheckedTree& tree, In2<double> X, In1<double> cover, In1<std::uint8_t> known,
                       In2<double> value, int n_threads) {
    require_threads(n_threads);
    const TreeView& v = tree.view(X.shape(1));
    require(cover.shape(0) == v.feature.size() && value.shape(0) == v.feature.size(),
            "cover and value must have a row for each node");
    require(known.shape(0) == X.shape(1), "known must say something of every column");
    auto out = new_array<double>(X.shape(0), value.shape(1));
    nb::gil_scoped_release nogil;
    std::fill_n(out.data(), out.size(), 0.0);
    expect(v, span(cover), view(X), span(known), view(value), view(out), n_threads);
    return out;
}

}  // namespace

void bind_shap(nb::module_& m) {
    m.def("shap", &py_shap, "tree"_a, "X"_a.noconvert(), "cover"_a.noconvert(), "value"_a.noconvert(),
          "phi"_a.noconvert(), nb::kw_only(), "n_outputs"_a, "first"_a, "n_threads"_a,
          "phi (n, columns * n_outputs) += Shapley values of the columns for the tree's outputs, written from output "
          "`first` on.");
    m.def("expect", &py_expect, "tree"_a, "X"_a.noconvert(), "cover"_a.noconvert(), "known"_a.noconvert(),
          "value"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n, k): expectation of value where only the columns marked in `known` are known.");
}

}  // namespace lanatus::tree
