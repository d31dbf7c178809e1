// Coordinate descent on a Gram matrix, for the lasso and the elastic net.
//
// Objective   P(w) = 1/2 ||y - X w||^2 + a ||w||_1 + b/2 ||w||^2      (w >= 0 where `positive`)
// Given       G = X'X, q = X'y, yy = y'y, a start w; gradient = q - G w = X'(y - X w) is carried along.
// Step        w_j <- soft(gradient_j + G_jj w_j, a) / (G_jj + b); columns in order, or shuffled by a seed.
// Stop        when the duality gap is at most `tol`, or when rounding leaves nothing to gain.
// Extra       every fifth round the last iterates are extrapolated (Anderson), kept only where P falls; rounds run on
//             the columns in use alone while nothing else moves.
// Cost        O(m) a round plus O(m) per coefficient changed; memory O(m).
// Sources     Friedman, Hastie, Tibshirani (2010), Regularization paths for generalized linear models via coordinate
//             descent; Bertrand, Massias (2021), Anderson acceleration of coordinate descent.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "core/simd.hpp"

namespace lanatus::linear {

struct Penalty {
    double a = 0, b = 0;  // of ||w||_1 and of ||w||^2 / 2
    bool positive = false;

    double step(double z, double curvature) const noexcept {
        const double size = positive ? z - a : std::abs(z) - a;
        return size > 0 && curvature + b > 0 ? std::copysign(size, z) / (curvature + b) : 0.0;
    }
    // How much of a correlation the dual constraint sees.
    double seen(double correlation) const noexcept { return positive ? correlation : std::abs(correlation); }
};

namespace detail {

LANATUS_CLONES static void add_scaled(double* out, const double* x, double scale, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] += scale * x[i];
}

template <class T>
LANATUS_INLINE double dot_of(const T* x, const double* y, std::size_t n) {
    std::array<double, 16> sum{};
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (std::size_t lane = 0; lane < 16; ++lane) sum[lane] += static_cast<double>(x[i + lane]) * y[i + lane];
    double total = 0;
    for (; i < n; ++i) total += static_cast<double>(x[i]) * y[i];
    for (std::size_t lane = 0; lane < 8; ++lane) sum[lane] += sum[lane + 8];
    return total + ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}
LANATUS_CLONES static double dot(const double* x, const double* y, std::size_t n) { return dot_of(x, y, n); }
LANATUS_CLONES static double dot(const float* x, const double* y, std::size_t n) { return dot_of(x, y, n); }

// Solves the small symmetric system A c = 1 by elimination with pivots; false where A is singular to rounding.
template <std::size_t K>
bool solve_ones(std::array<std::array<double, K>, K> A, std::array<double, K>& c) {
    c.fill(1.0);
    for (std::size_t k = 0; k < K; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < K; ++i)
            if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
        if (!(std::abs(A[pivot][k]) > 0)) return false;
        std::swap(A[k], A[pivot]), std::swap(c[k], c[pivot]);
        for (std::size_t i = k + 1; i < K; ++i) {
            const double factor = A[i][k] / A[k][k];
            for (std::size_t j = k; j < K; ++j) A[i][j] -= factor * A[k][j];
            c[i] -= factor * c[k];
        }
    }
    for (std::size_t k = K; k-- > 0;) {
        for (std::size_t j = k + 1; j < K; ++j) c[k] -= A[k][j] * c[j];
        c[k] /= A[k][k];
    }
    return true;
}

}  // namespace detail

// P(w) minus the better of two dual values; all that it needs are numbers that the solvers carry along.
struct GapTerms {
    double yy = 0, wq = 0, wgrad = 0, l1 = 0, l2 = 0;  // y'y, w'q, w'X'r, ||w||_1, ||w||^2
    double worst = 0;                                  // largest seen(X'r - b w)
    double excess = 0;                                 // sum of (seen(X'r) - a)_+^2
    double decrease = 0;                               // sum of (X'r)^2 / G_jj, the measure where a = b = 0

    void add(const Penalty& pen, double w, double q, double grad, double curvature) {
        wq += w * q, wgrad += w * grad, l1 += std::abs(w), l2 += w * w;
        see(pen, w, grad, curvature);
    }
    void see(const Penalty& pen, double w, double grad, double curvature) {
        worst = std::max(worst, pen.seen(grad - pen.b * w));
        const double over = pen.seen(grad) - pen.a;
        if (over > 0) excess += over * over;
        if (curvature > 0 && (!pen.positive || w > 0 || grad > 0)) decrease += grad * grad / curvature;
    }
    double squared_residual() const noexcept { return std::max(yy - wq - wgrad, 0.0); }
    double primal(const Penalty& pen) const noexcept { return 0.5 * (squared_residual() + pen.b * l2) + pen.a * l1; }
    double gap(const Penalty& pen) const noexcept { return gap(pen, squared_residual()); }
    double gap(const Penalty& pen, double rr) const noexcept {
        if (pen.a == 0 && pen.b == 0) return 0.5 * decrease;
        const double value = 0.5 * (rr + pen.b * l2) + pen.a * l1;
        const double yr = yy - wq;
        double best = -std::numeric_limits<double>::infinity();
        if (pen.a > 0) {  // scale (r, -sqrt(b) w) until it is feasible for the lasso on the rows (X, sqrt(b) I)
            const double scale = worst > pen.a ? pen.a / worst : 1.0;
            best = scale * yr - 0.5 * scale * scale * (rr + pen.b * l2);
        }
        if (pen.b > 0) best = std::max(best, yr - 0.5 * rr - 0.5 * excess / pen.b);  // b > 0: every r is feasible
        return std::max(value - best, 0.0);
    }
};

// Memory that a path of many solves uses again and again, one level for the columns in use inside the others.
struct DescentMemory {
    std::vector<double> history, mixed, G, q, w, gradient;
    std::vector<std::size_t> order, used;
    std::unique_ptr<DescentMemory> inner;
};

class GramDescent {
  public:
    // G has rows of `stride` numbers, of which the first m count.
    GramDescent(const double* G, std::size_t stride, std::size_t m, const double* q, double yy, const Penalty& pen,
                DescentMemory& memory)
        : G_(G), stride_(stride), m_(m), q_(q), yy_(yy), pen_(pen), memory_(memory) {}

    struct Result {
        double gap = 0;
        int n_iter = 0;
        bool converged = false;
    };

    // seed 0: columns in order. gradient must be q - G w on entry and is so on return.
    Result run(double* w, double* gradient, double tol, int max_iter, std::uint64_t seed) const {
        Result out;
        std::vector<std::size_t>& order = memory_.order;
        order.resize(m_);
        for (std::size_t j = 0; j < m_; ++j) order[j] = j;
        History history(m_, memory_.history);
        while (true) {
            out.gap = terms(w, gradient).gap(pen_);
            if (out.gap <= tol) out.converged = true;
            if (out.converged || out.n_iter >= max_iter) return out;
            if (seed == 0 && out.n_iter > 0) out.n_iter += run_on_support(w, gradient, tol, max_iter - out.n_iter);
            if (seed != 0) shuffle(order, seed + static_cast<std::uint64_t>(out.n_iter));
            ++out.n_iter;
            if (round(w, gradient, order) <= floor()) out.converged = true;
            if (m_ <= 4096 && history.push(w, gradient)) extrapolate(history, w, gradient);
        }
    }

    GapTerms terms(const double* w, const double* gradient) const {
        GapTerms sums{.yy = yy_};
        for (std::size_t j = 0; j < m_; ++j) sums.add(pen_, w[j], q_[j], gradient[j], curvature(j));
        return sums;
    }

  private:
    static constexpr std::size_t depth = 5;

    // The last iterates and their gradients, for the extrapolation.
    struct History {
        History(std::size_t m, std::vector<double>& values) : m(m), values(values) {}
        bool push(const double* w, const double* gradient) {
            if (values.size() < (depth + 1) * 2 * m) values.resize((depth + 1) * 2 * m);
            std::copy_n(w, m, at(filled)), std::copy_n(gradient, m, at(filled) + m);
            if (++filled <= depth) return false;
            filled = 0;
            return true;
        }
        double* at(std::size_t k) { return values.data() + 2 * m * k; }
        std::size_t m, filled = 0;
        std::vector<double>& values;
    };

    double curvature(std::size_t j) const noexcept { return G_[j * stride_ + j]; }
    double floor() const noexcept { return 1e-15 * std::sqrt(yy_); }

    // One round over the columns; the largest change of the fit by one of them.
    double round(double* w, double* gradient, std::span<const std::size_t> order) const {
        double largest = 0;
        for (const std::size_t j : order) {
            const double moved = pen_.step(gradient[j] + curvature(j) * w[j], curvature(j)) - w[j];
            if (moved == 0) continue;
            w[j] += moved;
            detail::add_scaled(gradient, G_ + j * stride_, -moved, m_);
            largest = std::max(largest, std::abs(moved) * std::sqrt(curvature(j)));
        }
        return largest;
    }

    // Rounds on the columns in use, as a smaller problem of the same kind; worth it where they are few of the many.
    int run_on_support(double* w, double* gradient, double tol, int max_iter) const {
        std::vector<std::size_t>& used = memory_.used;
        used.clear();
        for (std::size_t j = 0; j < m_; ++j)
            if (w[j] != 0) used.push_back(j);
        const std::size_t k = used.size();
        if (max_iter < 2 || k < 16 || 4 * k > 3 * m_) return 0;
        if (!memory_.inner) memory_.inner = std::make_unique<DescentMemory>();
        // The smaller problem keeps its matrix here and its own scratch one level further in.
        std::vector<double>&G = memory_.G, &q = memory_.q, &small_w = memory_.w, &small_gradient = memory_.gradient;
        if (G.size() < k * k) G.resize(k * k + k * k / 2);
        for (std::vector<double>* part : {&q, &small_w, &small_gradient})
            if (part->size() < k) part->resize(k);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = 0; j < k; ++j) G[i * k + j] = G_[used[i] * stride_ + used[j]];
            q[i] = q_[used[i]], small_w[i] = w[used[i]], small_gradient[i] = gradient[used[i]];
        }
        const Result inner = GramDescent(G.data(), k, k, q.data(), yy_, pen_, *memory_.inner)
                                 .run(small_w.data(), small_gradient.data(), 0.3 * tol, max_iter - 1, 0);
        for (std::size_t i = 0; i < k; ++i) {
            const double moved = small_w[i] - w[used[i]];
            if (moved == 0) continue;
            w[used[i]] = small_w[i];
            detail::add_scaled(gradient, G_ + used[i] * stride_, -moved, m_);
        }
        return inner.n_iter;
    }

    // Anderson: the combination of the last iterates whose combined steps are shortest. The gradient is affine in w, so
    // it is combined alike.
    void extrapolate(History& history, double* w, double* gradient) const {
        std::array<std::array<double, depth>, depth> cross{};
        double trace = 0;
        for (std::size_t s = 0; s < depth; ++s)
            for (std::size_t t = 0; t <= s; ++t) {
                double sum = 0;
                for (std::size_t j = 0; j < m_; ++j)
                    sum += (history.at(s + 1)[j] - history.at(s)[j]) * (history.at(t + 1)[j] - history.at(t)[j]);
                cross[s][t] = cross[t][s] = sum;
                if (s == t) trace += sum;
            }
        for (std::size_t s = 0; s < depth; ++s) cross[s][s] += 1e-12 * trace;
        std::array<double, depth> c{};
        double total = 0;
        if (!(trace > 0) || !detail::solve_ones(cross, c)) return;
        for (const double each : c) total += each;
        if (!std::isfinite(total) || total == 0) return;
        std::vector<double>& mixed = memory_.mixed;
        mixed.assign(2 * m_, 0.0);
        for (std::size_t s = 0; s < depth; ++s)
            detail::add_scaled(mixed.data(), history.at(s + 1), c[s] / total, 2 * m_);
        if (pen_.positive && std::any_of(mixed.data(), mixed.data() + m_, [](double x) { return x < 0; })) return;
        if (!(terms(mixed.data(), mixed.data() + m_).primal(pen_) < terms(w, gradient).primal(pen_))) return;
        std::copy_n(mixed.data(), m_, w), std::copy_n(mixed.data() + m_, m_, gradient);
    }

    static void shuffle(std::vector<std::size_t>& order, std::uint64_t seed) {
        const Philox random(seed);
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
    }

    const double* G_;
    std::size_t stride_, m_;
    const double* q_;
    double yy_;
    Penalty pen_;
    DescentMemory& memory_;
};

}  // namespace lanatus::linear
