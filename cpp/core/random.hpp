// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, SC 2011): a block of 128 random bits is a function
// of (key, counter) alone, so element i of a stream is the same however many threads draw it.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace lanatus {

using PhiloxBlock = std::array<std::uint32_t, 4>;

constexpr PhiloxBlock philox4x32(PhiloxBlock counter, std::array<std::uint32_t, 2> key) noexcept {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0];
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
                   static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return counter;
}

// Random element (index, stream) of the sequence named by seed. Streams of one seed are independent.
class Philox {
  public:
    constexpr explicit Philox(std::uint64_t seed, std::uint64_t stream = 0) noexcept : seed_(seed), stream_(stream) {}

    constexpr PhiloxBlock block(std::uint64_t index) const noexcept {
        return philox4x32({low(index), high(index), low(stream_), high(stream_)}, {low(seed_), high(seed_)});
    }
    // Uniform in [0, 1), a multiple of 2^-53.
    constexpr double uniform(std::uint64_t index) const noexcept { return unit(word(block(index), 0)); }

    // Uniform in {0, ..., bound - 1}; bound >= 1. The bias, at most bound / 2^64, is beyond observation.
    constexpr std::uint64_t below(std::uint64_t index, std::uint64_t bound) const noexcept {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<Wide>(word(block(index), 0)) * bound) >> 64);
    }
    // Standard normal, by Box and Muller.
    double normal(std::uint64_t index) const noexcept {
        const PhiloxBlock bits = block(index);
        const double radius = std::sqrt(-2 * std::log1p(-unit(word(bits, 0))));
        return radius * std::cos(2 * std::numbers::pi * unit(word(bits, 1)));
    }

  private:
    static constexpr std::uint32_t low(std::uint64_t x) noexcept { return static_cast<std::uint32_t>(x); }
    static constexpr std::uint32_t high(std::uint64_t x) noexcept { return static_cast<std::uint32_t>(x >> 32); }
    static constexpr std::uint64_t word(const PhiloxBlock& b, std::size_t half) noexcept {
        return std::uint64_t{b[2 * half + 1]} << 32 | b[2 * half];
    }
    static constexpr double unit(std::uint64_t x) noexcept { return static_cast<double>(x >> 11) * 0x1p-53; }

    std::uint64_t seed_, stream_;
};

}  // namespace lanatus
