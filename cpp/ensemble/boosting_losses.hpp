// Gradients and Hessians of the losses that boosting meets most, by the raw score of each row.
//
// squared    1/2 (s - y)^2:                     g = s - y, h = 1
// logistic   log(1 + exp(s)) - y s, y in {0,1}:  p = 1 / (1 + exp(-s)), g = p - y, h = p (1 - p)
// softmax    log sum_k exp(s_k) - s_y:          p = softmax(s), g_k = p_k - [y = k], h_k = p_k (1 - p_k)
// times the weights, where given. Sums of the loss come back in the order of the rows, for any number of threads.
#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::ensemble {

namespace detail {

// A weighted sum of logarithms of numbers >= 1, with one logarithm for many numbers of weight 1.
class LogSum {
  public:
    void add(double x, double weight) noexcept {
        if (weight != 1) {
            sum_ += weight * std::log(x);
        } else if ((product_ *= x) > 0x1p512) {
            sum_ += std::log(product_);
            product_ = 1;
        }
    }
    double total() const noexcept { return sum_ + std::log(product_); }

  private:
    double sum_ = 0, product_ = 1;
};

// Runs body(row, weight, logs) -> the rest of the loss, over chunks; returns the sum of the loss.
template <class Body>
double each_row(std::size_t n, std::span<const double> weight, int n_threads, const Body& body) {
    const auto parts = parallel_parts<double>(Chunks::of(n, 4096), n_threads, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        LogSum logs;
        for (std::size_t i = begin; i < end; ++i) {
            const double w = weight.empty() ? 1.0 : weight[i];
            sum += w * body(i, w, logs);
        }
        return sum + logs.total();
    });
    double total = 0;
    for (const double part : parts) total += part;
    return total;
}

}  // namespace detail

inline double squared_gradients(std::span<const double> score, std::span<const double> y,
                                std::span<const double> weight, std::span<double> g, std::span<double> h,
                                int n_threads) {
    return detail::each_row(y.size(), weight, n_threads, [&](std::size_t i, double w, detail::LogSum&) {
        const double rest = score[i] - y[i];
        g[i] = w * rest;
        h[i] = w;
        return 0.5 * rest * rest;
    });
}

inline double logistic_gradients(std::span<const double> score, std::span<const double> y,
                                 std::span<const double> weight, std::span<double> g, std::span<double> h,
                                 int n_threads) {
    return detail::each_row(y.size(), weight, n_threads, [&](std::size_t i, double w, detail::LogSum& logs) {
        // With m = s for y = 1 and -s for y = 0, the loss is log(1 + exp(-m)); e never overflows.
        const double s = score[i], m = y[i] > 0.5 ? s : -s;
        const float e = std::exp(static_cast<float>(-std::fabs(s)));
        const float near = 1 / (1 + e), far = e * near, wrong = m > 0 ? far : near;
        g[i] = w * static_cast<double>(y[i] > 0.5 ? -wrong : wrong);
        h[i] = w * static_cast<double>(near * far);
        logs.add(1 + static_cast<double>(e), w);
        return m > 0 ? 0.0 : -m;
    });
}

// score: n x k by rows; g and h: k x n.
inline double softmax_gradients(MatrixView<const double> score, std::span<const std::int32_t> y,
                                std::span<const double> weight, MatrixView<double> g, MatrixView<double> h,
                                int n_threads) {
    const std::size_t k = score.cols;
    return detail::each_row(y.size(), weight, n_threads, [&](std::size_t i, double w, detail::LogSum& logs) {
        const double* s = score.row(i);
        const double most = *std::max_element(s, s + k);
        double sum = 0;
        for (std::size_t c = 0; c < k; ++c) {
            g.row(c)[i] = static_cast<double>(std::exp(static_cast<float>(s[c] - most)));
            sum += g.row(c)[i];
        }
        const double each = 1 / sum;
        const auto own = static_cast<std::size_t>(y[i]);
        for (std::size_t c = 0; c < k; ++c) {
            const double p = g.row(c)[i] * each;
            g.row(c)[i] = w * (c == own ? p - 1 : p);
            h.row(c)[i] = w * (p * (1 - p));
        }
        logs.add(sum, w);
        return most - s[own];
    });
}

}  // namespace lanatus::ensemble
