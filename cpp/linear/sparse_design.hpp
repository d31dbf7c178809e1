// Design matrices as the sparse solvers see them: columns s * (x_j - m_j), never written out as a whole.
//
// s_i = sqrt(weight of row i) (or 1), m_j = weighted mean of column j (or 0 without an intercept). Both designs offer
//   describe()            means and squared lengths of the columns, and their products with a target
//   correlate(list, v)    x_j . (s * v) - m_j sum(s * v) for the columns listed
//   take(columns)         puts columns into the working set, and new rows and columns of its Gram matrix
//   subtract(w, v)        v <- v - sum_k w_k column_k over the working set
//   dot(k, v), add(k, t)  one column of the working set against a residual, where no Gram matrix is kept
// Columns with no spread beyond rounding have length 0 and are never used.
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
#include "core/simd.hpp"
#include "linear/coordinate_descent.hpp"

namespace lanatus::linear {

// What is known of every column before the first step.
struct ColumnStats {
    std::vector<double> mean, length, product;  // product: with the target
};

// A square matrix that grows at its lower right; rows of `stride` numbers.
class GrowingGram {
  public:
    void grow(std::size_t m) {
        if (m > stride_) {
            const std::size_t wide = std::max(m, stride_ + stride_ / 2 + 64);
            Buffer<double> moved(wide * wide);
            for (std::size_t i = 0; i < m_; ++i) std::copy_n(data_.data() + i * stride_, m_, moved.data() + i * wide);
            data_ = std::move(moved), stride_ = wide;
        }
        m_ = m;
    }
    double* row(std::size_t i) const noexcept { return data_.data() + i * stride_; }
    std::size_t stride() const noexcept { return stride_; }
    std::size_t size() const noexcept { return m_; }

  private:
    Buffer<double> data_;
    std::size_t stride_ = 0, m_ = 0;
};

namespace detail {

// Threads worth waking for so many multiplications.
inline int threads_for(std::size_t work, int n_threads) {
    return static_cast<int>(std::clamp<std::size_t>(work >> 21, 1, static_cast<std::size_t>(n_threads)));
}

// Spread that rounding alone can give a constant column: then it counts as none.
inline double clean_length(double squared, double mean, double mass) {
    if (!std::isfinite(squared)) return std::numeric_limits<double>::infinity();  // for the caller to refuse
    const double noise = 16 * std::numeric_limits<double>::epsilon() * std::abs(mean);
    return squared > noise * noise * mass ? std::sqrt(squared) : 0.0;
}

template <class T>
LANATUS_INLINE void centre_column(const T* x, const double* s, double mean, double* out, std::size_t n) {
    if (s)
        for (std::size_t i = 0; i < n; ++i) out[i] = s[i] * (static_cast<double>(x[i]) - mean);
    else
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(x[i]) - mean;
}
LANATUS_CLONES static void centred(const double* x, const double* s, double mean, double* out, std::size_t n) {
    centre_column(x, s, mean, out, n);
}
LANATUS_CLONES static void centred(const float* x, const double* s, double mean, double* out, std::size_t n) {
    centre_column(x, s, mean, out, n);
}
template <class T>
LANATUS_INLINE void add_row(double* out, const T* x, double scale, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) out[j] += scale * static_cast<double>(x[j]);
}
LANATUS_CLONES static void add_scaled_row(double* out, const double* x, double scale, std::size_t n) {
    add_row(out, x, scale, n);
}
LANATUS_CLONES static void add_scaled_row(double* out, const float* x, double scale, std::size_t n) {
    add_row(out, x, scale, n);
}

// products[i][k] += a_i . b_k for 4 vectors a and 3 vectors b, twelve sums in registers. Missing vectors repeat another.
LANATUS_CLONES static void dot_tile(const double* const* a, const double* const* b, std::size_t n, double* products) {
    typedef double Vector __attribute__((vector_size(32)));
    Vector sums[12] = {};
    std::size_t e = 0;
    for (; e + 4 <= n; e += 4) {
        Vector x[3];
        for (std::size_t k = 0; k < 3; ++k) __builtin_memcpy(&x[k], b[k] + e, sizeof(Vector));
        for (std::size_t i = 0; i < 4; ++i) {
            Vector y;
            __builtin_memcpy(&y, a[i] + e, sizeof(Vector));
            for (std::size_t k = 0; k < 3; ++k) sums[3 * i + k] += y * x[k];
        }
    }
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vector& sum = sums[3 * i + k];
            double total = (sum[0] + sum[2]) + (sum[1] + sum[3]);
            for (std::size_t f = e; f < n; ++f) total += a[i][f] * b[k][f];
            products[3 * i + k] += total;
        }
}

// out (rows of A x rows of B) = A B' for row-major A and B. BLAS would do it too, but its threads and ours, each waiting
// for work in a loop, take the cores from each other when calls of both alternate this fast.
inline void cross_products(MatrixView<const double> A, MatrixView<const double> B, MatrixView<double> out,
                           int n_threads) {
    constexpr std::size_t width = 24, depth = 512;
    std::fill_n(out.data, out.size(), 0.0);
    parallel_for((B.rows + width - 1) / width, threads_for(A.size() * B.rows / 4, n_threads), [&](std::size_t group) {
        const std::size_t first = group * width, last = std::min(B.rows, first + width);
        for (std::size_t from = 0; from < A.cols; from += depth) {
            const std::size_t n = std::min(depth, A.cols - from);
            for (std::size_t i = 0; i < A.rows; i += 4)
                for (std::size_t k = first; k < last; k += 3) {
                    const double *a[4], *b[3];
                    double tile[12] = {};
                    for (std::size_t r = 0; r < 4; ++r) a[r] = A.row(std::min(i + r, A.rows - 1)) + from;
                    for (std::size_t c = 0; c < 3; ++c) b[c] = B.row(std::min(k + c, last - 1)) + from;
                    dot_tile(a, b, n, tile);
                    for (std::size_t r = 0; r < 4 && i + r < A.rows; ++r)
                        for (std::size_t c = 0; c < 3 && k + c < last; ++c) out.row(i + r)[k + c] += tile[3 * r + c];
                }
        }
    });
}

}  // namespace detail

// A dense table, stored by columns or by rows. The columns of the working set are copied, centred and weighted.
template <class T>
class DenseDesign {
  public:
    DenseDesign(const T* data, std::size_t n, std::size_t p, bool by_columns, std::span<const double> s, bool centre,
                int n_threads)
        : data_(data), n_(n), p_(p), by_columns_(by_columns), s_(s), centre_(centre), n_threads_(n_threads) {
        mass_ = s.empty() ? static_cast<double>(n) : detail::dot(s.data(), s.data(), n);
    }

    std::size_t rows() const noexcept { return n_; }
    std::size_t cols() const noexcept { return p_; }
    const ColumnStats& stats() const noexcept { return stats_; }

    void describe(std::span<const double> y) {
        stats_.mean.assign(p_, 0.0), stats_.length.assign(p_, 0.0), stats_.product.assign(p_, 0.0);
        const std::vector<double> weights = squared_scale();
        parallel_for((p_ + block - 1) / block, n_threads_, [&](std::size_t b) {
            Buffer<double> column(n_);
            Buffer<T> raw(by_columns_ ? 0 : n_ * block);
            const std::size_t first = b * block, last = std::min(p_, first + block);
            if (!by_columns_) transpose(first, last, raw.data());
            for (std::size_t j = first; j < last; ++j)
                describe_column(j, by_columns_ ? data_ + j * n_ : raw.data() + (j - first) * n_, weights, y,
                                column.data());
        });
    }

    // out[j] for the columns of the list; where the table is stored by rows whole blocks are done, and `fresh` is told.
    template <class Fresh>
    void correlate(std::span<const std::uint32_t> list, std::span<const double> v, double* out,
                   const Fresh& fresh) const {
        Buffer<double> scaled(n_);
        double total = 0;
        for (std::size_t i = 0; i < n_; ++i) total += scaled[i] = s_.empty() ? v[i] : s_[i] * v[i];
        if (by_columns_) {
            const int team = detail::threads_for(list.size() * n_, n_threads_);
            parallel_chunks(Chunks{list.size(), 64}, team, [&](std::size_t begin, std::size_t end) {
                for (std::size_t k = begin; k < end; ++k) {
                    const std::size_t j = list[k];
                    out[j] = detail::dot(data_ + j * n_, scaled.data(), n_) - stats_.mean[j] * total;
                }
            });
            for (const std::uint32_t j : list) fresh(j);
            return;
        }
        std::vector<std::size_t> blocks;
        for (const std::uint32_t j : list)
            if (blocks.empty() || blocks.back() != j / block) blocks.push_back(j / block);
        parallel_for(blocks.size(), detail::threads_for(blocks.size() * block * n_, n_threads_), [&](std::size_t b) {
            const std::size_t first = blocks[b] * block, last = std::min(p_, first + block);
            for (std::size_t j = first; j < last; ++j) out[j] = -stats_.mean[j] * total;
            for (std::size_t i = 0; i < n_; ++i)
                detail::add_scaled_row(out + first, data_ + i * p_ + first, scaled[i], last - first);
        });
        for (const std::size_t b : blocks)
            for (std::size_t j = b * block; j < std::min(p_, (b + 1) * block); ++j)
                fresh(static_cast<std::uint32_t>(j));
    }

    void take(std::span<const std::uint32_t> columns) {
        const std::size_t before = taken_;
        taken_ += columns.size();
        if (taken_ * n_ > packed_.size()) {
            Buffer<double> moved(std::max(taken_ * n_, packed_.size() + packed_.size() / 2));
            std::copy_n(packed_.data(), before * n_, moved.data());
            packed_ = std::move(moved);
        }
        parallel_for(columns.size(), detail::threads_for(columns.size() * n_, n_threads_), [&](std::size_t k) {
            const std::size_t j = columns[k];
            double* out = packed(before + k);
            if (by_columns_) {
                detail::centred(data_ + j * n_, s_.empty() ? nullptr : s_.data(), stats_.mean[j], out, n_);
                return;
            }
            for (std::size_t i = 0; i < n_; ++i) {
                const double value = static_cast<double>(data_[i * p_ + j]) - stats_.mean[j];
                out[i] = s_.empty() ? value : s_[i] * value;
            }
        });
    }

    // Rows and columns of the Gram matrix that belong to the columns taken since it had `before`.
    void extend(GrowingGram& G, std::size_t before) const {
        const std::size_t added = taken_ - before;
        Buffer<double> products(added * taken_);
        detail::cross_products({packed(before), added, n_}, {packed(0), taken_, n_}, {products.data(), added, taken_},
                               n_threads_);
        G.grow(taken_);
        for (std::size_t i = 0; i < added; ++i) {
            std::copy_n(products.data() + i * taken_, taken_, G.row(before + i));
            for (std::size_t k = 0; k < before; ++k) G.row(k)[before + i] = products[i * taken_ + k];
        }
        for (std::size_t i = before; i < taken_; ++i)  // the two halves may differ in the last bit
            for (std::size_t k = before; k < i; ++k) G.row(k)[i] = G.row(i)[k];
    }

    void subtract(std::span<const double> w, double* v) const {
        for (std::size_t k = 0; k < taken_; ++k)
            if (w[k] != 0) detail::add_scaled(v, packed(k), -w[k], n_);
    }
    double dot(std::size_t k, const double* v, double) const { return detail::dot(packed(k), v, n_); }
    void add(std::size_t k, double t, double* v, double&) const { detail::add_scaled(v, packed(k), t, n_); }
    void settle(double*, double&) const {}

  private:
    static constexpr std::size_t block = 64;

    double* packed(std::size_t k) const noexcept { return packed_.data() + k * n_; }
    std::vector<double> squared_scale() const {
        std::vector<double> weights(s_.begin(), s_.end());
        for (double& w : weights) w *= w;
        return weights;
    }
    void transpose(std::size_t first, std::size_t last, T* out) const {
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = first; j < last; ++j) out[(j - first) * n_ + i] = data_[i * p_ + j];
    }
    void describe_column(std::size_t j, const T* x, const std::vector<double>& weights, std::span<const double> y,
                         double* column) {
        double mean = 0;
        for (int pass = 0; centre_ && pass < 2; ++pass) {  // the second pass mends the rounding of the first
            detail::centred(x, nullptr, mean, column, n_);
            double sum = 0;
            if (weights.empty())
                for (std::size_t i = 0; i < n_; ++i) sum += column[i];
            else sum = detail::dot(column, weights.data(), n_);
            mean += sum / mass_;
        }
        detail::centred(x, s_.empty() ? nullptr : s_.data(), mean, column, n_);
        stats_.mean[j] = mean;
        stats_.length[j] = detail::clean_length(detail::dot(column, column, n_), mean, mass_);
        stats_.product[j] = stats_.length[j] > 0 ? detail::dot(column, y.data(), n_) : 0.0;
    }

    const T* data_;
    std::size_t n_, p_;
    bool by_columns_;
    std::span<const double> s_;
    bool centre_;
    int n_threads_;
    double mass_ = 0;
    ColumnStats stats_;
    Buffer<double> packed_;
    std::size_t taken_ = 0;
};

// A matrix compressed by columns: values[indptr[j] .. indptr[j+1]) at rows indices[...]. Nothing is made dense but one
// column at a time. In residual rounds the part of a column along s is kept as one number, `offset`.
template <class T>
class CscDesign {
  public:
    CscDesign(CsrView<T> columns, std::span<const double> s, bool centre, int n_threads)
        : X_(columns), n_(columns.cols), s_(s), centre_(centre), n_threads_(n_threads) {
        mass_ = s.empty() ? static_cast<double>(n_) : detail::dot(s.data(), s.data(), n_);
    }

    std::size_t rows() const noexcept { return n_; }
    std::size_t cols() const noexcept { return X_.rows; }
    const ColumnStats& stats() const noexcept { return stats_; }

    void describe(std::span<const double> y) {
        const std::size_t p = cols();
        stats_.mean.assign(p, 0.0), stats_.length.assign(p, 0.0), stats_.product.assign(p, 0.0);
        double total = 0;
        for (std::size_t i = 0; i < n_; ++i) total += scale(i) * y[i];
        parallel_chunks(Chunks{p, 256}, n_threads_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t j = begin; j < end; ++j) describe_column(j, y, total);
        });
    }

    template <class Fresh>
    void correlate(std::span<const std::uint32_t> list, std::span<const double> v, double* out,
                   const Fresh& fresh) const {
        Buffer<double> scaled(n_);
        double total = 0;
        for (std::size_t i = 0; i < n_; ++i) total += scaled[i] = scale(i) * v[i];
        parallel_chunks(Chunks{list.size(), 256}, n_threads_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const std::size_t j = list[k];
                out[j] = sparse_dot(j, scaled.data()) - stats_.mean[j] * total;
            }
        });
        for (const std::uint32_t j : list) fresh(j);
    }

    void take(std::span<const std::uint32_t> columns) { taken_.insert(taken_.end(), columns.begin(), columns.end()); }

    void extend(GrowingGram& G, std::size_t before) const {
        G.grow(taken_.size());
        parallel_for(taken_.size() - before, n_threads_, [&](std::size_t added) {
            const std::size_t i = before + added;
            Buffer<double> column(n_);
            double total = 0;
            for (std::size_t row = 0; row < n_; ++row) column[row] = -stats_.mean[taken_[i]] * scale(row) * scale(row);
            const auto own = X_.row(taken_[i]);
            for (std::size_t e = 0; e < own.values.size(); ++e) {
                const auto row = static_cast<std::size_t>(own.columns[e]);
                column[row] += scale(row) * scale(row) * static_cast<double>(own.values[e]);
            }
            for (std::size_t row = 0; row < n_; ++row) total += column[row];
            for (std::size_t k = 0; k <= i; ++k)
                G.row(i)[k] = sparse_dot(taken_[k], column.data()) - stats_.mean[taken_[k]] * total;
        });
        for (std::size_t i = before; i < taken_.size(); ++i)
            for (std::size_t k = 0; k < i; ++k) G.row(k)[i] = G.row(i)[k];
    }

    void subtract(std::span<const double> w, double* v) const {
        double offset = 0;
        for (std::size_t k = 0; k < taken_.size(); ++k)
            if (w[k] != 0) add(k, -w[k], v, offset);
        settle(v, offset);
    }
    // The residual is v + offset * s. s . (residual) is 0 wherever there are means, so they need no term here.
    double dot(std::size_t k, const double* v, double offset) const {
        const auto own = X_.row(taken_[k]);
        double sum = offset * mass_ * stats_.mean[taken_[k]];
        for (std::size_t e = 0; e < own.values.size(); ++e) {
            const auto row = static_cast<std::size_t>(own.columns[e]);
            sum += scale(row) * static_cast<double>(own.values[e]) * v[row];
        }
        return sum;
    }
    void add(std::size_t k, double t, double* v, double& offset) const {
        const auto own = X_.row(taken_[k]);
        for (std::size_t e = 0; e < own.values.size(); ++e) {
            const auto row = static_cast<std::size_t>(own.columns[e]);
            v[row] += t * scale(row) * static_cast<double>(own.values[e]);
        }
        offset -= t * stats_.mean[taken_[k]];
    }
    void settle(double* v, double& offset) const {
        if (offset != 0)
            for (std::size_t i = 0; i < n_; ++i) v[i] += offset * scale(i);
        offset = 0;
    }

  private:
    double scale(std::size_t i) const noexcept { return s_.empty() ? 1.0 : s_[i]; }
    double sparse_dot(std::size_t j, const double* v) const {
        const auto own = X_.row(j);
        double sum = 0;
        for (std::size_t e = 0; e < own.values.size(); ++e)
            sum += static_cast<double>(own.values[e]) * v[static_cast<std::size_t>(own.columns[e])];
        return sum;
    }
    void describe_column(std::size_t j, std::span<const double> y, double total) {
        const auto own = X_.row(j);
        double sum = 0, seen = 0, squares = 0, product = 0;
        for (std::size_t e = 0; e < own.values.size(); ++e) {
            const double s = scale(static_cast<std::size_t>(own.columns[e])), x = static_cast<double>(own.values[e]);
            sum += s * s * x, seen += s * s, product += s * x * y[static_cast<std::size_t>(own.columns[e])];
        }
        const double mean = centre_ && mass_ > 0 ? sum / mass_ : 0.0;
        for (std::size_t e = 0; e < own.values.size(); ++e) {
            const double s = scale(static_cast<std::size_t>(own.columns[e]));
            squares +=
                s * s * (static_cast<double>(own.values[e]) - mean) * (static_cast<double>(own.values[e]) - mean);
        }
        squares += mean * mean * std::max(mass_ - seen, 0.0);
        stats_.mean[j] = mean;
        stats_.length[j] = detail::clean_length(squares, mean, mass_);
        stats_.product[j] = stats_.length[j] > 0 ? product - mean * total : 0.0;
    }

    CsrView<T> X_;  // of the transposed matrix: its rows are our columns
    std::size_t n_;
    std::span<const double> s_;
    bool centre_;
    int n_threads_;
    double mass_ = 0;
    ColumnStats stats_;
    std::vector<std::uint32_t> taken_;
};

}  // namespace lanatus::linear
