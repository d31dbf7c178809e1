// The squared distance that decides between two neighbours.
#pragma once
#include <cstddef>

namespace lanatus::neighbors {

// sum_j (x_j - y_j)^2 in double, y_j being at y[j * stride]. Compiled once and without fused multiply-adds, not inlined into
// code for one instruction set: all routes and all machines get the same bits, and so break ties alike.
template <class T>
double exact_sq_distance(const T* x, const T* y, std::size_t stride, std::size_t d) noexcept;

}  // namespace lanatus::neighbors
