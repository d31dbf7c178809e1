// The dictionary step of K-SVD (Aharon, Elad, Bruckstein 2006), book (11.18).
//
// Given:   the residual R = X - S D (n x d), codes S (n x k), atoms as rows of D (k x d).
// For each atom i in turn, over the rows that use it: E = R + s_i d_i', whose best rank-one approximation replaces s_i d_i'. It is
// found by power steps that begin at the present atom: one gives the approximate K-SVD, many the SVD to rounding.
// Result:  D, S and R are changed in place; an atom that no row uses stays, and is counted.
// Cost:    O(d) for each use of an atom and power step.
#pragma once
#include <vector>

#include "core/matrix.hpp"
#include "sparse/lanes.hpp"

namespace lanatus::sparse {

struct AtomSweep {
    MatrixView<double> R, S, D;
    int power;
    std::vector<std::size_t> rows{};
    std::vector<double> weights{}, next{}, E{};

    std::size_t run() {
        const std::size_t n = R.rows, k = S.cols;
        std::size_t unused = 0;
        next.resize(R.cols);
        for (std::size_t i = 0; i < k; ++i) {
            rows.clear();
            for (std::size_t r = 0; r < n; ++r)
                if (S.row(r)[i] != 0) rows.push_back(r);
            if (rows.empty()) ++unused;
            else update(i);
        }
        return unused;
    }

    void update(std::size_t i) {
        const std::size_t d = R.cols, used = rows.size();
        double* atom = D.row(i);
        E.resize(used * d), weights.resize(used);
        for (std::size_t r = 0; r < used; ++r) {
            std::copy_n(R.row(rows[r]), d, E.data() + r * d);
            detail::add_scaled(E.data() + r * d, atom, S.row(rows[r])[i], d);
            weights[r] = S.row(rows[r])[i];
        }
        for (int round = 0; round < power; ++round) {
            std::fill(next.begin(), next.end(), 0.0);
            for (std::size_t r = 0; r < used; ++r) detail::add_scaled(next.data(), E.data() + r * d, weights[r], d);
            const double length = std::sqrt(detail::dot(next.data(), next.data(), d));
            if (!(length > 0)) break;
            detail::multiply(next.data(), 1 / length, d);
            double moved = 0;
            for (std::size_t c = 0; c < d; ++c) moved += (next[c] - atom[c]) * (next[c] - atom[c]);
            std::copy_n(next.data(), d, atom);
            for (std::size_t r = 0; r < used; ++r) weights[r] = detail::dot(E.data() + r * d, atom, d);
            if (moved < 1e-24) break;
        }
        for (std::size_t r = 0; r < used; ++r) {
            S.row(rows[r])[i] = weights[r];
            std::copy_n(E.data() + r * d, d, R.row(rows[r]));
            detail::add_scaled(R.row(rows[r]), atom, -weights[r], d);
        }
    }
};

}  // namespace lanatus::sparse
