// Points in columns, so that all their distances to one point are one run over memory; one may be taken out.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/matrix.hpp"
#include "core/simd.hpp"

namespace lanatus::cluster {

constexpr std::size_t slot_block = 256;

// squares[i] <- squared distance of point x and the points in slots [begin, begin + count).
LANATUS_INLINE void squares_to_slots(const double* values, std::size_t capacity, std::size_t d, const double* x,
                                     std::size_t begin, std::size_t count, double* __restrict squares) {
    for (std::size_t i = 0; i < count; ++i) squares[i] = 0;
    for (std::size_t j = 0; j < d; ++j) {
        const double* __restrict column = values + j * capacity + begin;
        const double at = x[j];
        for (std::size_t i = 0; i < count; ++i) squares[i] += (column[i] - at) * (column[i] - at);
    }
}

struct Slots {
    std::size_t capacity, d, count;
    Buffer<double> values;         // [d][capacity]
    std::vector<std::int64_t> id;  // of the point in a slot

    explicit Slots(MatrixView<const double> X) : capacity(X.rows), d(X.cols), count(X.rows), values(X.rows * X.cols) {
        id.resize(X.rows);
        for (std::size_t i = 0; i < X.rows; ++i) {
            id[i] = static_cast<std::int64_t>(i);
            for (std::size_t j = 0; j < d; ++j) values[j * capacity + i] = X.row(i)[j];
        }
    }
    void read(std::size_t slot, double* out) const {
        for (std::size_t j = 0; j < d; ++j) out[j] = values[j * capacity + slot];
    }
    void write(std::size_t slot, const double* from) {
        for (std::size_t j = 0; j < d; ++j) values[j * capacity + slot] = from[j];
    }
    // The last point takes the place of the one in this slot.
    void remove(std::size_t slot) {
        --count;
        for (std::size_t j = 0; j < d; ++j) values[j * capacity + slot] = values[j * capacity + count];
        id[slot] = id[count];
    }
};

}  // namespace lanatus::cluster
