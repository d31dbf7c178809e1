// One E step of a Gaussian mixture with the sums that its M step needs -- book 9.4.3, (9.30) and (9.34)-(9.38).
//
// Given   X (n, d), w (n,) >= 0 or none, the components' means, factors F_c with F_c' F_c the precision, and
//         log_const[c] = log alpha_c + log det F_c - d / 2 log(2 pi) (a variational mixture adds its own terms).
// Gives   log-likelihood, entropy of the posteriors, and per component mass, first and second moments about the old mean:
//         near convergence the old mean is nearly the new one, so that nothing cancels.
// O(n k d^2) time, half the products by the symmetry of triangles; memory O(k d^2) a chunk of rows.
#pragma once
#include <algorithm>
#include <cstddef>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "density/mixture_leaf.hpp"

namespace lanatus::density {

// Lower triangles (count, d, d), packed for the kernels.
inline Buffer<double> packed_triangles(const double* factors, std::size_t count, std::size_t d) {
    Buffer<double> packed(count * packed_size(d));
    double* out = packed.data();
    for (std::size_t c = 0; c < count; ++c)
        for (std::size_t j = 0; j < d; j += tile_rows) {
            const std::size_t rows = std::min(tile_rows, d - j);
            for (std::size_t m = 0; m < j + rows; ++m)
                for (std::size_t t = 0; t < rows; ++t) *out++ = m <= j + t ? factors[(c * d + j + t) * d + m] : 0.0;
        }
    return packed;
}

// Chunks of rows: few where the sums of one are large.
inline Chunks mixture_chunks(std::size_t n, const Components& mixture) {
    const std::size_t bytes = MixtureSums::second_size(mixture) * sizeof(double);
    const std::size_t wanted =
        std::clamp<std::size_t>((std::size_t{64} << 20) / std::max<std::size_t>(bytes, 1), 4, 64);
    return Chunks::of(n, 768, wanted, 384);
}

template <class T>
MixtureSums mixture_pass(const MixtureTask<T>& task, int n_threads) {
    const auto parts = parallel_parts<MixtureSums>(mixture_chunks(task.X.rows, task.mixture), n_threads,
                                                   [&](std::size_t begin, std::size_t end) {
                                                       MixtureSums sums(task.mixture, task.moments);
                                                       mixture_rows(task, begin, end, sums);
                                                       return sums;
                                                   });
    MixtureSums total(task.mixture, task.moments);
    for (const MixtureSums& part : parts) {
        total.log_likelihood += part.log_likelihood;
        total.entropy += part.entropy;
        for (std::size_t i = 0; i < total.mass.size(); ++i) total.mass[i] += part.mass[i];
        for (std::size_t i = 0; i < total.first.size(); ++i) total.first[i] += part.first[i];
        for (std::size_t i = 0; i < total.second.size(); ++i) total.second[i] += part.second[i];
    }
    return total;
}

}  // namespace lanatus::density
