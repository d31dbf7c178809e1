// The hot loops of a search for neighbours, run by one thread. Compiled once per instruction set from leaf.inl; the functions
// here pick the machine's.
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
#include "neighbors/nearest.hpp"

namespace lanatus::neighbors {

// Points ready to be screened: in double, and shifted by their middle in float32, packed for the tile.
struct Screen {
    MatrixView<const double> exact;
    std::vector<double> middle;
    metric::PackedRows<float> packed;  // start holds 1/2 |p|^2 less its share of the rounding error
    double slack;                      // relative rounding error of a score

    explicit Screen(MatrixView<const double> points);
};

// The queries [begin, end) meet all points; their lists in `out` are filled.
void screen_points(const Screen& screen, const Queries& queries, std::size_t begin, std::size_t end,
                   const Neighbors& out);

// sums[i] <- squared distance of x and rows[i]
void sq_distances(const double* x, const double* rows, std::size_t n, std::size_t d, double* sums);

}  // namespace lanatus::neighbors
