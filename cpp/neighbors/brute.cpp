// Every query against every point. All pairs are screened in float32 with s = 1/2 |p|^2 - x p, which is
// 1/2 (|x - p|^2 - |x|^2), on shifted data, by the register tile. A pair whose s is not above that of the k-th best so far,
// plus a bound of the rounding error, is measured again by differences in double, which alone decides.
// Cost: O(m n d) time, O((n + m) d) memory.
#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "neighbors/leaf.hpp"
#include "neighbors/nearest.hpp"
#include "neighbors/scaling.hpp"

namespace lanatus::neighbors {

namespace {

constexpr std::size_t queries_a_chunk = 8 * metric::widest_tile;

std::vector<double> middle_of(MatrixView<const double> points) {
    std::vector<double> middle(points.cols);
    for (std::size_t i = 0; i < points.rows; ++i)
        for (std::size_t j = 0; j < points.cols; ++j) middle[j] += points.row(i)[j];
    for (double& value : middle) value /= static_cast<double>(points.rows);
    return middle;
}

metric::PackedRows<float> pack(MatrixView<const double> points, const std::vector<double>& middle) {
    Buffer<float> shifted(points.size());
    for (std::size_t i = 0; i < points.rows; ++i)
        for (std::size_t j = 0; j < points.cols; ++j)
            shifted[i * points.cols + j] = static_cast<float>(points.row(i)[j] - middle[j]);
    return {MatrixView<const float>{shifted.data(), points.rows, points.cols}, metric::Form::expanded,
            metric::PackedRows<float>::no_offset(points.cols)};
}

}  // namespace

Screen::Screen(MatrixView<const double> points)
    : exact(points), middle(middle_of(points)), packed(pack(points, middle)),
      slack(static_cast<double>(points.cols + 8) * static_cast<double>(std::numeric_limits<float>::epsilon())) {
    for (std::size_t i = 0; i < points.rows; ++i) {
        double norm = 0;
        for (std::size_t j = 0; j < points.cols; ++j) {
            const double value = points.row(i)[j] - middle[j];
            norm += value * value;
        }
        packed.start[i] = static_cast<float>(norm * (0.5 - slack));
    }
}

void nearest_brute(MatrixView<const double> points, const Queries& queries, const Neighbors& out, int n_threads) {
    const Scaled scaled(points, queries);
    const Screen screen(scaled.points());
    const Queries asked = scaled.queries();
    parallel_chunks(Chunks{queries.rows.rows, queries_a_chunk}, n_threads, [&](std::size_t begin, std::size_t end) {
        screen_points(screen, asked, begin, end, out);
        for (std::size_t i = begin * out.k; i < end * out.k; ++i)
            out.distance[i] = scaled.length(std::sqrt(out.distance[i]));
    });
}

}  // namespace lanatus::neighbors
