// The k nearest neighbours of some rows among all rows, exactly, by Euclidean distance.
//
// Given   points X (n x d), rows Q of X that ask, 1 <= k < n.
// Result  for each asking row, the k other rows of least distance, nearest first; ties go to the lower row.
//
// All pairs are screened in float32 with s = 1/2 |p|^2 - x p, which is 1/2 (|x - p|^2 - |x|^2), on shifted data, 24 asking
// rows x 4 points in registers. A pair whose s is not above that of the k-th best so far, plus a bound of the rounding
// error, is measured again by differences in double, which alone decides. Scaling by a power of two keeps squares finite.
// Cost: O(|Q| n d) time, O(n d) memory. The answer does not depend on the number of threads.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::imbalance {

constexpr std::size_t query_tile = 24;   // asking rows handled together
constexpr std::size_t point_group = 4;   // points handled together
constexpr std::size_t point_block = 512;  // points that stay in the cache while the tiles of a chunk pass
constexpr std::size_t tiles_a_chunk = 8;

// Points ready to be screened: scaled in double, and shifted in float32 by groups of four, each group by columns.
struct Screen {
    std::size_t n, d, groups;
    Buffer<double> exact;    // n x d, scaled
    Buffer<float> packed;    // groups x d x 4
    Buffer<float> start;     // 1/2 |p|^2 less its share of the rounding error; infinite for padding
    std::vector<double> middle;
    double slack;            // relative rounding error of a score

    template <class T>
    explicit Screen(MatrixView<const T> X)
        : n(X.rows), d(X.cols), groups((n + point_group - 1) / point_group), exact(n * d),
          packed(groups * d * point_group), start(groups * point_group), middle(d),
          slack(static_cast<double>(d + 8) * static_cast<double>(std::numeric_limits<float>::epsilon())) {
        double largest = 0;
        for (std::size_t i = 0; i < X.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(X.data[i])));
        int exponent = 0;
        std::frexp(largest, &exponent);
        for (std::size_t i = 0; i < X.size(); ++i) exact[i] = std::ldexp(static_cast<double>(X.data[i]), -exponent);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < d; ++j) middle[j] += exact[i * d + j];
        for (double& value : middle) value /= static_cast<double>(n);
        std::fill_n(packed.data(), packed.size(), 0.0f);
        std::fill_n(start.data(), start.size(), std::numeric_limits<float>::infinity());
        for (std::size_t i = 0; i < n; ++i) {
            double norm = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const double value = exact[i * d + j] - middle[j];
                packed[(i / point_group * d + j) * point_group + i % point_group] = static_cast<float>(value);
                norm += value * value;
            }
            start[i] = static_cast<float>(norm * (0.5 - slack));
        }
    }
    const double* row(std::size_t i) const noexcept { return exact.data() + i * d; }
};

// The best k so far of the asking rows of one chunk.
struct Nearest {
    std::size_t k;
    Buffer<float> panel;          // tiles x d x 24: the shifted rows, a lane each
    Buffer<double> half_norm;     // of each row, shifted
    Buffer<float> limit;          // a score above it is out
    Buffer<double> sq_dist;       // rows x k, ascending
    Buffer<std::int32_t> which;   // rows x k

    Nearest(const Screen& screen, std::span<const std::int64_t> rows, std::size_t k_);
};

// The points [begin, end) come by; begin is a multiple of four.
void screen_points(const Screen& screen, std::span<const std::int64_t> rows, std::size_t begin, std::size_t end,
                   Nearest& best);  // neighbors.cpp

inline Nearest::Nearest(const Screen& screen, std::span<const std::int64_t> rows, std::size_t k_)
    : k(k_), panel((rows.size() + query_tile - 1) / query_tile * query_tile * screen.d), half_norm(rows.size()),
      limit((rows.size() + query_tile - 1) / query_tile * query_tile), sq_dist(rows.size() * k),
      which(rows.size() * k) {
    std::fill_n(panel.data(), panel.size(), 0.0f);
    std::fill_n(limit.data(), limit.size(), -std::numeric_limits<float>::infinity());
    std::fill_n(limit.data(), rows.size(), std::numeric_limits<float>::max());
    std::fill_n(sq_dist.data(), sq_dist.size(), std::numeric_limits<double>::infinity());
    std::fill_n(which.data(), which.size(), -1);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double* x = screen.row(static_cast<std::size_t>(rows[r]));
        double norm = 0;
        for (std::size_t j = 0; j < screen.d; ++j) {
            const double value = x[j] - screen.middle[j];
            panel[(r / query_tile * screen.d + j) * query_tile + r % query_tile] = static_cast<float>(value);
            norm += value * value;
        }
        half_norm[r] = norm / 2;
    }
}

// out: |rows| x k
template <class T>
void nearest_rows(MatrixView<const T> X, std::span<const std::int64_t> rows, std::size_t k, std::int32_t* out,
                  int n_threads) {
    const Screen screen(X);
    const Chunks chunks{rows.size(), tiles_a_chunk * query_tile};
    parallel_chunks(chunks, n_threads, [&](std::size_t begin, std::size_t end) {
        const auto own = rows.subspan(begin, end - begin);
        Nearest best(screen, own, k);
        for (std::size_t p = 0; p < X.rows; p += point_block)
            screen_points(screen, own, p, std::min(X.rows, p + point_block), best);
        std::copy_n(best.which.data(), best.which.size(), out + begin * k);
    });
}

}  // namespace lanatus::imbalance
