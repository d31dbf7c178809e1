// Least angle regression of a signal on the atoms of a dictionary, by the Gram matrix (Efron, Hastie, Johnstone, Tibshirani:
// Least angle regression, Annals of Statistics 32, 2004).
//
// Given:   G = B'B, q = B'x. Atoms in use keep |B'(x - B s)| of one common size, which falls along d = G_AA^-1 sign(c_A).
// Result:  with `lasso` the minimiser of 1/2 ||x - B s||^2 + floor ||s||_1 (an atom whose weight reaches zero leaves), otherwise s
//          after at most `most` steps. The first of equals enters; an atom that depends on those in use is left out.
// Cost:    O(k t + t^2) a step with t atoms in use.
#pragma once
#include <vector>

#include "core/matrix.hpp"
#include "sparse/lanes.hpp"

namespace lanatus::sparse {

class AnglePath {
  public:
    AnglePath(MatrixView<const double> G, bool lasso, bool positive, std::size_t most, double floor)
        : G_(G), lasso_(lasso), positive_(positive), most_(most), floor_(floor), c_(G.cols), a_(G.cols),
          stride_(G.cols + 1), L_(G.cols * stride_), state_(G.cols) {}

    void run(const double* q, double* s) {
        const std::size_t k = G_.cols;
        std::copy_n(q, k, c_.begin()), std::fill_n(s, k, 0.0), std::fill(state_.begin(), state_.end(), outside);
        active_.clear();
        const double first = detail::largest_magnitude(q, k);
        const double least = std::max(floor_, 1e-13 * first);
        const std::size_t limit = lasso_ ? 8 * k + 8 : most_;
        std::ptrdiff_t dropped = -1;
        for (std::size_t step = 0; step < limit; ++step) {
            double size = 0;
            for (std::size_t j = 0; j < k; ++j)
                if (state_[j] != left_out) size = std::max(size, seen(j));
            if (size <= least) return;
            if (dropped < 0 && !enter(size)) return;
            if (active_.empty()) return;
            solve();
            std::fill(a_.begin(), a_.end(), 0.0);
            for (std::size_t i = 0; i < active_.size(); ++i)
                detail::add_scaled(a_.data(), G_.row(active_[i]), direction_[i], k);
            double length = std::min(size, meeting(size, dropped));
            if (lasso_) length = std::min(length, size - least);
            dropped = lasso_ ? leaving(s, length) : -1;
            for (std::size_t i = 0; i < active_.size(); ++i) s[active_[i]] += length * direction_[i];
            detail::add_scaled(c_.data(), a_.data(), -length, k);
            if (dropped >= 0) {
                const std::size_t j = active_[static_cast<std::size_t>(dropped)];
                s[j] = 0, state_[j] = outside;
                active_.erase(active_.begin() + dropped);
                for (auto i = static_cast<std::size_t>(dropped); i < active_.size(); ++i) factor(i);
                dropped = static_cast<std::ptrdiff_t>(j);
            }
        }
    }

  private:
    enum State : unsigned char { outside, inside, left_out };

    double seen(std::size_t j) const { return positive_ ? c_[j] : std::abs(c_[j]); }

    // The atom of the largest correlation comes in, unless it depends on those in use.
    bool enter(double size) {
        const double slack = 1e-10 * size;
        for (std::size_t j = 0; j < G_.cols; ++j) {
            if (state_[j] != outside || seen(j) < size - slack) continue;
            active_.push_back(j);
            if (factor(active_.size() - 1)) {
                state_[j] = inside;
                return true;
            }
            active_.pop_back(), state_[j] = left_out;
        }
        return !active_.empty();
    }

    // The next row of the Cholesky factor of the Gram matrix of the atoms in use; false where the last one depends on the others.
    bool factor(std::size_t i) {
        const double* g = G_.row(active_[i]);
        double* row = L_.data() + i * stride_;
        for (std::size_t l = 0; l < i; ++l)
            row[l] = (g[active_[l]] - detail::dot(row, L_.data() + l * stride_, l)) / L_[l * stride_ + l];
        const double rest = g[active_[i]] - detail::dot(row, row, i);
        if (!(rest > 1e-12 * g[active_[i]])) return false;
        row[i] = std::sqrt(rest);
        return true;
    }

    void solve() {
        const std::size_t t = active_.size();
        direction_.resize(t);
        for (std::size_t i = 0; i < t; ++i) {
            const double sign = c_[active_[i]] < 0 ? -1.0 : 1.0;
            direction_[i] = (sign - detail::dot(L_.data() + i * stride_, direction_.data(), i)) / L_[i * stride_ + i];
        }
        for (std::size_t i = t; i-- > 0;) {
            direction_[i] /= L_[i * stride_ + i];
            detail::add_scaled(direction_.data(), L_.data() + i * stride_, -direction_[i], i);
        }
    }

    // How far to go until an atom outside is as correlated as those in use.
    double meeting(double size, std::ptrdiff_t dropped) const {
        double nearest = size;
        for (std::size_t j = 0; j < G_.cols; ++j) {
            if (state_[j] != outside) continue;
            const double barely = static_cast<std::ptrdiff_t>(j) == dropped ? 1e-10 * size : 0.0;
            const double up = (size - c_[j]) / (1 - a_[j]), down = (size + c_[j]) / (1 + a_[j]);
            if (1 - a_[j] > 1e-14 && up > barely) nearest = std::min(nearest, up);
            if (!positive_ && 1 + a_[j] > 1e-14 && down > barely) nearest = std::min(nearest, down);
        }
        return nearest;
    }

    // The place among those in use of the atom whose weight reaches zero first within `length`, which is shortened; -1 for none.
    std::ptrdiff_t leaving(const double* s, double& length) const {
        std::ptrdiff_t found = -1;
        for (std::size_t i = 0; i < active_.size(); ++i) {
            const double at = -s[active_[i]] / direction_[i];
            if (s[active_[i]] != 0 && at > 0 && at < length) length = at, found = static_cast<std::ptrdiff_t>(i);
        }
        return found;
    }

    MatrixView<const double> G_;
    bool lasso_, positive_;
    std::size_t most_;
    double floor_;
    std::vector<double> c_, a_;
    std::size_t stride_;
    std::vector<double> L_, direction_;
    std::vector<std::size_t> active_;
    std::vector<State> state_;
};

}  // namespace lanatus::sparse
