// Shortest paths from eight nodes at once: a node holds eight distances, an edge is gone along for all of them together.
// Compiled once per instruction set from path_group.inl; the function here picks the machine's.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::graph {

constexpr std::size_t group_size = 8;

struct GroupScratch {
    GroupScratch(std::size_t nodes, std::size_t n_buckets)
        : distances(nodes * group_size), buckets(n_buckets), waits(nodes) {}

    Buffer<double> distances;  // (nodes, 8)
    std::vector<std::vector<std::int32_t>> buckets;
    std::vector<std::uint64_t> waits;  // the bucket that a node is in, counted from the start; none: the largest number
};

// scratch.distances <- lengths of the shortest paths from each of eight sources. Buckets are `width` wide; sources should
// lie near each other, or nodes are gone on from several times. The lengths are those of Dijkstra's order to the last bit.
void paths_from_group(const CsrView<double>& graph, double width, const std::array<std::int32_t, group_size>& sources,
                      GroupScratch& scratch);

}  // namespace lanatus::graph
