// Disjoint sets of 0 .. n - 1 that many threads may join at once.
//
// A root is always the least member of its set, so that what the sets are called does not depend on who joined them when.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace lanatus {

class UnionFind {
  public:
    explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::int32_t{0}); }

    // The least member of the set that i is in; on the way every other node comes nearer to it.
    std::int32_t find(std::int32_t i) noexcept {
        while (true) {
            const std::int32_t up = at(i).load(std::memory_order_relaxed);
            if (up == i) return i;
            const std::int32_t over = at(up).load(std::memory_order_relaxed);
            if (over == up) return up;
            std::int32_t expected = up;
            at(i).compare_exchange_weak(expected, over, std::memory_order_relaxed);
            i = over;
        }
    }
    bool same(std::int32_t a, std::int32_t b) noexcept { return find(a) == find(b); }

    // Whether they were in different sets.
    bool join(std::int32_t a, std::int32_t b) noexcept {
        while (true) {
            a = find(a), b = find(b);
            if (a == b) return false;
            if (a < b) std::swap(a, b);
            std::int32_t expected = a;
            if (at(a).compare_exchange_strong(expected, b, std::memory_order_relaxed)) return true;
        }
    }

  private:
    std::vector<std::int32_t> parent_;
    std::atomic_ref<std::int32_t> at(std::int32_t i) noexcept {
        return std::atomic_ref<std::int32_t>(parent_[static_cast<std::size_t>(i)]);
    }
};

}  // namespace lanatus
