// Surrogate splits: tests on other columns that agree best with a node's own, for rows whose value is missing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tree/sorted_rows.hpp"

namespace lanatus::tree {

namespace {

// Weight of the known rows by the split's two children.
using Sides = double[2];

// The best stand-in on a nominal column: each value goes where most of its rows went. Returns the weight that agrees.
double agree_by_values(const Columns& columns, const SortedRows& part, const Split& split, Surrogate& s, Sides& sides) {
    const auto& rank = columns.rank[static_cast<std::size_t>(split.feature)];
    const auto j = static_cast<std::size_t>(s.feature);
    double agree = 0;
    std::vector<double> mass(2 * static_cast<std::size_t>(columns.values[j]));
    for (std::size_t e = 0; e < part.rows.size(); ++e) {
        const std::uint32_t a = rank[part.rows[e]], b = columns.rank[j][part.rows[e]];
        if (a == Columns::none || b == Columns::none) continue;
        const auto c = static_cast<std::size_t>(child_of(split, a));
        mass[2 * b + c] += part.weights[e];
        sides[c] += part.weights[e];
    }
    for (std::size_t i = 0; 2 * i < mass.size(); ++i) {
        if (!(mass[2 * i] + mass[2 * i + 1] > 0)) continue;
        set_bit(s.known, i);
        if (mass[2 * i] >= mass[2 * i + 1]) set_bit(s.subset, i);
        agree += std::max(mass[2 * i], mass[2 * i + 1]);
    }
    return agree;
}

// The same on a numeric one, by a threshold.
double agree_by_threshold(const Columns& columns, const SortedRows& part, const Split& split, Surrogate& s,
                          Sides& sides) {
    const auto& rank = columns.rank[static_cast<std::size_t>(split.feature)];
    const auto j = static_cast<std::size_t>(s.feature);
    double agree = 0;
    Sorted own;
    if (part.order.empty()) own = sorted(columns, part.rows, j);
    const Sorted& order = part.order.empty() ? own : part.order[j];
    double below[2] = {0, 0};
    std::vector<std::pair<std::uint32_t, std::int32_t>> known;  // rank, child
    std::vector<double> mass;
    for (const std::uint64_t item : order) {
        const auto e = static_cast<std::uint32_t>(item);
        const std::uint32_t a = rank[part.rows[e]];
        if (a == Columns::none) continue;
        known.emplace_back(static_cast<std::uint32_t>(item >> 32), child_of(split, a));
        mass.push_back(part.weights[e]);
        sides[static_cast<std::size_t>(known.back().second)] += part.weights[e];
    }
    for (std::size_t i = 0; i + 1 < known.size(); ++i) {
        below[static_cast<std::size_t>(known[i].second)] += mass[i];
        if (known[i].first == known[i + 1].first) continue;
        for (std::int32_t c = 0; c < 2; ++c) {
            const auto at = static_cast<std::size_t>(c);
            const double now = below[at] + sides[1 - at] - below[1 - at];
            if (now > agree * (1 + 1e-12)) {
                agree = now;
                s.below = c;
                s.threshold = between(columns.distinct[j][known[i].first], columns.distinct[j][known[i + 1].first]);
            }
        }
    }
    return agree;
}

}  // namespace

void find_surrogates(const Columns& columns, const SortedRows& part, std::size_t most, Split& split) {
    std::vector<Surrogate> all;
    for (std::size_t j = 0; j < columns.d; ++j) {
        if (j == static_cast<std::size_t>(split.feature)) continue;
        Surrogate s;
        s.feature = static_cast<std::int32_t>(j);
        Sides sides = {0, 0};
        const double agree = columns.is_nominal(j) ? agree_by_values(columns, part, split, s, sides)
                                                   : agree_by_threshold(columns, part, split, s, sides);
        const double total = sides[0] + sides[1];
        if (!(total > 0) || !(agree > std::max(sides[0], sides[1]) * (1 + 1e-9))) continue;
        s.agreement = agree / total;
        all.push_back(std::move(s));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Surrogate& a, const Surrogate& b) { return a.agreement > b.agreement; });
    if (all.size() > most) all.resize(most);
    split.more().surrogates = std::move(all);
}

}  // namespace lanatus::tree
