#include "neighbors/exact.hpp"

namespace lanatus::neighbors {

// Four partial sums, so that additions need not wait for each other.
template <class T>
double exact_sq_distance(const T* x, const T* y, std::size_t stride, std::size_t d) noexcept {
    const auto gap = [&](std::size_t j) { return static_cast<double>(x[j]) - static_cast<double>(y[j * stride]); };
    double sum[4] = {}, tail = 0;
    std::size_t j = 0;
    for (; j + 4 <= d; j += 4)
        for (std::size_t l = 0; l < 4; ++l) sum[l] += gap(j + l) * gap(j + l);
    for (; j < d; ++j) tail += gap(j) * gap(j);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + tail;
}

template double exact_sq_distance(const float*, const float*, std::size_t, std::size_t) noexcept;
template double exact_sq_distance(const double*, const double*, std::size_t, std::size_t) noexcept;

}  // namespace lanatus::neighbors
