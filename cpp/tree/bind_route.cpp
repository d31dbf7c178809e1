#include "core/ndarray.hpp"
#include "tree/route.hpp"
#include "tree/view_python.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

template <class T>
Out2<double> py_spread(const CheckedTree& tree, In2<T> X, In2<double> value, int n_threads) {
    require_threads(n_threads);
    const TreeView& v = tree.view(X.shape(1));
    require(value.shape(0) == v.feature.size(), "value must have a row for each node");
    auto out = new_array<double>(X.shape(0), value.shape(1));
    nb::gil_scoped_release nogil;
    std::fill_n(out.data(), out.size(), 0.0);
    spread(v, view(X), view(value), view(out), n_threads);
    return out;
}

template <class T>
Out1<std::int64_t> py_leaves(const CheckedTree& tree, In2<T> X, int n_threads) {
    require_threads(n_threads);
    const TreeView& v = tree.view(X.shape(1));
    auto out = new_array<std::int64_t>(X.shape(0));
    nb::gil_scoped_release nogil;
    leaves(v, view(X), out.data(), n_threads);
    return out;
}

template <class T>
Out2<double> py_tally(const CheckedTree& tree, In2<T> X, In2<double> amounts) {
    const TreeView& v = tree.view(X.shape(1));
    require(amounts.shape(0) == X.shape(0), "amounts and X differ in number of rows");
    auto out = new_array<double>(v.feature.size(), amounts.shape(1));
    nb::gil_scoped_release nogil;
    std::fill_n(out.data(), out.size(), 0.0);
    tally(v, view(X), view(amounts), view(out));
    return out;
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("spread", &py_spread<T>, "tree"_a, "X"_a.noconvert(), "value"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n, k): the values of the leaves that each row reaches, each by the part of the row that does.");
    m.def("tally", &py_tally<T>, "tree"_a, "X"_a.noconvert(), "amounts"_a.noconvert(),
          "-> (n_nodes, k): sums of the amounts of the rows that end at each leaf.");
    m.def("leaves", &py_leaves<T>, "tree"_a, "X"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n,): the leaf that each row reaches, or that takes most of it.");
}

}  // namespace

void bind_route(nb::module_& m) {
    nb::class_<CheckedTree>(m, "CheckedTree",
                            "A Tree for the kernels, its arrays checked once; they must then stay as they are.")
        .def(nb::init<const nb::object&>(), "tree"_a)
        .def_prop_ro("n_nodes", &CheckedTree::n_nodes)
        .def_prop_ro("n_columns", &CheckedTree::n_columns, "Columns that rows must have for its tests.");
    bind_dtype<double>(m), bind_dtype<float>(m);
}

}  // namespace lanatus::tree
