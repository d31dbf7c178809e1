// AdaBoost of decision stumps (SAMME, Zhu et al. 2009; for two classes AdaBoost, book figure 8.3) on several sets of rows.
//
// Given   X (n x d), codes of the K classes, sets of rows, at most `rounds` rounds.
// Result  for each set and round t: the column, the threshold, the class said at or below it and above it, and
//         alpha_t = log((1 - e) / e) + log(K - 1), with e the weighted error, not below 1 / (2 m) for m rows.
//
// A stump is the cut that leaves the least weighted Gini impurity; ties go to the lower column, then the lower cut; a leaf says
// its heaviest class, ties to the lower code. A set ends early at e >= 1 - 1/K, which is not kept unless it is the first
// (then with alpha 0), and after a stump without error.
// The columns of a set are sorted once: O(d m log m), then O(d m K) a round; memory O(d m) a thread. Sets run side by side.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::imbalance {

struct Stump {
    std::int32_t column = 0;
    double threshold = std::numeric_limits<double>::infinity();
    std::int32_t below = 0, above = 0;  // classes
    double alpha = 0;
};

namespace detail {

// One set of rows, column by column in ascending order.
template <class T>
class SortedRows {
  public:
    SortedRows(MatrixView<const T> X, std::span<const std::int32_t> codes, std::span<const std::int64_t> rows)
        : m(rows.size()), d(X.cols), values(d * m), order(d * m), code(m) {
        for (std::size_t i = 0; i < m; ++i) code[i] = codes[static_cast<std::size_t>(rows[i])];
        std::vector<std::pair<T, std::uint32_t>> column(m);
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t i = 0; i < m; ++i)
                column[i] = {X.row(static_cast<std::size_t>(rows[i]))[j], static_cast<std::uint32_t>(i)};
            std::sort(column.begin(), column.end());
            for (std::size_t i = 0; i < m; ++i) {
                values[j * m + i] = column[i].first;
                order[j * m + i] = column[i].second;
            }
        }
    }
    std::size_t m, d;
    Buffer<T> values;
    Buffer<std::uint32_t> order;
    std::vector<std::int32_t> code;
};

inline std::int32_t heaviest(const double* mass, std::size_t n_classes) {
    return static_cast<std::int32_t>(std::max_element(mass, mass + n_classes) - mass);
}

// A threshold between two values that are not equal, never below the lower one's.
inline double between(double low, double high) {
    const double middle = low / 2 + high / 2;
    return middle >= low && middle < high ? middle : low;
}

// The share of impurity that a cut leaves falls as sum over leaves of (sum over classes of mass^2) / mass grows.
struct Cut {
    double purity = -1;
    std::size_t column = 0, at = 0;  // after the at-th row of the column
};

// Two classes: the running mass of the leaf below, and of its second class.
template <class T>
void best_cut_of_two(const SortedRows<T>& set, const double* weight, const double* second, const double* total, Cut& best) {
    const double all = total[0] + total[1];
    for (std::size_t j = 0; j < set.d; ++j) {
        const T* values = set.values.data() + j * set.m;
        const std::uint32_t* order = set.order.data() + j * set.m;
        double mass = 0, of_second = 0;
        for (std::size_t i = 0; i + 1 < set.m; ++i) {
            mass += weight[order[i]];
            of_second += second[order[i]];
            const double rest = all - mass, other = total[1] - of_second;
            if (values[i] == values[i + 1] || !(mass > 0) || !(rest > 0)) continue;
            // (b^2 + (mass - b)^2) / mass = mass - 2 b (mass - b) / mass, and the same above; one division is spared
            const double mixed = of_second * (mass - of_second) * rest + other * (rest - other) * mass;
            const double purity = all * mass * rest - 2 * mixed;
            if (purity > best.purity * mass * rest) best = {purity / (mass * rest), j, i};
        }
    }
}

template <class T>
void best_cut_of_many(const SortedRows<T>& set, const double* weight, const double* total, std::size_t n_classes, Cut& best) {
    std::vector<double> low(n_classes);
    const double all = std::accumulate(total, total + n_classes, 0.0);
    for (std::size_t j = 0; j < set.d; ++j) {
        const T* values = set.values.data() + j * set.m;
        const std::uint32_t* order = set.order.data() + j * set.m;
        std::fill(low.begin(), low.end(), 0.0);
        double mass = 0;
        for (std::size_t i = 0; i + 1 < set.m; ++i) {
            mass += weight[order[i]];
            low[static_cast<std::size_t>(set.code[order[i]])] += weight[order[i]];
            const double rest = all - mass;
            if (values[i] == values[i + 1] || !(mass > 0) || !(rest > 0)) continue;
            double below = 0, above = 0;
            for (std::size_t c = 0; c < n_classes; ++c) {
                below += low[c] * low[c];
                above += (total[c] - low[c]) * (total[c] - low[c]);
            }
            if (const double purity = below / mass + above / rest; purity > best.purity) best = {purity, j, i};
        }
    }
}

template <class T>
Stump stump_of(const SortedRows<T>& set, const Cut& cut, const double* weight, const double* total, std::size_t n_classes) {
    Stump stump;
    if (cut.purity < 0) {  // all rows alike
        stump.below = stump.above = heaviest(total, n_classes);
        return stump;
    }
    std::vector<double> low(n_classes), high(n_classes);
    const std::size_t first = cut.column * set.m;
    for (std::size_t i = 0; i < set.m; ++i) {
        const std::uint32_t row = set.order[first + i];
        (i <= cut.at ? low : high)[static_cast<std::size_t>(set.code[row])] += weight[row];
    }
    stump.column = static_cast<std::int32_t>(cut.column);
    stump.threshold = between(static_cast<double>(set.values[first + cut.at]),
                              static_cast<double>(set.values[first + cut.at + 1]));
    stump.below = heaviest(low.data(), n_classes);
    stump.above = heaviest(high.data(), n_classes);
    return stump;
}

}  // namespace detail

template <class T>
std::vector<Stump> boost(MatrixView<const T> X, std::span<const std::int32_t> codes, std::span<const std::int64_t> rows,
                         std::size_t n_classes, std::size_t rounds) {
    const detail::SortedRows<T> set(X, codes, rows);
    std::vector<double> weight(set.m, 1.0 / static_cast<double>(set.m)), second(set.m), total(n_classes);
    std::vector<char> wrong(set.m);
    std::vector<Stump> stumps;
    const double least = 0.5 / static_cast<double>(set.m), classes = static_cast<double>(n_classes);
    for (std::size_t t = 0; t < rounds; ++t) {
        std::fill(total.begin(), total.end(), 0.0);
        for (std::size_t i = 0; i < set.m; ++i) {
            total[static_cast<std::size_t>(set.code[i])] += weight[i];
            second[i] = set.code[i] == 1 ? weight[i] : 0.0;
        }
        detail::Cut cut;
        if (n_classes == 2) detail::best_cut_of_two(set, weight.data(), second.data(), total.data(), cut);
        else detail::best_cut_of_many(set, weight.data(), total.data(), n_classes, cut);
        Stump stump = detail::stump_of(set, cut, weight.data(), total.data(), n_classes);
        double error = 0;
        for (std::size_t i = 0; i < set.m; ++i) {  // the column's order, in which the cut is a place
            const std::uint32_t row = set.order[cut.column * set.m + i];
            wrong[row] = set.code[row] != (cut.purity < 0 || i <= cut.at ? stump.below : stump.above);
        }
        for (std::size_t i = 0; i < set.m; ++i) error += wrong[i] ? weight[i] : 0.0;
        if (error >= 1 - 1 / classes) {
            if (stumps.empty()) stumps.push_back(stump);
            break;
        }
        const double shown = std::max(error, least);
        stump.alpha = std::log((1 - shown) / shown) + std::log(classes - 1);
        stumps.push_back(stump);
        if (error <= 0) break;
        double sum = 0;
        const double factor = std::exp(stump.alpha);
        for (std::size_t i = 0; i < set.m; ++i) sum += weight[i] = wrong[i] ? weight[i] * factor : weight[i];
        for (double& value : weight) value /= sum;
    }
    return stumps;
}

// The stumps of set s, which is rows[begin[s] .. begin[s + 1]).
template <class T>
std::vector<std::vector<Stump>> boost_sets(MatrixView<const T> X, std::span<const std::int32_t> codes,
                                           std::span<const std::int64_t> rows, std::span<const std::int64_t> begin,
                                           std::size_t n_classes, std::size_t rounds, int n_threads) {
    std::vector<std::vector<Stump>> out(begin.size() - 1);
    parallel_for(out.size(), n_threads, [&](std::size_t s) {
        const auto from = static_cast<std::size_t>(begin[s]), to = static_cast<std::size_t>(begin[s + 1]);
        out[s] = boost(X, codes, rows.subspan(from, to - from), n_classes, rounds);
    });
    return out;
}

}  // namespace lanatus::imbalance
