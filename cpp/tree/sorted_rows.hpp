// The rows of a node by sorted columns, and all of the exact search that does not depend on its criterion: compiled once,
// not once a criterion.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "tree/columns.hpp"
#include "tree/grown.hpp"
#include "tree/rules.hpp"

namespace lanatus::tree {

// rank << 32 | entry, ascending, known values only.
struct Sorted {
    Buffer<std::uint64_t> items;
    std::size_t size = 0;
    explicit Sorted(std::size_t room = 0) : items(room) {}
    std::uint64_t operator[](std::size_t i) const { return items[i]; }
    std::uint64_t front() const { return items[0]; }
    std::uint64_t back() const { return items[size - 1]; }
    const std::uint64_t* begin() const { return items.data(); }
    const std::uint64_t* end() const { return items.data() + size; }
};

struct SortedRows {
    std::vector<std::uint32_t> rows;
    std::vector<double> weights;
    std::vector<Sorted> order;  // by column; empty where columns are sorted at each node
    bool unit = false;          // all weights are one
    std::vector<double> state, said;
    double weight = 0, impurity = 0;
    std::int64_t n_rows = 0, depth = 0;
    std::uint64_t key = 0;
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

// The best split of one column.
struct Candidate {
    bool valid = false;
    double gain = 0, score = 0, value = 0;  // value: of the split's own information
    Split split;
};

// Where entries went: the child (-1 for all of them, by share), the place there, and how many of each child went whole.
struct Places {
    const std::vector<std::int32_t>& child;
    const std::vector<std::uint32_t>&place, &base;
};

// Some rows in the order of their values in column j.
Sorted sorted(const Columns& columns, const std::vector<std::uint32_t>& rows, std::size_t j);

// The order of column j, cut into those of the children.
void hand_down(Sorted& order, std::size_t j, const Places& places, const Split& split,
               const std::vector<SortedRows*>& children);

inline std::int32_t child_of(const Split& split, std::uint32_t rank) {
    if (split.kind == Kind::threshold) return rank <= split.rank ? 0 : 1;
    if (split.kind == Kind::values) return static_cast<std::int32_t>(rank);
    return split.has(rank) ? 0 : 1;
}
std::int32_t child_of_missing(const Columns& columns, const Split& split, std::uint32_t row);

// A threshold drawn evenly between the smallest and the largest value of the node, and whether it lies after entry i.
double draw(const Columns& columns, std::uint64_t key, std::size_t j, const Sorted& order);
inline bool at_draw(const std::vector<double>& values, const Sorted& order, std::size_t i, double drawn) {
    return values[order[i] >> 32] <= drawn && (i + 1 == order.size || values[order[i + 1] >> 32] > drawn);
}

// The child that the median of a column falls to.
std::int32_t side_of_median(const std::vector<double>& weights, const Sorted& order, std::size_t cut);

// The best of the columns' splits, none if no column can be split.
Split choose(const Rules& rules, double impurity, std::vector<Candidate>& found);

// Tests on other columns that part the rows most nearly as the split does, better than sending all to the bigger child.
void find_surrogates(const Columns& columns, const SortedRows& part, std::size_t most, Split& split);

}  // namespace lanatus::tree
