// k-means by exchange of single rows (cookbook 12.2): a row goes where it lowers the sum of squares most, and the two means
// move at once. Objective J = sum_i w_i |x_i - m_c(i)|^2.
//
// Given   X (n, d), w (n,) or none, labels (n,) in [0, k), and the means and masses of these clusters.
// Leaves  all of them after one pass over the rows in order. Row x of cluster i costs rho_i = M_i w / (M_i - w) |x - m_i|^2
//         there and rho_j = M_j w / (M_j + w) |x - m_j|^2 elsewhere, and goes to the lowest; a cluster's last row stays.
//         O(n k d). Ties leave a row where it is.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::cluster {

template <class T>
std::size_t exchange_pass(MatrixView<const T> X, std::span<const double> w, std::span<std::int32_t> labels,
                          MatrixView<double> means, std::span<double> mass, std::span<std::int64_t> count) {
    const std::size_t k = means.rows, d = X.cols;
    std::size_t moved = 0;
    std::vector<double> x(d);
    for (std::size_t i = 0; i < X.rows; ++i) {
        const double weight = w.empty() ? 1.0 : w[i];
        const auto own = static_cast<std::size_t>(labels[i]);
        if (count[own] < 2 || !(weight > 0)) continue;
        for (std::size_t j = 0; j < d; ++j) x[j] = static_cast<double>(X.row(i)[j]);
        const auto square = [&](std::size_t c) {
            double sum = 0;
            for (std::size_t j = 0; j < d; ++j) sum += (x[j] - means.row(c)[j]) * (x[j] - means.row(c)[j]);
            return sum;
        };
        std::size_t best = own;
        double least = mass[own] * weight / (mass[own] - weight) * square(own);
        // Beyond rounding, or two means that lie alike would hand a row to and fro.
        least *= 1 - 1e-12;
        for (std::size_t c = 0; c < k; ++c) {
            if (c == own) continue;
            const double cost = mass[c] * weight / (mass[c] + weight) * square(c);
            if (cost < least) least = cost, best = c;
        }
        if (best == own) continue;
        for (std::size_t j = 0; j < d; ++j) {
            means.row(own)[j] += (means.row(own)[j] - x[j]) * weight / (mass[own] - weight);
            means.row(best)[j] += (x[j] - means.row(best)[j]) * weight / (mass[best] + weight);
        }
        mass[own] -= weight, mass[best] += weight;
        --count[own], ++count[best];
        labels[i] = static_cast<std::int32_t>(best);
        ++moved;
    }
    return moved;
}

}  // namespace lanatus::cluster
