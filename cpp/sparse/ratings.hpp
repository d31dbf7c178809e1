// Factors of a matrix of which few entries are known: alternating least squares, and products at the known places.
//
// Objective:  sum over known (i, j) of (r_ij - u_i' v_j)^2 + sum_i reg_i ||u_i||^2, in u for given v
// Given:      known entries by rows (CSR), V (m x k); reg_i = reg, or reg times the known entries of the row.
// Result:     u_i = (V_i' V_i + reg_i I)^-1 V_i' r_i, zero for a row without entries.
// Cost:       O(nnz k^2 + n k^3); no dense matrix.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "sparse/lanes.hpp"

namespace lanatus::sparse {

class RowSolver {
  public:
    explicit RowSolver(std::size_t k) : k_(k), A_(k * k), b_(k) {}

    void run(CsrView<double>::Row row, MatrixView<const double> V, double reg, double* u) {
        std::fill(A_.begin(), A_.end(), 0.0), std::fill(b_.begin(), b_.end(), 0.0);
        for (std::size_t p = 0; p < row.values.size(); ++p) {
            const double* v = V.row(static_cast<std::size_t>(row.columns[p]));
            detail::add_scaled(b_.data(), v, row.values[p], k_);
            for (std::size_t i = 0; i < k_; ++i) detail::add_scaled(A_.data() + i * k_, v, v[i], i + 1);
        }
        for (std::size_t i = 0; i < k_; ++i) A_[i * k_ + i] += reg;
        factor();
        for (std::size_t i = 0; i < k_; ++i) {
            double sum = b_[i];
            for (std::size_t j = 0; j < i; ++j) sum -= A_[i * k_ + j] * u[j];
            u[i] = pivot(i) > 0 ? sum / A_[i * k_ + i] : 0.0;
        }
        for (std::size_t i = k_; i-- > 0;) {
            double sum = u[i];
            for (std::size_t j = i + 1; j < k_; ++j) sum -= A_[j * k_ + i] * u[j];
            u[i] = pivot(i) > 0 ? sum / A_[i * k_ + i] : 0.0;
        }
    }

  private:
    double pivot(std::size_t i) const { return A_[i * k_ + i]; }

    // Cholesky, by rows; a direction without any square is left out.
    void factor() {
        for (std::size_t i = 0; i < k_; ++i) {
            double* row = A_.data() + i * k_;
            const double whole = row[i];
            for (std::size_t j = 0; j < i; ++j) {
                const double* other = A_.data() + j * k_;
                row[j] = other[j] > 0 ? (row[j] - short_dot(row, other, j)) / other[j] : 0.0;
            }
            const double rest = whole - short_dot(row, row, i);
            row[i] = rest > 1e-14 * whole ? std::sqrt(rest) : 0.0;
        }
    }
    static double short_dot(const double* x, const double* y, std::size_t n) {
        return n < 16 ? plain_dot(x, y, n) : detail::dot(x, y, n);
    }
    static double plain_dot(const double* x, const double* y, std::size_t n) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
        return sum;
    }

    std::size_t k_;
    std::vector<double> A_, b_;
};

inline void solve_rows(const CsrView<double>& known, MatrixView<const double> V, double reg, bool by_count,
                       MatrixView<double> U, int n_threads) {
    const std::size_t k = V.cols;
    parallel_chunks(Chunks::of(known.rows, 16, 256, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        RowSolver solver(k);
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = known.row(i);
            if (row.values.empty()) std::fill_n(U.row(i), k, 0.0);
            else solver.run(row, V, by_count ? reg * static_cast<double>(row.values.size()) : reg, U.row(i));
        }
    });
}

// out[p] = u_i' v_j at each known place.
inline void known_products(const CsrView<double>& known, MatrixView<const double> U, MatrixView<const double> V,
                           double* out, int n_threads) {
    parallel_chunks(Chunks::of(known.rows, 64, 256, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = known.row(i);
            double* to = out + known.indptr[i];
            for (std::size_t p = 0; p < row.values.size(); ++p)
                to[p] = detail::dot(U.row(i), V.row(static_cast<std::size_t>(row.columns[p])), U.cols);
        }
    });
}

}  // namespace lanatus::sparse
