// The hot loops of comparing every query with every point, run by one thread. Compiled once per instruction set from
// leaf.inl; the functions here pick the machine's.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/matrix.hpp"
#include "metric/sq_tile.hpp"
#include "neighbors/exact.hpp"
#include "neighbors/nearest.hpp"
#include "neighbors/within.hpp"

namespace lanatus::neighbors {

// Points ready to be screened: as they are, and shifted by their middle in float32, packed for the tile.
template <class T>
struct Screen {
    MatrixView<const T> exact;
    std::vector<double> middle;
    metric::PackedRows<float> packed;  // start holds 1/2 |p|^2 less its share of the rounding error
    double slack;                      // relative rounding error of a score

    explicit Screen(MatrixView<const T> points);
};

// The queries [begin, end) meet all points; what they find is written to `out`.
template <class T>
void screen_nearest(const Screen<T>& screen, const Queries<T>& queries, std::size_t begin, std::size_t end,
                    const Neighbors<T>& out);

// The same for the points within a radius; found points are appended, query by query.
template <class T>
void screen_within(const Screen<T>& screen, const Queries<T>& queries, const Radii& radii, std::size_t begin,
                   std::size_t end, FoundWithin& out);

}  // namespace lanatus::neighbors
