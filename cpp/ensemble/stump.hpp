// The best decision stump under weights: one threshold on one column, a class at or below it and one above.
//
// Given   X (m x d), codes of the K classes, weights >= 0, columns sorted once by `sort_column`.
// Result  the cut of the largest score, with a leaf's classes weighing l_c, l in all, and summed over the two leaves:
//             gini     sum_c l_c^2 / l          least weighted Gini impurity
//             entropy  sum_c l_c log(l_c / l)   largest information gain
//             error    max_c l_c                least weighted error
//
// Ties (to 1e-10 of all weight) go to the lower column, then the lower cut; a leaf says its heaviest class, ties to the
// lower code.
// A cut inside a run of rows of one class is never better than both ends of the run (Fayyad and Irani 1992), so it is
// not tried. O(d m log m) to sort, then O(d m) for a stump of two classes and at most O(d m K) for more, column by
// column on all threads; memory 4 d m bytes.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::ensemble {

enum class Criterion { gini, entropy, error };

struct Stump {
    std::int32_t column = 0;
    double threshold = std::numeric_limits<double>::infinity();
    std::int32_t below = 0, above = 0;  // classes
    std::size_t n_below = 0;            // rows at or below the threshold
};

// A row's number, and in the top bit whether a cut right after it is worth trying.
using Place = std::uint32_t;
inline constexpr Place cut_bit = Place{1} << 31;
inline std::size_t row_of(Place place) { return place & ~cut_bit; }

// places <- the rows by ascending value; value(i) is that of row i.
template <class T, class Value>
void sort_column(const Value& value, std::span<const std::int32_t> codes, std::span<Place> places) {
    const std::size_t m = places.size();
    std::vector<std::pair<T, Place>> pairs(m);
    for (std::size_t i = 0; i < m; ++i) pairs[i] = {value(i), static_cast<Place>(i)};
    std::sort(pairs.begin(), pairs.end());
    constexpr std::int32_t several = -1;
    std::int32_t last = several;  // the class of the rows of the value before, if they are of one
    for (std::size_t begin = 0, end = 0; begin < m; begin = end) {
        const std::int32_t first = codes[pairs[begin].second];
        bool pure = true;
        for (end = begin; end < m && pairs[end].first == pairs[begin].first; ++end) {
            places[end] = pairs[end].second;
            pure = pure && codes[pairs[end].second] == first;
        }
        const std::int32_t here = pure ? first : several;
        if (begin > 0 && (here == several || here != last)) places[begin - 1] |= cut_bit;
        last = here;
    }
}

// Rows whose columns have been sorted: `places` has m entries a column.
struct SortedRows {
    std::span<const Place> places;
    std::span<const std::int32_t> codes;
    std::size_t d, n_classes;

    std::size_t m() const { return codes.size(); }
    std::span<const Place> column(std::size_t j) const { return places.subspan(j * m(), m()); }
};

namespace detail {

inline std::int32_t heaviest(const double* mass, std::size_t n_classes) {
    return static_cast<std::int32_t>(std::max_element(mass, mass + n_classes) - mass);
}

// A threshold between two values that are not equal, never below the lower one's.
inline double between(double low, double high) {
    const double middle = low / 2 + high / 2;
    return middle >= low && middle < high ? middle : low;
}

inline constexpr double worst = -std::numeric_limits<double>::infinity();
inline constexpr double tie = 1e-10;  // sums of weights in another order differ, and must not choose

struct Cut {
    double score = worst;
    std::size_t column = 0, at = 0;  // after the at-th row of the column
    bool exists() const { return score != worst; }
};

inline double leaf_score(Criterion criterion, const double* mass, std::size_t n_classes, double all) {
    double score = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        if (criterion == Criterion::gini) score += mass[c] * mass[c] / all;
        else if (criterion == Criterion::error) score = std::max(score, mass[c]);
        else if (mass[c] > 0) score += mass[c] * std::log(mass[c] / all);
    }
    return score;
}

// Two classes: the score of a cut by the weights of the classes at or below it. Convex in these.
template <Criterion criterion>
struct ScoreOfTwo {
    double total[2];

    double operator()(double first, double second) const {
        const double rest[2] = {std::max(total[0] - first, 0.0), std::max(total[1] - second, 0.0)};
        const double below = first + second, above = rest[0] + rest[1];
        if constexpr (criterion == Criterion::error) return std::max(first, second) + std::max(rest[0], rest[1]);
        else if constexpr (criterion == Criterion::entropy)
            return times_log(first, below) + times_log(second, below) + times_log(rest[0], above) +
                   times_log(rest[1], above);
        // (a^2 + b^2) / (a + b) = a + b - 2 a b / (a + b), with one division for both leaves
        const double mixed = first * second * above + rest[0] * rest[1] * below, area = below * above;
        return total[0] + total[1] - 2 * (mixed / area);  // NaN, which no comparison takes, where a leaf is empty
    }
    static double times_log(double part, double whole) { return part > 0 ? part * std::log(part / whole) : 0.0; }
};

// The best cut of a column of two classes. `side` is a row's weight, below zero for the first class.
// Rows are taken in blocks: their running sums first, then, unless no corner of the block (its rows of neither, either
// or both classes taken) reaches the best score so far, the scores of all places at once, without branches.
template <Criterion criterion>
Cut best_cut_of_two(std::span<const Place> places, const double* side, const ScoreOfTwo<criterion>& score) {
    constexpr std::size_t block = 128;
    const double slack = tie * (score.total[0] + score.total[1]);
    double first[block], second[block], scores[block];
    double mass = 0, sum = 0, low = 0, high = 0;
    Cut cut;
    for (std::size_t start = 0; start + 1 < places.size(); start += block) {
        const std::size_t length = std::min(block, places.size() - 1 - start);
        const Place* here = places.data() + start;
        for (std::size_t i = 0; i < length; ++i) {
            const double s = side[row_of(here[i])];
            mass += std::abs(s);
            sum += s;
            first[i] = (mass - sum) / 2;
            second[i] = (mass + sum) / 2;
        }
        const double to_low = first[length - 1], to_high = second[length - 1];
        const double bound =
            std::max({score(low, high), score(to_low, high), score(low, to_high), score(to_low, to_high)});
        low = to_low, high = to_high;
        if (bound <= cut.score + slack) continue;
        double best[4] = {worst, worst, worst, worst};
        for (std::size_t i = 0; i < length; ++i) {
            const double value = score(first[i], second[i]);
            scores[i] = (here[i] & cut_bit) && first[i] + second[i] > 0 ? value : worst;
        }
        std::size_t i = 0;
        for (; i + 4 <= length; i += 4)
            for (std::size_t lane = 0; lane < 4; ++lane) best[lane] = std::max(best[lane], scores[i + lane]);
        for (; i < length; ++i) best[0] = std::max(best[0], scores[i]);
        if (std::max({best[0], best[1], best[2], best[3]}) <= cut.score + slack) continue;
        for (i = 0; i < length; ++i)
            if (scores[i] > cut.score + slack) cut.score = scores[i], cut.at = start + i;
    }
    return cut;
}

template <Criterion criterion>
void cut_columns_of_two(const SortedRows& rows, std::span<const double> weight, const double* total,
                        std::span<Cut> cuts, int n_threads) {
    std::vector<double> side(weight.size());
    for (std::size_t i = 0; i < side.size(); ++i) side[i] = rows.codes[i] == 1 ? weight[i] : -weight[i];
    const ScoreOfTwo<criterion> score{{total[0], total[1]}};
    parallel_for(cuts.size(), n_threads,
                 [&](std::size_t j) { cuts[j] = best_cut_of_two(rows.column(j), side.data(), score); });
}

inline Cut best_cut(std::span<const Place> places, const std::int32_t* codes, const double* weight, const double* total,
                    std::size_t n_classes, Criterion criterion) {
    std::vector<double> low(n_classes), high(total, total + n_classes);
    double mass = 0;
    const double all = std::accumulate(total, total + n_classes, 0.0);
    Cut cut;
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
        const std::size_t row = row_of(places[i]);
        const auto c = static_cast<std::size_t>(codes[row]);
        mass += weight[row];
        low[c] += weight[row];
        high[c] = std::max(total[c] - low[c], 0.0);
        const double rest = all - mass;
        if (!(places[i] & cut_bit) || !(mass > 0) || !(rest > 0)) continue;
        const double score =
            leaf_score(criterion, low.data(), n_classes, mass) + leaf_score(criterion, high.data(), n_classes, rest);
        if (score > cut.score + tie * all) cut.score = score, cut.at = i;
    }
    return cut;
}

}  // namespace detail

// The best stump, the weights of the classes in its two leaves (mass, 2 K entries), and what it says of each row.
// value(i, j) is that of row i in column j.
template <class Value>
Stump best_stump(const SortedRows& rows, const Value& value, std::span<const double> weight, Criterion criterion,
                 std::span<double> mass, std::span<std::int32_t> said, int n_threads) {
    const std::size_t m = rows.m(), k = rows.n_classes;
    std::vector<double> total(k);
    for (std::size_t i = 0; i < m; ++i) total[static_cast<std::size_t>(rows.codes[i])] += weight[i];
    const bool one_class = std::count_if(total.begin(), total.end(), [](double w) { return w > 0; }) < 2;
    std::vector<detail::Cut> cuts(one_class ? 0 : rows.d);
    if (k > 2)
        parallel_for(cuts.size(), n_threads, [&](std::size_t j) {
            cuts[j] = detail::best_cut(rows.column(j), rows.codes.data(), weight.data(), total.data(), k, criterion);
        });
    else if (criterion == Criterion::gini)
        detail::cut_columns_of_two<Criterion::gini>(rows, weight, total.data(), cuts, n_threads);
    else if (criterion == Criterion::entropy)
        detail::cut_columns_of_two<Criterion::entropy>(rows, weight, total.data(), cuts, n_threads);
    else detail::cut_columns_of_two<Criterion::error>(rows, weight, total.data(), cuts, n_threads);
    detail::Cut best;
    const double slack = detail::tie * std::accumulate(total.begin(), total.end(), 0.0);
    for (std::size_t j = 0; j < cuts.size(); ++j)
        if (cuts[j].score > best.score + slack) best = cuts[j], best.column = j;

    Stump stump;
    double *low = mass.data(), *high = mass.data() + k;
    const auto undivided = [&] {
        std::fill(mass.begin(), mass.end(), 0.0);
        std::copy(total.begin(), total.end(), low);
        stump.below = stump.above = detail::heaviest(low, k);
        stump.n_below = m;
        std::fill(said.begin(), said.end(), stump.below);
        return stump;
    };
    if (!best.exists()) return undivided();  // all rows alike
    const auto weighs = [](const double* leaf, std::size_t n) { return std::accumulate(leaf, leaf + n, 0.0) > 0; };
    std::fill(mass.begin(), mass.end(), 0.0);
    const auto places = rows.column(best.column);
    for (std::size_t i = 0; i < m; ++i) {
        const std::size_t row = row_of(places[i]);
        (i <= best.at ? low : high)[rows.codes[row]] += weight[row];
    }
    if (!weighs(low, k) || !weighs(high, k)) return undivided();  // but for rows without weight
    // The threshold lies between rows that weigh something.
    std::size_t low_at = best.at, high_at = best.at + 1;
    while (!(weight[row_of(places[low_at])] > 0)) --low_at;
    while (!(weight[row_of(places[high_at])] > 0)) ++high_at;
    const auto at = [&](std::size_t i) { return static_cast<double>(value(row_of(places[i]), best.column)); };
    stump.column = static_cast<std::int32_t>(best.column);
    stump.threshold = detail::between(at(low_at), at(high_at));
    stump.n_below = low_at + 1;
    while (stump.n_below < high_at && at(stump.n_below) <= stump.threshold) ++stump.n_below;
    stump.below = detail::heaviest(low, k);
    stump.above = detail::heaviest(high, k);
    for (std::size_t i = 0; i < m; ++i) said[row_of(places[i])] = i < stump.n_below ? stump.below : stump.above;
    return stump;
}

}  // namespace lanatus::ensemble
