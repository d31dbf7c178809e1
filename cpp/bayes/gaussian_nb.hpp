// Gaussian naive Bayes -- book 7.3, (7.18): p(x_j | c) is normal with a mean and a variance per class and attribute.
//
// moments   per class c and attribute j, over the rows of class c where x_j is present:
//               mass = sum w,   mean = sum w x / mass,   m2 = sum w (x - mean)^2
//           one read of X. A block of rows that fits the first cache is read twice, for its means and then for its
//           deviations, and merged into the chunk's moments by the formula of Chan, Golub and LeVeque (1979); chunks
//           merge the same way, in order. Means are kept as differences from the first value met, `shift`, so that data
//           far from the origin lose nothing.
// predict   argmax over c of   log prior_c - sum_j 1/2 ( log(2 pi var_cj) + (x_j - mean_cj)^2 / var_cj ),
//           the sum over the attributes that are present. Ties go to the lowest class.
// A NaN entry is an absent one.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/simd.hpp"

namespace lanatus::bayes {

struct Moments {
    std::size_t classes = 0, cols = 0;
    std::vector<double> mass, mean, m2, shift;  // (classes, cols) each; the mean is shift + mean

    Moments() = default;
    Moments(std::size_t k, std::size_t d) : classes(k), cols(d), mass(k * d), mean(k * d), m2(k * d), shift(k * d) {}
};

namespace detail {

// Attributes [at, at + d) of sum <- merged with those of more rows.
inline void merge_class(Moments& sum, const Moments& more, std::size_t at, std::size_t d) {
    for (std::size_t j = at; j < at + d; ++j) {
        if (sum.mass[j] == 0) {
            sum.mass[j] = more.mass[j], sum.mean[j] = more.mean[j], sum.m2[j] = more.m2[j],
            sum.shift[j] = more.shift[j];
            continue;
        }
        const double total = sum.mass[j] + more.mass[j], share = more.mass[j] / total;
        const double delta = (more.shift[j] - sum.shift[j]) + (more.mean[j] - sum.mean[j]);
        sum.m2[j] += more.m2[j] + delta * delta * sum.mass[j] * share;
        if (more.mass[j] > 0) sum.mean[j] += delta * share;
        sum.mass[j] = total;
    }
}

// Room for one block: moments of the classes met in it, on the shifts of the chunk.
struct BlockSpace {
    Moments part;
    std::vector<char> met, shifted;
    std::vector<std::size_t> unshifted;  // attributes without shift, per class
    std::vector<std::int32_t> order;     // classes met, in order of appearance
    BlockSpace(std::size_t k, std::size_t d) : part(k, d), met(k), shifted(k * d), unshifted(k, d) {}

    template <class T>
    void take_shifts(const T* x, std::size_t c) {
        for (std::size_t j = 0; j < part.cols; ++j) {
            const std::size_t at = c * part.cols + j;
            if (shifted[at] || x[j] != x[j]) continue;
            part.shift[at] = static_cast<double>(x[j]);
            shifted[at] = 1;
            --unshifted[c];
        }
    }
};

template <class T>
LANATUS_INLINE void block_moments(const T* __restrict X, const std::int32_t* y, const double* w, std::size_t rows,
                                  std::size_t d, double* __restrict mass, double* __restrict mean,
                                  double* __restrict m2, const double* __restrict shift, const std::int32_t* order,
                                  std::size_t n_met) {
    int absent = 0;
    for (std::size_t i = 0; i < rows * d; ++i) absent |= X[i] != X[i];
    if (absent) {
        for (std::size_t i = 0; i < rows; ++i) {
            if (y[i] < 0) continue;
            const std::size_t at = static_cast<std::size_t>(y[i]) * d;
            const double wi = w ? w[i] : 1.0;
            for (std::size_t j = 0; j < d; ++j) {
                const double x = static_cast<double>(X[i * d + j]) - shift[at + j];
                const bool here = x == x;
                mass[at + j] += here ? wi : 0.0;
                mean[at + j] += here ? wi * x : 0.0;
            }
        }
    } else {
        for (std::size_t i = 0; i < rows; ++i) {
            if (y[i] < 0) continue;
            const std::size_t at = static_cast<std::size_t>(y[i]) * d;
            const double wi = w ? w[i] : 1.0;
            mass[at] += wi;
            for (std::size_t j = 0; j < d; ++j)
                mean[at + j] += wi * (static_cast<double>(X[i * d + j]) - shift[at + j]);
        }
        for (std::size_t m = 0; m < n_met; ++m) {
            const std::size_t at = static_cast<std::size_t>(order[m]) * d;
            for (std::size_t j = 1; j < d; ++j) mass[at + j] = mass[at];
        }
    }
    for (std::size_t m = 0; m < n_met; ++m) {
        const std::size_t at = static_cast<std::size_t>(order[m]) * d;
        for (std::size_t j = 0; j < d; ++j) mean[at + j] = mass[at + j] > 0 ? mean[at + j] / mass[at + j] : 0.0;
    }
    for (std::size_t i = 0; i < rows; ++i) {
        if (y[i] < 0) continue;
        const std::size_t at = static_cast<std::size_t>(y[i]) * d;
        const double wi = w ? w[i] : 1.0;
        if (absent)
            for (std::size_t j = 0; j < d; ++j) {
                const double gap = (static_cast<double>(X[i * d + j]) - shift[at + j]) - mean[at + j];
                m2[at + j] += gap == gap ? wi * gap * gap : 0.0;
            }
        else
            for (std::size_t j = 0; j < d; ++j) {
                const double gap = (static_cast<double>(X[i * d + j]) - shift[at + j]) - mean[at + j];
                m2[at + j] += wi * gap * gap;
            }
    }
}

LANATUS_CLONES static void moments_leaf(const float* X, const std::int32_t* y, const double* w, std::size_t rows,
                                        std::size_t d, Moments& m, const std::int32_t* order, std::size_t n_met) {
    block_moments(X, y, w, rows, d, m.mass.data(), m.mean.data(), m.m2.data(), m.shift.data(), order, n_met);
}
LANATUS_CLONES static void moments_leaf(const double* X, const std::int32_t* y, const double* w, std::size_t rows,
                                        std::size_t d, Moments& m, const std::int32_t* order, std::size_t n_met) {
    block_moments(X, y, w, rows, d, m.mass.data(), m.mean.data(), m.m2.data(), m.shift.data(), order, n_met);
}

// Merges the rows of one block into sum.
template <class T>
void add_block(const T* X, const std::int32_t* y, const double* w, std::size_t rows, std::size_t d, BlockSpace& space,
               Moments& sum) {
    space.order.clear();
    for (std::size_t i = 0; i < rows; ++i) {
        if (y[i] < 0) continue;
        const auto c = static_cast<std::size_t>(y[i]);
        if (space.unshifted[c]) space.take_shifts(X + i * d, c);
        if (space.met[c]) continue;
        space.met[c] = 1;
        space.order.push_back(y[i]);
    }
    Moments& part = space.part;
    for (const std::int32_t code : space.order) {
        const auto at = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(code) * d);
        const auto length = static_cast<std::ptrdiff_t>(d);
        for (auto* values : {&part.mass, &part.mean, &part.m2})
            std::fill(values->begin() + at, values->begin() + at + length, 0.0);
    }
    moments_leaf(X, y, w, rows, d, part, space.order.data(), space.order.size());
    for (const std::int32_t code : space.order) {
        merge_class(sum, part, static_cast<std::size_t>(code) * d, d);
        space.met[static_cast<std::size_t>(code)] = 0;
    }
}

}  // namespace detail

// y holds class codes in [0, n_classes); rows with a negative code are left out. An empty w means weights of one.
template <std::floating_point T>
Moments moments(MatrixView<const T> X, std::span<const std::int32_t> y, std::span<const double> w,
                std::size_t n_classes, int n_threads) {
    const std::size_t d = X.cols;
    // Blocks fit the first cache, yet hold several rows of each class lest merging outweigh adding.
    const std::size_t cached = std::max<std::size_t>(24576 / (sizeof(T) * std::max<std::size_t>(d, 1)), 16);
    const std::size_t block = std::clamp<std::size_t>(cached, std::min<std::size_t>(8 * n_classes, 2048), 2048);
    const std::size_t slot = 3 * sizeof(double) * std::max<std::size_t>(n_classes * d, 1);
    const std::size_t wanted = std::clamp<std::size_t>((std::size_t{64} << 20) / slot, 4, 64);
    const auto parts =
        parallel_parts<Moments>(Chunks::of(X.rows, std::max<std::size_t>(4 * block, 1024), wanted), n_threads,
                                [&](std::size_t begin, std::size_t end) {
                                    Moments sum(n_classes, d);
                                    detail::BlockSpace space(n_classes, d);
                                    for (std::size_t i = begin; i < end; i += block)
                                        detail::add_block(X.row(i), y.data() + i, w.empty() ? nullptr : w.data() + i,
                                                          std::min(block, end - i), d, space, sum);
                                    return sum;
                                });
    Moments total(n_classes, d);
    for (const Moments& part : parts) detail::merge_class(total, part, 0, n_classes * d);
    for (std::size_t j = 0; j < n_classes * d; ++j) total.mean[j] += total.shift[j], total.shift[j] = 0;
    return total;
}

// The model turned around for scoring: score_c(x) = start_c - sum_j (x_j - mean_cj)^2 scale_cj.
struct Scorer {
    std::size_t classes, cols;
    std::vector<double> start, mean, scale, log_norm;  // log_norm_cj = 1/2 log(2 pi var_cj), for absent attributes

    Scorer(MatrixView<const double> mean_, MatrixView<const double> var, std::span<const double> log_prior)
        : classes(mean_.rows), cols(mean_.cols), start(log_prior.begin(), log_prior.end()),
          mean(mean_.data, mean_.data + mean_.size()), scale(var.size()), log_norm(var.size()) {
        for (std::size_t i = 0; i < var.size(); ++i) {
            scale[i] = 0.5 / var.data[i];
            log_norm[i] = 0.5 * std::log(2 * std::numbers::pi * var.data[i]);
            start[i / cols] -= log_norm[i];
        }
    }
};

namespace detail {

// Marked simd, so that the sum may be taken in vectors.
template <class T>
LANATUS_INLINE double quadratic(const T* __restrict x, const double* __restrict mean, const double* __restrict scale,
                                std::size_t d) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < d; ++j) {
        const double gap = static_cast<double>(x[j]) - mean[j];
        sum += gap * gap * scale[j];
    }
    return sum;
}

template <class T>
LANATUS_INLINE double score(const T* x, const Scorer& model, std::size_t c) {
    const std::size_t d = model.cols, at = c * d;
    const double whole = model.start[c] - quadratic(x, &model.mean[at], &model.scale[at], d);
    if (whole == whole) [[likely]]
        return whole;
    double sum = model.start[c];
    for (std::size_t j = 0; j < d; ++j) {
        const double gap = static_cast<double>(x[j]) - model.mean[at + j];
        sum += x[j] == x[j] ? -gap * gap * model.scale[at + j] : model.log_norm[at + j];
    }
    return sum;
}

template <class T>
LANATUS_INLINE void score_rows(const T* X, std::size_t rows, const Scorer& model, double* out) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < model.classes; ++c)
            out[i * model.classes + c] = score(X + i * model.cols, model, c);
}
template <class T>
LANATUS_INLINE void best_rows(const T* X, std::size_t rows, const Scorer& model, std::int32_t* out) {
    for (std::size_t i = 0; i < rows; ++i) {
        double best = -std::numeric_limits<double>::infinity();
        std::int32_t winner = 0;
        for (std::size_t c = 0; c < model.classes; ++c) {
            const double s = score(X + i * model.cols, model, c);
            if (s > best) best = s, winner = static_cast<std::int32_t>(c);
        }
        out[i] = winner;
    }
}

LANATUS_CLONES static void score_leaf(const float* X, std::size_t n, const Scorer& m, double* out) {
    score_rows(X, n, m, out);
}
LANATUS_CLONES static void score_leaf(const double* X, std::size_t n, const Scorer& m, double* out) {
    score_rows(X, n, m, out);
}
LANATUS_CLONES static void best_leaf(const float* X, std::size_t n, const Scorer& m, std::int32_t* out) {
    best_rows(X, n, m, out);
}
LANATUS_CLONES static void best_leaf(const double* X, std::size_t n, const Scorer& m, std::int32_t* out) {
    best_rows(X, n, m, out);
}

}  // namespace detail

template <std::floating_point T>
void joint_log_likelihood(MatrixView<const T> X, const Scorer& model, MatrixView<double> out, int n_threads) {
    parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        detail::score_leaf(X.row(begin), end - begin, model, out.row(begin));
    });
}

template <std::floating_point T>
void predict(MatrixView<const T> X, const Scorer& model, std::span<std::int32_t> out, int n_threads) {
    parallel_chunks(Chunks::of(X.rows), n_threads, [&](std::size_t begin, std::size_t end) {
        detail::best_leaf(X.row(begin), end - begin, model, out.data() + begin);
    });
}

}  // namespace lanatus::bayes
