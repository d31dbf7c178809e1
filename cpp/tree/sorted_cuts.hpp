// The finder by sorted columns: the best cut of a numeric column, the best grouping of a nominal one.
#pragma once
#include "tree/sorted.hpp"

namespace lanatus::tree {

template <class Purity>
inline auto SortedFinder<Purity>::consider(const Part& part, std::size_t j) const -> Candidate {
    return columns_.is_nominal(j) ? nominal(part, j) : numeric(part, j);
}

// The entries whose value is missing: their state and number.
template <class Purity>
inline std::vector<double> SortedFinder<Purity>::missing_state(const Part& part, std::size_t j,
                                                               std::int64_t& count) const {
    std::vector<double> state(purity_.width);
    count = 0;
    for (std::size_t e = 0; e < part.rows.size(); ++e)
        if (columns_.rank[j][part.rows[e]] == Columns::none) {
            purity_.tally(state.data(), label(part, e), part.weights[e]);
            ++count;
        }
    return state;
}

template <class Purity>
inline bool SortedFinder<Purity>::ordered(const Part& part, std::size_t j, double left, double right) const {
    if (rules_.monotone.empty()) return true;
    const int sign = rules_.monotone[j];
    if constexpr (std::is_same_v<Label, double>) {
        // What was taken from the numbers; what the part says may be another number, a median or a bound.
        const double shift = centred_ ? labels_[part.rows[0] * n_outputs_] - part.labels[0] : 0.0;
        left += shift;
        right += shift;
    }
    return !(sign * (right - left) < 0) && left >= part.low && left <= part.high && right >= part.low &&
           right <= part.high;
}

template <class Purity>
inline double SortedFinder<Purity>::score(const Run& left, const Run& right) const {
    if (!rules_.judge) return purity_.phi(left) + purity_.phi(right);
    std::vector<double> states(2 * purity_.width);
    std::copy_n(Purity::state_of(left), purity_.width, states.data());
    std::copy_n(Purity::state_of(right), purity_.width, states.data() + purity_.width);
    return rules_.judge(states.data(), 2);
}

template <class Purity>
inline auto SortedFinder<Purity>::numeric(const Part& part, std::size_t j) const -> Candidate {
    Sorted own;
    if (!inherits_) own = sorted(columns_, part.rows, j);
    const Sorted& order = inherits_ ? part.order[j] : own;
    Candidate best;
    if (order.size == 0) return best;
    const std::size_t m = order.size;
    const bool holes = m < part.rows.size();
    if ((order.front() >> 32) == (order.back() >> 32) && !(holes && rules_.missing == Missing::branch)) return best;
    std::int64_t n_missing = 0;
    std::vector<double> gone(purity_.width), known = part.state;
    if (holes) {
        gone = missing_state(part, j, n_missing);
        for (std::size_t k = 0; k < purity_.width; ++k) known[k] -= gone[k];
    }
    const bool counted = holes && rules_.missing == Missing::branch;
    const double before = rules_.judge ? 0.0 : purity_.phi(counted ? part.state.data() : known.data());
    const double slack = rules_.judge ? 1e-12 : 1e-10 * std::max(part.weight * part.impurity, 1e-300);
    double highest = -std::numeric_limits<double>::infinity();
    std::size_t cut = m;
    std::int32_t missing_at = 1;
    const double drawn = rules_.random ? draw(columns_, part.key, j, order) : 0.0;
    const bool plain = !counted && !rules_.random && !rules_.judge && rules_.monotone.empty();
    if (by_medians()) cut_by_medians(part, j, order, drawn, counted, highest, cut, missing_at);
    const bool scanned = by_medians() || (plain && scan_two(part, order, known, slack, highest, cut));
    // Missing values on the right, then on the left; once if there are none, or if they do not count.
    for (std::int32_t side = 1; !scanned && side >= (counted ? 0 : 1); --side) {
        Run left = counted && side == 0 ? purity_.run(gone.data()) : purity_.run();
        Run right = counted && side == 1 ? purity_.run(part.state.data()) : purity_.run(known.data());
        const std::int64_t more_left = counted && side == 0 ? n_missing : 0,
                           more_right = counted && side == 1 ? n_missing : 0;
        for (std::size_t i = 0; i < m; ++i) {
            const auto e = static_cast<std::uint32_t>(order[i]);
            purity_.add(left, label(part, e), part.weights[e]);
            purity_.remove(right, label(part, e), part.weights[e]);
            if (i + 1 == m && !more_right) break;
            if (i + 1 < m && (order[i + 1] >> 32) == (order[i] >> 32)) continue;
            if (rules_.random && !at_draw(columns_.distinct[j], order, i, drawn)) continue;
            const auto n_left = static_cast<std::int64_t>(i + 1) + more_left;
            const auto n_right = static_cast<std::int64_t>(m - i - 1) + more_right;
            if (n_left < rules_.min_leaf || n_right < rules_.min_leaf) continue;
            if (rules_.min_leaf_weight > 0 &&
                (Purity::weight(left) < rules_.min_leaf_weight || Purity::weight(right) < rules_.min_leaf_weight))
                continue;
            const double now = score(left, right);
            if (!(now > highest + slack)) continue;
            if (!rules_.monotone.empty() &&
                !ordered(part, j, purity_.mean(Purity::state_of(left)), purity_.mean(Purity::state_of(right))))
                continue;
            highest = now;
            cut = i;
            missing_at = side;
        }
    }
    if (cut == m) return best;
    best.valid = true;
    Split& split = best.split;
    split.feature = static_cast<std::int32_t>(j);
    split.kind = Kind::threshold;
    split.rank = static_cast<std::uint32_t>(order[cut] >> 32);
    const auto& values = columns_.distinct[j];
    split.threshold = cut + 1 == m    ? std::numeric_limits<double>::infinity()
                      : rules_.random ? drawn
                                      : between(values[split.rank], values[order[cut + 1] >> 32]);
    if (rules_.observed && cut + 1 < m)
        split.threshold = *(std::upper_bound(values.begin(), values.end(), split.threshold) - 1);
    // The gain afresh, without the errors of a running sum.
    std::vector<double> left(purity_.width);
    for (std::size_t i = 0; i <= cut; ++i) {
        const auto e = static_cast<std::uint32_t>(order[i]);
        purity_.tally(left.data(), label(part, e), part.weights[e]);
    }
    std::vector<double> sides(2 * purity_.width);
    for (std::size_t k = 0; k < purity_.width; ++k) {
        sides[k] = left[k];
        sides[purity_.width + k] = known[k] - left[k];
    }
    finish(part, best, sides, 2, before, counted ? gone.data() : nullptr, missing_at);
    if (rules_.mdl) {
        std::size_t candidates = 0;
        for (std::size_t i = 0; i + 1 < m; ++i) candidates += (order[i + 1] >> 32) != (order[i] >> 32);
        best.gain -= std::log2(static_cast<double>(std::max<std::size_t>(candidates, 1))) / part.weight;
        split.gain = best.gain;
        if (best.gain <= 0) best.valid = false;
    }
    if (by_medians()) best.gain = split.gain = gain_by_medians(part, split);
    if (holes && rules_.missing == Missing::virtual_value) split.missing = side_of_median(part.weights, order, cut);
    return best;
}

template <class Purity>
inline auto SortedFinder<Purity>::group(const Part& part, std::size_t j) const -> Groups {
    const std::size_t v = static_cast<std::size_t>(columns_.values[j]);
    Groups g{std::vector<double>((v + 1) * purity_.width), std::vector<std::int64_t>(v + 1), {}, 0};
    for (std::size_t e = 0; e < part.rows.size(); ++e) {
        const std::uint32_t r = columns_.rank[j][part.rows[e]];
        const std::size_t at = r == Columns::none ? v : r;
        purity_.tally(&g.states[at * purity_.width], label(part, e), part.weights[e]);
        ++g.count[at];
    }
    g.n_missing = g.count[v];
    for (std::size_t i = 0; i < v; ++i)
        if (g.count[i] > 0) g.present.push_back(i);
    return g;
}

template <class Purity>
inline auto SortedFinder<Purity>::nominal(const Part& part, std::size_t j) const -> Candidate {
    Candidate best;
    Groups g = group(part, j);
    const std::size_t v = static_cast<std::size_t>(columns_.values[j]), w = purity_.width;
    const bool counted = g.n_missing > 0 && rules_.missing == Missing::branch && !rules_.multiway;
    if (g.present.size() + (counted ? 1 : 0) < 2) return best;
    std::vector<double> known = part.state;
    if (!counted)
        for (std::size_t k = 0; k < w; ++k) known[k] -= g.states[v * w + k];
    const double before = rules_.judge ? 0.0 : purity_.phi(known.data());
    best.split.feature = static_cast<std::int32_t>(j);
    if (rules_.multiway) {
        std::size_t enough = 0;
        for (const std::size_t i : g.present)
            enough += g.count[i] >= rules_.min_leaf && purity_.weight(&g.states[i * w]) >= rules_.min_leaf_weight;
        if (enough < 2) return best;
        best.valid = true;
        best.split.kind = Kind::values;
        g.states.resize(v * w);
        finish(part, best, g.states, v, before, nullptr, 0);
        if (by_medians()) best.gain = best.split.gain = gain_by_medians(part, best.split);
        return best;
    }
    if (counted) g.present.push_back(v);
    std::vector<char> first = halve(part, g, known);
    if (first.empty()) return best;
    best.valid = true;
    best.split.kind = Kind::subset;
    std::vector<double> sides(2 * w);
    for (const std::size_t i : g.present)
        for (std::size_t k = 0; k < w; ++k) sides[(first[i] ? 0 : w) + k] += g.states[i * w + k];
    finish(part, best, sides, 2, before, nullptr, 0);
    Split& split = best.split;
    if (counted) split.missing = first[v] ? 0 : 1;
    if (rules_.missing == Missing::virtual_value) {
        std::size_t mode = g.present[0];
        for (const std::size_t i : g.present)
            if (purity_.weight(&g.states[i * w]) > purity_.weight(&g.states[mode * w])) mode = i;
        split.missing = first[mode] ? 0 : 1;
    }
    // Values that the node has not seen go where most rows went.
    const bool heavy = split.share(0) >= split.share(1);
    for (std::size_t i = 0; i < v; ++i)
        if (g.count[i] > 0 ? first[i] != 0 : heavy) set_bit(split.more().subset, i);
    if (by_medians()) best.gain = split.gain = gain_by_medians(part, split);
    return best;
}

// Which values make the first child. Ordered by the share of a class (or the mean), some cut is the best of all subsets
// for two classes and for one number (Breiman 1984, 4.2.2); for more classes each class gives an order to try, and few
// values are tried in all ways.
template <class Purity>
inline std::vector<char> SortedFinder<Purity>::halve(const Part& part, const Groups& g,
                                                     const std::vector<double>& known) const {
    const std::size_t w = purity_.width, count = g.present.size();
    const double slack = rules_.judge ? 1e-12 : 1e-10 * std::max(part.weight * part.impurity, 1e-300);
    double highest = -std::numeric_limits<double>::infinity();
    std::vector<char> first;
    std::vector<double> left(w), right(w);
    auto judge = [&](std::int64_t n_left, std::int64_t n_all) {
        if (n_left < rules_.min_leaf || n_all - n_left < rules_.min_leaf)
            return -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < w; ++k) right[k] = known[k] - left[k];
        if (rules_.min_leaf_weight > 0 && (purity_.weight(left.data()) < rules_.min_leaf_weight ||
                                           purity_.weight(right.data()) < rules_.min_leaf_weight))
            return -std::numeric_limits<double>::infinity();
        if (!rules_.judge) return purity_.phi(left.data()) + purity_.phi(right.data());
        std::vector<double> both(left);
        both.insert(both.end(), right.begin(), right.end());
        return rules_.judge(both.data(), 2);
    };
    std::int64_t n_all = 0;
    for (const std::size_t i : g.present) n_all += g.count[i];
    const std::size_t views = std::min<std::size_t>(purity_.views(), 16);
    if (rules_.random) {
        const Philox random(part.key, 3);
        std::fill(left.begin(), left.end(), 0.0);
        std::vector<char> in(g.count.size());
        std::int64_t n_left = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const bool taken = i == 0 || (i + 1 < count && random.uniform(i) < 0.5);
            if (!taken) continue;
            in[g.present[i]] = 1;
            n_left += g.count[g.present[i]];
            for (std::size_t k = 0; k < w; ++k) left[k] += g.states[g.present[i] * w + k];
        }
        return std::isinf(judge(n_left, n_all)) ? first : in;
    }
    if (views > 1 && count <= 8) {
        for (std::size_t mask = 1; mask < (std::size_t{1} << (count - 1)); ++mask) {
            std::fill(left.begin(), left.end(), 0.0);
            std::int64_t n_left = 0;
            for (std::size_t i = 0; i + 1 < count; ++i)
                if (mask >> i & 1) {
                    n_left += g.count[g.present[i]];
                    for (std::size_t k = 0; k < w; ++k) left[k] += g.states[g.present[i] * w + k];
                }
            if (const double now = judge(n_left, n_all); now > highest + slack) {
                highest = now;
                first.assign(g.count.size(), 0);
                for (std::size_t i = 0; i + 1 < count; ++i)
                    if (mask >> i & 1) first[g.present[i]] = 1;
            }
        }
        return first;
    }
    std::vector<std::pair<double, std::size_t>> order(count);
    for (std::size_t view = 0; view < views; ++view) {
        for (std::size_t i = 0; i < count; ++i)
            order[i] = {purity_.key(&g.states[g.present[i] * w], view), g.present[i]};
        std::sort(order.begin(), order.end());
        std::fill(left.begin(), left.end(), 0.0);
        std::int64_t n_left = 0;
        for (std::size_t i = 0; i + 1 < count; ++i) {
            const std::size_t at = order[i].second;
            n_left += g.count[at];
            for (std::size_t k = 0; k < w; ++k) left[k] += g.states[at * w + k];
            if (const double now = judge(n_left, n_all); now > highest + slack) {
                highest = now;
                first.assign(g.count.size(), 0);
                for (std::size_t q = 0; q <= i; ++q) first[order[q].second] = 1;
            }
        }
    }
    return first;
}

}  // namespace lanatus::tree
