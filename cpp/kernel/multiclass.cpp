#include "kernel/multiclass.hpp"

#include <vector>

#include "kernel/class_row.hpp"

namespace lanatus::kernel {
namespace {

template <class T>
std::size_t sweep_rows(MatrixView<const T> K, const ClassMultipliers& of, Margins margins, double tol,
                       std::size_t max_sweeps) {
    const std::size_t m = K.rows, k = of.f.cols;
    ClassRow row(k, margins);
    std::vector<double> fresh(k), change(k);
    std::size_t solved = 0;
    for (std::size_t sweep = 0; sweep < max_sweeps; ++sweep) {
        const std::size_t before = solved;
        for (std::size_t i = 0; i < m; ++i) {
            double* a = of.a.row(i);
            row.look(of.f.row(i), a, static_cast<std::size_t>(of.y[i]), of.cap[i]);
            if (!(row.violation() > tol)) continue;
            ++solved;
            row.solve(static_cast<double>(K.row(i)[i]), fresh.data());
            for (std::size_t c = 0; c < k; ++c) change[c] = fresh[c] - a[c], a[c] = fresh[c];
            const double* step = row.coefficients(change.data());
            for (std::size_t j = 0; j < m; ++j) {
                const double near = static_cast<double>(K.row(i)[j]);
                double* f = of.f.row(j);
                for (std::size_t c = 0; c < k; ++c) f[c] += near * step[c];
            }
        }
        if (solved == before) break;
    }
    return solved;
}

}  // namespace

std::size_t multiclass(MatrixView<const float> K, const ClassMultipliers& of, Margins margins, double tol,
                       std::size_t max_sweeps) {
    return sweep_rows(K, of, margins, tol, max_sweeps);
}
std::size_t multiclass(MatrixView<const double> K, const ClassMultipliers& of, Margins margins, double tol,
                       std::size_t max_sweeps) {
    return sweep_rows(K, of, margins, tol, max_sweeps);
}

}  // namespace lanatus::kernel
