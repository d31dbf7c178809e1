// Linear support vector machines by coordinate descent on the dual -- book 6.7: Hsieh et al. (2008), Ho and Lin (2012), and of
// several classes in one problem Keerthi et al. (2008). Machines of classes and of numbers are one problem:
//
//     minimise over beta   1/2 |w|^2 + 1/2 sum_i D_i beta_i^2 - sum_i y_i beta_i + epsilon sum_i |beta_i|,  w = sum_i beta_i x_i
//
// The hinge and the tube have D = 0 and |beta_i| <= cap_i, their squares D_i = 1 / (2 cap_i) and no bound; classes have y = +-1,
// epsilon = 0 and y beta >= 0. x_i ends with the number `constant`, 0 where there is no intercept.
//
// Given   X (n, d), rows dense or compressed.
// Leaves  beta, from 0, and w (d + 1), after sweeps in an order drawn anew for each. Rows at a bound or at zero that are held
//         there harder than any row broke its condition in the last sweep are left out; at the end all are looked at again.
// Result  sweeps taken, and the largest violation met in the last: at most tol unless they ran out. O(nd) a sweep, by one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/matrix.hpp"

namespace lanatus::kernel {

struct LinearDual {
    std::span<const double> y, cap;
    bool classes, squared;
    double epsilon, constant;
};
struct Descent {
    double tol;
    std::size_t max_sweeps;
    std::uint64_t seed;
};
struct Descended {
    std::size_t sweeps = 0;
    double violation = 0;
};

// Crammer and Singer: multipliers a (n, k), 0 at the own class and together at most cap_i; W (k, d + 1).
struct ClassDual {
    std::span<const std::int32_t> y;
    std::span<const double> cap;
    double constant;
};

// Pegasos (Shalev-Shwartz et al. 2007): `steps` of length 1 / (lambda t) against a subgradient of
//     lambda / 2 |w|^2 + sum_i weight_i max(0, 1 - y_i w'x_i) / sum_i weight_i
// over `batch` rows drawn with replacement, each then back into the ball of radius 1 / sqrt(lambda). average (d + 1) is the mean
// of the iterates, iterate t with weight t. They go on from `done` steps before. O(d + batch d) a step.
struct Pegasos {
    std::span<const double> y, weight;
    double lambda, constant, mass;
    std::size_t batch, steps;
    std::uint64_t seed, done;
};

// linear_descent.cpp, for MatrixView<const T> and CsrView<T>
template <class Rows>
Descended descend(const Rows& X, const LinearDual& of, const Descent& how, std::span<double> beta, std::span<double> w);
template <class Rows>
Descended descend_classes(const Rows& X, const ClassDual& of, const Descent& how, MatrixView<double> a,
                          MatrixView<double> W);
template <class Rows>
void pegasos(const Rows& X, const Pegasos& of, std::span<double> w, std::span<double> average);

}  // namespace lanatus::kernel
