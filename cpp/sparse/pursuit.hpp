// Orthogonal matching pursuit of many signals by the Gram matrix of the dictionary (Rubinstein, Zibulevsky, Elad:
// Efficient implementation of the K-SVD algorithm using Batch-OMP, Technion 2008).
//
// Problem:  min ||x - B s||^2  with at most `most` entries of s non-zero, or until ||x - B s||^2 <= tol.
// Given:    G = B'B (k x k), q = B'x and xx = x'x of each signal.
// Each step takes the atom of the largest |B'(x - B s)|, the first of equals, and fits all taken ones anew. With the Cholesky
// factor L of their Gram matrix, rows P = L^-1 G of the taken atoms give the new residual products by one subtraction:
// step t costs O(k t), nothing depends on the length of a signal.
// Stops early where the next atom depends on those taken, or says nothing.
#pragma once
#include <cstdint>
#include <vector>

#include "core/matrix.hpp"
#include "sparse/lanes.hpp"

namespace lanatus::sparse {

class BatchPursuit {
  public:
    BatchPursuit(MatrixView<const double> G, std::size_t most)
        : G_(G), most_(most), P_(most * G.cols), residual_(G.cols), taken_(most), gamma_(most), diagonal_(most) {}

    // The number of atoms used; their places in ascending order, and their weights.
    std::size_t run(const double* q, double xx, double tol, std::int32_t* places, double* weights) {
        const std::size_t k = G_.cols;
        std::copy_n(q, k, residual_.begin());
        std::size_t t = 0;
        double left = xx;
        while (t < most_ && left > tol) {
            const std::size_t j = detail::place_of_largest(residual_.data(), k);
            const double seen = residual_[j];
            if (!(seen * seen > 1e-28 * xx * G_.row(j)[j])) break;
            double* p = P_.data() + t * k;
            std::copy_n(G_.row(j), k, p);
            for (std::size_t i = 0; i < t; ++i) detail::add_scaled(p, P_.data() + i * k, -P_[i * k + j], k);
            if (!(p[j] > 1e-12 * G_.row(j)[j])) break;
            const double d = std::sqrt(p[j]);
            detail::multiply(p, 1 / d, k);
            gamma_[t] = seen / d, diagonal_[t] = d, taken_[t] = j;
            detail::add_scaled(residual_.data(), p, -gamma_[t], k);
            left -= gamma_[t] * gamma_[t];
            ++t;
        }
        solve(t, weights);
        for (std::size_t i = 0; i < t; ++i) {  // in ascending order
            std::size_t at = i;
            const auto j = static_cast<std::int32_t>(taken_[i]);
            const double w = weights[i];
            for (; at > 0 && places[at - 1] > j; --at) places[at] = places[at - 1], weights[at] = weights[at - 1];
            places[at] = j, weights[at] = w;
        }
        return t;
    }

  private:
    // L' s = gamma, where L[t][i] = P[i][taken[t]].
    void solve(std::size_t t, double* weights) const {
        for (std::size_t i = t; i-- > 0;) {
            double sum = gamma_[i];
            for (std::size_t l = i + 1; l < t; ++l) sum -= P_[i * G_.cols + taken_[l]] * weights[l];
            weights[i] = sum / diagonal_[i];
        }
    }

    MatrixView<const double> G_;
    std::size_t most_;
    std::vector<double> P_, residual_;
    std::vector<std::size_t> taken_;
    std::vector<double> gamma_, diagonal_;
};

}  // namespace lanatus::sparse
