// One round of coordinate descent on a factor of a non-negative factorisation (Cichocki, Phan 2009).
//
// Objective in W >= 0:  1/2 ||X - W H||^2, with penalties already in G and C.
// Given:   G = H H' (k x k), C = X H' (n x k). For each column t in the order given:
//          W_t <- max(0, W_t - (W G_t - C_t) / G_tt).
// Result:  W in place, and the sum of |projected gradients|, the measure of convergence.
// Rows do not depend on each other: blocks of them are turned, so that a vector holds one column of many rows.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/simd.hpp"

namespace lanatus::sparse {

constexpr std::size_t turned = 32;  // rows of a block

LANATUS_CLONES static double nonnegative_block(double* W, const double* C, const double* G, const std::int64_t* order,
                                               std::size_t k) {
    double violation[turned] = {};
    for (std::size_t step = 0; step < k; ++step) {
        const auto t = static_cast<std::size_t>(order[step]);
        double gradient[turned];
        for (std::size_t b = 0; b < turned; ++b) gradient[b] = -C[t * turned + b];
        for (std::size_t r = 0; r < k; ++r) {
            const double g = G[t * k + r];
            for (std::size_t b = 0; b < turned; ++b) gradient[b] += g * W[r * turned + b];
        }
        const double hessian = G[t * k + t], inverse = hessian > 0 ? 1 / hessian : 0.0;
        for (std::size_t b = 0; b < turned; ++b) {
            const double w = W[t * turned + b], g = gradient[b];
            const double down = g < 0 ? g : 0.0;
            const double projected = w == 0 ? down : g;
            violation[b] += projected < 0 ? -projected : projected;
            const double moved = w - g * inverse;
            W[t * turned + b] = moved > 0 ? moved : 0.0;
        }
    }
    double total = 0;
    for (std::size_t b = 0; b < turned; ++b) total += violation[b];
    return total;
}

// Rounds on W of which the products C = X H' are made here, block after block of rows, and X'W of the new W with them: X comes from
// memory once. `cross` (d x k) may be empty. Sums are in the order of the chunks, which depend on n alone.

constexpr std::size_t tile_rows = 4, tile_cols = 8;
typedef double Tile __attribute__((vector_size(tile_cols * sizeof(double))));

LANATUS_INLINE Tile load_tile(const double* p) {
    Tile v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

// out (rows x width) <- X (rows x d) B (d x width), width a multiple of tile_cols; rows <= turned.
LANATUS_CLONES static void products_block(const double* X, std::size_t rows, std::size_t d, const double* B,
                                          std::size_t width, double* out) {
    for (std::size_t i = 0; i < rows; i += tile_rows) {
        const double* x[tile_rows];
        for (std::size_t r = 0; r < tile_rows; ++r) x[r] = X + (i + r < rows ? i + r : rows - 1) * d;
        for (std::size_t t = 0; t < width; t += tile_cols) {
            Tile sum[tile_rows] = {};
            for (std::size_t c = 0; c < d; ++c) {
                const Tile b = load_tile(B + c * width + t);
                for (std::size_t r = 0; r < tile_rows; ++r) sum[r] += x[r][c] * b;
            }
            for (std::size_t r = 0; r < tile_rows && i + r < rows; ++r)
                __builtin_memcpy(out + (i + r) * width + t, &sum[r], sizeof(Tile));
        }
    }
}

// cross (d x width) += X (rows x d)' W (rows x width)
LANATUS_CLONES static void cross_block(const double* X, std::size_t rows, std::size_t d, const double* W,
                                       std::size_t width, double* cross) {
    std::size_t c = 0;
    for (; c + tile_rows <= d; c += tile_rows)
        for (std::size_t t = 0; t < width; t += tile_cols) {
            Tile sum[tile_rows] = {};
            for (std::size_t i = 0; i < rows; ++i) {
                const double* x = X + i * d + c;
                const Tile w = load_tile(W + i * width + t);
                for (std::size_t r = 0; r < tile_rows; ++r) sum[r] += x[r] * w;
            }
            for (std::size_t r = 0; r < tile_rows; ++r)
                for (std::size_t l = 0; l < tile_cols; ++l) cross[(c + r) * width + t + l] += sum[r][l];
        }
    for (; c < d; ++c)
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t l = 0; l < width; ++l) cross[c * width + l] += X[i * d + c] * W[i * width + l];
}

inline double nonnegative_pass(MatrixView<const double> X, MatrixView<double> W, MatrixView<const double> Ht,
                               MatrixView<const double> G, double l1, std::span<const std::int64_t> order,
                               MatrixView<double> cross, int n_threads) {
    const std::size_t n = X.rows, d = X.cols, k = W.cols, width = (k + tile_cols - 1) / tile_cols * tile_cols;
    Buffer<double> B(d * width);
    for (std::size_t c = 0; c < d; ++c)
        for (std::size_t t = 0; t < width; ++t) B[c * width + t] = t < k ? Ht.row(c)[t] : 0.0;
    struct Part {
        double violation = 0;
        std::vector<double> cross;
    };
    const auto chunks = Chunks::of(n, 8 * turned, 16, turned);
    const auto parts = parallel_parts<Part>(chunks, n_threads, [&](std::size_t begin, std::size_t end) {
        Part part;
        if (cross.rows) part.cross.assign(d * width, 0.0);
        std::vector<double> w(k * turned), c(k * turned);
        Buffer<double> products(turned * width);
        for (std::size_t at = begin; at < end; at += turned) {
            const std::size_t rows = std::min(turned, end - at);
            products_block(X.row(at), rows, d, B.data(), width, products.data());
            if (rows < turned) std::fill(w.begin(), w.end(), 0.0), std::fill(c.begin(), c.end(), 0.0);
            for (std::size_t b = 0; b < rows; ++b)
                for (std::size_t t = 0; t < k; ++t) {
                    w[t * turned + b] = W.row(at + b)[t];
                    c[t * turned + b] = products[b * width + t] - l1;
                }
            part.violation += nonnegative_block(w.data(), c.data(), G.data, order.data(), k);
            std::fill_n(products.data(), turned * width, 0.0);
            for (std::size_t b = 0; b < rows; ++b)
                for (std::size_t t = 0; t < k; ++t) W.row(at + b)[t] = products[b * width + t] = w[t * turned + b];
            if (cross.rows) cross_block(X.row(at), rows, d, products.data(), width, part.cross.data());
        }
        return part;
    });
    double total = 0;
    if (cross.rows) std::fill_n(cross.data, d * k, 0.0);
    for (const Part& part : parts) {
        total += part.violation;
        for (std::size_t c = 0; c < (cross.rows ? d : 0); ++c)
            for (std::size_t t = 0; t < k; ++t) cross.row(c)[t] += part.cross[c * width + t];
    }
    return total;
}

inline double nonnegative_round(MatrixView<double> W, MatrixView<const double> C, MatrixView<const double> G,
                                std::span<const std::int64_t> order, int n_threads) {
    const std::size_t n = W.rows, k = W.cols;
    const auto chunks = Chunks::of(n, 8 * turned, 64, turned);
    const auto parts = parallel_parts<double>(chunks, n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<double> w(k * turned), c(k * turned);
        double total = 0;
        for (std::size_t at = begin; at < end; at += turned) {
            const std::size_t rows = std::min(turned, end - at);
            if (rows < turned) std::fill(w.begin(), w.end(), 0.0), std::fill(c.begin(), c.end(), 0.0);
            for (std::size_t b = 0; b < rows; ++b)
                for (std::size_t t = 0; t < k; ++t) {
                    w[t * turned + b] = W.row(at + b)[t];
                    c[t * turned + b] = C.row(at + b)[t];
                }
            total += nonnegative_block(w.data(), c.data(), G.data, order.data(), k);
            for (std::size_t b = 0; b < rows; ++b)
                for (std::size_t t = 0; t < k; ++t) W.row(at + b)[t] = w[t * turned + b];
        }
        return total;
    });
    double total = 0;
    for (const double part : parts) total += part;
    return total;
}

}  // namespace lanatus::sparse
