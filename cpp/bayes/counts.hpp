// Counts of the values of coded columns by class, and classifiers that add up logarithms from a table -- book 7.3.
//
// A table has one line of `classes` numbers for every value of every column, the columns one after the other; column j
// begins at line first[j] and its first line stands for a missing value (code -1): nothing is counted there, and the
// logarithms there are 0.
//
// count     line of (j, x_ij), place y_i   +=  w_i                                    (7.17)
// scores    score_ic = start_c + sum_j  table[line of (j, x_ij)][c],                  (7.15) in logarithms
// Rows with y < 0 are left out. Parts of a count are added in order, so threads do not show. Cost O(n d) and O(n d k).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/simd.hpp"

namespace lanatus::bayes {

namespace detail {

// Parts of a count, so few that adding them up is a trifle and that together they take little room.
inline Chunks counting_chunks(std::size_t rows, std::size_t entries, std::size_t cells) {
    const std::size_t parts = std::clamp<std::size_t>(entries / (4 * cells + 1), 1, 32);
    return Chunks::of(rows, 2048, parts);
}

// The line of a code of column j. Inlined by order: left to the compiler, whether it is depends on what else is in the file,
// and a call for each entry takes three times as long.
template <class Code>
LANATUS_INLINE std::size_t line_of(Code code, std::span<const std::int64_t> first, std::size_t j) {
    const std::int64_t line = first[j] + 1 + code;
    if (code < -1 || line >= first[j + 1]) [[unlikely]]
        throw std::invalid_argument("X holds a code that is not from -1 to n_values - 1");
    return static_cast<std::size_t>(line);
}

template <class Part>
void add_parts(const std::vector<std::vector<Part>>& parts, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    for (const auto& part : parts)
        for (std::size_t at = 0; at < part.size(); ++at) out[at] += static_cast<double>(part[at]);
}

}  // namespace detail

// out: (lines, classes), the tables of all columns; first: (d + 1), where each begins and where the last ends.
template <class Code>
void count(MatrixView<const Code> X, std::span<const std::int32_t> y, std::span<const double> w,
           std::span<const std::int64_t> first, std::size_t classes, std::span<double> out, int n_threads) {
    const std::size_t d = X.cols, cells = out.size();
    auto tally = [&]<class Part>(Part, std::size_t begin, std::size_t end) {
        std::vector<Part> sum(cells);
        for (std::size_t i = begin; i < end; ++i) {
            if (y[i] < 0) continue;
            Part* here = sum.data() + y[i];
            const Code* x = X.row(i);
            const Part weight = w.empty() ? Part{1} : static_cast<Part>(w[i]);
            for (std::size_t j = 0; j < d; ++j) here[detail::line_of(x[j], first, j) * classes] += weight;
        }
        return sum;
    };
    const auto chunks = detail::counting_chunks(X.rows, X.size(), cells);
    if (w.empty())
        detail::add_parts(
            parallel_parts<std::vector<std::uint32_t>>(
                chunks, n_threads, [&](std::size_t b, std::size_t e) { return tally(std::uint32_t{}, b, e); }),
            out);
    else
        detail::add_parts(parallel_parts<std::vector<double>>(
                              chunks, n_threads, [&](std::size_t b, std::size_t e) { return tally(double{}, b, e); }),
                          out);
    for (std::size_t j = 0; j < d; ++j)
        std::fill_n(out.begin() + first[j] * static_cast<std::int64_t>(classes), classes, 0.0);
}

namespace detail {

// Calls take(i, scores) for every row. K is the number of classes where it is small, so that scores stay in registers.
template <std::size_t K, class Code, class Take>
void each_scores(MatrixView<const Code> X, std::span<const std::int64_t> first, std::span<const double> table,
                 std::span<const double> start, std::size_t begin, std::size_t end, std::vector<double>& room,
                 const Take& take) {
    const std::size_t d = X.cols, k = K ? K : start.size();
    for (std::size_t i = begin; i < end; ++i) {
        const Code* x = X.row(i);
        double fixed[K ? K : 1];
        double* score = K ? fixed : room.data();
        for (std::size_t c = 0; c < k; ++c) score[c] = start[c];
        for (std::size_t j = 0; j < d; ++j) {
            const double* line = table.data() + line_of(x[j], first, j) * k;
            for (std::size_t c = 0; c < k; ++c) score[c] += line[c];
        }
        take(i, score);
    }
}

// The place of the largest score, the lowest on ties; `otherwise` where no class is possible.
inline std::int32_t best_of(const double* score, std::size_t k, std::int32_t otherwise) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < k; ++c)
        if (score[c] > score[best]) best = c;
    return score[best] == -std::numeric_limits<double>::infinity() ? otherwise : static_cast<std::int32_t>(best);
}

}  // namespace detail

template <class Code, class Take>
void coded_scores(MatrixView<const Code> X, std::span<const std::int64_t> first, std::span<const double> table,
                  std::span<const double> start, int n_threads, const Take& take) {
    parallel_chunks(Chunks::of(X.rows, 1024), n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<double> room(start.size());
        auto run = [&]<std::size_t K>() { detail::each_scores<K>(X, first, table, start, begin, end, room, take); };
        switch (start.size()) {
            case 2: run.template operator()<2>(); break;
            case 3: run.template operator()<3>(); break;
            case 4: run.template operator()<4>(); break;
            case 5: run.template operator()<5>(); break;
            default: run.template operator()<0>();
        }
    });
}

// ---- sums of numbers by class, and scores linear in them, over dense rows or CSR alike

// Rows of a dense matrix as (column, value) pairs; zeros are passed over, as in CSR.
template <class T>
struct DenseRows {
    MatrixView<const T> X;
    std::size_t rows() const { return X.rows; }
    std::size_t entries() const { return X.size(); }
    template <class Each>
    void each(std::size_t i, const Each& body) const {
        const T* x = X.row(i);
        for (std::size_t j = 0; j < X.cols; ++j)
            if (x[j] != 0) body(j, static_cast<double>(x[j]));
    }
};

template <class T>
struct SparseRows {
    CsrView<T> X;
    std::size_t rows() const { return X.rows; }
    std::size_t entries() const { return static_cast<std::size_t>(X.indptr[X.rows]); }
    template <class Each>
    void each(std::size_t i, const Each& body) const {
        const auto row = X.row(i);
        for (std::size_t p = 0; p < row.values.size(); ++p)
            body(static_cast<std::size_t>(row.columns[p]), static_cast<double>(row.values[p]));
    }
};

// out[j][c] = sum over the rows of class c of w_i value(x_ij); value: the number itself, or whether it is above a limit.
template <class Rows, class Value>
void class_sums(const Rows& X, std::span<const std::int32_t> y, std::span<const double> w, std::size_t classes,
                const Value& value, std::span<double> out, int n_threads) {
    // Rows are read in their order: those of one class after the other would be read three times slower.
    const auto parts = parallel_parts<std::vector<double>>(
        detail::counting_chunks(X.rows(), X.entries(), out.size()), n_threads, [&](std::size_t begin, std::size_t end) {
            std::vector<double> sum(out.size());
            for (std::size_t i = begin; i < end; ++i) {
                if (y[i] < 0) continue;
                double* here = sum.data() + y[i];
                const double weight = w.empty() ? 1.0 : w[i];
                X.each(i, [&](std::size_t j, double x) { here[j * classes] += weight * value(x); });
            }
            return sum;
        });
    detail::add_parts(parts, out);
}

namespace detail {

typedef double Pair __attribute__((vector_size(16), aligned(8)));  // two classes at a time

// Scores of rows [begin, end) for at most 2 P classes, held in registers; lines of the table are 2 P long.
template <std::size_t P, class Rows, class Value, class Take>
void few_scores(const Rows& X, const double* table, std::span<const double> start, const Value& value,
                std::size_t begin, std::size_t end, const Take& take) {
    double first[2 * P] = {};
    std::copy(start.begin(), start.end(), first);
    for (std::size_t i = begin; i < end; ++i) {
        Pair score[P];
        for (std::size_t p = 0; p < P; ++p) score[p] = Pair{first[2 * p], first[2 * p + 1]};
        X.each(i, [&](std::size_t j, double x) {
            const double times = value(x);
            if (times == 0) return;  // 0 times -inf is nothing
            const Pair* line = reinterpret_cast<const Pair*>(table + j * 2 * P);
            const Pair both{times, times};
            for (std::size_t p = 0; p < P; ++p) score[p] += both * line[p];
        });
        double flat[2 * P];
        for (std::size_t p = 0; p < P; ++p) flat[2 * p] = score[p][0], flat[2 * p + 1] = score[p][1];
        take(i, flat);
    }
}

// The same for any number of classes.
template <class Rows, class Value, class Take>
void many_scores(const Rows& X, const double* table, std::span<const double> start, const Value& value,
                 std::size_t begin, std::size_t end, const Take& take) {
    const std::size_t k = start.size();
    std::vector<double> score(k);
    for (std::size_t i = begin; i < end; ++i) {
        std::copy(start.begin(), start.end(), score.begin());
        X.each(i, [&](std::size_t j, double x) {
            const double times = value(x);
            if (times == 0) return;
            const double* line = table + j * k;
            for (std::size_t c = 0; c < k; ++c) score[c] += times * line[c];
        });
        take(i, score.data());
    }
}

}  // namespace detail

// take(i, scores) with scores_c = start_c + sum_j value(x_ij) table[j][c].
template <class Rows, class Value, class Take>
void linear_scores(const Rows& X, std::span<const double> table, std::span<const double> start, const Value& value,
                   int n_threads, const Take& take) {
    const std::size_t k = start.size(), cols = table.size() / k;
    const bool odd = k % 2 && k < 8;
    Buffer<double> even(odd ? cols * (k + 1) : 0);
    for (std::size_t j = 0; odd && j < cols; ++j) {
        std::copy_n(table.data() + j * k, k, even.data() + j * (k + 1));
        even[j * (k + 1) + k] = 0;
    }
    const double* lines = odd ? even.data() : table.data();
    parallel_chunks(Chunks::of(X.rows(), 256), n_threads, [&](std::size_t begin, std::size_t end) {
        switch ((k + 1) / 2) {
            case 1: detail::few_scores<1>(X, lines, start, value, begin, end, take); break;
            case 2: detail::few_scores<2>(X, lines, start, value, begin, end, take); break;
            case 3: detail::few_scores<3>(X, lines, start, value, begin, end, take); break;
            case 4: detail::few_scores<4>(X, lines, start, value, begin, end, take); break;
            default: detail::many_scores(X, lines, start, value, begin, end, take);
        }
    });
}

}  // namespace lanatus::bayes
