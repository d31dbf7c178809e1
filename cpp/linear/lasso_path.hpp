// Lasso and elastic net along falling penalties, with working sets, for tables too wide for a whole Gram matrix.
//
// Objective   P(w) = 1/2 ||y - X w||^2 + a ||w||_1 + b/2 ||w||^2, y and the columns of X centred and weighted.
// Given       a design (sparse_design.hpp), y, pairs (a, b) with a falling.
// Result      w for each pair with a duality gap over ALL columns of at most tol; the gaps; the rounds used.
// Working set the columns in use, those that the sequential strong rule expects, then those found to be wrong.
// Bounds      a correlation x_j'r is not computed where it cannot matter: with an earlier residual s for which x_j's is
//             known (x_j'y always is), r = beta s + gamma y + d gives |x_j'r| <= |beta x_j's + gamma x_j'y| + ||x_j|| ||d||.
//             What stays below `a` that way can neither enter nor loosen the dual constraint: the gap is exact without.
// Sources     Tibshirani et al. (2012), Strong rules for discarding predictors in lasso-type problems; Fercoq,
//             Gramfort, Salmon (2015), Mind the duality gap; Massias, Gramfort, Salmon (2018), Celer.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "linear/coordinate_descent.hpp"
#include "linear/sparse_design.hpp"

namespace lanatus::linear {

struct PathSettings {
    double tol = 0;       // of the duality gap, absolute
    int max_iter = 1000;  // rounds for one working set
    bool positive = false;
    std::uint64_t seed = 0;         // 0: columns in order
    std::size_t gram_limit = 5000;  // most columns of a Gram matrix; beyond, rounds update the residual
};

struct PathPoint {
    double gap = 0;
    int n_iter = 0;
    bool converged = false;
};

// Correlations of all columns with the residual, each as of some earlier residual.
template <class Design>
class Correlations {
  public:
    Correlations(const Design& X, std::span<const double> y)
        : X_(X), y_(y), value_(X.stats().product), age_(X.cols(), 0) {
        const std::size_t n = X.rows();
        keep_ = std::clamp<std::size_t>((std::size_t{1} << 22) / std::max<std::size_t>(n, 1), 4, 256);
        remember(y);
    }

    double operator[](std::size_t j) const noexcept { return value_[j]; }
    bool is_fresh(std::size_t j) const noexcept { return age_[j] == now_; }

    // Make fresh every column, of those wanted, whose correlation with r may reach the threshold.
    template <class Wanted>
    void refresh(std::span<const double> r, const Penalty& pen, double threshold, const Wanted& wanted) {
        remember(r);
        const std::vector<double>& length = X_.stats().length;
        std::vector<std::uint32_t> list;
        for (std::size_t j = 0; j < value_.size(); ++j) {
            if (length[j] == 0 || age_[j] == now_ || !wanted(j)) continue;
            const Step& step = steps_[age_[j] % keep_];
            const bool known = now_ - age_[j] < keep_;
            const double near = step.beta * value_[j] + step.gamma * X_.stats().product[j];
            if (known && pen.seen(near) + length[j] * step.off < threshold) continue;
            list.push_back(static_cast<std::uint32_t>(j));
        }
        if (!list.empty()) X_.correlate(list, r, value_.data(), [&](std::uint32_t j) { age_[j] = now_; });
    }

  private:
    struct Step {
        std::vector<double> residual;
        double beta = 1, gamma = 0, off = 0;  // the newest residual = beta * residual + gamma * y + (length off)
    };

    void remember(std::span<const double> r) {
        if (!steps_.empty() && std::equal(r.begin(), r.end(), steps_[now_ % keep_].residual.begin())) return;
        if (steps_.empty()) steps_.resize(keep_);
        else ++now_;
        steps_[now_ % keep_].residual.assign(r.begin(), r.end());
        for (Step& step : steps_)
            if (!step.residual.empty()) project(r, step);
    }

    // Least squares of the newest residual on an earlier one and y.
    void project(std::span<const double> r, Step& step) const {
        const std::size_t n = r.size();
        const double* s = step.residual.data();
        const double ss = detail::dot(s, s, n), sy = detail::dot(s, y_.data(), n), sr = detail::dot(s, r.data(), n);
        const double yy = detail::dot(y_.data(), y_.data(), n), yr = detail::dot(y_.data(), r.data(), n);
        const double determinant = ss * yy - sy * sy;
        step.beta = ss > 0 ? sr / ss : 0.0, step.gamma = 0;
        if (determinant > 1e-9 * ss * yy) {
            step.beta = (sr * yy - yr * sy) / determinant;
            step.gamma = (ss * yr - sy * sr) / determinant;
        }
        double off = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double left = r[i] - step.beta * s[i] - step.gamma * y_[i];
            off += left * left;
        }
        const double size = std::abs(step.beta) * std::sqrt(ss) + std::abs(step.gamma) * std::sqrt(yy);
        step.off = std::sqrt(off) + 1e-10 * size;  // the second term covers rounding in the known correlations
    }

    const Design& X_;
    std::span<const double> y_;
    std::vector<double> value_;
    std::vector<std::size_t> age_;
    std::size_t now_ = 0, keep_;
    std::vector<Step> steps_;
};

template <class Design>
class LassoPath {
  public:
    LassoPath(Design& X, std::span<const double> y, const PathSettings& settings)
        : X_(X), y_(y), settings_(settings), known_(X, y), residual_(y.begin(), y.end()), is_in_(X.cols(), false) {
        yy_ = detail::dot(y.data(), y.data(), y.size());
    }

    // Begin at w, a vector over all columns.
    void start(std::span<const double> w) {
        std::vector<std::uint32_t> used;
        for (std::size_t j = 0; j < w.size(); ++j)
            if (w[j] != 0 && X_.stats().length[j] > 0) used.push_back(static_cast<std::uint32_t>(j));
        enlarge(used);
        for (std::size_t k = 0; k < in_.size(); ++k) w_[k] = w[in_[k]];
        renew_residual();
    }

    // The solution at one pair; `before` is the penalty for which the present residual is (nearly) right.
    PathPoint solve(const Penalty& pen, double before) {
        const bool cold = !solved_;  // far from the solution: the first working sets need not be solved to the end
        const bool ahead = predict(pen);
        renew_gradient();
        // Strong rule: correlations change no faster than the penalty. A step taken ahead leaves a part of that.
        const double expected = std::max(pen.a - (ahead ? 0.3 : 1.0) * (before - pen.a), 0.0);
        known_.refresh(residual_, pen, expected, [&](std::size_t j) { return !is_in_[j]; });
        admit(pen, expected);
        PathPoint out;
        double inner_tol = 0.3 * settings_.tol;
        if (cold) inner_tol = std::max(inner_tol, 0.1 * gap(pen));
        int exact = 0;  // rounds in which the columns in hand were solved as well as rounding lets them
        while (true) {
            const auto inner = inner_solve(pen, inner_tol, settings_.max_iter);
            out.n_iter += inner.n_iter;
            renew_residual();
            known_.refresh(residual_, pen, pen.a, [&](std::size_t j) { return !is_in_[j]; });
            out.gap = gap(pen);
            out.converged = out.gap <= settings_.tol;
            if (out.converged || !inner.converged) return out;
            const bool grown = admit(pen, pen.a);
            if (grown && cold) inner_tol = std::max(0.3 * settings_.tol, 0.1 * out.gap);
            if (!grown) {  // nothing was left out: the columns in hand were not solved well enough
                if (inner_tol == 0 && ++exact > 10) return out;  // rounding goes round in circles
                if (inner.n_iter <= 1 && inner.converged && inner_tol == 0) {
                    out.converged = true;  // rounding is all that is left
                    return out;
                }
                inner_tol = inner_tol > 1e-16 * yy_ ? 0.1 * inner_tol : 0.0;
            }
        }
    }

    void write(double* coef) const {
        for (std::size_t k = 0; k < in_.size(); ++k) coef[in_[k]] = w_[k];
    }

  private:
    // The path is piecewise linear in `a`: go on along the last piece where that lowers the objective.
    bool predict(const Penalty& pen) {
        const double step = (last_.a - pen.a) / (last_.before - last_.a);
        std::vector<double> now = w_;
        last_.w.resize(w_.size(), 0.0);
        if (last_.known && std::isfinite(step) && step > 0) {
            for (std::size_t k = 0; k < w_.size(); ++k) {
                const double moved = w_[k] + step * (w_[k] - last_.w[k]);
                w_[k] = moved * w_[k] > 0 ? moved : 0.0;
            }
            const double before = primal(pen, now);
            renew_residual();
            if (primal(pen, w_) >= before) {
                w_ = now;
                renew_residual();
            }
        }
        const bool ahead = w_ != now;
        last_ = {.known = solved_, .a = pen.a, .before = last_.a, .w = std::move(now)};
        solved_ = true;
        return ahead;
    }
    // With the present residual, which must be that of w.
    double primal(const Penalty& pen, std::span<const double> w) const {
        double l1 = 0, l2 = 0;
        for (const double each : w) l1 += std::abs(each), l2 += each * each;
        return 0.5 * (detail::dot(residual_.data(), residual_.data(), residual_.size()) + pen.b * l2) + pen.a * l1;
    }

    bool by_gram() const noexcept { return in_.size() <= settings_.gram_limit; }

    void renew_residual() {
        std::copy(y_.begin(), y_.end(), residual_.begin());
        X_.subtract(w_, residual_.data());
    }
    void renew_gradient() {
        gradient_ = q_;
        if (!by_gram()) return;
        for (std::size_t k = 0; k < in_.size(); ++k)
            if (w_[k] != 0) detail::add_scaled(gradient_.data(), G_.row(k), -w_[k], in_.size());
    }

    void enlarge(std::span<const std::uint32_t> columns) {
        if (columns.empty()) return;
        for (const std::uint32_t j : columns) {
            in_.push_back(j), w_.push_back(0.0), q_.push_back(X_.stats().product[j]);
            is_in_[j] = true;
        }
        X_.take(columns);
        if (by_gram()) X_.extend(G_, G_.size());
        renew_gradient();
    }

    // Take in the columns whose (fresh) correlation is above the threshold, at most about as many as are in use.
    bool admit(const Penalty& pen, double threshold) {
        std::vector<std::uint32_t> found;
        for (std::size_t j = 0; j < X_.cols(); ++j)
            if (!is_in_[j] && known_.is_fresh(j) && X_.stats().length[j] > 0 && pen.seen(known_[j]) > threshold)
                found.push_back(static_cast<std::uint32_t>(j));
        const auto used =
            static_cast<std::size_t>(std::count_if(w_.begin(), w_.end(), [](double w) { return w != 0; }));
        const std::size_t most = std::max<std::size_t>(100, used);
        if (found.size() > most) {
            std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                             [&](std::uint32_t i, std::uint32_t j) {
                                 const double x = pen.seen(known_[i]), y = pen.seen(known_[j]);
                                 return x != y ? x > y : i < j;
                             });
            found.resize(most);
            std::sort(found.begin(), found.end());
        }
        enlarge(found);
        return !found.empty();
    }

    GramDescent::Result inner_solve(const Penalty& pen, double tol, int max_iter) {
        if (by_gram())
            return GramDescent(G_.row(0), G_.stride(), in_.size(), q_.data(), yy_, pen, memory_)
                .run(w_.data(), gradient_.data(), tol, max_iter, settings_.seed);
        return residual_solve(pen, tol, max_iter);
    }

    // Coordinate descent that carries the residual, where the working set is too large for a Gram matrix.
    GramDescent::Result residual_solve(const Penalty& pen, double tol, int max_iter) {
        GramDescent::Result out;
        double offset = 0;
        while (true) {
            ++out.n_iter;
            double largest = 0;
            for (std::size_t k = 0; k < in_.size(); ++k) {
                const double length = X_.stats().length[in_[k]], curvature = length * length;
                gradient_[k] = X_.dot(k, residual_.data(), offset);
                const double moved = pen.step(gradient_[k] + curvature * w_[k], curvature) - w_[k];
                if (moved == 0) continue;
                w_[k] += moved;
                X_.add(k, -moved, residual_.data(), offset);
                largest = std::max(largest, std::abs(moved) * length);
            }
            if (largest <= 1e-15 * std::sqrt(yy_)) out.converged = true;
            if (out.n_iter % 10 == 0 || out.converged || out.n_iter >= max_iter) {
                renew_residual();
                offset = 0;
                for (std::size_t k = 0; k < in_.size(); ++k) gradient_[k] = X_.dot(k, residual_.data(), 0.0);
                out.gap = working_terms(pen).gap(pen);
                out.converged = out.converged || out.gap <= tol;
                if (out.converged || out.n_iter >= max_iter) return out;
            }
        }
    }

    GapTerms working_terms(const Penalty& pen) const {
        GapTerms sums{.yy = yy_};
        for (std::size_t k = 0; k < in_.size(); ++k) {
            const double length = X_.stats().length[in_[k]];
            sums.add(pen, w_[k], q_[k], gradient_[k], length * length);
        }
        return sums;
    }

    // Over all columns: those left stale by refresh() are below `a`.
    double gap(const Penalty& pen) const {
        GapTerms sums = working_terms(pen);
        for (std::size_t j = 0; j < X_.cols(); ++j) {
            const double length = X_.stats().length[j];
            if (!is_in_[j] && known_.is_fresh(j) && length > 0) sums.see(pen, 0.0, known_[j], length * length);
        }
        return sums.gap(pen, detail::dot(residual_.data(), residual_.data(), residual_.size()));
    }

    Design& X_;
    std::span<const double> y_;
    PathSettings settings_;
    Correlations<Design> known_;
    std::vector<double> residual_, w_, q_, gradient_;
    std::vector<std::uint32_t> in_;
    std::vector<bool> is_in_;
    GrowingGram G_;
    double yy_ = 0;
    DescentMemory memory_;
    struct {  // the pair before the present one, and the solution before that
        bool known = false;
        double a = 0, before = 0;
        std::vector<double> w;
    } last_;
    bool solved_ = false;
};

}  // namespace lanatus::linear
