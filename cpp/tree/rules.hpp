// What the exact finder may be told.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tree/purity.hpp"

namespace lanatus::tree {

enum class Missing { branch, weights, surrogate, virtual_value, majority };
enum class Preselect { none, above_mean, top };

struct Rules {
    bool multiway = false, ratio = false, random = false, observed = false, mdl = false;
    bool median = false;  // numbers by absolute deviations from medians
    Preselect preselect = Preselect::above_mean;
    std::size_t top = 0;
    Missing missing = Missing::branch;
    std::size_t max_features = std::numeric_limits<std::size_t>::max();
    std::int64_t min_leaf = 1;
    double min_leaf_weight = 0;
    std::size_t max_surrogates = 5;
    std::vector<std::int8_t> monotone;    // -1, 0, 1 by column, or empty
    std::vector<std::uint32_t> priority;  // columns, the first wins a tie
    std::uint64_t seed = 0;
    Judge judge;  // the user's criterion, or empty
};

}  // namespace lanatus::tree
