#include "kernel/machines.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/parallel.hpp"
#include "core/simd.hpp"
#include "kernel/gaussian.hpp"
#include "kernel/smo.hpp"

namespace lanatus::kernel {
namespace {

// sums[k] <- sum_j (columns[j][k] - x[j])^2, four columns at a time; x[j] is columns[j][i].
template <class T>
LANATUS_INLINE void sq_distances_by(const T* columns, std::size_t m, std::size_t d, std::size_t i, T* sums) {
    std::fill_n(sums, m, T{0});
    std::size_t j = 0;
    for (; j + 4 <= d; j += 4) {
        const T *a = columns + j * m, *b = a + m, *c = b + m, *e = c + m;
        const T xa = a[i], xb = b[i], xc = c[i], xe = e[i];
        for (std::size_t k = 0; k < m; ++k)
            sums[k] += ((a[k] - xa) * (a[k] - xa) + (b[k] - xb) * (b[k] - xb)) +
                       ((c[k] - xc) * (c[k] - xc) + (e[k] - xe) * (e[k] - xe));
    }
    for (; j < d; ++j) {
        const T *a = columns + j * m, xa = a[i];
        for (std::size_t k = 0; k < m; ++k) sums[k] += (a[k] - xa) * (a[k] - xa);
    }
}
LANATUS_CLONES void sq_distances(const float* columns, std::size_t m, std::size_t d, std::size_t i, float* sums) {
    sq_distances_by(columns, m, d, i, sums);
}
LANATUS_CLONES void sq_distances(const double* columns, std::size_t m, std::size_t d, std::size_t i, double* sums) {
    sq_distances_by(columns, m, d, i, sums);
}

template <class T>
LANATUS_INLINE void add_row_by(double* s, const T* row, double b, std::size_t m) {
    for (std::size_t k = 0; k < m; ++k) s[k] += b * static_cast<double>(row[k]);
}
LANATUS_CLONES void add_row(double* s, const float* row, double b, std::size_t m) { add_row_by(s, row, b, m); }
LANATUS_CLONES void add_row(double* s, const double* row, double b, std::size_t m) { add_row_by(s, row, b, m); }

// Rows of the kernel matrix of one machine, made one by one when they are asked for; its points are kept by columns for that.
template <class T>
class GaussianRows {
  public:
    GaussianRows(MatrixView<const T> X, std::span<const std::int32_t> place, double gamma)
        : d_(X.cols), gamma_(gamma), columns_(place.size() * X.cols), rows_(place.size()) {
        for (std::size_t i = 0; i < place.size(); ++i)
            for (std::size_t j = 0; j < d_; ++j)
                columns_[j * place.size() + i] = X.row(static_cast<std::size_t>(place[i]))[j];
    }

    const T* row(std::size_t i) {
        if (!rows_[i]) {
            rows_[i] = std::make_unique_for_overwrite<T[]>(rows_.size());
            sq_distances(columns_.data(), rows_.size(), d_, i, rows_[i].get());
            decay(rows_[i].get(), rows_.size(), gamma_);
        }
        return rows_[i].get();
    }

  private:
    std::size_t d_;
    double gamma_;
    std::vector<T> columns_;
    std::vector<std::unique_ptr<T[]>> rows_;
};

// The score that variables inside the box share, or the middle of where it may be if there are none.
double offset_of(const Box& box) {
    double sum = 0, lowest = infinite, highest = -infinite;
    std::size_t free = 0;
    for (std::size_t k = 0; k < box.b.size(); ++k) {
        const bool rise = box.b[k]<box.high[k], fall = box.b[k]> box.low[k];
        if (rise && fall) sum += box.s[k], ++free;
        if (rise) lowest = std::min(lowest, box.s[k]);
        if (fall) highest = std::max(highest, box.s[k]);
    }
    if (free) return sum / static_cast<double>(free);
    if (lowest < infinite && highest > -infinite) return (lowest + highest) / 2;
    return lowest < infinite ? lowest : highest > -infinite ? highest : 0.0;
}

// One machine: its variables, their box, and the scores s = Kb - y.
template <class T>
class Machine {
  public:
    Machine(MatrixView<const T> X, double gamma, std::span<const std::int32_t> place, std::span<const double> sign,
            std::span<const double> cap)
        : rows_(X, place, gamma), sign_(sign), cap_(cap), diagonal_(cap.size(), 1.0), low_(cap.size()), high_(low_) {}

    // Leaves beta, and the scores of all rows, where rows of the fold (-1: none) may not be used.
    std::size_t solve(std::span<double> beta, std::span<double> s, std::span<const std::int32_t> fold, std::int32_t out,
                      double tol, std::size_t max_pairs) {
        for (std::size_t k = 0; k < cap_.size(); ++k) {
            const double cap = out >= 0 && fold[k] == out ? 0.0 : cap_[k];
            low_[k] = sign_[k] > 0 ? 0.0 : -cap;
            high_[k] = sign_[k] > 0 ? cap : 0.0;
            beta[k] = std::clamp(beta[k], low_[k], high_[k]);
        }
        balance(beta);
        for (std::size_t k = 0; k < cap_.size(); ++k) s[k] = -sign_[k];
        for (std::size_t k = 0; k < cap_.size(); ++k)
            if (beta[k] != 0) add_row(s.data(), rows_.row(k), beta[k], cap_.size());
        return smo(rows_, diagonal_, Box{beta, s, low_, high_}, Pairs{cap_.size(), tol, max_pairs});
    }

    double offset(std::span<double> beta, std::span<double> s) const { return offset_of({beta, s, low_, high_}); }

  private:
    // The heavier side is made as light as the other, so that the sum is 0 again and the box is kept.
    static void balance(std::span<double> beta) {
        double above = 0, below = 0;
        for (const double b : beta) (b > 0 ? above : below) += b;
        if (above == -below) return;
        const double up = above > -below ? -below / above : 1.0, down = -below > above ? -above / below : 1.0;
        for (double& b : beta) b *= b > 0 ? up : down;
    }

    GaussianRows<T> rows_;
    std::span<const double> sign_, cap_;
    std::vector<double> diagonal_, low_, high_;
};

template <class T>
void solve_all(MatrixView<const T> X, double gamma, const MachineRows& of, double tol, std::size_t max_pairs,
               const MachinesFound& found, int n_threads) {
    parallel_for(of.start.size() - 1, n_threads, [&](std::size_t k) {
        const auto begin = static_cast<std::size_t>(of.start[k]), m = static_cast<std::size_t>(of.start[k + 1]) - begin;
        Machine<T> machine(X, gamma, of.place.subspan(begin, m), of.sign.subspan(begin, m), of.cap.subspan(begin, m));
        const std::span<double> beta = found.beta.subspan(begin, m);
        std::vector<double> s(m);
        std::size_t pairs = machine.solve(beta, s, {}, -1, tol, max_pairs);
        found.offset[k] = machine.offset(beta, s);
        found.pairs[k] = static_cast<std::int64_t>(pairs);
        if (of.fold.empty()) return;
        const std::span<const std::int32_t> fold = of.fold.subspan(begin, m);
        for (std::int32_t out = 0; out < static_cast<std::int32_t>(of.n_folds); ++out) {
            std::vector<double> others(beta.begin(), beta.end());
            machine.solve(others, s, fold, out, tol, max_pairs);
            const double offset = machine.offset(others, s);
            for (std::size_t i = 0; i < m; ++i)
                if (fold[i] == out) found.unseen[begin + i] = s[i] + of.sign[begin + i] - offset;
        }
    });
}

}  // namespace

void machines(MatrixView<const float> X, double gamma, const MachineRows& of, double tol, std::size_t max_pairs,
              const MachinesFound& found, int n_threads) {
    solve_all(X, gamma, of, tol, max_pairs, found, n_threads);
}
void machines(MatrixView<const double> X, double gamma, const MachineRows& of, double tol, std::size_t max_pairs,
              const MachinesFound& found, int n_threads) {
    solve_all(X, gamma, of, tol, max_pairs, found, n_threads);
}

}  // namespace lanatus::kernel
