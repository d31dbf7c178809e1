#include "tree/trees_python.hpp"

#include <algorithm>

namespace lanatus::tree {

namespace {

template <class T>
Out1<T> given(Array<T>& array, std::size_t n) {
    T* data = array.release();
    return Out1<T>(data, {n}, detail::owner_of(data));
}
template <class T>
Out1<T> copied(const std::vector<T>& from) {
    auto out = new_array<T>(from.size());
    std::copy(from.begin(), from.end(), out.data());
    return out;
}

// Words of the surrogates, one list each: where each begins, and all of them.
template <class Get>
void add_words(nb::dict& out, const char* start_name, const char* name, const std::vector<Surrogate>& of,
               const Get& get) {
    std::vector<std::int64_t> start{0};
    Bits words;
    for (const Surrogate& one : of) {
        words.insert(words.end(), get(one).begin(), get(one).end());
        start.push_back(static_cast<std::int64_t>(words.size()));
    }
    out[start_name] = copied(start);
    out[name] = copied(words);
}

nb::dict surrogates_of(const Flat& tree) {
    nb::dict out;
    std::vector<std::int32_t> feature, below;
    std::vector<double> threshold, agreement;
    for (const Surrogate& s : tree.surrogates) {
        feature.push_back(s.feature), below.push_back(s.below);
        threshold.push_back(s.threshold), agreement.push_back(s.agreement);
    }
    out["start"] = copied(tree.surrogate_start);
    out["feature"] = copied(feature);
    out["threshold"] = copied(threshold);
    out["agreement"] = copied(agreement);
    out["below"] = copied(below);
    add_words(out, "subset_start", "subset", tree.surrogates,
              [](const Surrogate& s) -> const Bits& { return s.subset; });
    add_words(out, "known_start", "known", tree.surrogates, [](const Surrogate& s) -> const Bits& { return s.known; });
    return out;
}

}  // namespace

nb::dict arrays_of(Flat tree) {
    nb::dict out;
    out["feature"] = given(tree.feature, tree.n);
    out["kind"] = given(tree.kind, tree.n);
    out["threshold"] = given(tree.threshold, tree.n);
    out["first_child"] = given(tree.first_child, tree.n);
    out["n_children"] = given(tree.n_children, tree.n);
    out["parent"] = given(tree.parent, tree.n);
    out["missing"] = given(tree.missing, tree.n);
    out["share"] = given(tree.share, tree.n);
    out["weight"] = given(tree.weight, tree.n);
    out["n_rows"] = given(tree.n_rows, tree.n);
    out["impurity"] = given(tree.impurity, tree.n);
    out["gain"] = given(tree.gain, tree.n);
    double* value = tree.value.release();
    out["outputs"] = Out2<double>(value, {tree.n, tree.width}, detail::owner_of(value));
    out["subset_start"] = given(tree.subset_start, tree.n + 1);
    out["subset"] = copied(tree.subset);
    if (!tree.surrogate_start.empty()) out["surrogates"] = surrogates_of(tree);
    return out;
}

}  // namespace lanatus::tree
