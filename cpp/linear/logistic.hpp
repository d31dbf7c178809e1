// Logistic regression, one pass over the rows -- book 3.3, (3.27), (3.30), (3.31):
//
//     loss = sum_i w_i ( log(1 + e^z_i) - y_i z_i ),   z = X coef + intercept
//     gradient = X' (p - y),   Hessian = X' diag(p (1 - p)) X
//
// the same for several classes with the softmax (6.4), and for the squared hinge and the squared tube of chapter 6. A block of rows in cache gives its margins, then its terms, then
// its part of the sums: X is read once. Chunks merge in order. Dense X here, compressed rows in logistic_csr.hpp.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "linear/logistic_leaf.hpp"

namespace lanatus::logistic {

// Chunks whose private sums of `slot` bytes stay within 128 MB together.
inline Chunks chunks_for(std::size_t rows, std::size_t slot) {
    const std::size_t wanted =
        std::clamp<std::size_t>((std::size_t{128} << 20) / std::max<std::size_t>(slot, 1), 4, 64);
    return Chunks::of(rows, 512, wanted, 4);
}

// total[j] <- sum over the parts of part(p)[j], in order of the parts. A small sum is had sooner than a second thread.
template <class Get>
void add_in_order(std::size_t n_parts, std::size_t length, double* total, int n_threads, const Get& part) {
    const int team = n_parts * length < (1 << 20) ? 1 : n_threads;
    parallel_chunks(Chunks::of(length, 8192), team, [&](std::size_t begin, std::size_t end) {
        std::fill(total + begin, total + end, 0.0);
        for (std::size_t p = 0; p < n_parts; ++p) {
            const double* values = part(p);
            for (std::size_t j = begin; j < end; ++j) total[j] += values[j];
        }
    });
}

// Both triangles of out (m, m) from the upper one of a wider matrix.
inline void unfold(const double* wide, std::size_t width, MatrixView<double> out) {
    for (std::size_t i = 0; i < out.rows; ++i)
        for (std::size_t j = i; j < out.cols; ++j) out.row(i)[j] = out.row(j)[i] = wide[i * width + j];
}

// coef (d + 1,); gradient (d + 1,) out; hessian (d + 1, d + 1) out, or no rows; curvature (n,) out, or empty.
template <std::floating_point T>
double binary_pass(MatrixView<const T> X, const Loss& loss_of, std::span<const double> y, std::span<const double> w,
                   std::span<const double> coef, std::span<double> gradient, MatrixView<double> hessian,
                   std::span<double> curvature, int n_threads) {
    const bool second = hessian.rows > 0;
    const std::size_t width = panel_width(X.cols + 1), area = second ? width * width : 0;
    const BinaryTask<T> task{X,           loss_of,
                             y.data(),    w.empty() ? nullptr : w.data(),
                             coef.data(), curvature.empty() ? nullptr : curvature.data(),
                             second};
    const auto parts = parallel_parts<BinarySums>(
        chunks_for(X.rows, (area + coef.size()) * sizeof(double)), n_threads, [&](std::size_t begin, std::size_t end) {
            BinarySums sums{0, std::vector<double>(coef.size()), Buffer<double>(area)};
            std::fill_n(sums.hessian.data(), area, 0.0);
            binary_rows(task, begin, end, sums);
            return sums;
        });
    double loss = 0;
    for (const auto& part : parts) loss += part.loss;
    add_in_order(parts.size(), coef.size(), gradient.data(), n_threads,
                 [&](std::size_t p) { return parts[p].gradient.data(); });
    if (second) {
        const Buffer<double> total(area);
        add_in_order(parts.size(), area, total.data(), n_threads,
                     [&](std::size_t p) { return parts[p].hessian.data(); });
        unfold(total.data(), width, hessian);
    }
    return loss;
}

// out (d + 1,) <- X' (curvature * (X v))
template <std::floating_point T>
void curved_product(MatrixView<const T> X, std::span<const double> curvature, std::span<const double> v,
                    std::span<double> out, int n_threads) {
    const auto parts = parallel_parts<std::vector<double>>(
        chunks_for(X.rows, v.size() * sizeof(double)), n_threads, [&](std::size_t begin, std::size_t end) {
            std::vector<double> sum(v.size());
            curved_rows(X, curvature.data(), v.data(), begin, end, sum.data());
            return sum;
        });
    add_in_order(parts.size(), v.size(), out.data(), n_threads, [&](std::size_t p) { return parts[p].data(); });
}

// out (d + 1, 2) <- X' curvature and the diagonal of X' diag(curvature) X, X with a last column of ones
template <std::floating_point T>
void curved_moments(MatrixView<const T> X, std::span<const double> curvature, MatrixView<double> out, int n_threads) {
    const std::size_t d = X.cols;
    const auto parts = parallel_parts<std::vector<double>>(
        chunks_for(X.rows, out.size() * sizeof(double)), n_threads, [&](std::size_t begin, std::size_t end) {
            std::vector<double> sum(out.size());
            for (std::size_t i = begin; i < end; ++i) {
                for (std::size_t j = 0; j < d; ++j) {
                    const double value = static_cast<double>(X.row(i)[j]), scaled = curvature[i] * value;
                    sum[2 * j] += scaled;
                    sum[2 * j + 1] += scaled * value;
                }
                sum[2 * d] += curvature[i];
            }
            sum[2 * d + 1] = sum[2 * d];
            return sum;
        });
    add_in_order(parts.size(), out.size(), out.data, n_threads, [&](std::size_t p) { return parts[p].data(); });
}

// (d + 1, classes) <-> (d + 1, class_width), the new columns zero.
inline std::vector<double> widened(MatrixView<const double> coef) {
    const std::size_t width = class_width(coef.cols);
    std::vector<double> wide(coef.rows * width);
    for (std::size_t i = 0; i < coef.rows; ++i) std::copy_n(coef.row(i), coef.cols, wide.data() + i * width);
    return wide;
}
inline void narrow(const double* wide, MatrixView<double> out) {
    for (std::size_t i = 0; i < out.rows; ++i) std::copy_n(wide + i * class_width(out.cols), out.cols, out.row(i));
}

// coef and gradient (d + 1, classes); shares (n, classes) out, or no rows.
template <std::floating_point T>
double multinomial_pass(MatrixView<const T> X, std::span<const std::int32_t> y, std::span<const double> w,
                        MatrixView<const double> coef, MatrixView<double> gradient, MatrixView<double> shares,
                        int n_threads) {
    const auto wide = widened(coef);
    const MultinomialTask<T> task{X,           y.data(),  w.empty() ? nullptr : w.data(),
                                  wide.data(), coef.cols, shares.rows ? shares.data : nullptr};
    const auto parts = parallel_parts<MultinomialSums>(chunks_for(X.rows, wide.size() * sizeof(double)), n_threads,
                                                       [&](std::size_t begin, std::size_t end) {
                                                           MultinomialSums sums{0, std::vector<double>(wide.size())};
                                                           multinomial_rows(task, begin, end, sums);
                                                           return sums;
                                                       });
    double loss = 0;
    for (const auto& part : parts) loss += part.loss;
    std::vector<double> total(wide.size());
    add_in_order(parts.size(), total.size(), total.data(), n_threads,
                 [&](std::size_t p) { return parts[p].gradient.data(); });
    narrow(total.data(), gradient);
    return loss;
}

// out (d + 1, classes) <- the Hessian of the softmax loss, at probabilities `shares`, times direction (d + 1, classes)
template <std::floating_point T>
void multinomial_product(MatrixView<const T> X, MatrixView<const double> shares, std::span<const double> w,
                         MatrixView<const double> direction, MatrixView<double> out, int n_threads) {
    const auto wide = widened(direction);
    const MultinomialProduct<T> task{X, shares.data, w.empty() ? nullptr : w.data(), wide.data(), direction.cols};
    const auto parts = parallel_parts<std::vector<double>>(chunks_for(X.rows, wide.size() * sizeof(double)), n_threads,
                                                           [&](std::size_t begin, std::size_t end) {
                                                               std::vector<double> sum(wide.size());
                                                               multinomial_product_rows(task, begin, end, sum.data());
                                                               return sum;
                                                           });
    std::vector<double> total(wide.size());
    add_in_order(parts.size(), total.size(), total.data(), n_threads, [&](std::size_t p) { return parts[p].data(); });
    narrow(total.data(), out);
}

}  // namespace lanatus::logistic
