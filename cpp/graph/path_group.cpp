#include "graph/path_group.hpp"

#include <algorithm>

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "graph/path_group.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::graph {

void paths_from_group(const CsrView<double>& graph, double width, const std::array<std::int32_t, group_size>& sources,
                      GroupScratch& scratch) {
    LANATUS_DISPATCH(from_group, graph, width, sources, scratch);
}

}  // namespace lanatus::graph
