// Grown trees on their way to Python.
#pragma once
#include "core/ndarray.hpp"
#include "tree/flat.hpp"

namespace lanatus::tree {

// The arrays of a Tree, which take over those of a flat one.
nb::dict arrays_of(Flat tree);

}  // namespace lanatus::tree
