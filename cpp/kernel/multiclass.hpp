// Support vector machines of several classes in one problem -- book 3.5 and 6.7: Crammer and Singer (2001), Weston and Watkins
// (1999), Lee, Lin and Wahba (2004), in the common form of Dogan, Glasmachers and Igel (2016), without a free offset.
//
// Row i of class y has multipliers a_c >= 0 of the other classes, and coefficients B_i in all k of them:
//   relative margins (both of the first)  B = sum_c a_c (e_y - e_c),     slope of c: 1 - (f_y - f_c)
//   absolute margins (the last)           B = -sum_c a_c (e_c - 1 / k),  slope of c: 1 + f_c
// with f = sum_i B_i K(x_i, .). Maximises  sum a - 1/2 sum_c B_c' K B_c  with a_c <= C each, or sum_c a_c <= C (Crammer, Singer).
//
// Given   K (m, m) symmetric, f (m, k) at these rows, a (m, k) with 0 at the own class, labels y (m), caps C (m).
// Leaves  a and f after sweeps in which each row that violates is solved exactly, the others fixed: until no row violates by
//         more than tol, or max_sweeps were made. O(m k) a row. Returns the number of rows solved.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/matrix.hpp"

namespace lanatus::kernel {

enum class Margins { relative_shared, relative, absolute };

struct ClassMultipliers {
    MatrixView<double> a, f;
    std::span<const std::int32_t> y;
    std::span<const double> cap;
};

// multiclass.cpp
std::size_t multiclass(MatrixView<const float> K, const ClassMultipliers& of, Margins margins, double tol,
                       std::size_t max_sweeps);
std::size_t multiclass(MatrixView<const double> K, const ClassMultipliers& of, Margins margins, double tol,
                       std::size_t max_sweeps);

}  // namespace lanatus::kernel
