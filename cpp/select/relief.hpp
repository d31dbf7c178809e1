// Nearest rows of each class by the sum of absolute (or squared) differences, all pairs, for Relief and its kin.
//
// Given:   rows X (n x d) whose columns are scaled so that a difference is the diff of book section 11.2, and the rows asked.
// Result:  for each row asked and each class the k nearest other rows of that class, nearest first; ties go to the lower number;
//          -1 where a class has fewer. Cost: O(m n d), with 4 rows asked against a vector of rows at a time.
// Rows are sorted by class and turned, so that a class is a range and a vector holds one column of several rows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::select {

struct ReliefTask {
    const double* turned = nullptr;  // d x width, the rows in order of class, as columns
    std::size_t d = 0, width = 0, n = 0;
    bool squared = false;
};

// Distances of four rows (asked, d numbers each) to all: out has 4 x width numbers.
void distances_of_four(const ReliefTask& task, const double* const asked[4], double* out);

constexpr std::size_t relief_pad = 16;

void nearest_by_class(MatrixView<const double> X, std::span<const std::int32_t> classes, std::size_t n_classes,
                      std::span<const std::int64_t> asked, std::size_t k, bool squared, std::int64_t* out,
                      int n_threads);

}  // namespace lanatus::select
