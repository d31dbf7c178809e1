#include "cluster/kmeans_plusplus.hpp"

#include <algorithm>
#include <limits>

#include "cluster/kmeans.hpp"
#include "cluster/kmeans_csr.hpp"
#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/simd.hpp"
#include "metric/pairwise.hpp"

namespace lanatus::cluster {

namespace {

// sum_i w_i min(closest_i, fresh_i)
template <class T>
LANATUS_INLINE double lowered_sum(const double* closest, const T* fresh, const double* w, std::size_t n) {
    double sum = 0;
    if (w) {
#pragma omp simd reduction(+ : sum)
        for (std::size_t i = 0; i < n; ++i) {
            const auto d = static_cast<double>(fresh[i]);
            sum += w[i] * (d < closest[i] ? d : closest[i]);
        }
    } else {
#pragma omp simd reduction(+ : sum)
        for (std::size_t i = 0; i < n; ++i) {
            const auto d = static_cast<double>(fresh[i]);
            sum += d < closest[i] ? d : closest[i];
        }
    }
    return sum;
}
LANATUS_CLONES double lowered_leaf(const double* closest, const float* fresh, const double* w, std::size_t n) {
    return lowered_sum(closest, fresh, w, n);
}
LANATUS_CLONES double lowered_leaf(const double* closest, const double* fresh, const double* w, std::size_t n) {
    return lowered_sum(closest, fresh, w, n);
}

// out[c * X.rows + i] <- squared distance of rows i in [begin, end) and candidate c
template <class T>
struct DenseDistances {
    metric::PackedRows<T> packed;
    explicit DenseDistances(MatrixView<const T> candidates) : packed(candidates, metric::Form::direct) {}
    void rows(const MatrixView<const T>& X, std::size_t begin, std::size_t end, T* out) const {
        metric::pairwise_rows(X, packed, begin, end, out, 1, X.rows);
    }
};
template <class T>
struct CsrDistances {
    metric::ColumnPoints columns;
    explicit CsrDistances(MatrixView<const T> candidates) : columns(candidates) {}
    void rows(const CsrView<T>& X, std::size_t begin, std::size_t end, T* out) const {
        metric::for_scores(X, columns, begin, end, [&](std::size_t i, double norm, std::span<const double> scores) {
            for (std::size_t c = 0; c < scores.size(); ++c) {
                const double size = norm + 2 * columns.half_norm[c], d2 = norm + 2 * scores[c];
                out[c * X.rows + i] = static_cast<T>(d2 > 1e-14 * size ? d2 : 0);  // equal rows are at distance 0
            }
        });
    }
};
template <class T>
DenseDistances<T> distances_to(const MatrixView<const T>&, MatrixView<const T> candidates) {
    return DenseDistances<T>(candidates);
}
template <class T>
CsrDistances<T> distances_to(const CsrView<T>&, MatrixView<const T> candidates) {
    return CsrDistances<T>(candidates);
}

template <class T>
void copy_row(const MatrixView<const T>& X, std::size_t i, T* out) {
    std::copy_n(X.row(i), X.cols, out);
}
template <class T>
void copy_row(const CsrView<T>& X, std::size_t i, T* out) {
    std::fill_n(out, X.cols, T{0});
    const auto row = X.row(i);
    for (std::size_t e = 0; e < row.values.size(); ++e) out[static_cast<std::size_t>(row.columns[e])] += row.values[e];
}

}  // namespace

template <class T, class Table>
std::vector<std::int64_t> plusplus(const Table& X, std::span<const double> w, std::size_t k, std::size_t n_trials,
                                   std::uint64_t seed, int n_threads) {
    const std::size_t n = X.rows;
    const Chunks chunks = Chunks::of(n);
    std::vector<double> closest(n, 1.0), per_chunk(chunks.count()), trial_sums(chunks.count() * n_trials);
    std::vector<char> used(n);
    std::vector<std::int64_t> chosen;
    std::vector<std::size_t> candidates;
    Buffer<T> fresh(n * n_trials), points(n_trials * X.cols);
    const double* weights = w.empty() ? nullptr : w.data();
    const auto share = [&](std::size_t i) { return (weights ? weights[i] : 1.0) * closest[i]; };

    // The row where the running sum of w D^2 passes `target`, found by chunks.
    const auto row_at = [&](double target) {
        std::size_t c = 0, last = n;
        while (c + 1 < chunks.count() && target >= per_chunk[c]) target -= per_chunk[c++];
        for (; c < chunks.count(); ++c)
            for (std::size_t i = chunks.begin(c); i < chunks.end(c); ++i) {
                if (share(i) > 0) last = i;
                if ((target -= share(i)) < 0 && share(i) > 0) return i;
            }
        for (std::size_t i = n; last == n && i-- > 0;)  // rounding went past the end: the last row that counts
            if (share(i) > 0) return i;
        return last;
    };
    const auto unused_row = [&] {
        for (std::size_t i = 0; i < n; ++i)
            if (!used[i] && (!weights || weights[i] > 0)) return i;
        for (std::size_t i = 0; i < n; ++i)
            if (!used[i]) return i;
        return std::size_t{0};
    };

    parallel_for(chunks.count(), n_threads, [&](std::size_t c) {
        per_chunk[c] = 0;
        for (std::size_t i = chunks.begin(c); i < chunks.end(c); ++i) per_chunk[c] += share(i);
    });
    for (std::size_t step = 0; step < k; ++step) {
        const double total = sum_of(per_chunk);
        const Philox draws(seed, step);
        candidates.clear();
        if (total > 0)
            for (std::size_t t = 0; t < (step ? n_trials : 1); ++t) {
                const std::size_t i = row_at(draws.uniform(t) * total);
                if (i < n) candidates.push_back(i);
            }
        if (candidates.empty()) candidates.push_back(unused_row());
        for (std::size_t t = 0; t < candidates.size(); ++t) copy_row(X, candidates[t], points.data() + t * X.cols);
        if (step == 0) std::fill(closest.begin(), closest.end(), std::numeric_limits<double>::infinity());

        const std::size_t tries = candidates.size();
        const auto distances = distances_to(X, MatrixView<const T>{points.data(), tries, X.cols});
        parallel_for(chunks.count(), n_threads, [&](std::size_t c) {
            const std::size_t begin = chunks.begin(c), end = chunks.end(c);
            distances.rows(X, begin, end, fresh.data());
            for (std::size_t t = 0; t < tries; ++t)
                trial_sums[t * chunks.count() + c] = lowered_leaf(closest.data() + begin, fresh.data() + t * n + begin,
                                                                  weights ? weights + begin : nullptr, end - begin);
        });
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t t = 0; t < tries; ++t) {
            double potential = 0;
            for (std::size_t c = 0; c < chunks.count(); ++c) potential += trial_sums[t * chunks.count() + c];
            if (potential < least) least = potential, best = t;
        }
        parallel_for(chunks.count(), n_threads, [&](std::size_t c) {
            per_chunk[c] = trial_sums[best * chunks.count() + c];
            for (std::size_t i = chunks.begin(c); i < chunks.end(c); ++i)
                closest[i] = std::min(closest[i], static_cast<double>(fresh[best * n + i]));
        });
        used[candidates[best]] = 1;
        chosen.push_back(static_cast<std::int64_t>(candidates[best]));
    }
    return chosen;
}

// ---- for float and double

#define LANATUS_INSTANTIATE(T)                                                                                       \
    template std::vector<std::int64_t> plusplus<T>(const MatrixView<const T>&, std::span<const double>, std::size_t, \
                                                   std::size_t, std::uint64_t, int);                                 \
    template std::vector<std::int64_t> plusplus<T>(const CsrView<T>&, std::span<const double>, std::size_t,          \
                                                   std::size_t, std::uint64_t, int);

LANATUS_INSTANTIATE(float)
LANATUS_INSTANTIATE(double)

}  // namespace lanatus::cluster
