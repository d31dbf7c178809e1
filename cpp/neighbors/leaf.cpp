#include "imbalance/neighbors.hpp"

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "imbalance/neighbors.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::imbalance {

void screen_points(const Screen& screen, std::span<const std::int64_t> rows, std::size_t begin, std::size_t end,
                   Nearest& best) {
    LANATUS_DISPATCH(screen_points_of, screen, rows, begin, end, best);
}

}  // namespace lanatus::imbalance
