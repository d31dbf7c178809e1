// How trees grow, as one thing: when a node stays a leaf, which splits are looked for, what is known of rows elsewhere.
#pragma once
#include <cstdint>
#include <limits>

#include "tree/rules.hpp"

namespace lanatus::tree {

enum class Order { depth, breadth, best };

struct Limits {
    Order order = Order::depth;
    std::int64_t max_depth = std::numeric_limits<std::int64_t>::max();
    std::int64_t max_leaves = std::numeric_limits<std::int64_t>::max();
    std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
    std::int64_t min_split = 2;  // rows
    double min_split_weight = 0;
    double min_decrease = 0;  // of the impurity, times the node's part of all weight
    double min_gain = 0;
    double size_penalty = 0;  // a split must lower size_penalty * nodes + sum of the leaves' impurities
    double total = 1;         // weight of all rows
};

// Of the whole that rows are a part of, where they are streamed; 0 where these rows are all.
struct Totals {
    double scale = 0;   // whole numbers to a unit of weight, inside histograms
    double weight = 0;  // of all rows
    double target_mean = 0, target_step = 0;
};

struct Growth {
    Limits limits;
    Rules rules;
    Totals totals;
};

}  // namespace lanatus::tree
