#include "tree/sorted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/random.hpp"

namespace lanatus::tree {

Sorted sorted(const Columns& columns, const std::vector<std::uint32_t>& rows, std::size_t j) {
    const std::size_t m = rows.size(), values = columns.distinct[j].size();
    const auto& rank = columns.rank[j];
    Sorted order(m);
    if (m < values / 16 || m < 256) {
        for (std::size_t e = 0; e < m; ++e)
            if (const std::uint32_t r = rank[rows[e]]; r != Columns::none)
                order.items[order.size++] = std::uint64_t{r} << 32 | e;
        std::sort(order.items.data(), order.items.data() + order.size);
        return order;
    }
    std::vector<std::uint32_t> at(values + 1);
    for (std::size_t e = 0; e < m; ++e)
        if (const std::uint32_t r = rank[rows[e]]; r != Columns::none) ++at[r + 1], ++order.size;
    std::inclusive_scan(at.begin(), at.end(), at.begin());
    for (std::size_t e = 0; e < m; ++e)
        if (const std::uint32_t r = rank[rows[e]]; r != Columns::none)
            order.items[at[r]++] = std::uint64_t{r} << 32 | e;
    return order;
}

void hand_down(Sorted& order, std::size_t j, const Places& places, const Split& split,
               const std::vector<SortedRows*>& children) {
    const auto& [child, place, base] = places;
    constexpr std::uint64_t high = ~std::uint64_t{0} << 32;
    for (SortedRows* to : children) to->order[j] = Sorted(to->rows.size() + 1);  // one more, to write to in vain
    if (children.size() == 2 && base[0] == children[0]->rows.size() && base[1] == children[1]->rows.size()) {
        std::uint64_t *first = children[0]->order[j].items.data(), *second = children[1]->order[j].items.data();
        for (const std::uint64_t item : order) {
            const auto e = static_cast<std::uint32_t>(item);
            *first = *second = (item & high) | place[e];
            first += 1 - child[e];
            second += child[e];
        }
        children[0]->order[j].size = static_cast<std::size_t>(first - children[0]->order[j].items.data());
        children[1]->order[j].size = static_cast<std::size_t>(second - children[1]->order[j].items.data());
    } else {
        auto give = [&](std::size_t c, std::uint64_t item) {
            Sorted& to = children[c]->order[j];
            to.items[to.size++] = item;
        };
        for (const std::uint64_t item : order) {
            const auto e = static_cast<std::uint32_t>(item);
            if (child[e] >= 0) {
                give(static_cast<std::size_t>(child[e]), (item & high) | place[e]);
                continue;
            }
            for (std::size_t c = 0; c < children.size(); ++c)
                if (split.share(c) > 0) give(c, (item & high) | (base[c] + place[e]));
        }
    }
    order = Sorted();
}

std::int32_t child_of_missing(const Columns& columns, const Split& split, std::uint32_t row) {
    if (!split.extra) return split.missing;
    for (const Surrogate& s : split.extra->surrogates) {
        const auto j = static_cast<std::size_t>(s.feature);
        const std::uint32_t r = columns.rank[j][row];
        if (r == Columns::none) continue;
        if (!columns.is_nominal(j)) return columns.distinct[j][r] <= s.threshold ? s.below : 1 - s.below;
        if (has_bit(s.known.data(), s.known.size(), r)) return has_bit(s.subset.data(), s.subset.size(), r) ? 0 : 1;
    }
    return split.missing;
}

double draw(const Columns& columns, std::uint64_t key, std::size_t j, const Sorted& order) {
    const auto& values = columns.distinct[j];
    const double low = values[order.front() >> 32], high = values[order.back() >> 32];
    const double at = low + Philox(key, 2).uniform(j) * (high - low);
    return at < high ? std::max(at, low) : low;
}

std::int32_t side_of_median(const std::vector<double>& weights, const Sorted& order, std::size_t cut) {
    double all = 0, below = 0;
    for (const std::uint64_t item : order) all += weights[static_cast<std::uint32_t>(item)];
    for (std::size_t i = 0; i <= cut; ++i) below += weights[static_cast<std::uint32_t>(order[i])];
    return below >= all / 2 ? 0 : 1;
}

namespace {

// C4.5: of the columns that gain at least the average (or of those that gain most) the one of the best ratio.
void select_by_ratio(const Rules& rules, std::vector<Candidate>& found) {
    std::vector<double> gains;
    for (const Candidate& c : found)
        if (c.valid) gains.push_back(c.gain);
    if (gains.empty()) return;
    double least = -std::numeric_limits<double>::infinity();
    if (rules.preselect == Preselect::above_mean)
        least = std::accumulate(gains.begin(), gains.end(), 0.0) / static_cast<double>(gains.size());
    if (rules.preselect == Preselect::top && rules.top < gains.size()) {
        std::sort(gains.rbegin(), gains.rend());
        least = gains[rules.top - 1];
    }
    for (Candidate& c : found) {
        c.score = c.value > 1e-12 ? c.gain / c.value : 0.0;
        if (c.gain < least - 1e-9) c.valid = false;
    }
}

}  // namespace

Split choose(const Rules& rules, double impurity, std::vector<Candidate>& found) {
    for (Candidate& c : found) c.score = c.gain;
    if (rules.ratio) select_by_ratio(rules, found);
    const double slack = rules.ratio ? 1e-9 : rules.judge ? 1e-12 : 1e-9 * std::max(impurity, 1e-300);
    Candidate* best = nullptr;
    for (std::size_t i = 0; i < found.size(); ++i) {
        Candidate& c = found[rules.priority.empty() ? i : rules.priority[i]];
        if (c.valid && (best == nullptr || c.score > best->score + slack)) best = &c;
    }
    return best == nullptr ? Split{} : std::move(best->split);
}

}  // namespace lanatus::tree
