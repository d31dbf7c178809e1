// Class means and within-class scatter -- book 3.4, (3.33), (3.41), (3.42):
//
//     S_w = sum_c sum_(i in c) w_i (x_i - mu_c)(x_i - mu_c)'
//
// in one read of X. Rows are taken relative to a shift of their class, the mean of its first rows, so that the correction
// from shift to mean is small and data far from the origin lose nothing. Rows with a negative code are left out.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "linear/logistic.hpp"
#include "linear/logistic_leaf.hpp"

namespace lanatus::logistic {

struct ClassScatter {
    std::vector<double> mass, mean, within;  // (k,), (k, d), (d, d)
};

namespace detail {

// (k, d): mean of the first 32 rows of each class
template <class T>
std::vector<double> class_shifts(MatrixView<const T> X, std::span<const std::int32_t> y, std::size_t n_classes) {
    constexpr std::size_t enough = 32;
    const std::size_t d = X.cols;
    std::vector<double> shift(n_classes * d);
    std::vector<std::size_t> met(n_classes);
    std::size_t open = n_classes;
    for (std::size_t i = 0; i < X.rows && open; ++i) {
        if (y[i] < 0) continue;
        const auto c = static_cast<std::size_t>(y[i]);
        if (met[c] == enough) continue;
        if (++met[c] == enough) --open;
        const double share = 1.0 / static_cast<double>(met[c]);
        for (std::size_t j = 0; j < d; ++j)
            shift[c * d + j] += (static_cast<double>(X.row(i)[j]) - shift[c * d + j]) * share;
    }
    return shift;
}

}  // namespace detail

// An empty w means weights of one.
template <std::floating_point T>
ClassScatter class_scatter(MatrixView<const T> X, std::span<const std::int32_t> y, std::span<const double> w,
                           std::size_t n_classes, int n_threads) {
    const std::size_t d = X.cols, width = panel_width(d), area = width * width;
    const auto shift = detail::class_shifts(X, y, n_classes);
    const ScatterTask<T> task{X, y.data(), w.empty() ? nullptr : w.data(), shift.data(), n_classes};
    const auto parts = parallel_parts<ScatterSums>(
        chunks_for(X.rows, (area + n_classes * d) * sizeof(double)), n_threads,
        [&](std::size_t begin, std::size_t end) {
            ScatterSums sums{std::vector<double>(n_classes), std::vector<double>(n_classes * d), Buffer<double>(area)};
            std::fill_n(sums.scatter.data(), area, 0.0);
            scatter_rows(task, begin, end, sums);
            return sums;
        });
    ClassScatter out{std::vector<double>(n_classes), std::vector<double>(n_classes * d), std::vector<double>(d * d)};
    for (const auto& part : parts) {
        for (std::size_t c = 0; c < n_classes; ++c) out.mass[c] += part.mass[c];
        for (std::size_t j = 0; j < n_classes * d; ++j) out.mean[j] += part.sums[j];
    }
    const Buffer<double> total(area);
    add_in_order(parts.size(), area, total.data(), n_threads, [&](std::size_t p) { return parts[p].scatter.data(); });
    for (std::size_t c = 0; c < n_classes; ++c) {
        double* offset = out.mean.data() + c * d;  // mean - shift
        for (std::size_t j = 0; j < d; ++j) offset[j] = out.mass[c] > 0 ? offset[j] / out.mass[c] : 0.0;
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = i; j < d; ++j) total[i * width + j] -= out.mass[c] * offset[i] * offset[j];
        for (std::size_t j = 0; j < d; ++j) offset[j] += out.mass[c] > 0 ? shift[c * d + j] : 0.0;
    }
    unfold(total.data(), width, MatrixView<double>{out.within.data(), d, d});
    return out;
}

}  // namespace lanatus::logistic
