// The hot loops of k-means, run on a range of rows by one thread. Compiled once per instruction set from kmeans_leaf.inl;
// the functions here pick the machine's.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::cluster {

constexpr std::size_t center_group = 4;  // centers handled together in registers
constexpr std::size_t widest_tile = 24;  // most rows handled together, over all types and machines
constexpr std::size_t widest_panel = 256;

// Columns are taken in panels of nearly equal width, so that a tile of rows stays in the first cache.
struct Panels {
    std::size_t count = 1, width = 0;
    explicit Panels(std::size_t d) : count((d + widest_panel - 1) / widest_panel) {
        count = std::max<std::size_t>(count, 1);
        width = ((d + count - 1) / count + 3) / 4 * 4;
    }
};

// How distances are taken. All orders of centers agree but for rounding.
//   direct    sum (x - c)^2: two operations a coordinate, exact at 0.
//   expanded  1/2 |c|^2 - x c, which is 1/2 (|x - c|^2 - |x|^2): one operation. x and c are first shifted by `offset`, near
//             the middle of the centers, so that data far from the origin do not cancel.
//   dots      the same numbers, summed along the columns: for long rows, which then need not be transposed.
enum class Form { direct, expanded, dots };

// Centers ready for the tile kernel. direct and expanded: in groups of four (the last may be smaller), each group by
// columns, [j][c]. dots: row by row, padded with zeros to `stride`.
template <class T>
struct PackedCenters {
    std::size_t k, d, stride;
    Form form;
    Buffer<T> values, start, offset;

    PackedCenters(MatrixView<const T> centers, Form form_)
        : k(centers.rows), d(centers.cols), stride((d + 7) / 8 * 8), form(form_), values(k * stride), start(k),
          offset(stride) {
        std::fill_n(offset.data(), stride, T{0});
        std::fill_n(values.data(), values.size(), T{0});
        for (std::size_t j = 0; j < d && form != Form::direct; ++j) {
            double mean = 0;
            for (std::size_t c = 0; c < k; ++c) mean += static_cast<double>(centers.row(c)[j]);
            offset[j] = static_cast<T>(mean / static_cast<double>(k));
        }
        for (std::size_t c = 0; c < k; ++c) {
            double norm = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const T value = static_cast<T>(centers.row(c)[j] - offset[j]);
                values[place(c, j)] = value;
                norm += static_cast<double>(value) * static_cast<double>(value);
            }
            start[c] = form == Form::direct ? T{0} : static_cast<T>(norm / 2);
        }
    }

  private:
    std::size_t place(std::size_t c, std::size_t j) const noexcept {
        if (form == Form::dots) return c * stride + j;
        const std::size_t first = c / center_group * center_group, width = std::min(center_group, k - first);
        return first * d + j * width + (c - first);
    }
};

// Working memory of one thread.
template <class T>
struct TileSpace {
    Buffer<T> panel, scores;
    explicit TileSpace(const PackedCenters<T>& centers)
        : panel(centers.form == Form::dots ? 0 : widest_tile * (Panels(centers.d).width + 4)),
          scores(Panels(centers.d).count > 1 || centers.form == Form::dots ? centers.k * widest_tile : 0) {}
};

// What one chunk of rows adds to the clusters. A cluster's row is cleared when first met, so that merging costs only
// what was touched.
struct ClusterSums {
    std::size_t k = 0, d = 0;
    Buffer<double> sums;
    std::vector<double> mass;
    std::vector<char> met;
    double inertia = 0;
    std::int64_t n_changed = 0, n_distances = 0;

    ClusterSums() = default;
    ClusterSums(std::size_t k_, std::size_t d_) : k(k_), d(d_), sums(k_ * d_), mass(k_), met(k_) {}
    double* row(std::size_t c) {
        if (!met[c]) {
            met[c] = 1;
            std::fill_n(sums.data() + c * d, d, 0.0);
        }
        return sums.data() + c * d;
    }
};

template <class T>
struct LloydTask {
    MatrixView<const T> X, centers;
    const double* w;  // or null
    const PackedCenters<T>& packed;
    std::int32_t* labels;
};

template <class T>
struct BoundedTask {
    MatrixView<const T> X, centers;
    const double* w;  // or null
    const PackedCenters<T>& packed;
    std::int32_t* labels;  // -1: not yet assigned
    T* upper;              // >= distance to the own center
    T* lower;              // <= distance to every other center
    const T* drift;        // how far each center moved
    T most_drift, second_drift;
    std::size_t most_drifted;
    const T* half_gap;  // half the distance from each center to its nearest other
    T slack;            // relative rounding error of a computed distance, generous
    T most_norm;        // the largest |c|^2 of the packed (shifted) centers
};

void lloyd_rows(const LloydTask<float>&, std::size_t begin, std::size_t end, ClusterSums&);
void lloyd_rows(const LloydTask<double>&, std::size_t begin, std::size_t end, ClusterSums&);
void bounded_rows(const BoundedTask<float>&, std::size_t begin, std::size_t end, ClusterSums&);
void bounded_rows(const BoundedTask<double>&, std::size_t begin, std::size_t end, ClusterSums&);

// labels[i] <- nearest center, sq_dist[i] <- its squared distance, by differences. Either may be null.
void nearest_rows(MatrixView<const float> X, MatrixView<const float> centers, const PackedCenters<float>&,
                  std::size_t begin, std::size_t end, std::int32_t* labels, double* sq_dist);
void nearest_rows(MatrixView<const double> X, MatrixView<const double> centers, const PackedCenters<double>&,
                  std::size_t begin, std::size_t end, std::int32_t* labels, double* sq_dist);

// The two smallest squared distances from each row, by differences (packed must be direct).
void two_nearest_rows(MatrixView<const float> X, const PackedCenters<float>&, std::size_t begin, std::size_t end,
                      float* first, float* second);
void two_nearest_rows(MatrixView<const double> X, const PackedCenters<double>&, std::size_t begin, std::size_t end,
                      double* first, double* second);

// out[i * row_stride + c * center_stride] <- squared distance of row i and center c, by differences.
void pairwise_rows(MatrixView<const float> X, const PackedCenters<float>&, std::size_t begin, std::size_t end, float* out,
                   std::size_t row_stride, std::size_t center_stride);
void pairwise_rows(MatrixView<const double> X, const PackedCenters<double>&, std::size_t begin, std::size_t end,
                   double* out, std::size_t row_stride, std::size_t center_stride);

// Squared distance of two points, by differences.
float sq_distance(const float* x, const float* y, std::size_t d);
double sq_distance(const double* x, const double* y, std::size_t d);

}  // namespace lanatus::cluster
