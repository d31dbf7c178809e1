// Loops over doubles that the kernels of sparse coding share.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/simd.hpp"

namespace lanatus::sparse::detail {

LANATUS_CLONES static void add_scaled(double* out, const double* x, double scale, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] += scale * x[i];
}

LANATUS_CLONES static void multiply(double* x, double scale, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] *= scale;
}

LANATUS_CLONES static double dot(const double* x, const double* y, std::size_t n) {
    std::array<double, 8> sum{};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane) sum[lane] += x[i + lane] * y[i + lane];
    double total = 0;
    for (; i < n; ++i) total += x[i] * y[i];
    return total + ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

LANATUS_CLONES static double largest_magnitude(const double* x, std::size_t n) {
    std::array<double, 8> most{};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane) {
            const double size = std::abs(x[i + lane]);
            most[lane] = size > most[lane] ? size : most[lane];
        }
    double found = 0;
    for (; i < n; ++i) found = std::max(found, std::abs(x[i]));
    for (const double each : most) found = std::max(found, each);
    return found;
}

// The first place of the largest magnitude; n >= 1.
inline std::size_t place_of_largest(const double* x, std::size_t n) {
    const double most = largest_magnitude(x, n);
    std::size_t i = 0;
    while (i + 1 < n && std::abs(x[i]) != most) ++i;
    return i;
}

}  // namespace lanatus::sparse::detail
