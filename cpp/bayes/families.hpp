// Attributes with their parents: counts of families and the scores of rows -- book 7.4, (7.21).
//
// A family is an attribute j with its parents p_1, ..., p_m. Its table has, for every combination of values of the
// parents (the last value of each standing for "not known"), every value of j and every class, one number:
// (size_p1 + 1, ..., size_pm + 1, size_j, classes), row-major. The tables of all families stand one after the other.
//
// count_families   table_j[..., x_j, c] = sum of w_i over the rows of class c with these values.
// family_scores    score_c = start_c + sum_j table_j[..., x_j, c], the sum over the attributes that are not missing;
//                  with tables of logarithms log P(x_j | c, parents) this is log P(c, x).
// left_out_right   whether a row gets its own class y once it is taken off the counts: for class y the numbers `less`
//                  are taken, for the others `tables`. The first of several best classes is the answer.
// Cost: O(n d (1 + parents)) and O(n d (classes + parents)).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::bayes {

struct Families {
    std::span<const std::int64_t> sizes;         // (d): values of each attribute
    std::span<const std::int64_t> parent_start;  // (d + 1): where the parents of each begin
    std::span<const std::int64_t> parents;
    std::span<const std::int64_t> table_start;  // (d + 1): cells before the table of each
    std::size_t classes;

    // Cells of the table of attribute j.
    std::size_t cells(std::size_t j) const {
        auto count = static_cast<std::size_t>(sizes[j]) * classes;
        for (auto p = parent_start[j]; p < parent_start[j + 1]; ++p)
            count *=
                static_cast<std::size_t>(sizes[static_cast<std::size_t>(parents[static_cast<std::size_t>(p)])]) + 1;
        return count;
    }

    // The line of `classes` numbers for attribute j of a row where it is known.
    template <class Code>
    std::size_t line(const Code* x, std::size_t j) const {
        std::size_t at = 0;
        for (auto p = parent_start[j]; p < parent_start[j + 1]; ++p) {
            const auto parent = static_cast<std::size_t>(parents[static_cast<std::size_t>(p)]);
            const auto size = static_cast<std::size_t>(sizes[parent]);
            at = at * (size + 1) + (x[parent] < 0 ? size : static_cast<std::size_t>(x[parent]));
        }
        at = at * static_cast<std::size_t>(sizes[j]) + static_cast<std::size_t>(x[j]);
        return static_cast<std::size_t>(table_start[j]) + at * classes;
    }
};

template <class Code>
void count_families(MatrixView<const Code> X, const Families& families, std::span<const std::int32_t> y,
                    std::span<const double> w, std::span<double> out, int n_threads) {
    std::fill(out.begin(), out.end(), 0.0);
    // A task owns the tables of some neighbouring attributes: few tasks on narrow rows, or each reads all of them.
    const std::size_t d = X.cols, wide = std::max<std::size_t>(4, (d + 15) / 16);
    parallel_for((d + wide - 1) / wide, n_threads, [&](std::size_t task) {
        const std::size_t first = task * wide, last = std::min(d, first + wide);
        for (std::size_t i = 0; i < X.rows; ++i) {
            if (y[i] < 0) continue;
            const Code* x = X.row(i);
            const double weight = w.empty() ? 1.0 : w[i];
            for (std::size_t j = first; j < last; ++j)
                if (x[j] >= 0) out[families.line(x, j) + static_cast<std::size_t>(y[i])] += weight;
        }
    });
}

template <class Code>
void family_scores(MatrixView<const Code> X, const Families& families, std::span<const double> tables,
                   std::span<const double> start, MatrixView<double> out, int n_threads) {
    const std::size_t k = families.classes;
    parallel_chunks(Chunks::of(X.rows, 256), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Code* x = X.row(i);
            double* score = out.row(i);
            std::copy(start.begin(), start.end(), score);
            for (std::size_t j = 0; j < X.cols; ++j) {
                if (x[j] < 0) continue;
                const double* line = tables.data() + families.line(x, j);
                for (std::size_t c = 0; c < k; ++c) score[c] += line[c];
            }
        }
    });
}

// Two sets of numbers for the same families: with all rows, and with one row less.
struct LeftOut {
    std::span<const double> tables, less, start, start_less;
};

template <class Code>
void left_out_right(MatrixView<const Code> X, const Families& families, const LeftOut& model,
                    std::span<const std::int32_t> y, std::span<std::uint8_t> out, int n_threads) {
    const std::size_t k = families.classes;
    parallel_chunks(Chunks::of(X.rows, 256), n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<double> score(k);
        for (std::size_t i = begin; i < end; ++i) {
            const Code* x = X.row(i);
            const auto own = static_cast<std::size_t>(y[i]);
            std::copy(model.start.begin(), model.start.end(), score.begin());
            double own_score = model.start_less[own];
            for (std::size_t j = 0; j < X.cols; ++j) {
                if (x[j] < 0) continue;
                const std::size_t line = families.line(x, j);
                for (std::size_t c = 0; c < k; ++c) score[c] += model.tables[line + c];
                own_score += model.less[line + own];
            }
            score[own] = own_score;
            const auto best = std::max_element(score.begin(), score.end()) - score.begin();
            out[i] = static_cast<std::size_t>(best) == own;
        }
    });
}

}  // namespace lanatus::bayes
