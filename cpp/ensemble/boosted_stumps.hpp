// AdaBoost of decision stumps (SAMME, Zhu et al. 2009; for two classes AdaBoost, book figure 8.3) on several sets of
// rows.
//
// Given   X (n x d), codes of the K classes, sets of rows, at most `rounds` rounds.
// Result  for each set and round t: the stump of least weighted Gini impurity, and
//         alpha_t = log((1 - e) / e) + log(K - 1), with e the weighted error, not below 1 / (2 m) for m rows.
//
// A set ends early at e >= 1 - 1/K, which is not kept unless it is the first (then with alpha 0), and after a stump
// without error. The columns of a set are sorted once: O(d m log m), then O(d m) a round; memory O(d m) a thread. Sets
// run side by side.
#pragma once
#include "ensemble/stump.hpp"

namespace lanatus::ensemble {

struct WeightedStump {
    Stump stump;
    double alpha = 0;
};

template <class T>
std::vector<WeightedStump> boost(MatrixView<const T> X, std::span<const std::int32_t> codes,
                                 std::span<const std::int64_t> set, std::size_t n_classes, std::size_t rounds) {
    const std::size_t m = set.size(), d = X.cols;
    std::vector<std::int32_t> code(m), said(m);
    for (std::size_t i = 0; i < m; ++i) code[i] = codes[static_cast<std::size_t>(set[i])];
    const auto value = [&](std::size_t i, std::size_t j) { return X.row(static_cast<std::size_t>(set[i]))[j]; };
    std::vector<Place> places(d * m);
    for (std::size_t j = 0; j < d; ++j)
        sort_column<T>([&](std::size_t i) { return value(i, j); }, code, {places.data() + j * m, m});
    const SortedRows rows{places, code, d, n_classes};
    std::vector<double> weight(m, 1.0 / static_cast<double>(m)), mass(2 * n_classes);
    std::vector<WeightedStump> stumps;
    const double least = 0.5 / static_cast<double>(m), classes = static_cast<double>(n_classes);
    for (std::size_t t = 0; t < rounds; ++t) {
        const Stump stump = best_stump(rows, value, weight, Criterion::gini, mass, said, 1);
        double error = 0;
        for (std::size_t i = 0; i < m; ++i) error += said[i] != code[i] ? weight[i] : 0.0;
        if (error >= 1 - 1 / classes) {
            if (stumps.empty()) stumps.push_back({stump, 0.0});
            break;
        }
        const double shown = std::max(error, least);
        stumps.push_back({stump, std::log((1 - shown) / shown) + std::log(classes - 1)});
        if (error <= 0) break;
        double sum = 0;
        const double factor = std::exp(stumps.back().alpha);
        for (std::size_t i = 0; i < m; ++i) sum += weight[i] = said[i] != code[i] ? weight[i] * factor : weight[i];
        for (double& w : weight) w /= sum;
    }
    return stumps;
}

// The stumps of set s, which is rows[begin[s] .. begin[s + 1]).
template <class T>
std::vector<std::vector<WeightedStump>> boost_sets(MatrixView<const T> X, std::span<const std::int32_t> codes,
                                                   std::span<const std::int64_t> rows,
                                                   std::span<const std::int64_t> begin, std::size_t n_classes,
                                                   std::size_t rounds, int n_threads) {
    std::vector<std::vector<WeightedStump>> out(begin.size() - 1);
    parallel_for(out.size(), n_threads, [&](std::size_t s) {
        const auto from = static_cast<std::size_t>(begin[s]), to = static_cast<std::size_t>(begin[s + 1]);
        out[s] = boost(X, codes, rows.subspan(from, to - from), n_classes, rounds);
    });
    return out;
}

}  // namespace lanatus::ensemble
