// Lazy Bayesian rules -- Zheng and Webb (2000); book 7.7.
//
// For one query x the rows that share some of its values, the antecedent, are found greedily, and naive Bayes of the
// other attributes on these rows answers. A value x_a joins the antecedent where, on the rows at hand,
//     errors(with x_a) = leave-one-out errors of naive Bayes on the rows with x_a, without attribute a,
//                        + those of the rule so far on the other rows
// are fewer than the errors of the rule so far, and a one-sided sign test on the rows where the two differ says that
// this is no chance (at level `significance`). Of several the one with the fewest errors is taken, the first on ties.
//
// Probabilities are smoothed by alpha: (count + alpha) / (all + alpha values). A row is left out with the weight `unit`.
// What a value would change depends on the antecedent, not on the query: queries go down together as long as they take the
// same values, and every candidate is tried once for all of them. Cost: O(candidates tried * rows at hand * d classes),
// none for learning.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::bayes {

// P(X >= wins) for a fair coin thrown wins + losses times; parts of a row are not counted.
inline double sign_test(double wins, double losses) {
    const double w = std::floor(wins + 1e-9), n = w + std::ceil(losses - 1e-9);
    if (w <= 0) return 1.0;
    double tail = 0;
    for (double i = w; i <= n; ++i)
        tail += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) - n * std::log(2.0));
    return tail;
}

struct LazyOptions {
    double alpha, significance;
    double least;  // weight of the rows that an antecedent keeps
    double unit;   // weight of a row that is left out
};

// The rows that rules are made of, and how.
template <class Code>
struct LazyRows {
    MatrixView<const Code> X;
    std::span<const std::int64_t> sizes, start;
    std::span<const std::int32_t> y;
    std::span<const double> w;
    std::size_t classes, slots;
    LazyOptions options;
};

template <class Code>
class LazyRule : LazyRows<Code> {
    using Base = LazyRows<Code>;
    using Base::options;
    using Base::X, Base::sizes, Base::start, Base::y, Base::w, Base::classes, Base::slots;

  public:
    // What is known before any query: all rows, and which of them naive Bayes gets wrong.
    explicit LazyRule(const LazyRows<Code>& rows) : Base(rows) {
        for (std::size_t i = 0; i < X.rows; ++i)
            if (y[i] >= 0 && weight(i) > 0) all_.push_back(i);
        Local model;
        std::vector<char> used(X.cols, 0);
        std::vector<double> score;
        learn(all_, used, model);
        for (const std::size_t i : all_) wrong_.push_back(is_wrong(i, used, model, score));
    }

    // out: log P(c) prod P(x_j | c) on the rows of the antecedent; used: whether an attribute is in it.
    void answer(MatrixView<const Code> queries, MatrixView<double> out, MatrixView<std::uint8_t> used,
                int n_threads) const {
        std::vector<std::size_t> all(queries.rows);
        std::iota(all.begin(), all.end(), std::size_t{0});
        State root{all_, wrong_, std::vector<char>(X.cols, 0)};
        descend(root, all, queries, out, used, n_threads);
    }

  private:
    // Naive Bayes of some rows without the attributes `used`: logarithms with all rows, and with one row left out.
    struct Local {
        std::vector<double> prior, prior_less, table, table_less;
    };

    // An antecedent: its rows, which of them its rule gets wrong, the attributes it fixes.
    struct State {
        std::vector<std::size_t> rows;
        std::vector<char> wrong, used;
    };

    // Answers the queries that have come as far as this antecedent.
    void descend(const State& state, const std::vector<std::size_t>& here, MatrixView<const Code> queries,
                 MatrixView<double> out, MatrixView<std::uint8_t> fixed, int n_threads) const {
        std::vector<char> wanted(slots, 0);
        for (const std::size_t q : here)
            for (std::size_t a = 0; a < X.cols; ++a)
                if (!state.used[a] && queries.row(q)[a] >= 0) wanted[slot(a, queries.row(q)[a])] = 1;
        std::vector<std::pair<std::size_t, Code>> tried;
        for (std::size_t a = 0; a < X.cols; ++a)
            for (std::int64_t v = 0; v < sizes[a]; ++v)
                if (wanted[slot(a, static_cast<Code>(v))]) tried.emplace_back(a, static_cast<Code>(v));
        std::vector<double> gain(slots, 0.0);  // errors fewer, where the sign test agrees
        const bool small = state.rows.size() * tried.size() < 20000;
        parallel_for(tried.size(), small ? 1 : n_threads, [&](std::size_t t) {
            State below;
            gain[slot(tried[t].first, tried[t].second)] = narrowed(state, tried[t].first, tried[t].second, below);
        });
        std::vector<std::vector<std::size_t>> groups(slots);
        std::vector<std::size_t> rest;
        for (const std::size_t q : here) {
            double most = 0;
            std::size_t best = slots;
            for (std::size_t a = 0; a < X.cols; ++a) {
                if (state.used[a] || queries.row(q)[a] < 0) continue;
                const std::size_t at = slot(a, queries.row(q)[a]);
                if (gain[at] > most) most = gain[at], best = at;
            }
            (best == slots ? rest : groups[best]).push_back(q);
        }
        for (const auto& [a, v] : tried) {
            if (groups[slot(a, v)].empty()) continue;
            State below;
            narrowed(state, a, v, below);
            descend(below, groups[slot(a, v)], queries, out, fixed, n_threads);
        }
        if (rest.empty()) return;
        Local model;
        learn(state.rows, state.used, model);
        for (const std::size_t q : rest) score_query(queries.row(q), state.used, model, out.row(q), fixed.row(q));
    }

    // The antecedent with one value more, and by how much errors fall; 0 where that may be chance.
    double narrowed(const State& state, std::size_t a, Code value, State& below) const {
        double mass = 0, wins = 0, losses = 0;
        std::vector<char> before;
        for (std::size_t r = 0; r < state.rows.size(); ++r) {
            const std::size_t i = state.rows[r];
            if (X.row(i)[a] != value) continue;
            below.rows.push_back(i), before.push_back(state.wrong[r]);
            mass += weight(i);
        }
        if (below.rows.empty() || below.rows.size() == state.rows.size() || mass < options.least) return 0;
        if (std::none_of(before.begin(), before.end(), [](char wrong) { return wrong; })) return 0;  // nothing to gain
        below.used = state.used;
        below.used[a] = 1;
        Local model;
        std::vector<double> score;
        learn(below.rows, below.used, model);
        for (std::size_t r = 0; r < below.rows.size(); ++r) {
            const std::size_t i = below.rows[r];
            const bool now = is_wrong(i, below.used, model, score);
            below.wrong.push_back(now);
            wins += before[r] && !now ? weight(i) : 0;
            losses += now && !before[r] ? weight(i) : 0;
        }
        return wins > losses && sign_test(wins, losses) < options.significance ? wins - losses : 0;
    }

    void score_query(const Code* x, const std::vector<char>& used, const Local& model, double* out,
                     std::uint8_t* fixed) const {
        std::copy(model.prior.begin(), model.prior.end(), out);
        for (std::size_t j = 0; j < X.cols; ++j) {
            fixed[j] = static_cast<std::uint8_t>(used[j]);
            if (used[j] || x[j] < 0) continue;
            const double* line = model.table.data() + slot(j, x[j]) * classes;
            for (std::size_t c = 0; c < classes; ++c) out[c] += line[c];
        }
    }

    std::size_t slot(std::size_t j, Code value) const { return static_cast<std::size_t>(start[j] + value); }

    double weight(std::size_t i) const { return w.empty() ? 1.0 : w[i]; }

    void learn(const std::vector<std::size_t>& rows, const std::vector<char>& used, Local& model) const {
        const std::size_t k = classes;
        model.prior.assign(k, 0), model.table.assign(slots * k, 0);
        for (const std::size_t i : rows) {
            const auto c = static_cast<std::size_t>(y[i]);
            model.prior[c] += weight(i);
            for (std::size_t j = 0; j < X.cols; ++j)
                if (!used[j] && X.row(i)[j] >= 0) model.table[slot(j, X.row(i)[j]) * k + c] += weight(i);
        }
        model.table_less = model.table, model.prior_less = model.prior;
        for (std::size_t j = 0; j < X.cols; ++j) {
            if (used[j]) continue;
            const auto first = static_cast<std::size_t>(start[j]), values = static_cast<std::size_t>(sizes[j]);
            for (std::size_t c = 0; c < k; ++c) {
                double all = 0;
                for (std::size_t v = 0; v < values; ++v) all += model.table[(first + v) * k + c];
                for (std::size_t v = 0; v < values; ++v) {
                    const std::size_t at = (first + v) * k + c;
                    const double count = model.table[at];
                    model.table[at] = share(count, all, values);
                    model.table_less[at] =
                        share(std::max(count - options.unit, 0.0), std::max(all - options.unit, 0.0), values);
                }
            }
        }
        // The total is the same for all classes, so it does not matter which is most probable.
        for (std::size_t c = 0; c < k; ++c) {
            model.prior_less[c] = std::log(std::max(model.prior[c] - options.unit, 0.0) + options.alpha);
            model.prior[c] = std::log(model.prior[c] + options.alpha);
        }
    }

    // Whether naive Bayes learned without row i gets it wrong.
    bool is_wrong(std::size_t i, const std::vector<char>& used, const Local& model, std::vector<double>& score) const {
        const std::size_t k = classes;
        const auto own = static_cast<std::size_t>(y[i]);
        score = model.prior;
        score[own] = model.prior_less[own];
        for (std::size_t j = 0; j < X.cols; ++j) {
            if (used[j] || X.row(i)[j] < 0) continue;
            const std::size_t line = slot(j, X.row(i)[j]) * k;
            for (std::size_t c = 0; c < k; ++c)
                score[c] += c == own ? model.table_less[line + c] : model.table[line + c];
        }
        return static_cast<std::size_t>(std::max_element(score.begin(), score.end()) - score.begin()) != own;
    }

    double share(double count, double all, std::size_t values) const {
        const double below = all + options.alpha * static_cast<double>(values);
        return below > 0 ? std::log((count + options.alpha) / below) : -std::log(static_cast<double>(values));
    }

    std::vector<std::size_t> all_;
    std::vector<char> wrong_;
};

template <class Code>
void lazy_rule_scores(const LazyRows<Code>& rows, MatrixView<const Code> queries, MatrixView<double> out,
                      MatrixView<std::uint8_t> antecedents, int n_threads) {
    const LazyRule<Code> rule(rows);
    rule.answer(queries, out, antecedents, n_threads);
}

}  // namespace lanatus::bayes
