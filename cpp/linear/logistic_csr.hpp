// Logistic regression on compressed rows: the passes of logistic.hpp, without making X dense. A chunk's gradient is a dense
// vector of its own, so chunks are few where there are many columns.
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

template <class T> using Csr = CsrView<T, std::int32_t>;

constexpr std::size_t csr_block = 128;  // rows whose entries are read twice, the second time from cache

inline Chunks csr_chunks(std::size_t rows, std::size_t slot) {
    // Zeroing and merging a slot must stay small beside the rows of its chunk; 4 MB of slots at least are always allowed.
    const std::size_t wanted = std::clamp<std::size_t>((std::size_t{4} << 20) / std::max<std::size_t>(slot, 1), 8, 64);
    return Chunks::of(rows, 256, wanted, csr_block);
}

template <class T>
double csr_dot(const Csr<T>& X, std::size_t i, const double* v) {
    const auto row = X.row(i);
    double even = 0, odd = 0;
    std::size_t e = 0;
    for (; e + 2 <= row.values.size(); e += 2) {
        even += static_cast<double>(row.values[e]) * v[row.columns[e]];
        odd += static_cast<double>(row.values[e + 1]) * v[row.columns[e + 1]];
    }
    if (e < row.values.size()) even += static_cast<double>(row.values[e]) * v[row.columns[e]];
    return even + odd;
}

template <class T>
void csr_add(const Csr<T>& X, std::size_t i, double scale, double* out) {
    const auto row = X.row(i);
    for (std::size_t e = 0; e < row.values.size(); ++e) out[row.columns[e]] += scale * static_cast<double>(row.values[e]);
}

// Upper triangle of H (d + 1, d + 1) += curvature * x x', the columns of a row being in ascending order
template <class T>
void csr_outer(const Csr<T>& X, std::size_t i, double curvature, double* H) {
    const auto row = X.row(i);
    const std::size_t m = X.cols + 1;
    for (std::size_t a = 0; a < row.values.size(); ++a) {
        const double scaled = curvature * static_cast<double>(row.values[a]);
        double* line = H + static_cast<std::size_t>(row.columns[a]) * m;
        for (std::size_t b = a; b < row.values.size(); ++b) line[row.columns[b]] += scaled * static_cast<double>(row.values[b]);
        line[X.cols] += scaled;
    }
    H[X.cols * m + X.cols] += curvature;
}

template <std::floating_point T>
double binary_pass_csr(const Csr<T>& X, std::span<const double> y, std::span<const double> w,
                       std::span<const double> coef, std::span<double> gradient, MatrixView<double> hessian,
                       std::span<double> curvature, int n_threads) {
    const std::size_t d = X.cols, area = hessian.size();
    const auto parts = parallel_parts<BinarySums>(
        csr_chunks(X.rows, (area + d + 1) * sizeof(double)), n_threads, [&](std::size_t begin, std::size_t end) {
            BinarySums sums{0, std::vector<double>(d + 1), Buffer<double>(area)};
            std::fill_n(sums.hessian.data(), area, 0.0);
            double z[csr_block], residual[csr_block], own[csr_block];
            for (std::size_t first = begin; first < end; first += csr_block) {
                const std::size_t rows = std::min(csr_block, end - first);
                for (std::size_t i = 0; i < rows; ++i) z[i] = csr_dot(X, first + i, coef.data()) + coef[d];
                double* second = curvature.empty() ? own : curvature.data() + first;
                logistic_terms(z, y.data() + first, w.empty() ? nullptr : w.data() + first, rows, &sums.loss, residual,
                               second);
                for (std::size_t i = 0; i < rows; ++i) {
                    csr_add(X, first + i, residual[i], sums.gradient.data());
                    sums.gradient[d] += residual[i];
                    if (area) csr_outer(X, first + i, second[i], sums.hessian.data());
                }
            }
            return sums;
        });
    double loss = 0;
    for (const auto& part : parts) loss += part.loss;
    add_in_order(parts.size(), d + 1, gradient.data(), n_threads, [&](std::size_t p) { return parts[p].gradient.data(); });
    if (area) {
        std::vector<double> total(area);
        add_in_order(parts.size(), area, total.data(), n_threads, [&](std::size_t p) { return parts[p].hessian.data(); });
        unfold(total.data(), d + 1, hessian);
    }
    return loss;
}

template <std::floating_point T>
void curved_product_csr(const Csr<T>& X, std::span<const double> curvature, std::span<const double> v,
                        std::span<double> out, int n_threads) {
    const std::size_t d = X.cols;
    const auto parts = parallel_parts<std::vector<double>>(
        csr_chunks(X.rows, (d + 1) * sizeof(double)), n_threads, [&](std::size_t begin, std::size_t end) {
            std::vector<double> sum(d + 1);
            for (std::size_t i = begin; i < end; ++i) {
                const double scaled = curvature[i] * (csr_dot(X, i, v.data()) + v[d]);
                csr_add(X, i, scaled, sum.data());
                sum[d] += scaled;
            }
            return sum;
        });
    add_in_order(parts.size(), d + 1, out.data(), n_threads, [&](std::size_t p) { return parts[p].data(); });
}

template <std::floating_point T>
void curved_diagonal_csr(const Csr<T>& X, std::span<const double> curvature, std::span<double> out, int n_threads) {
    const std::size_t d = X.cols;
    const auto parts = parallel_parts<std::vector<double>>(
        csr_chunks(X.rows, (d + 1) * sizeof(double)), n_threads, [&](std::size_t begin, std::size_t end) {
            std::vector<double> sum(d + 1);
            for (std::size_t i = begin; i < end; ++i) {
                const auto row = X.row(i);
                for (std::size_t e = 0; e < row.values.size(); ++e)
                    sum[static_cast<std::size_t>(row.columns[e])] +=
                        curvature[i] * static_cast<double>(row.values[e]) * static_cast<double>(row.values[e]);
                sum[d] += curvature[i];
            }
            return sum;
        });
    add_in_order(parts.size(), d + 1, out.data(), n_threads, [&](std::size_t p) { return parts[p].data(); });
}

// scores (rows, width) of rows [first, first + rows)
template <class T>
void csr_scores(const Csr<T>& X, std::size_t first, std::size_t rows, const double* coef, std::size_t width,
                double* scores) {
    for (std::size_t i = 0; i < rows; ++i) {
        double* score = scores + i * width;
        std::copy_n(coef + X.cols * width, width, score);
        const auto row = X.row(first + i);
        for (std::size_t e = 0; e < row.values.size(); ++e) {
            const double* line = coef + static_cast<std::size_t>(row.columns[e]) * width;
            for (std::size_t c = 0; c < width; ++c) score[c] += static_cast<double>(row.values[e]) * line[c];
        }
    }
}

template <class T>
void csr_add_products(const Csr<T>& X, std::size_t first, std::size_t rows, const double* r, std::size_t width,
                      double* out) {
    for (std::size_t i = 0; i < rows; ++i) {
        const double* residual = r + i * width;
        const auto row = X.row(first + i);
        for (std::size_t e = 0; e < row.values.size(); ++e) {
            double* line = out + static_cast<std::size_t>(row.columns[e]) * width;
            for (std::size_t c = 0; c < width; ++c) line[c] += static_cast<double>(row.values[e]) * residual[c];
        }
        for (std::size_t c = 0; c < width; ++c) out[X.cols * width + c] += residual[c];
    }
}

template <std::floating_point T>
double multinomial_pass_csr(const Csr<T>& X, std::span<const std::int32_t> y, std::span<const double> w,
                            MatrixView<const double> coef, MatrixView<double> gradient, MatrixView<double> shares,
                            int n_threads) {
    const auto wide = widened(coef);
    const std::size_t k = coef.cols, width = class_width(k);
    const auto parts = parallel_parts<MultinomialSums>(
        csr_chunks(X.rows, wide.size() * sizeof(double)), n_threads, [&](std::size_t begin, std::size_t end) {
            MultinomialSums sums{0, std::vector<double>(wide.size())};
            const Buffer<double> scores(csr_block * width), residual(csr_block * width);
            for (std::size_t first = begin; first < end; first += csr_block) {
                const std::size_t rows = std::min(csr_block, end - first);
                csr_scores(X, first, rows, wide.data(), width, scores.data());
                softmax_terms(scores.data(), y.data() + first, w.empty() ? nullptr : w.data() + first, rows, k, width,
                              &sums.loss, residual.data());
                csr_add_products(X, first, rows, residual.data(), width, sums.gradient.data());
                for (std::size_t i = 0; i < rows && shares.rows; ++i)
                    std::copy_n(scores.data() + i * width, k, shares.row(first + i));
            }
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

template <std::floating_point T>
void multinomial_product_csr(const Csr<T>& X, MatrixView<const double> shares, std::span<const double> w,
                             MatrixView<const double> direction, MatrixView<double> out, int n_threads) {
    const auto wide = widened(direction);
    const std::size_t k = direction.cols, width = class_width(k);
    const auto parts = parallel_parts<std::vector<double>>(
        csr_chunks(X.rows, wide.size() * sizeof(double)), n_threads, [&](std::size_t begin, std::size_t end) {
            std::vector<double> sum(wide.size());
            const Buffer<double> scores(csr_block * width);
            for (std::size_t first = begin; first < end; first += csr_block) {
                const std::size_t rows = std::min(csr_block, end - first);
                csr_scores(X, first, rows, wide.data(), width, scores.data());
                softmax_curvature(scores.data(), shares.row(first), w.empty() ? nullptr : w.data() + first, rows, k, width);
                csr_add_products(X, first, rows, scores.data(), width, sum.data());
            }
            return sum;
        });
    std::vector<double> total(wide.size());
    add_in_order(parts.size(), total.size(), total.data(), n_threads, [&](std::size_t p) { return parts[p].data(); });
    narrow(total.data(), out);
}

}  // namespace lanatus::logistic
