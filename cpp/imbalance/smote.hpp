// Synthetic rows between neighbours -- book 3.6 (Chawla et al. 2002): x_new = x + u (x' - x), u uniform in [0, 1).
//
// A new row's parents and u are a function of (seed, its number), so neither the number of threads nor that of other rows
// made shows. Cost: O(1) a draw, O(d) a row.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"

namespace lanatus::imbalance {

// For each new row: which of n_parents rows it starts from, which of that row's k neighbours it goes to, how far.
inline void draw(std::uint64_t seed, std::size_t n_parents, std::size_t k, std::span<std::int64_t> parent,
                 std::span<std::int64_t> neighbor, std::span<double> gap, int n_threads) {
    const Philox parents(seed, 0), neighbors(seed, 1), gaps(seed, 2);
    parallel_chunks(Chunks::of(parent.size(), 4096), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            parent[i] = static_cast<std::int64_t>(parents.below(i, n_parents));
            neighbor[i] = static_cast<std::int64_t>(neighbors.below(i, k));
            gap[i] = gaps.uniform(i);
        }
    });
}

// out: the rows of X, then a row between X[from[i]] and X[to[i]] for each i.
template <class T>
void interpolate(MatrixView<const T> X, std::span<const std::int64_t> from, std::span<const std::int64_t> to,
                 std::span<const double> gap, MatrixView<T> out, int n_threads) {
    parallel_chunks(Chunks::of(out.rows, 1024), n_threads, [&](std::size_t begin, std::size_t end) {
        if (begin < X.rows) std::copy(X.row(begin), X.row(std::min(end, X.rows)), out.row(begin));
        for (std::size_t i = std::max(begin, X.rows); i < end; ++i) {
            const std::size_t made = i - X.rows;
            const T* a = X.row(static_cast<std::size_t>(from[made]));
            const T* b = X.row(static_cast<std::size_t>(to[made]));
            const T u = static_cast<T>(gap[made]);
            T* row = out.row(i);
            for (std::size_t j = 0; j < X.cols; ++j) row[j] = a[j] + u * (b[j] - a[j]);
        }
    });
}

}  // namespace lanatus::imbalance
