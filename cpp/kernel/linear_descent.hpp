// Linear support vector machines by coordinate descent on the dual -- book 6.7: Hsieh et al. (2008), Ho and Lin (2012), and of
// several classes in one problem Keerthi et al. (2008). Machines of classes and of numbers are one problem:
//
//     minimise over beta   1/2 |w|^2 + 1/2 sum_i D_i beta_i^2 - sum_i y_i beta_i + epsilon sum_i |beta_i|,  w = sum_i beta_i x_i
//
// The hinge and the tube have D = 0 and |beta_i| <= cap_i, their squares D_i = 1 / (2 cap_i) and no bound; classes have y = +-1,
// epsilon = 0 and y beta >= 0. x_i ends with the number `constant`, 0 where there is no intercept.
//
// Given   X (n, d), rows dense or compressed; beta and w (d + 1), of 0 or as an earlier call with the same `Sweeps` left them.
// Leaves  both after sweeps in an order drawn anew for each. Rows at a bound or at zero that are held there harder than any
//         row broke its condition in the last sweep are left out; at the end all are looked at again.
// Stop    when none of all rows violates by more than tol, or after max_sweeps more. O(nd) a sweep, by one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::kernel {

struct LinearDual {
    std::span<const double> y, cap;
    bool classes, squared;
    double epsilon, constant;
};

// How far the sweeps are: the order of the rows, those that are left out for now, and what the last sweep met.
class Sweeps {
  public:
    Sweeps(std::size_t n, std::uint64_t seed) : rows_(n), active_(n), random_(seed) {
        std::iota(rows_.begin(), rows_.end(), std::uint32_t{0});
    }
    std::size_t taken = 0;
    double violation = 0;  // the largest met in the last sweep
    double bound = std::numeric_limits<double>::infinity();
    bool done = false;  // none of all rows violates by more than was asked for

    std::size_t size() const { return rows_.size(); }
    std::size_t active() const { return active_; }
    std::size_t operator[](std::size_t place) const { return rows_[place]; }
    void shuffle() {
        for (std::size_t s = active_; s > 1; --s) {
            __extension__ using Wide = unsigned __int128;
            std::swap(rows_[s - 1], rows_[static_cast<std::size_t>((static_cast<Wide>(next()) * s) >> 64)]);
        }
    }
    void leave_out(std::size_t place) { std::swap(rows_[place], rows_[--active_]); }
    void take_all() { active_ = rows_.size(); }

  private:
    std::uint64_t next() {  // SplitMix64: a function of seed and count
        std::uint64_t z = random_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    std::vector<std::uint32_t> rows_;
    std::size_t active_;
    std::uint64_t random_;
};
struct Descent {
    double tol;
    std::size_t max_sweeps;
    Sweeps& sweeps;
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
void descend(const Rows& X, const LinearDual& of, const Descent& how, std::span<double> beta, std::span<double> w);
template <class Rows>
void descend_classes(const Rows& X, const ClassDual& of, const Descent& how, MatrixView<double> a,
                     MatrixView<double> W);
template <class Rows>
void pegasos(const Rows& X, const Pegasos& of, std::span<double> w, std::span<double> average);

}  // namespace lanatus::kernel
