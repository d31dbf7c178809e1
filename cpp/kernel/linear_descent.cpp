#include "kernel/linear_descent.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "core/simd.hpp"
#include "kernel/class_row.hpp"

namespace lanatus::kernel {
namespace {

constexpr std::size_t ahead = 6;  // rows that are fetched before their turn

template <class T>
LANATUS_INLINE double dot_by(const T* __restrict x, const double* __restrict w, std::size_t d) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < d; ++j) sum += static_cast<double>(x[j]) * w[j];
    return sum;
}
template <class T>
LANATUS_INLINE void add_by(const T* __restrict x, double step, double* __restrict w, std::size_t d) {
#pragma omp simd
    for (std::size_t j = 0; j < d; ++j) w[j] += step * static_cast<double>(x[j]);
}
LANATUS_CLONES double dense_dot(const float* x, const double* w, std::size_t d) { return dot_by(x, w, d); }
LANATUS_CLONES double dense_dot(const double* x, const double* w, std::size_t d) { return dot_by(x, w, d); }
LANATUS_CLONES void dense_add(const float* x, double step, double* w, std::size_t d) { add_by(x, step, w, d); }
LANATUS_CLONES void dense_add(const double* x, double step, double* w, std::size_t d) { add_by(x, step, w, d); }

template <class T>
double dot(const MatrixView<const T>& X, std::size_t i, const double* w) {
    return dense_dot(X.row(i), w, X.cols);
}
template <class T>
void add(const MatrixView<const T>& X, std::size_t i, double step, double* w) {
    dense_add(X.row(i), step, w, X.cols);
}
template <class T>
double squares(const MatrixView<const T>& X, std::size_t i) {
    double sum = 0;
    for (std::size_t j = 0; j < X.cols; ++j) sum += static_cast<double>(X.row(i)[j]) * static_cast<double>(X.row(i)[j]);
    return sum;
}
template <class T>
void fetch(const MatrixView<const T>& X, std::size_t i) {
    const char* from = reinterpret_cast<const char*>(X.row(i));
    for (std::size_t byte = 0; byte < std::min<std::size_t>(X.cols * sizeof(T), 1024); byte += 64)
        __builtin_prefetch(from + byte);
}

template <class T>
double dot(const CsrView<T>& X, std::size_t i, const double* w) {
    const auto row = X.row(i);
    double even = 0, odd = 0;
    std::size_t e = 0;
    for (; e + 2 <= row.values.size(); e += 2) {
        even += static_cast<double>(row.values[e]) * w[row.columns[e]];
        odd += static_cast<double>(row.values[e + 1]) * w[row.columns[e + 1]];
    }
    if (e < row.values.size()) even += static_cast<double>(row.values[e]) * w[row.columns[e]];
    return even + odd;
}
template <class T>
void add(const CsrView<T>& X, std::size_t i, double step, double* w) {
    const auto row = X.row(i);
    for (std::size_t e = 0; e < row.values.size(); ++e) w[row.columns[e]] += step * static_cast<double>(row.values[e]);
}
template <class T>
double squares(const CsrView<T>& X, std::size_t i) {
    double sum = 0;
    for (const T value : X.row(i).values) sum += static_cast<double>(value) * static_cast<double>(value);
    return sum;
}
template <class T>
void fetch(const CsrView<T>& X, std::size_t i) {
    const auto row = X.row(i);
    for (std::size_t e = 0; e < std::min<std::size_t>(row.values.size(), 128); e += 64 / sizeof(T))
        __builtin_prefetch(row.values.data() + e);
    for (std::size_t e = 0; e < std::min<std::size_t>(row.columns.size(), 128); e += 16)
        __builtin_prefetch(row.columns.data() + e);
}

// Sweeps until none of all rows violates by more than tol. visit(i, bound, worst) solves row i and says whether to leave it out.
template <class Rows, class Visit>
void sweep(const Rows& X, const Descent& how, const Visit& visit) {
    Sweeps& sweeps = how.sweeps;
    for (std::size_t more = 0; more < how.max_sweeps && !sweeps.done; ++more) {
        ++sweeps.taken;
        const bool all = sweeps.active() == X.rows;
        double worst = 0;
        sweeps.shuffle();
        for (std::size_t s = 0; s < sweeps.active();) {
            if (s + ahead < sweeps.active()) fetch(X, sweeps[s + ahead]);
            if (visit(sweeps[s], sweeps.bound, worst)) sweeps.leave_out(s);
            else ++s;
        }
        sweeps.violation = sweeps.bound = worst;
        if (worst > how.tol) continue;
        sweeps.done = all;
        sweeps.take_all();
        sweeps.bound = no_bound;
    }
}

}  // namespace

template <class Rows>
void descend(const Rows& X, const LinearDual& of, const Descent& how, std::span<double> beta, std::span<double> w) {
    std::vector<double> curvature(X.rows);
    for (std::size_t i = 0; i < X.rows; ++i)
        curvature[i] =
            squares(X, i) + of.constant * of.constant + (of.squared && of.cap[i] > 0 ? 1 / (2 * of.cap[i]) : 0.0);
    double& last = w[X.cols];
    sweep(X, how, [&](std::size_t i, double bound, double& worst) {
        const double b = beta[i], y = of.y[i], cap = of.cap[i];
        const double most = of.squared && cap > 0 ? no_bound : cap;
        const double low = of.classes && y > 0 ? 0.0 : -most, high = of.classes && y < 0 ? 0.0 : most;
        const double g = dot(X, i, w.data()) + of.constant * last - y + (of.squared && cap > 0 ? b / (2 * cap) : 0.0);
        const double right = b >= 0 ? g + of.epsilon : g - of.epsilon, left = b > 0 ? g + of.epsilon : g - of.epsilon;
        if ((b >= high || right > bound) && (b <= low || left < -bound)) return true;
        const double violation = std::max({b < high ? -right : 0.0, b > low ? left : 0.0, 0.0});
        worst = std::max(worst, violation);
        if (violation < 1e-16) return false;
        const double h = curvature[i];
        double next = -right > left ? high : low;  // a row of zeros has no curvature: as far as it may go
        if (h > 0)
            next = g + of.epsilon < h * b   ? b - (g + of.epsilon) / h
                   : g - of.epsilon > h * b ? b - (g - of.epsilon) / h
                                            : 0.0;
        next = std::clamp(next, low, high);
        if (next == b) return false;
        beta[i] = next;
        add(X, i, next - b, w.data());
        last += (next - b) * of.constant;
        return false;
    });
}

template <class Rows>
void descend_classes(const Rows& X, const ClassDual& of, const Descent& how, MatrixView<double> a,
                     MatrixView<double> W) {
    const std::size_t k = W.rows, d = X.cols;
    ClassRow row(k, Margins::relative_shared);
    std::vector<double> curvature(X.rows), f(k), fresh(k), change(k);
    for (std::size_t i = 0; i < X.rows; ++i) curvature[i] = squares(X, i) + of.constant * of.constant;
    sweep(X, how, [&](std::size_t i, double bound, double& worst) {
        for (std::size_t c = 0; c < k; ++c) f[c] = dot(X, i, W.row(c)) + of.constant * W.row(c)[d];
        double* mine = a.row(i);
        const auto y = static_cast<std::size_t>(of.y[i]);
        row.look(f.data(), mine, y, of.cap[i]);
        const double violation = row.violation();
        worst = std::max(worst, violation);
        if (violation <= 0 || !(of.cap[i] > 0)) {  // no multiplier, and none near: the margins are wide
            double nearest = -no_bound;
            for (std::size_t c = 0; c < k; ++c)
                if (c != y) nearest = std::max(nearest, 1 - (f[y] - f[c]));
            return !(of.cap[i] > 0) ||
                   (nearest < -bound && std::all_of(mine, mine + k, [](double v) { return v == 0; }));
        }
        if (violation < 0.1 * how.tol) return false;
        row.solve(curvature[i], fresh.data());
        for (std::size_t c = 0; c < k; ++c) change[c] = fresh[c] - mine[c], mine[c] = fresh[c];
        const double* step = row.coefficients(change.data());
        for (std::size_t c = 0; c < k; ++c) {
            if (step[c] == 0) continue;
            add(X, i, step[c], W.row(c));
            W.row(c)[d] += step[c] * of.constant;
        }
        return false;
    });
}

template <class Rows>
void pegasos(const Rows& X, const Pegasos& of, std::span<double> w, std::span<double> average) {
    const std::size_t d = X.cols;
    const Philox random(of.seed);
    std::vector<std::pair<std::size_t, double>> wrong;
    const double scale = static_cast<double>(X.rows) / of.mass;
    for (std::size_t s = 1; s <= of.steps; ++s) {
        const double t = static_cast<double>(of.done + s), length = 1 / (of.lambda * t);
        wrong.clear();
        for (std::size_t b = 0; b < of.batch; ++b) {
            const auto i = static_cast<std::size_t>(random.below((of.done + s - 1) * of.batch + b, X.rows));
            if (of.y[i] * (dot(X, i, w.data()) + of.constant * w[d]) < 1)
                wrong.emplace_back(i, length * scale * of.weight[i] * of.y[i] / static_cast<double>(of.batch));
        }
        for (double& v : w) v *= 1 - 1 / t;
        for (const auto& [i, step] : wrong) {
            add(X, i, step, w.data());
            w[d] += step * of.constant;
        }
        double squared = 0;
        for (const double v : w) squared += v * v;
        if (squared * of.lambda > 1)
            for (double& v : w) v /= std::sqrt(squared * of.lambda);
        const double share = 2 / (t + 1);
        for (std::size_t j = 0; j <= d; ++j) average[j] += share * (w[j] - average[j]);
    }
}

#define LANATUS_INSTANCES(Rows)                                                                                  \
    template void descend(const Rows&, const LinearDual&, const Descent&, std::span<double>, std::span<double>); \
    template void descend_classes(const Rows&, const ClassDual&, const Descent&, MatrixView<double>,             \
                                  MatrixView<double>);                                                           \
    template void pegasos(const Rows&, const Pegasos&, std::span<double>, std::span<double>);

LANATUS_INSTANCES(MatrixView<const float>)
LANATUS_INSTANCES(MatrixView<const double>)
LANATUS_INSTANCES(CsrView<float>)
LANATUS_INSTANCES(CsrView<double>)

}  // namespace lanatus::kernel
