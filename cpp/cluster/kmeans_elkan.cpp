#include "cluster/kmeans_elkan.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "metric/pairwise.hpp"

namespace lanatus::cluster {

using metric::sq_distance;

namespace {

template <class T>
struct ElkanTask {
    MatrixView<const T> X, centers;
    std::span<const double> w;  // empty: all one
    std::span<std::int32_t> labels;
    std::span<T> upper;
    MatrixView<T> lower;
    const std::vector<T>&drift, &half_gap;  // (k,), (k, k)
    T slack;                                // relative rounding error of a computed distance, generous
};

inline void move_row(const auto* x, std::size_t d, double weight, std::int32_t from, std::int32_t to,
                     ClusterSums& out) {
    for (const auto& [label, sign] : {std::pair{from, -weight}, std::pair{to, weight}}) {
        if (label < 0) continue;
        const auto c = static_cast<std::size_t>(label);
        double* sums = out.row(c);
        for (std::size_t j = 0; j < d; ++j) sums[j] += sign * static_cast<double>(x[j]);
        out.mass[c] += sign;
    }
    ++out.n_changed;
}

template <class T>
void elkan_row(const ElkanTask<T>& task, std::size_t i, ClusterSums& out) {
    const std::size_t k = task.centers.rows, d = task.centers.cols;
    const T* x = task.X.row(i);
    T* lower = task.lower.row(i);
    const std::int32_t before = task.labels[i];
    std::size_t own = before < 0 ? 0 : static_cast<std::size_t>(before);
    T upper = before < 0 ? std::numeric_limits<T>::infinity() : (task.upper[i] + task.drift[own]) * (1 + task.slack);
    for (std::size_t c = 0; c < k; ++c)
        lower[c] = before < 0 ? T{0} : std::max(T{0}, lower[c] - task.drift[c]) * (1 - task.slack);
    T own_sq = -1;  // squared distance to the own center, once it is needed
    for (std::size_t c = 0; c < k; ++c) {
        if (c == own || upper < lower[c] || upper < task.half_gap[own * k + c]) continue;
        if (own_sq < 0) {
            own_sq = sq_distance(x, task.centers.row(own), d);
            upper = std::sqrt(own_sq) * (1 + task.slack);
            lower[own] = std::sqrt(own_sq) * (1 - task.slack);
            ++out.n_distances;
            if (upper < lower[c] || upper < task.half_gap[own * k + c]) continue;
        }
        const T other_sq = sq_distance(x, task.centers.row(c), d);
        ++out.n_distances;
        lower[c] = std::sqrt(other_sq) * (1 - task.slack);
        if (other_sq < own_sq || (other_sq == own_sq && c < own)) {
            own = c;
            own_sq = other_sq;
            upper = std::sqrt(own_sq) * (1 + task.slack);
        }
    }
    task.upper[i] = upper;
    task.labels[i] = static_cast<std::int32_t>(own);
    if (task.labels[i] != before) move_row(x, d, task.w.empty() ? 1.0 : task.w[i], before, task.labels[i], out);
}

}  // namespace

template <class T>
PassResult elkan_pass(MatrixView<const T> X, std::span<const double> w, MatrixView<const T> centers,
                      const T* old_centers, std::span<std::int32_t> labels, std::span<T> upper, MatrixView<T> lower,
                      MatrixView<double> sums, std::span<double> mass, int n_threads) {
    const std::size_t k = centers.rows, d = centers.cols;
    const T slack = static_cast<T>(d + 8) * std::numeric_limits<T>::epsilon();
    std::vector<T> drift(k), half_gap(k * k);
    for (std::size_t c = 0; c < k; ++c) {
        if (old_centers) drift[c] = std::sqrt(sq_distance(centers.row(c), old_centers + c * d, d)) * (1 + slack);
        for (std::size_t b = 0; b < k; ++b)
            half_gap[c * k + b] = std::sqrt(sq_distance(centers.row(c), centers.row(b), d)) / 2 * (1 - slack);
    }
    const ElkanTask<T> task{X, centers, w, labels, upper, lower, drift, half_gap, slack};
    auto parts =
        parallel_parts<ClusterSums>(chunks_for_sums(X.rows, k, d), n_threads, [&](std::size_t begin, std::size_t end) {
            ClusterSums part(k, d);
            for (std::size_t i = begin; i < end; ++i) elkan_row(task, i, part);
            return part;
        });
    return merge(parts, sums, mass, n_threads);
}

// ---- for float and double

#define LANATUS_INSTANTIATE(T)                                                                                     \
    template PassResult elkan_pass<T>(MatrixView<const T>, std::span<const double>, MatrixView<const T>, const T*, \
                                      std::span<std::int32_t>, std::span<T>, MatrixView<T>, MatrixView<double>,    \
                                      std::span<double>, int);

LANATUS_INSTANTIATE(float)
LANATUS_INSTANTIATE(double)

}  // namespace lanatus::cluster
