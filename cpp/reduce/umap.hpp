// UMAP (McInnes, Healy and Melville 2018): weights of edges to neighbours, and a round of pulls and pushes.
//
//     v_ij = exp(-max(0, d_ij - rho_i) / sigma_i),  sum_j v_ij = log2 k
//     w_ij = (1 + a |y_i - y_j|^(2b))^-1 ; edges pull by the gradient of log w, drawn points push by that of log(1 - w)
//
// Every point moves by its own edges, from where all the others were when the round began, so that rounds do not depend on
// threads; an edge of the graph stands twice, once at each of its ends. Draws follow from the key of the point and the round.
// O(edges met times draws).
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::reduce {

// v (n, k) of sorted distances (n, k). rho is the distance `connectivity` neighbours away, between two of them if it is no
// whole number; 0 is no neighbour's. sigma is at least a thousandth of the mean distance.
inline void fuzzy_weights(MatrixView<const double> distances, double connectivity, MatrixView<double> v,
                          int n_threads) {
    double all = 0;
    for (std::size_t i = 0; i < distances.size(); ++i) all += distances.data[i];
    all /= static_cast<double>(std::max<std::size_t>(distances.size(), 1));
    const double wanted = std::log2(static_cast<double>(distances.cols + 1));
    parallel_chunks(Chunks::of(v.rows, 64, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<double> apart;
        for (std::size_t i = begin; i < end; ++i) {
            const double* d = distances.row(i);
            double* out = v.row(i);
            const std::size_t k = v.cols;
            apart.clear();
            double mean = 0, rho = 0;
            for (std::size_t j = 0; j < k; ++j) {
                mean += d[j] / static_cast<double>(k);
                if (d[j] > 0) apart.push_back(d[j]);
            }
            if (!apart.empty() && static_cast<double>(apart.size()) >= connectivity) {
                const auto whole = static_cast<std::size_t>(connectivity);
                const double rest = connectivity - static_cast<double>(whole);
                rho = whole > 0 ? apart[whole - 1] : rest * apart[0];
                if (whole > 0 && rest > 1e-5 && whole < apart.size()) rho += rest * (apart[whole] - apart[whole - 1]);
            } else if (!apart.empty()) {
                rho = apart.back();
            }
            double low = 0, high = std::numeric_limits<double>::infinity(), sigma = 1;
            for (int step = 0; step < 64; ++step) {
                double sum = 1;  // the point itself
                for (std::size_t j = 0; j < k; ++j) sum += d[j] > rho ? std::exp(-(d[j] - rho) / sigma) : 1;
                if (std::abs(sum - 1 - wanted) < 1e-5) break;
                (sum - 1 > wanted ? high : low) = sigma;
                sigma = std::isinf(high) ? 2 * sigma : (low + high) / 2;
            }
            sigma = std::max(sigma, 1e-3 * (rho > 0 ? mean : all));
            for (std::size_t j = 0; j < k; ++j) out[j] = d[j] > rho && sigma > 0 ? std::exp(-(d[j] - rho) / sigma) : 1;
        }
    });
}

// x^b for x > 0, right to about 1e-4: enough for steps that are clipped and drawn.
inline float rough_power(float x, float b) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const float m = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f800000u);
    const float e = static_cast<float>(static_cast<int>(bits >> 23) - 127);
    const float log2 = e + (((-0.081615808f * m + 0.64514236f) * m - 2.1206751f) * m + 4.0700908f) * m - 2.5128546f;
    const float y = std::clamp(b * log2, -126.0f, 126.0f), whole = std::floor(y), f = y - whole;
    const float p = ((0.0790209f * f + 0.2241270f) * f + 0.6968296f) * f + 0.9999253f;
    return p * std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<int>(whole) + 127) << 23);
}

// Draws of one point in one round (Steele, Lea and Flood 2014, SplitMix).
class Draws {
  public:
    Draws(std::uint64_t key, std::uint64_t round) noexcept : state_(key + round * 0xD1B54A32D192ED03) { next(); }
    std::size_t below(std::size_t n) noexcept { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }

  private:
    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
    std::uint64_t state_;
};

struct UmapRound {
    std::size_t round;
    float step, a, b, push;
    std::size_t n_draws;
    bool moving;  // whether the points themselves are those that stand in `others`
};

// rate holds, for each edge, in what share of the rounds it is met, from 0 to 1.
template <std::size_t D>
void umap_round(const CsrView<float>& rate, MatrixView<const float> others, std::span<const std::uint64_t> keys,
                const UmapRound& how, MatrixView<float> Y, std::size_t begin, std::size_t end) {
    const std::size_t dims = D > 0 ? D : Y.cols;
    for (std::size_t i = begin; i < end; ++i) {
        float* y = Y.row(i);
        Draws draws(keys[i], how.round);
        const auto move = [&](const float* from, float factor) {
            for (std::size_t k = 0; k < dims; ++k)
                y[k] += how.step * std::clamp(factor * (y[k] - from[k]), -4.0f, 4.0f);
        };
        const auto sq_gap = [&](const float* from) {
            float sum = 0;
            for (std::size_t k = 0; k < dims; ++k) sum += (y[k] - from[k]) * (y[k] - from[k]);
            return sum;
        };
        const auto edges = rate.row(i);
        for (std::size_t e = 0; e < edges.values.size(); ++e) {
            const double r = edges.values[e], now = static_cast<double>(how.round);
            if (std::floor((now + 1) * r + 1e-9) <= std::floor(now * r + 1e-9)) continue;
            const float* to = others.row(static_cast<std::size_t>(edges.columns[e]));
            if (const float square = sq_gap(to); square > 0) {
                const float power = rough_power(square, how.b);
                move(to, -2 * how.a * how.b * power / (square * (1 + how.a * power)));
            }
            for (std::size_t draw = 0; draw < how.n_draws; ++draw) {
                const std::size_t j = draws.below(others.rows);
                if (how.moving && j == i) continue;
                const float square = sq_gap(others.row(j));
                if (!(square > 0)) continue;
                const float power = rough_power(square, how.b);
                move(others.row(j), 2 * how.push * how.b / ((0.001f + square) * (1 + how.a * power)));
            }
        }
    }
}

inline void umap_round(const CsrView<float>& rate, MatrixView<const float> others, std::span<const std::uint64_t> keys,
                       const UmapRound& how, MatrixView<float> Y, int n_threads) {
    parallel_chunks(Chunks::of(Y.rows, 64, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        if (Y.cols == 2) umap_round<2>(rate, others, keys, how, Y, begin, end);
        else umap_round<0>(rate, others, keys, how, Y, begin, end);
    });
}

}  // namespace lanatus::reduce
