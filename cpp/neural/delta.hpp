// Rules that learn row by row from what one linear unit says: z = w'x + b.
//
//     perceptron   w += eta (y - f(z)) x,   f the step with f(0) = 1, y in {0, 1}   (5.1), (5.2)
//                  a sum that is 0 but for rounding counts as 0
//     delta        w += eta (y - z) x, eta at most 1 / |x|^2, which tells the row right        Widrow and Hoff's LMS
//
// Given   X (n, d) dense or CSR, y (n), weights of the rows or none, the order in which they are shown.
// Leaves  the new weights in w and b; b stays with `constant` false. O(n d), of sparse rows O(entries). One thread: each
// row sees what those before it have done.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/matrix.hpp"

namespace lanatus::neural {

enum class DeltaRule { perceptron, delta };

struct DeltaSums {
    std::int64_t errors = 0;  // rows on the wrong side, as they were met
    double loss = 0;          // of |z| on the wrong side, or of squared errors, halved
};

struct Weighed {
    double sum = 0, size = 0;  // of the terms, and of their magnitudes
    void add(double term) { sum += term, size += std::abs(term); }
};

template <class T>
Weighed product(MatrixView<const T> X, std::size_t i, const double* w) {
    Weighed found;
    for (std::size_t j = 0; j < X.cols; ++j) found.add(w[j] * static_cast<double>(X.row(i)[j]));
    return found;
}
template <class T>
void add(MatrixView<const T> X, std::size_t i, double a, double* w) {
    for (std::size_t j = 0; j < X.cols; ++j) w[j] += a * static_cast<double>(X.row(i)[j]);
}
template <class T>
Weighed product(const CsrView<T>& X, std::size_t i, const double* w) {
    Weighed found;
    const auto row = X.row(i);
    for (std::size_t p = 0; p < row.values.size(); ++p)
        found.add(w[static_cast<std::size_t>(row.columns[p])] * static_cast<double>(row.values[p]));
    return found;
}
template <class T>
void add(const CsrView<T>& X, std::size_t i, double a, double* w) {
    const auto row = X.row(i);
    for (std::size_t p = 0; p < row.values.size(); ++p)
        w[static_cast<std::size_t>(row.columns[p])] += a * static_cast<double>(row.values[p]);
}

template <class T>
double squared_length(MatrixView<const T> X, std::size_t i) {
    double sum = 0;
    for (std::size_t j = 0; j < X.cols; ++j) sum += static_cast<double>(X.row(i)[j]) * static_cast<double>(X.row(i)[j]);
    return sum;
}
template <class T>
double squared_length(const CsrView<T>& X, std::size_t i) {
    double sum = 0;
    for (const T value : X.row(i).values) sum += static_cast<double>(value) * static_cast<double>(value);
    return sum;
}

template <class Rows>
DeltaSums delta_round(const Rows& X, std::span<const double> y, std::span<const double> weight,
                      std::span<const std::int64_t> order, DeltaRule rule, double eta, bool constant,
                      std::span<double> w, double& b) {
    DeltaSums sums;
    for (const std::int64_t shown : order) {
        const auto i = static_cast<std::size_t>(shown);
        Weighed met = product(X, i, w.data());
        met.add(b);
        const double z = std::abs(met.sum) <= 1e-12 * met.size ? 0 : met.sum;
        const double heavy = weight.empty() ? 1 : weight[i];
        double error = y[i] - z;
        if (rule == DeltaRule::perceptron) {
            error = y[i] - (z >= 0 ? 1 : 0);
            sums.loss += heavy * (error != 0 ? std::abs(z) : 0);
        } else {
            sums.loss += 0.5 * heavy * error * error;
        }
        if (error == 0 || heavy == 0) continue;
        ++sums.errors;
        double share = eta * heavy;
        if (rule == DeltaRule::delta) share = std::min(share, 1 / (squared_length(X, i) + (constant ? 1 : 0) + 1e-300));
        add(X, i, share * error, w.data());
        if (constant) b += share * error;
    }
    return sums;
}

}  // namespace lanatus::neural
