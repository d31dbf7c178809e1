// Counts of all pairs of values by class -- book 7.4: |D_{c, x_i, x_j}| for every two attributes, (7.22), (7.25).
//
// Given    codes x_ij in [0, size_j), negative where missing; classes y_i in [0, classes), negative to leave a row out;
//          weights w_i, or none for ones. A slot is a value of an attribute; attribute j owns the slots
//          [start_j, start_j + size_j) of S altogether.
// Result   out[a][b][c] = sum of w_i over the rows of class c that have both values a and b; (S, S, classes). It is
//          symmetric; the diagonal has the counts of single values.
// Method   Attributes are packed into groups whose joint values are still few. A pair of groups is counted as one joint
//          table, with one addition a row, and the tables of all their attributes are its margins: 500 000 rows of 20
//          attributes with 4 values need 28 additions a row, not 210. Every pair of groups is a task that owns its part
//          of the result, so threads do not show and nothing is merged.
// Cost     O(n g^2 / 2) additions for g groups, O(S^2 classes) memory for the result.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/simd.hpp"

namespace lanatus::bayes {

namespace detail {

// Cells of the joint table of two groups: stays in the first cache. Few rows do not pay for many cells.
inline std::size_t most_cells(std::size_t rows) { return std::clamp<std::size_t>(rows / 8, 1, std::size_t{1} << 13); }

struct Group {
    std::vector<std::size_t> members;
    std::size_t cells = 1;            // joint values, a missing one counted as a value of its own
    std::vector<std::int64_t> slots;  // (cells, members): the slot that a joint value has there, -1 where missing

    std::span<const std::int64_t> values(std::size_t cell) const {
        return {slots.data() + cell * members.size(), members.size()};
    }
};

// First fit, the largest attributes first.
inline std::vector<Group> packed(std::span<const std::int64_t> sizes, std::size_t rows, std::size_t classes) {
    const double limit = std::sqrt(static_cast<double>(most_cells(rows)) / static_cast<double>(classes + 1));
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    std::vector<Group> groups;
    for (const std::size_t j : order) {
        const auto values = static_cast<std::size_t>(sizes[j]) + 1;
        auto home = groups.end();
        // Beyond a few open groups a search for room costs more than it saves.
        const std::size_t first = groups.size() > 8 ? groups.size() - 8 : 0;
        for (auto g = groups.begin() + static_cast<std::ptrdiff_t>(first); g != groups.end() && home == groups.end();
             ++g)
            if (static_cast<double>(g->cells * values) <= limit) home = g;
        if (home == groups.end()) home = groups.insert(groups.end(), Group{});
        home->members.push_back(j);
        home->cells *= values;
    }
    return groups;
}

inline void fill_slots(Group& group, std::span<const std::int64_t> sizes, std::span<const std::int64_t> start) {
    const std::size_t m = group.members.size();
    group.slots.resize(group.cells * m);
    for (std::size_t cell = 0; cell < group.cells; ++cell) {
        std::size_t rest = cell;
        for (std::size_t at = m; at-- > 0;) {
            const std::size_t j = group.members[at], values = static_cast<std::size_t>(sizes[j]) + 1;
            const auto digit = static_cast<std::int64_t>(rest % values);  // 0 is missing
            group.slots[cell * m + at] = digit ? start[j] + digit - 1 : -1;
            rest /= values;
        }
    }
}

// The joint value of every group in every row, group by group.
template <class Code, class Joint>
void pack_rows(MatrixView<const Code> X, std::span<const std::int64_t> sizes, const std::vector<Group>& groups,
               Joint* joint, int n_threads) {
    parallel_chunks(Chunks::of(X.rows, 1024), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Code* x = X.row(i);
            for (std::size_t g = 0; g < groups.size(); ++g) {
                std::size_t cell = 0;
                for (const std::size_t j : groups[g].members)
                    cell = cell * (static_cast<std::size_t>(sizes[j]) + 1) + static_cast<std::size_t>(x[j] + 1);
                joint[g * X.rows + i] = static_cast<Joint>(cell);
            }
        }
    });
}

template <class Joint>
LANATUS_INLINE void joint_cells(const Joint* a, const Joint* b, const std::uint32_t* y, std::size_t n,
                                std::uint32_t cells_a, std::uint32_t cells_b, std::uint32_t* __restrict out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = (y[i] * cells_a + a[i]) * cells_b + b[i];
}
LANATUS_CLONES static void cells_leaf(const std::uint16_t* a, const std::uint16_t* b, const std::uint32_t* y,
                                      std::size_t n, std::uint32_t cells_a, std::uint32_t cells_b, std::uint32_t* out) {
    joint_cells(a, b, y, n, cells_a, cells_b, out);
}
LANATUS_CLONES static void cells_leaf(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* y,
                                      std::size_t n, std::uint32_t cells_a, std::uint32_t cells_b, std::uint32_t* out) {
    joint_cells(a, b, y, n, cells_a, cells_b, out);
}

// table[(class, value of a, value of b)] over all rows. Two tables take turns, lest an addition wait for the one before.
template <class Joint, class Part>
void count_joint(const Joint* a, const Joint* b, const std::uint32_t* y, std::span<const double> w, std::size_t cells_a,
                 std::size_t cells_b, std::size_t classes, std::size_t n, std::vector<Part>& table) {
    const std::size_t size = (classes + 1) * cells_a * cells_b;
    constexpr std::size_t block = 512;
    const std::size_t turns = 8 * size <= n ? 2 : 1;
    table.assign(turns * size, Part{});
    Part* even = table.data();
    Part* odd = table.data() + (turns - 1) * size;
    std::uint32_t cell[block];
    for (std::size_t begin = 0; begin < n; begin += block) {
        const std::size_t rows = std::min(block, n - begin);
        cells_leaf(a + begin, b + begin, y + begin, rows, static_cast<std::uint32_t>(cells_a),
                   static_cast<std::uint32_t>(cells_b), cell);
        if (w.empty()) {
            std::size_t i = 0;
            for (; i + 1 < rows; i += 2) even[cell[i]] += Part{1}, odd[cell[i + 1]] += Part{1};
            if (i < rows) even[cell[i]] += Part{1};
        } else {
            for (std::size_t i = 0; i < rows; ++i) even[cell[i]] += static_cast<Part>(w[begin + i]);
        }
    }
    if (turns == 2)
        for (std::size_t at = 0; at < size; ++at) even[at] += odd[at];
}

// The result as it is filled in: counts of two slots in a class.
struct PairTable {
    double* out;
    std::size_t slots, classes;

    // Rows of class c that have the values s of one group and t of another; -1 is none.
    void add(std::span<const std::int64_t> s, std::span<const std::int64_t> t, std::size_t c, double count) const {
        for (const std::int64_t one : s)
            for (const std::int64_t other : t)
                if (one >= 0 && other >= 0)
                    out[(static_cast<std::size_t>(one) * slots + static_cast<std::size_t>(other)) * classes + c] +=
                        count;
    }
};

// Adds the joint table of two groups, or of one with itself, to the tables of their attributes.
template <class Part>
void add_margins(const std::vector<Part>& table, const Group& a, const Group& b, const PairTable& pairs) {
    const bool same = &a == &b;
    const std::size_t cells_b = same ? 1 : b.cells;
    for (std::size_t c = 0; c < pairs.classes; ++c)
        for (std::size_t va = 0; va < a.cells; ++va)
            for (std::size_t vb = 0; vb < cells_b; ++vb) {
                const auto count = static_cast<double>(table[(c * a.cells + va) * cells_b + vb]);
                if (count == 0) continue;
                pairs.add(a.values(va), b.values(same ? va : vb), c, count);
                if (!same) pairs.add(b.values(vb), a.values(va), c, count);
            }
}

template <class Code, class Joint>
void pair_counts(MatrixView<const Code> X, std::span<const std::int64_t> sizes, std::span<const std::uint32_t> y,
                 std::span<const double> w, const std::vector<Group>& groups, const PairTable& pairs, int n_threads) {
    const std::size_t n = X.rows, g = groups.size();
    Buffer<Joint> joint(n * g);
    pack_rows(X, sizes, groups, joint.data(), n_threads);
    Buffer<Joint> zeros(n);  // the second group of a group against itself
    std::fill_n(zeros.data(), n, Joint{0});
    parallel_for(g * (g + 1) / 2, n_threads, [&](std::size_t task) {
        // Task t is the pair (a, b) with a <= b: the row of a triangle that t falls into.
        auto b = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(task) + 1) - 1) / 2);
        while (b * (b + 1) / 2 > task) --b;
        while ((b + 1) * (b + 2) / 2 <= task) ++b;
        const std::size_t a = task - b * (b + 1) / 2;
        const std::size_t cells_b = a == b ? 1 : groups[b].cells;
        const Joint* second = a == b ? zeros.data() : joint.data() + b * n;
        auto run = [&]<class Part>(std::vector<Part>& table) {
            count_joint(joint.data() + a * n, second, y.data(), w, groups[a].cells, cells_b, pairs.classes, n, table);
            add_margins(table, groups[a], groups[b], pairs);
        };
        if (w.empty()) {
            thread_local std::vector<std::uint32_t> table;
            run(table);
        } else {
            thread_local std::vector<double> table;
            run(table);
        }
    });
}

}  // namespace detail

// out: (slots, slots, classes), filled here.
template <class Code>
void pair_counts(MatrixView<const Code> X, std::span<const std::int64_t> sizes, std::span<const std::int64_t> start,
                 std::span<const std::int32_t> y, std::span<const double> w, std::size_t classes, std::size_t slots,
                 std::span<double> out, int n_threads) {
    std::fill(out.begin(), out.end(), 0.0);
    std::vector<std::uint32_t> row_class(X.rows);  // a row that is left out is of one class more
    for (std::size_t i = 0; i < X.rows; ++i)
        row_class[i] = y[i] < 0 ? static_cast<std::uint32_t>(classes) : static_cast<std::uint32_t>(y[i]);
    auto groups = detail::packed(sizes, X.rows, classes);
    std::size_t largest = 1;
    for (auto& group : groups) detail::fill_slots(group, sizes, start), largest = std::max(largest, group.cells);
    const detail::PairTable pairs{out.data(), slots, classes};
    if (largest <= 65536) detail::pair_counts<Code, std::uint16_t>(X, sizes, row_class, w, groups, pairs, n_threads);
    else detail::pair_counts<Code, std::uint32_t>(X, sizes, row_class, w, groups, pairs, n_threads);
}

}  // namespace lanatus::bayes
