#include "kernel/smo.hpp"

#include <algorithm>
#include <vector>

#include "core/simd.hpp"

namespace lanatus::kernel {
namespace {

constexpr std::size_t lanes = 8;

LANATUS_INLINE Found least(const double (&value)[lanes], const double (&index)[lanes]) {
    Found best{value[0], static_cast<std::size_t>(index[0])};
    for (std::size_t l = 1; l < lanes; ++l)
        if (value[l] < best.value) best = {value[l], static_cast<std::size_t>(index[l])};
    return best;
}

LANATUS_CLONES Found least_score(const State& state, std::size_t begin, std::size_t end) {
    double value[lanes], index[lanes];
    for (std::size_t l = 0; l < lanes; ++l) value[l] = infinite, index[l] = static_cast<double>(begin);
    std::size_t k = begin;
    for (; k + lanes <= end; k += lanes) {
        const double place = static_cast<double>(k);
        for (std::size_t l = 0; l < lanes; ++l) {
            const double v = state.s[k + l] + state.no_rise[k + l];
            index[l] = v < value[l] ? place + static_cast<double>(l) : index[l];
            value[l] = v < value[l] ? v : value[l];
        }
    }
    for (; k < end; ++k)
        if (const double v = state.s[k] + state.no_rise[k]; v < value[0])
            value[0] = v, index[0] = static_cast<double>(k);
    return least(value, index);
}

template <class T>
LANATUS_INLINE Second second_by(const State& state, const T* row, Found i, std::size_t begin, std::size_t end) {
    const double own = state.diagonal[i.index], score = i.value;
    double value[lanes], index[lanes], largest[lanes];
    for (std::size_t l = 0; l < lanes; ++l) value[l] = 0, index[l] = static_cast<double>(begin), largest[l] = -infinite;
    const auto take = [&](std::size_t k, std::size_t l, double place) __attribute__((always_inline)) {
        const double gap = state.s[k] - state.no_fall[k] - score;
        const double eta = own + state.diagonal[k] - 2 * static_cast<double>(row[k]);
        const double v = gap > 0 ? -(gap * gap) / (eta > least_curvature ? eta : least_curvature) : 0.0;
        largest[l] = gap > largest[l] ? gap : largest[l];
        index[l] = v < value[l] ? place : index[l];
        value[l] = v < value[l] ? v : value[l];
    };
    std::size_t k = begin;
    for (; k + lanes <= end; k += lanes) {
        const double place = static_cast<double>(k);
        for (std::size_t l = 0; l < lanes; ++l) take(k + l, l, place + static_cast<double>(l));
    }
    for (; k < end; ++k) take(k, 0, static_cast<double>(k));
    double violation = -infinite;
    for (std::size_t l = 0; l < lanes; ++l) violation = std::max(violation, largest[l]);
    return {least(value, index), violation};
}
LANATUS_CLONES Second second_floats(const State& state, const float* row, Found i, std::size_t begin, std::size_t end) {
    return second_by(state, row, i, begin, end);
}
LANATUS_CLONES Second second_doubles(const State& state, const double* row, Found i, std::size_t begin,
                                     std::size_t end) {
    return second_by(state, row, i, begin, end);
}

template <class T>
LANATUS_INLINE void shift_by(double* s, const T* up, const T* down, double step, std::size_t m) {
    for (std::size_t k = 0; k < m; ++k) s[k] += step * (static_cast<double>(up[k]) - static_cast<double>(down[k]));
}
LANATUS_CLONES void shift_floats(double* s, const float* up, const float* down, double step, std::size_t m) {
    shift_by(s, up, down, step, m);
}
LANATUS_CLONES void shift_doubles(double* s, const double* up, const double* down, double step, std::size_t m) {
    shift_by(s, up, down, step, m);
}

template <class T>
LANATUS_INLINE void add_by(const T* const* rows, const double* coefs, std::size_t n, std::size_t begin, std::size_t end,
                           double* sums) {
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const T *a = rows[i], *b = rows[i + 1], *c = rows[i + 2], *d = rows[i + 3];
        const double wa = coefs[i], wb = coefs[i + 1], wc = coefs[i + 2], wd = coefs[i + 3];
        for (std::size_t k = begin; k < end; ++k)
            sums[k] += (wa * static_cast<double>(a[k]) + wb * static_cast<double>(b[k])) +
                       (wc * static_cast<double>(c[k]) + wd * static_cast<double>(d[k]));
    }
    for (; i < n; ++i)
        for (std::size_t k = begin; k < end; ++k) sums[k] += coefs[i] * static_cast<double>(rows[i][k]);
}
LANATUS_CLONES void add(const float* const* rows, const double* coefs, std::size_t n, std::size_t begin,
                        std::size_t end, double* sums) {
    add_by(rows, coefs, n, begin, end, sums);
}
LANATUS_CLONES void add(const double* const* rows, const double* coefs, std::size_t n, std::size_t begin,
                        std::size_t end, double* sums) {
    add_by(rows, coefs, n, begin, end, sums);
}

template <class T>
void add_all(MatrixView<const T> rows, std::span<const std::int32_t> slots, std::span<const double> coefs,
             std::span<double> sums, int n_threads) {
    std::vector<const T*> from(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) from[i] = rows.row(static_cast<std::size_t>(slots[i]));
    parallel_chunks(Chunks::of(sums.size(), 1024, 64, 64), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; k += 1024)
            add(from.data(), coefs.data(), from.size(), k, std::min(end, k + 1024), sums.data());
    });
}

}  // namespace

Found first_of(const State& state, std::size_t begin, std::size_t end) { return least_score(state, begin, end); }
Second second_of(const State& state, const float* row, Found i, std::size_t begin, std::size_t end) {
    return second_floats(state, row, i, begin, end);
}
Second second_of(const State& state, const double* row, Found i, std::size_t begin, std::size_t end) {
    return second_doubles(state, row, i, begin, end);
}
void shift(double* s, const float* up, const float* down, double step, std::size_t m) {
    shift_floats(s, up, down, step, m);
}
void shift(double* s, const double* up, const double* down, double step, std::size_t m) {
    shift_doubles(s, up, down, step, m);
}
void add_rows(MatrixView<const float> rows, std::span<const std::int32_t> slots, std::span<const double> coefs,
              std::span<double> sums, int n_threads) {
    add_all(rows, slots, coefs, sums, n_threads);
}
void add_rows(MatrixView<const double> rows, std::span<const std::int32_t> slots, std::span<const double> coefs,
              std::span<double> sums, int n_threads) {
    add_all(rows, slots, coefs, sums, n_threads);
}

}  // namespace lanatus::kernel
