// A grown tree as one array a field, as Python holds it.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tree/grown.hpp"

namespace lanatus::tree {

template <class T>
using Array = std::unique_ptr<T[]>;

struct Flat {
    std::size_t n = 0, width = 1;
    Array<std::int32_t> feature, first_child, n_children, parent, missing;
    Array<std::int8_t> kind;
    Array<double> threshold, share, weight, impurity, gain, value;
    Array<std::int64_t> n_rows, subset_start;
    Bits subset;
    std::vector<Surrogate> surrogates;
    std::vector<std::int64_t> surrogate_start;  // of each node, and the end; empty where no node has any

    Flat() = default;
    explicit Flat(const Grown& tree);

  private:
    template <class... T>
    static void make(std::size_t size, Array<T>&... arrays) {
        ((arrays = std::make_unique_for_overwrite<T[]>(size)), ...);
    }
};

}  // namespace lanatus::tree
