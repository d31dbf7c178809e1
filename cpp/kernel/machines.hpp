// Soft-margin machines of many small sets of rows with a Gaussian kernel -- book 6.4, one for each pair of classes.
//
// Given   X (n, d), gamma; for machine k the rows place[start[k]], ..., place[start[k + 1] - 1] of X with signs +-1 and caps
//         C_i >= 0; folds of its rows, where values of machines that did not see a row are wanted.
// Leaves  beta = y alpha at the least  1/2 b'Kb - y'b  with 0 <= y b <= C and sum b = 0, its offset (6.18), the pairs taken;
//         for each row the value of the machine learned from the other folds, which starts from beta, so that it is near.
//         Rows of the kernel are made when a pair needs them and kept for all the folds. A machine is solved by one thread:
//         the answer does not depend on their number. O(m) a pair; memory at most m^2 numbers a thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/matrix.hpp"

namespace lanatus::kernel {

struct MachineRows {
    std::span<const std::int64_t> start;
    std::span<const std::int32_t> place;
    std::span<const double> sign, cap;
    std::span<const std::int32_t> fold;  // empty: no values of unseen rows are wanted
    std::size_t n_folds;
};
struct MachinesFound {
    std::span<double> beta, unseen;  // unseen: as long as beta, or empty
    std::span<double> offset;
    std::span<std::int64_t> pairs;
};

// machines.cpp
void machines(MatrixView<const float> X, double gamma, const MachineRows& of, double tol, std::size_t max_pairs,
              const MachinesFound& found, int n_threads);
void machines(MatrixView<const double> X, double gamma, const MachineRows& of, double tol, std::size_t max_pairs,
              const MachinesFound& found, int n_threads);

}  // namespace lanatus::kernel
