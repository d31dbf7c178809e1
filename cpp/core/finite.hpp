// Is every entry finite (or, when allowed, NaN)? One threaded read.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/parallel.hpp"
#include "core/simd.hpp"

namespace lanatus::core {

namespace detail {

// An exponent of all ones is infinity or NaN; as unsigned numbers, |infinity| is the least of them.
template <class Bits>
LANATUS_INLINE bool has_special(const Bits* bits, std::size_t n, Bits magnitude, Bits infinity, bool allow_nan) {
    Bits bad = 0;
    if (allow_nan)
        for (std::size_t i = 0; i < n; ++i) bad |= static_cast<Bits>((bits[i] & magnitude) == infinity);
    else
        for (std::size_t i = 0; i < n; ++i) bad |= static_cast<Bits>((bits[i] & infinity) == infinity);
    return bad != 0;
}
LANATUS_CLONES static bool special_block(const float* x, std::size_t n, bool allow_nan) {
    using Bits __attribute__((may_alias)) = std::uint32_t;
    return has_special<Bits>(reinterpret_cast<const Bits*>(x), n, 0x7fffffffU, 0x7f800000U, allow_nan);
}
LANATUS_CLONES static bool special_block(const double* x, std::size_t n, bool allow_nan) {
    using Bits __attribute__((may_alias)) = std::uint64_t;
    return has_special<Bits>(reinterpret_cast<const Bits*>(x), n, 0x7fffffffffffffffU, 0x7ff0000000000000U, allow_nan);
}

}  // namespace detail

template <std::floating_point T>
bool all_finite(std::span<const T> x, bool allow_nan, int n_threads) {
    constexpr std::size_t block = 4096;
    std::atomic<bool> bad{false};
    parallel_chunks(Chunks::of(x.size(), 64 * block), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && !bad.load(std::memory_order_relaxed); i += block)
            if (detail::special_block(x.data() + i, std::min(block, end - i), allow_nan)) bad = true;
    });
    return !bad;
}

}  // namespace lanatus::core
