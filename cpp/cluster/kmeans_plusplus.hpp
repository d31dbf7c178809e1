// k-means++ -- Arthur and Vassilvitskii (SODA 2007), the greedy form: at each step a few rows are drawn with probability
// proportional to w_i D_i^2, D_i the distance to the nearest center so far, and the one that leaves the least
// sum_i w_i D_i^2 becomes the next center. All trials of a step share one read of the rows: O(n d k trials).
//
// Trial t of step s uses the uniform number (seed; s, t), so the choice depends on neither threads nor chunks of work.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lanatus::cluster {

// The rows chosen, distinct as long as there are rows of positive weight left. Table: MatrixView or CsrView.
template <class T, class Table>
std::vector<std::int64_t> plusplus(const Table& X, std::span<const double> w, std::size_t k, std::size_t n_trials,
                                   std::uint64_t seed, int n_threads);

}  // namespace lanatus::cluster
