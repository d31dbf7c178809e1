// A Python Tree for the kernels: its arrays by name, checked once.
#pragma once
#include <string>
#include <vector>

#include "core/ndarray.hpp"
#include "tree/route.hpp"

namespace lanatus::tree {

class CheckedTree {
  public:
    explicit CheckedTree(const nb::object& tree);  // anything with the arrays of lanatus.tree.Tree

    std::size_t n_nodes() const noexcept { return view_.feature.size(); }
    std::size_t n_columns() const noexcept { return n_columns_; }
    // For rows of so many columns.
    const TreeView& view(std::size_t columns) const;

  private:
    template <class T>
    std::span<const T> taken(const nb::object& array, const char* name);

    TreeView view_;
    std::vector<nb::object> kept_;  // the arrays, as long as the view is used
    std::size_t n_columns_ = 0;
};

}  // namespace lanatus::tree
