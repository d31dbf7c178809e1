// Is every entry finite, and not too large to compute with (or, when allowed, NaN)? One threaded read.
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/parallel.hpp"
#include "core/simd.hpp"

namespace lanatus::core {

namespace detail {

// Without their sign the bits of floating-point numbers, read as an integer, are in the order of the magnitudes:
// numbers, infinity, then every NaN.
template <class Bits>
LANATUS_INLINE bool has_beyond(const Bits* bits, std::size_t n, Bits limit, Bits infinity, bool allow_nan) {
    constexpr Bits magnitude = std::numeric_limits<Bits>::max();
    Bits bad = 0;
    if (allow_nan)
        for (std::size_t i = 0; i < n; ++i) {
            const Bits size = bits[i] & magnitude;
            bad |= static_cast<Bits>((size > limit) & (size <= infinity));
        }
    else
        for (std::size_t i = 0; i < n; ++i) bad |= static_cast<Bits>((bits[i] & magnitude) > limit);
    return bad != 0;
}
LANATUS_CLONES static bool beyond_block(const float* x, std::size_t n, float limit, bool allow_nan) {
    using Bits __attribute__((may_alias)) = std::int32_t;
    return has_beyond<Bits>(reinterpret_cast<const Bits*>(x), n, std::bit_cast<std::int32_t>(limit), 0x7f800000,
                            allow_nan);
}
LANATUS_CLONES static bool beyond_block(const double* x, std::size_t n, double limit, bool allow_nan) {
    using Bits __attribute__((may_alias)) = std::int64_t;
    return has_beyond<Bits>(reinterpret_cast<const Bits*>(x), n, std::bit_cast<std::int64_t>(limit), 0x7ff0000000000000,
                            allow_nan);
}

}  // namespace detail

// Is every magnitude at most `limit`, a finite number (or the entry, when allowed, NaN)?
template <std::floating_point T>
bool all_within(std::span<const T> x, T limit, bool allow_nan, int n_threads) {
    constexpr std::size_t block = 4096;
    std::atomic<bool> bad{false};
    parallel_chunks(Chunks::of(x.size(), 64 * block), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && !bad.load(std::memory_order_relaxed); i += block)
            if (detail::beyond_block(x.data() + i, std::min(block, end - i), limit, allow_nan)) bad = true;
    });
    return !bad;
}

}  // namespace lanatus::core
