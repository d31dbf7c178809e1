#include "core/ndarray.hpp"
#include "tree/route.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

template <class T>
std::span<const T> array(const nb::object& owner, const char* name) {
    return span(nb::cast<In1<T>>(owner.attr(name)));
}
template <class T>
std::span<const T> item(const nb::dict& owner, const char* name) {
    return span(nb::cast<In1<T>>(owner[name]));
}

// The view holds while the Tree does.
TreeView view_of(const nb::object& tree, std::size_t n_columns) {
    TreeView v;
    v.feature = array<std::int32_t>(tree, "feature");
    v.kind = array<std::int8_t>(tree, "kind");
    v.threshold = array<double>(tree, "threshold");
    v.first_child = array<std::int32_t>(tree, "first_child");
    v.n_children = array<std::int32_t>(tree, "n_children");
    v.missing = array<std::int32_t>(tree, "missing");
    v.share = array<double>(tree, "share");
    v.subset_start = array<std::int64_t>(tree, "subset_start");
    v.subset = array<std::uint32_t>(tree, "subset");
    const std::size_t n = v.feature.size();
    require(n > 0 && v.kind.size() == n && v.threshold.size() == n && v.first_child.size() == n && v.n_children.size() == n &&
                v.missing.size() == n && v.share.size() == n && v.subset_start.size() == n + 1,
            "the arrays of the tree differ in length");
    for (std::size_t i = 0; i < n; ++i) {
        if (v.n_children[i] <= 0) continue;
        const auto last = std::int64_t{v.first_child[i]} + v.n_children[i];
        require(v.feature[i] >= 0 && static_cast<std::size_t>(v.feature[i]) < n_columns, "a node tests a column that X has not");
        require(std::size_t(v.first_child[i]) > i && last <= static_cast<std::int64_t>(n), "a child stands outside the tree");
        require(v.missing[i] < v.n_children[i], "missing values go to a child that is not there");
    }
    if (const nb::object more = tree.attr("surrogates"); !more.is_none()) {
        const auto s = nb::cast<nb::dict>(more);
        v.stand_start = item<std::int64_t>(s, "start");
        v.stand_feature = item<std::int32_t>(s, "feature");
        v.stand_below = item<std::int32_t>(s, "below");
        v.stand_threshold = item<double>(s, "threshold");
        v.stand_subset_start = item<std::int64_t>(s, "subset_start");
        v.stand_subset = item<std::uint32_t>(s, "subset");
        v.stand_known_start = item<std::int64_t>(s, "known_start");
        v.stand_known = item<std::uint32_t>(s, "known");
        require(v.stand_start.size() == n + 1, "the surrogates do not fit the tree");
        for (const std::int32_t j : v.stand_feature)
            require(j >= 0 && static_cast<std::size_t>(j) < n_columns, "a surrogate tests a column that X has not");
    }
    return v;
}

template <class T>
Out2<double> py_spread(nb::object tree, In2<T> X, In2<double> value, int n_threads) {
    require_threads(n_threads);
    const TreeView v = view_of(tree, X.shape(1));
    require(value.shape(0) == v.feature.size(), "value must have a row for each node");
    auto out = new_array<double>(X.shape(0), value.shape(1));
    nb::gil_scoped_release nogil;
    std::fill_n(out.data(), out.size(), 0.0);
    spread(v, view(X), view(value), view(out), n_threads);
    return out;
}

template <class T>
Out1<std::int64_t> py_leaves(nb::object tree, In2<T> X, int n_threads) {
    require_threads(n_threads);
    const TreeView v = view_of(tree, X.shape(1));
    auto out = new_array<std::int64_t>(X.shape(0));
    nb::gil_scoped_release nogil;
    leaves(v, view(X), out.data(), n_threads);
    return out;
}

template <class T>
Out2<double> py_tally(nb::object tree, In2<T> X, In2<double> amounts) {
    const TreeView v = view_of(tree, X.shape(1));
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

void bind_route(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::tree
