// Averaged n-dependence estimators -- book 7.4, (7.23); AODE is n = 1.
//
// score_c = log sum over the sets of n attributes that are known and whose values have support, of
//               P(c, x_set) prod_j P(x_j | c, x_set),
// j over the known attributes outside the set, or with `literal` over all of them.
//
// Given    S slots (values of attributes), start_j the first one of attribute j;
//          joint    (S^n, classes)     log P(c, x_set), row-major in the slots of the set, attributes ascending;
//          child    (S^n, S, classes)  log P(x_j | c, x_set);
//          support  (S^n)              whether the values of the set occur often enough.
// Result   scores, and for every row how many sets had support; the scores of a row with none are not set.
// Terms are added in the order of the sets, scaled by the largest so far: nothing underflows. Cost O(n_rows d^(n+1) k).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::bayes {

struct Averaged {
    std::size_t slots, classes, order;
    std::span<const std::int64_t> start;
    std::span<const double> joint, child;
    std::span<const std::uint8_t> support;
    bool literal;
};

namespace detail {

// One row: its slots, and the sum so far as exp(top) * sum_c. K is the number of classes where it is small.
template <std::size_t K>
class AveragedRow {
  public:
    explicit AveragedRow(const Averaged& model) : model_(model), k_(K ? K : model.classes), term_(k_), sum_(k_) {
        chosen_.reserve(model.order);
    }

    template <class Code>
    std::int64_t score(const Code* x, std::size_t d, double* out) {
        known_.clear();
        for (std::size_t j = 0; j < d; ++j)
            if (x[j] >= 0) known_.push_back(static_cast<std::size_t>(model_.start[j] + x[j]));
        top_ = -std::numeric_limits<double>::infinity();
        std::fill(sum_.begin(), sum_.end(), 0.0);
        sets_ = 0;
        choose(0, 0);
        for (std::size_t c = 0; c < k_; ++c) out[c] = top_ + std::log(sum_[c]);  // -infinity for a sum of 0
        return sets_;
    }

  private:
    // All sets of known attributes that begin with the chosen ones.
    void choose(std::size_t from, std::size_t set) {
        if (chosen_.size() == model_.order) {
            if (model_.support[set]) add_term(set);
            return;
        }
        for (std::size_t a = from; a < known_.size(); ++a) {
            chosen_.push_back(a);
            choose(a + 1, set * model_.slots + known_[a]);
            chosen_.pop_back();
        }
    }

    void add_term(std::size_t set) {
        ++sets_;
        const double* child = model_.child.data() + set * model_.slots * k_;
        double* __restrict term = term_.data();
        for (std::size_t c = 0; c < k_; ++c) term[c] = model_.joint[set * k_ + c];
        std::size_t from = 0;
        if (!model_.literal)
            for (const std::size_t parent : chosen_) {
                add_lines(child, from, parent);
                from = parent + 1;
            }
        add_lines(child, from, known_.size());
        double highest = term[0];
        for (std::size_t c = 1; c < k_; ++c) highest = std::max(highest, term[c]);
        if (std::isinf(highest)) return;  // probability zero for every class
        if (highest > top_) {
            const double shrink = std::exp(top_ - highest);
            for (std::size_t c = 0; c < k_; ++c) sum_[c] *= shrink;
            top_ = highest;
        }
        for (std::size_t c = 0; c < k_; ++c) sum_[c] += std::exp(term[c] - top_);
    }

    // Adds the lines of the known values [from, to); few classes stay in registers.
    void add_lines(const double* child, std::size_t from, std::size_t to) {
        double sum[K ? K : 1];
        double* term = K ? sum : term_.data();
        if constexpr (K > 0) std::copy_n(term_.data(), K, sum);
        for (std::size_t a = from; a < to; ++a) {
            const double* line = child + known_[a] * k_;
            for (std::size_t c = 0; c < (K ? K : k_); ++c) term[c] += line[c];
        }
        if constexpr (K > 0) std::copy_n(sum, K, term_.data());
    }

    const Averaged& model_;
    std::size_t k_;
    std::vector<double> term_, sum_;
    std::vector<std::size_t> known_, chosen_;
    double top_ = 0;
    std::int64_t sets_ = 0;
};

}  // namespace detail

template <class Code>
void averaged_scores(MatrixView<const Code> X, const Averaged& model, MatrixView<double> out,
                     std::span<std::int64_t> sets, int n_threads) {
    auto run = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        parallel_chunks(Chunks::of(X.rows, 64), n_threads, [&](std::size_t begin, std::size_t end) {
            detail::AveragedRow<K> row(model);
            for (std::size_t i = begin; i < end; ++i) sets[i] = row.score(X.row(i), X.cols, out.row(i));
        });
    };
    switch (model.classes) {
        case 2: return run(std::integral_constant<std::size_t, 2>{});
        case 3: return run(std::integral_constant<std::size_t, 3>{});
        case 4: return run(std::integral_constant<std::size_t, 4>{});
        case 5: return run(std::integral_constant<std::size_t, 5>{});
        default: return run(std::integral_constant<std::size_t, 0>{});
    }
}

}  // namespace lanatus::bayes
