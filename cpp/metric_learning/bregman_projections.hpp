// Information-theoretic metric learning by cyclic Bregman projections (Davis, Kulis, Jain, Sra, Dhillon 2007).
//
// Problem:  min D_ld(M, M_0) + gamma D_ld(diag xi, diag xi_0)  s.t.  d_M(pair) <= xi for near pairs, >= xi for far ones.
// Given:    V (m x d), differences of the pairs; sign +1 for near ones and -1 for far ones; xi, the bounds.
// A projection on the constraint of pair c, with p = v' M v:
//   a = min(lambda, sign/2 (1/p - gamma / xi)),  beta = sign a / (1 - sign a p),  xi <- gamma xi / (gamma + sign a xi),
//   lambda <- lambda - a,  M <- M + beta M v v' M.
// Result:   M, lambda and xi in place; the length of the change of lambda over its lengths before and after, as the measure of
//           convergence.
// Cost:     O(d^2) a pair.
#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/simd.hpp"

namespace lanatus::metric_learning {

LANATUS_CLONES static double quadratic_form(const double* __restrict M, const double* __restrict v,
                                            double* __restrict Mv, std::size_t d) {
    double p = 0;
    for (std::size_t i = 0; i < d; ++i) Mv[i] = 0;
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) Mv[j] += v[i] * M[i * d + j];
    for (std::size_t i = 0; i < d; ++i) p += v[i] * Mv[i];
    return p;
}

LANATUS_CLONES static void add_square(double* __restrict M, const double* __restrict u, double scale, std::size_t d) {
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) M[i * d + j] += (scale * u[i]) * u[j];
}

inline double bregman_cycle(MatrixView<const double> V, std::span<const double> sign, double gamma,
                            MatrixView<double> M, std::span<double> lambda, std::span<double> xi) {
    const std::size_t d = V.cols;
    std::vector<double> Mv(d);
    const double whole = std::isinf(gamma) ? 1.0 : gamma / (gamma + 1.0);
    double moved = 0, before = 0, after = 0;
    for (std::size_t c = 0; c < V.rows; ++c) {
        const double p = quadratic_form(M.data, V.row(c), Mv.data(), d), s = sign[c];
        if (!(p > 1e-300)) continue;
        const double a = std::min(lambda[c], s * whole * (1 / p - 1 / xi[c]));
        before += lambda[c] * lambda[c], after += (lambda[c] - a) * (lambda[c] - a);
        if (a == 0) continue;  // the bound holds, and did before
        lambda[c] -= a;
        const double beta = s * a / (1 - s * a * p);
        if (std::isfinite(gamma)) xi[c] = gamma * xi[c] / (gamma + s * a * xi[c]);
        add_square(M.data, Mv.data(), beta, d);
        moved += a * a;
    }
    const double size = std::sqrt(before) + std::sqrt(after);
    return size > 0 ? std::sqrt(moved) / size : 0.0;
}

}  // namespace lanatus::metric_learning
