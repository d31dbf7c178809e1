#include "cluster/birch.hpp"

#include <limits>

#include "cluster/slots.hpp"
#include "core/simd.hpp"

namespace lanatus::cluster {

namespace {

LANATUS_CLONES void nearest_of(const double* values, std::size_t capacity, std::size_t d, std::size_t count,
                               const double* x, std::size_t* at, double* least) {
    double squares[slot_block];
    *least = std::numeric_limits<double>::infinity();
    *at = 0;
    for (std::size_t begin = 0; begin < count; begin += slot_block) {
        const std::size_t length = std::min(slot_block, count - begin);
        squares_to_slots(values, capacity, d, x, begin, length, squares);
        for (std::size_t i = 0; i < length; ++i)
            if (squares[i] < *least) *least = squares[i], *at = begin + i;
    }
}

}  // namespace

std::size_t nearest_child(const double* values, std::size_t capacity, std::size_t d, std::size_t count, const double* x,
                          double* least) {
    std::size_t at = 0;
    nearest_of(values, capacity, d, count, x, &at, least);
    return at;
}

}  // namespace lanatus::cluster
