// The leaves of rows in a small tree, many rows at a time (Lucchese et al., QuickScorer, SIGIR 2015, by bytes).
//
// The leaves are numbered from left to right, eight to a plane. A row starts with all leaves in its reach; each test that
// it fails takes away those of the test's left subtree; the first that is left is its leaf. So the tests may come in any
// order: plane by plane, with the rows side by side in vectors of bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace lanatus::tree {

constexpr std::size_t rows_at_once = 64;
constexpr std::size_t most_planes = 8;  // 64 leaves

// Rows whose rank in column `place` is above `rank` keep only the leaves `keep` of the plane.
struct PlaneTest {
    std::uint16_t place;
    std::uint8_t rank, keep;
};

// leaf[i] for 64 rows: `ranks` holds 64 bytes a place with `stride` between places; plane p has the tests
// tests[start[p]] .. tests[start[p + 1]].
void find_leaves(const std::uint8_t* ranks, std::size_t stride, std::span<const PlaneTest> tests,
                 std::span<const std::uint32_t> start, std::uint8_t* leaf);  // predict_leaves.cpp

}  // namespace lanatus::tree
