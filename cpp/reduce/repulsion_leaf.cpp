#include "reduce/repulsion_leaf.hpp"

#include <cmath>

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "reduce/repulsion_leaf.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::reduce {

void add_pushes(std::size_t dims, const float* queries, std::size_t n_queries, const Pushing& list, float* sums) {
    LANATUS_DISPATCH(pushes, dims, queries, n_queries, list, sums);
}

double add_pulls(std::size_t dims, const float* const* at, const float* y, const std::int32_t* neighbours,
                 const float* p, std::size_t n, bool with_loss, float* pull) {
    double loss = 0;
    LANATUS_DISPATCH(pulls, dims, at, y, neighbours, p, n, with_loss, pull, loss);
    return loss;
}

}  // namespace lanatus::reduce
