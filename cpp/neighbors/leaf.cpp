#include "neighbors/leaf.hpp"

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "neighbors/leaf.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::neighbors {

void screen_points(const Screen& screen, const Queries& queries, std::size_t begin, std::size_t end,
                   const Neighbors& out) {
    LANATUS_DISPATCH(screen_points_of, screen, queries, begin, end, out);
}
void sq_distances(const double* x, const double* rows, std::size_t n, std::size_t d, double* sums) {
    LANATUS_DISPATCH(sq_distances_of, x, rows, n, d, sums);
}

}  // namespace lanatus::neighbors
