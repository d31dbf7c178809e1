#include "kernel/gaussian.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "core/simd.hpp"

namespace lanatus::kernel {
namespace {

// exp(x) for x <= 0: x = n log 2 + r, Taylor in |r| <= log(2) / 2.
LANATUS_INLINE float exp_of(float x) {
    const float kept = x < -87.0f ? -87.0f : x, shifted = kept * 1.44269504f + 0x1.8p23f, n = shifted - 0x1.8p23f;
    const float r = (kept - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    const float power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) << 23) + 0x3f800000u);
    return x < -87.0f ? 0.0f : p * power;
}

LANATUS_INLINE double exp_of(double x) {
    const double kept = x < -708.0 ? -708.0 : x, shifted = kept * 1.4426950408889634 + 0x1.8p52, n = shifted - 0x1.8p52;
    const double r = (kept - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52) + 0x3ff0000000000000u);
    return x < -708.0 ? 0.0 : p * power;
}

LANATUS_CLONES void decay_floats(float* values, std::size_t n, float factor) {
    for (std::size_t i = 0; i < n; ++i) values[i] = exp_of(values[i] * factor);
}
LANATUS_CLONES void decay_doubles(double* values, std::size_t n, double factor) {
    for (std::size_t i = 0; i < n; ++i) values[i] = exp_of(values[i] * factor);
}

}  // namespace

void decay(float* values, std::size_t n, double gamma) {
    decay_floats(values, n, -static_cast<float>(std::min<double>(gamma, std::numeric_limits<float>::max())));
}
void decay(double* values, std::size_t n, double gamma) { decay_doubles(values, n, -gamma); }

}  // namespace lanatus::kernel
