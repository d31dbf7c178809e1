// Sequential minimal optimisation in a working set -- book 6.2; pairs by second order (Fan, Chen and Lin, 2005).
//
// Minimises  1/2 b'Kb + q'b  over b with low <= b <= high, the sum of b in each of two groups kept as it is.
// Given   K (m, m) symmetric, scores s = Kb + q (m), b, low, high; variables [0, split) are group one, the others group two.
// Leaves  b and s at a point where  max{s_j : b_j > low_j} - min{s_i : b_i < high_i} <= tol  in either group, or where
//         max_pairs pairs were taken. Returns the number of pairs taken.
//         Each pair: i has the least s that may rise; j, of those that may fall, gains most by (s_j - s_i)^2 / eta with
//         eta = K_ii + K_jj - 2 K_ij, or a tiny number where that is not positive (equal rows, no kernel). Ties go to the
//         lower index within a lane, then to the lower lane. O(m) a pair.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::kernel {

struct Pairs {
    std::size_t split;
    double tol;
    std::size_t max_pairs;
};
struct Box {
    std::span<double> b, s;
    std::span<const double> low, high;
};

// smo.cpp: one step, vectorised. What may not rise, or not fall, is at infinity there.
struct State {
    double *s, *no_rise, *no_fall;
    const double* diagonal;
};
struct Found {
    double value;
    std::size_t index;
};
struct Second {
    Found gain;        // of minus the gain, so that the least is best
    double violation;  // the largest s_j - s_i
};
// The variable with the least score of those in [begin, end) that may rise.
Found first_of(const State& state, std::size_t begin, std::size_t end);
// The variable of those that may fall with which i, whose row of K is given, gains most.
Second second_of(const State& state, const float* row, Found i, std::size_t begin, std::size_t end);
Second second_of(const State& state, const double* row, Found i, std::size_t begin, std::size_t end);
// s[k] += step (up[k] - down[k])
void shift(double* s, const float* up, const float* down, double step, std::size_t m);
void shift(double* s, const double* up, const double* down, double step, std::size_t m);

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr double least_curvature = 1e-12;

struct Pair {
    std::size_t i, j;
    double gap, violation;
};

// The best pair of one group; its violation says whether there is one.
template <class Rows>
Pair best_pair(Rows& K, const State& state, std::size_t begin, std::size_t end) {
    Pair none{0, 0, 0, -infinite};
    if (begin == end) return none;
    const Found i = first_of(state, begin, end);
    if (!(i.value < infinite)) return none;
    const Second j = second_of(state, K.row(i.index), i, begin, end);
    if (!(j.gain.value < 0)) return {0, 0, 0, std::min(j.violation, 0.0)};
    return {i.index, j.gain.index, state.s[j.gain.index] - i.value, j.violation};
}

// The step of a pair, with both ends of the box met exactly: rounding would leave a variable just inside.
inline double move_pair(const Box& box, const Pair& pair, double eta) {
    const double room_up = box.high[pair.i] - box.b[pair.i], room_down = box.b[pair.j] - box.low[pair.j];
    const double step = pair.gap / std::max(eta, least_curvature);
    if (step < room_up && step < room_down) {
        box.b[pair.i] += step, box.b[pair.j] -= step;
        return step;
    }
    const double most = std::min(room_up, room_down);
    box.b[pair.i] = room_up <= room_down ? box.high[pair.i] : box.b[pair.i] + most;
    box.b[pair.j] = room_down <= room_up ? box.low[pair.j] : box.b[pair.j] - most;
    return most;
}

// K: anything whose row(i) is row i of the matrix, be it made only when it is asked for.
template <class Rows>
std::size_t smo(Rows& K, std::span<const double> diagonal, const Box& box, const Pairs& how) {
    const std::size_t m = box.b.size();
    std::vector<double> no_rise(m), no_fall(m);
    const auto mark = [&](std::size_t k) {
        no_rise[k] = box.b[k] < box.high[k] ? 0.0 : infinite;
        no_fall[k] = box.b[k] > box.low[k] ? 0.0 : infinite;
    };
    for (std::size_t k = 0; k < m; ++k) mark(k);
    const State state{box.s.data(), no_rise.data(), no_fall.data(), diagonal.data()};
    std::size_t taken = 0;
    for (; taken < how.max_pairs; ++taken) {
        Pair pair = best_pair(K, state, 0, how.split);
        if (const Pair other = best_pair(K, state, how.split, m); other.violation > pair.violation) pair = other;
        if (!(pair.violation > how.tol)) break;
        const auto *up = K.row(pair.i), *down = K.row(pair.j);
        const double eta = diagonal[pair.i] + diagonal[pair.j] - 2 * static_cast<double>(up[pair.j]);
        const double step = move_pair(box, pair, eta);
        mark(pair.i), mark(pair.j);
        shift(box.s.data(), up, down, step, m);
    }
    return taken;
}

// sums[k] += sum_i coefs[i] rows[slots[i]][k]; by blocks of columns, each summed in the order of the slots.
void add_rows(MatrixView<const float> rows, std::span<const std::int32_t> slots, std::span<const double> coefs,
              std::span<double> sums, int n_threads);
void add_rows(MatrixView<const double> rows, std::span<const std::int32_t> slots, std::span<const double> coefs,
              std::span<double> sums, int n_threads);

// out[i][k] <- rows[slots[i]][columns[k]]
template <class T>
void take_block(MatrixView<const T> rows, std::span<const std::int32_t> slots, std::span<const std::int32_t> columns,
                MatrixView<T> out, int n_threads) {
    parallel_chunks(Chunks::of(slots.size(), 32, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const T* from = rows.row(static_cast<std::size_t>(slots[i]));
            for (std::size_t k = 0; k < columns.size(); ++k) out.row(i)[k] = from[columns[k]];
        }
    });
}

}  // namespace lanatus::kernel
