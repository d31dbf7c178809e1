// The hot loops of Gaussian mixtures, run on a range of rows by one thread. Compiled once per instruction set from
// mixture_leaf.inl; the functions here pick the machine's. All arithmetic is double for either type of X.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::density {

// How the components stretch: each by its own triangle, all by one triangle, each along the axes.
enum class Shape { full, tied, diagonal };

// Rows of a triangle are taken in fours (fewer at the end), the coefficients of a four lying together column by column.
constexpr std::size_t tile_rows = 4;
inline std::size_t packed_size(std::size_t d) {
    std::size_t size = 0;
    for (std::size_t j = 0; j < d; j += tile_rows) {
        const std::size_t rows = std::min(tile_rows, d - j);
        size += rows * (j + rows);
    }
    return size;
}

// log p(x, component c) = log_const[c] - |F_c (x - mean_c)|^2 / 2
struct Components {
    std::size_t count, d;
    Shape shape;
    const double* means;      // (count, d); for Shape::tied those after whitening, F (mean - origin)
    const double* origin;     // d; where whitening begins, for Shape::tied
    const double* factors;    // full: count packed triangles; tied: one; diagonal: (count, d)
    const double* raw_means;  // (count, d), never whitened: what moments are taken about
    const double* log_const;  // count
};

template <class T>
struct MixtureTask {
    MatrixView<const T> X;
    const double* w;  // or null
    Components mixture;
    bool moments;
    double* log_density;  // n, or null
    double* shares;       // (n, count) posterior probabilities, or null
};

// Weighted sums over rows; r is the posterior probability times the weight, moments are about raw_means.
struct MixtureSums {
    double log_likelihood = 0;  // of the log densities
    double entropy = 0;         // of - r log r
    std::vector<double> mass;   // count:      r
    std::vector<double> first;  // (count, d): r (x - mean)
    Buffer<double> second;      // full: (count, d, d), lower triangles, r (x - mean)(x - mean)'; diagonal: (count, d)

    MixtureSums() = default;
    MixtureSums(const Components& mixture, bool moments)
        : mass(mixture.count), first(moments ? mixture.count * mixture.d : 0),
          second(moments ? second_size(mixture) : 0) {
        std::fill_n(second.data(), second.size(), 0.0);
    }
    static std::size_t second_size(const Components& mixture) {
        if (mixture.shape == Shape::tied) return 0;
        return mixture.count * mixture.d * (mixture.shape == Shape::full ? mixture.d : 1);
    }
};

void mixture_rows(const MixtureTask<float>&, std::size_t begin, std::size_t end, MixtureSums&);
void mixture_rows(const MixtureTask<double>&, std::size_t begin, std::size_t end, MixtureSums&);

}  // namespace lanatus::density
