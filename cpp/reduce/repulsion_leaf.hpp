// The hot loops of t-SNE: what points and cells push on some points, and what neighbours pull, by one thread. Compiled
// once per instruction set from repulsion_leaf.inl; the functions here pick the machine's.
#pragma once
#include <cstddef>
#include <cstdint>

namespace lanatus::reduce {

constexpr std::size_t push_group = 16;  // lists are padded to a multiple of it, with mass 0

// Points and cells that push: a coordinate each array, and how many points each stands for.
struct Pushing {
    const float* at[3];
    const float* mass;
    std::size_t n;
};

// sums (n_queries, dims + 1): row y gets the sums of mass q^2 (y - at), a dimension each, and of mass q, where
// q = 1 / (1 + |y - at|^2).
void add_pushes(std::size_t dims, const float* queries, std::size_t n_queries, const Pushing& list, float* sums);

// pull <- the sum of p q (y - at[i]) over the neighbours i; returns, if asked, the sum of p log(1 / q).
double add_pulls(std::size_t dims, const float* const* at, const float* y, const std::int32_t* neighbours,
                 const float* p, std::size_t n, bool with_loss, float* pull);

}  // namespace lanatus::reduce
