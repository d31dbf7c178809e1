#include "tree/predict_leaves.hpp"

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "tree/predict_leaves.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::tree {

void find_leaves(const std::uint8_t* ranks, std::size_t stride, std::span<const PlaneTest> tests,
                 std::span<const std::uint32_t> start, std::uint8_t* leaf) {
    LANATUS_DISPATCH(find_leaves_of, ranks, stride, tests, start, leaf);
}

}  // namespace lanatus::tree
