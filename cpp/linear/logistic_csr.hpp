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

template <class T>
using Csr = CsrView<T>;

constexpr std::size_t csr_block = 128;  // rows whose entries are read twice, the second time from cache

inline Chunks csr_chunks(std::size_t rows, std::size_t slot) {
    // Zeroing and merging a slot must stay small beside the rows of its chunk; 4 MB of slots at least are always allowed.
    const std::size_t wanted = std::clamp<std::size_t>((std::size_t{4} << 20) / std::max<std::size_t>(slot, 1), 8, 64);
    return Chunks::of(rows, 256, wanted, csr_block);
}

// total (length) <- the sum over the chunks, in order, of what body(begin, end, slot) adds to a slot of zeros. The slots are one
// piece of memory: an allocator keeps one large piece for the next pass, and gives many small ones back.
template <class Body>
void add_by_chunks(std::size_t rows, std::size_t length, double* total, int n_threads, const Body& body) {
    const auto chunks = csr_chunks(rows, length * sizeof(double));
    const Buffer<double> slots(chunks.count() * length);
    parallel_for(chunks.count(), n_threads, [&](std::size_t c) {
        double* slot = slots.data() + c * length;
        std::fill_n(slot, length, 0.0);
        body(chunks.begin(c), chunks.end(c), slot);
    });
    add_in_order(chunks.count(), length, total, n_threads, [&](std::size_t c) { return slots.data() + c * length; });
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
    for (std::size_t e = 0; e < row.values.size(); ++e)
        out[row.columns[e]] += scale * static_cast<double>(row.values[e]);
}

// Upper triangle of H (d + 1, d + 1) += curvature * x x', the columns of a row being in ascending order
template <class T>
void csr_outer(const Csr<T>& X, std::size_t i, double curvature, double* H) {
    const auto row = X.row(i);
    const std::size_t m = X.cols + 1;
    for (std::size_t a = 0; a < row.values.size(); ++a) {
        const double scaled = curvature * static_cast<double>(row.values[a]);
        double* line = H + static_cast<std::size_t>(row.columns[a]) * m;
        for (std::size_t b = a; b < row.values.size(); ++b)
            line[row.columns[b]] += scaled * static_cast<double>(row.values[b]);
        line[X.cols] += scaled;
    }
    H[X.cols * m + X.cols] += curvature;
}

template <std::floating_point T>
double binary_pass_csr(const Csr<T>& X, const Loss& loss_of, std::span<const double> y, std::span<const double> w,
                       std::span<const double> coef, std::span<double> gradient, MatrixView<double> hessian,
                       std::span<double> curvature, int n_threads) {
    const std::size_t d = X.cols, area = hessian.size();
    std::vector<double> total(d + 2 + area);  // gradient, loss, Hessian
    add_by_chunks(X.rows, total.size(), total.data(), n_threads, [&](std::size_t begin, std::size_t end, double* sum) {
        double z[csr_block], residual[csr_block], own[csr_block];
        for (std::size_t first = begin; first < end; first += csr_block) {
            const std::size_t rows = std::min(csr_block, end - first);
            for (std::size_t i = 0; i < rows; ++i) z[i] = csr_dot(X, first + i, coef.data()) + coef[d];
            double* second = curvature.empty() ? own : curvature.data() + first;
            loss_terms(loss_of, z, y.data() + first, w.empty() ? nullptr : w.data() + first, rows, sum + d + 1,
                       residual, second);
            for (std::size_t i = 0; i < rows; ++i) {
                csr_add(X, first + i, residual[i], sum);
                sum[d] += residual[i];
                if (area && second[i] != 0) csr_outer(X, first + i, second[i], sum + d + 2);
            }
        }
    });
    std::copy_n(total.data(), d + 1, gradient.data());
    if (area) unfold(total.data() + d + 2, d + 1, hessian);
    return total[d + 1];
}

template <std::floating_point T>
void curved_product_csr(const Csr<T>& X, std::span<const double> curvature, std::span<const double> v,
                        std::span<double> out, int n_threads) {
    const std::size_t d = X.cols;
    add_by_chunks(X.rows, d + 1, out.data(), n_threads, [&](std::size_t begin, std::size_t end, double* sum) {
        for (std::size_t i = begin; i < end; ++i) {
            const double scaled = curvature[i] * (csr_dot(X, i, v.data()) + v[d]);
            csr_add(X, i, scaled, sum);
            sum[d] += scaled;
        }
    });
}

template <std::floating_point T>
void curved_moments_csr(const Csr<T>& X, std::span<const double> curvature, MatrixView<double> out, int n_threads) {
    const std::size_t d = X.cols;
    add_by_chunks(X.rows, out.size(), out.data, n_threads, [&](std::size_t begin, std::size_t end, double* sum) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = X.row(i);
            for (std::size_t e = 0; e < row.values.size(); ++e) {
                const double value = static_cast<double>(row.values[e]), scaled = curvature[i] * value;
                double* pair = sum + 2 * static_cast<std::size_t>(row.columns[e]);
                pair[0] += scaled;
                pair[1] += scaled * value;
            }
            sum[2 * d] += curvature[i];
        }
        sum[2 * d + 1] = sum[2 * d];
    });
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
    std::vector<double> total(wide.size() + 1);  // gradient, loss
    add_by_chunks(X.rows, total.size(), total.data(), n_threads, [&](std::size_t begin, std::size_t end, double* sum) {
        const Buffer<double> scores(csr_block * width), residual(csr_block * width);
        for (std::size_t first = begin; first < end; first += csr_block) {
            const std::size_t rows = std::min(csr_block, end - first);
            csr_scores(X, first, rows, wide.data(), width, scores.data());
            softmax_terms(scores.data(), y.data() + first, w.empty() ? nullptr : w.data() + first, rows, k, width,
                          sum + wide.size(), residual.data());
            csr_add_products(X, first, rows, residual.data(), width, sum);
            for (std::size_t i = 0; i < rows && shares.rows; ++i)
                std::copy_n(scores.data() + i * width, k, shares.row(first + i));
        }
    });
    narrow(total.data(), gradient);
    return total.back();
}

template <std::floating_point T>
void multinomial_product_csr(const Csr<T>& X, MatrixView<const double> shares, std::span<const double> w,
                             MatrixView<const double> direction, MatrixView<double> out, int n_threads) {
    const auto wide = widened(direction);
    const std::size_t k = direction.cols, width = class_width(k);
    std::vector<double> total(wide.size());
    add_by_chunks(X.rows, total.size(), total.data(), n_threads, [&](std::size_t begin, std::size_t end, double* sum) {
        const Buffer<double> scores(csr_block * width);
        for (std::size_t first = begin; first < end; first += csr_block) {
            const std::size_t rows = std::min(csr_block, end - first);
            csr_scores(X, first, rows, wide.data(), width, scores.data());
            softmax_curvature(scores.data(), shares.row(first), w.empty() ? nullptr : w.data() + first, rows, k, width);
            csr_add_products(X, first, rows, scores.data(), width, sum);
        }
    });
    narrow(total.data(), out);
}

}  // namespace lanatus::logistic
