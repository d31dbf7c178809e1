#include "tree/view_python.hpp"

#include "core/text.hpp"
#include "tree/sound.hpp"

namespace lanatus::tree {

// Without conversion: the view is of the Tree's own memory, and a copy in another type would be gone when it is read.
template <class T>
std::span<const T> CheckedTree::taken(const nb::object& array, const char* name) {
    In1<T> found;
    if (!nb::try_cast(array, found, false))
        throw std::invalid_argument(text("the tree is not sound: ", name, " must be a one-dimensional array of ",
                                         std::is_floating_point_v<T> ? "float"
                                         : std::is_signed_v<T>       ? "int"
                                                                     : "uint",
                                         8 * sizeof(T), " without gaps"));
    kept_.push_back(array);
    return span(found);
}

CheckedTree::CheckedTree(const nb::object& tree) {
    const auto get = [&]<class T>(std::span<const T>& to, const char* name) { to = taken<T>(tree.attr(name), name); };
    get(view_.feature, "feature"), get(view_.kind, "kind"), get(view_.threshold, "threshold");
    get(view_.first_child, "first_child"), get(view_.n_children, "n_children"), get(view_.missing, "missing");
    get(view_.share, "share"), get(view_.subset_start, "subset_start"), get(view_.subset, "subset");
    if (const nb::object more = tree.attr("surrogates"); !more.is_none()) {
        const auto item = [&]<class T>(std::span<const T>& to, const char* name) { to = taken<T>(more[name], name); };
        item(view_.stand_start, "start"), item(view_.stand_feature, "feature"), item(view_.stand_below, "below");
        item(view_.stand_threshold, "threshold"), item(view_.stand_subset_start, "subset_start");
        item(view_.stand_subset, "subset"), item(view_.stand_known_start, "known_start"),
            item(view_.stand_known, "known");
        if (view_.stand_start.empty())
            throw std::invalid_argument("the tree is not sound: surrogates['start'] is empty");
    }
    std::vector<std::uint8_t> scratch;
    n_columns_ = require_tree(view_, false, scratch);
}

const TreeView& CheckedTree::view(std::size_t columns) const {
    if (n_columns_ > columns)
        throw std::invalid_argument(
            text("the tree tests column ", n_columns_ - 1, ", but X has ", columns, " columns"));
    return view_;
}

}  // namespace lanatus::tree
