// Every query against every point. All pairs are screened in float32 with s = 1/2 |p|^2 - x p, which is
// 1/2 (|x - p|^2 - |x|^2), on shifted data, by the register tile. A pair whose s is not above that of the k-th best so far
// (or of the radius), plus a bound of the rounding error, is measured again by differences in double, which alone decides.
// Cost: O(m n d) time, O((n + m) d) memory.
#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "neighbors/leaf.hpp"
#include "neighbors/nearest.hpp"
#include "neighbors/within.hpp"

namespace lanatus::neighbors {

namespace {

constexpr std::size_t queries_a_chunk = 8 * metric::widest_tile;

template <class T>
std::vector<double> middle_of(MatrixView<const T> points) {
    std::vector<double> middle(points.cols);
    for (std::size_t i = 0; i < points.rows; ++i)
        for (std::size_t j = 0; j < points.cols; ++j) middle[j] += static_cast<double>(points.row(i)[j]);
    for (double& value : middle) value /= static_cast<double>(points.rows);
    return middle;
}

template <class T>
metric::PackedRows<float> pack(MatrixView<const T> points, const std::vector<double>& middle) {
    Buffer<float> shifted(points.size());
    for (std::size_t i = 0; i < points.rows; ++i)
        for (std::size_t j = 0; j < points.cols; ++j)
            shifted[i * points.cols + j] = static_cast<float>(static_cast<double>(points.row(i)[j]) - middle[j]);
    return {MatrixView<const float>{shifted.data(), points.rows, points.cols}, metric::Form::expanded,
            metric::PackedRows<float>::no_offset(points.cols)};
}

}  // namespace

template <class T>
Screen<T>::Screen(MatrixView<const T> points)
    : exact(points), middle(middle_of(points)), packed(pack(points, middle)),
      slack(static_cast<double>(points.cols + 8) * static_cast<double>(std::numeric_limits<float>::epsilon())) {
    for (std::size_t i = 0; i < points.rows; ++i) {
        double norm = 0;
        for (std::size_t j = 0; j < points.cols; ++j) {
            const double value = static_cast<double>(points.row(i)[j]) - middle[j];
            norm += value * value;
        }
        packed.start[i] = static_cast<float>(norm * (0.5 - slack));
    }
}

template <class T>
void nearest_brute(MatrixView<const T> points, const Queries<T>& queries, const Neighbors<T>& out, int n_threads) {
    const Screen<T> screen(points);
    parallel_chunks(Chunks{queries.rows.rows, queries_a_chunk}, n_threads,
                    [&](std::size_t begin, std::size_t end) { screen_nearest(screen, queries, begin, end, out); });
}

template <class T>
std::vector<FoundWithin> within_brute(MatrixView<const T> points, const Queries<T>& queries, const Radii& radii,
                                      int n_threads) {
    const Screen<T> screen(points);
    const Chunks chunks{queries.rows.rows, queries_a_chunk};
    return parallel_parts<FoundWithin>(chunks, n_threads, [&](std::size_t begin, std::size_t end) {
        FoundWithin found;
        screen_within(screen, queries, radii, begin, end, found);
        return found;
    });
}

#define LANATUS_INSTANTIATE(T)                                                                     \
    template void nearest_brute(MatrixView<const T>, const Queries<T>&, const Neighbors<T>&, int); \
    template std::vector<FoundWithin> within_brute(MatrixView<const T>, const Queries<T>&, const Radii&, int);

LANATUS_INSTANTIATE(float)
LANATUS_INSTANTIATE(double)

}  // namespace lanatus::neighbors
