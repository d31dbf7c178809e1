// Restricted Boltzmann machine with binary units, by contrastive divergence (5.24).
//
//     P(h_j = 1 | v) = sigma(c_j + sum_i v_i w_ij),   P(v_i = 1 | h) = sigma(b_i + sum_j w_ij h_j)
//     dw = eta (v h' - v~ h~'),  db = eta (v - v~),  dc = eta (h - h~), means over a batch
//
// Given   V (n, d) of numbers from 0 to 1, theta = W (d, q), b, c; v~ is k steps of Gibbs sampling from v, or, with
// `persistent`, from where the chains of the last batch ended. What is drawn depends on (seed, step, row, unit) alone.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "neural/leaf.hpp"

namespace lanatus::neural {

// 1 with the probability p to within 2^-17, else 0: sixteen bits a unit, eight units a draw.
template <class T>
void draw_units(T* p, std::size_t rows, std::size_t units, std::size_t first, const Philox& random) {
    const std::size_t width = (units + 7) / 8;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < units; j += 8) {
            const PhiloxBlock bits = random.block((first + r) * width + j / 8);
            T drawn[8], *to = p + r * units + j;
            for (std::size_t c = 0; c < 4; ++c) {
                drawn[2 * c] = static_cast<T>(static_cast<std::int32_t>(bits[c] & 0xffffu));
                drawn[2 * c + 1] = static_cast<T>(static_cast<std::int32_t>(bits[c] >> 16));
            }
            const std::size_t count = std::min<std::size_t>(8, units - j);
            for (std::size_t c = 0; c < count; ++c) to[c] = (drawn[c] + T(0.5)) * T(0x1p-16) < to[c] ? T{1} : T{0};
        }
}

template <class T>
struct MachineView {
    MatrixView<const T> W;    // (d, q)
    const T *turned, *b, *c;  // W', constants of visible and hidden units
};

// H (rows, q) <- P(h = 1 | V), or V (rows, d) <- P(v = 1 | H)
template <class T>
void upwards(const MachineView<T>& m, const T* V, std::size_t rows, T* H, T* panel) {
    multiply(Strided<T>{V, m.W.rows, 1}, m.W.data, m.c, false, MatrixView<T>{H, rows, m.W.cols}, m.W.rows, panel);
    activate(Unit::logistic, H, rows * m.W.cols);
}
template <class T>
void downwards(const MachineView<T>& m, const T* H, std::size_t rows, T* V, T* panel) {
    multiply(Strided<T>{H, m.W.cols, 1}, m.turned, m.b, false, MatrixView<T>{V, rows, m.W.rows}, m.W.cols, panel);
    activate(Unit::logistic, V, rows * m.W.rows);
}

struct Contrast {
    double rate = 0.1, decay = 0, momentum = 0;
    std::size_t steps = 1, batch = 10;
    bool persistent = true;
    std::uint64_t seed = 0;
};

// One round over the rows in `order`. chains (batch, q) hold hidden units between batches; velocity is as long as theta.
// Returns the mean squared difference of rows and what is first made of them.
template <class T>
double contrast_round(MatrixView<const T> X, std::span<const double> weight, std::span<const std::int64_t> order,
                      const Contrast& how, MatrixView<T> W, T* b, T* c, T* velocity, T* chains, std::uint64_t& step) {
    const std::size_t d = W.rows, q = W.cols, most = std::min(how.batch, order.size());
    Buffer<T> v(most * d), h(most * q), fantasy(how.batch * d), hidden(how.batch * q), turned(d * q);
    Buffer<T> panel(panel_size<T>()), change(d * q + d + q);
    double apart = 0;
    for (std::size_t begin = 0; begin < order.size(); begin += how.batch) {
        const std::size_t rows = std::min(how.batch, order.size() - begin);
        const std::size_t chained = how.persistent ? how.batch : rows;
        double mass = 0;
        for (std::size_t r = 0; r < rows; ++r) {
            const auto i = static_cast<std::size_t>(order[begin + r]);
            std::copy_n(X.row(i), d, v.data() + r * d);
            mass += weight.empty() ? 1 : weight[i];
        }
        ++step;
        if (!(mass > 0)) continue;
        transpose(MatrixView<const T>(W), turned.data());
        const MachineView<T> machine{W, turned.data(), b, c};
        upwards(machine, v.data(), rows, h.data(), panel.data());
        if (how.persistent) {
            std::copy_n(chains, chained * q, hidden.data());
        } else {
            std::copy_n(h.data(), rows * q, hidden.data());
            draw_units(hidden.data(), rows, q, 0, Philox(how.seed, step << 8));
        }
        for (std::size_t k = 0; k < how.steps; ++k) {
            downwards(machine, hidden.data(), chained, fantasy.data(), panel.data());
            if (k == 0 && !how.persistent)
                for (std::size_t a = 0; a < rows * d; ++a)
                    apart += static_cast<double>((v[a] - fantasy[a]) * (v[a] - fantasy[a]));
            draw_units(fantasy.data(), chained, d, 0, Philox(how.seed, (step << 8) + 2 * k + 1));
            upwards(machine, fantasy.data(), chained, hidden.data(), panel.data());
            if (k + 1 < how.steps) draw_units(hidden.data(), chained, q, 0, Philox(how.seed, (step << 8) + 2 * k + 2));
        }
        // The slope of the likelihood: what goes with the rows less what goes with the fantasies.
        std::fill_n(change.data(), d * q + d + q, T{0});
        T *dW = change.data(), *db = dW + d * q, *dc = db + d;
        const T share = static_cast<T>(how.rate / static_cast<double>(chained));
        for (std::size_t r = 0; r < rows; ++r) {
            const auto i = static_cast<std::size_t>(order[begin + r]);
            const T heavy = static_cast<T>((weight.empty() ? 1 : weight[i]) * how.rate / mass);
            for (std::size_t j = 0; j < q; ++j) dc[j] += heavy * h[r * q + j];
            for (std::size_t j = 0; j < d; ++j) db[j] += heavy * v[r * d + j];
            for (std::size_t j = 0; j < q; ++j) h[r * q + j] *= heavy;
        }
        multiply(Strided<T>{v.data(), 1, d}, h.data(), nullptr, true, MatrixView<T>{dW, d, q}, rows, panel.data());
        for (std::size_t r = 0; r < chained; ++r) {
            for (std::size_t j = 0; j < q; ++j) dc[j] -= share * hidden[r * q + j];
            for (std::size_t j = 0; j < d; ++j) db[j] -= share * fantasy[r * d + j];
        }
        for (std::size_t a = 0; a < chained * d; ++a) fantasy[a] *= -share;
        multiply(Strided<T>{fantasy.data(), 1, d}, hidden.data(), nullptr, true, MatrixView<T>{dW, d, q}, chained,
                 panel.data());
        if (how.persistent) {
            draw_units(hidden.data(), chained, q, 0, Philox(how.seed, (step << 8) + 255));
            std::copy_n(hidden.data(), chained * q, chains);
        }
        const T decay = static_cast<T>(how.rate * how.decay), momentum = static_cast<T>(how.momentum);
        T* theta[3] = {W.data, b, c};
        const std::size_t sizes[3] = {d * q, d, q};
        const T* from = change.data();
        T* speed = velocity;
        for (std::size_t part = 0; part < 3; ++part) {
            if (part == 0 && decay != T{0})
                for (std::size_t a = 0; a < d * q; ++a) dW[a] -= decay * W.data[a];
            if (momentum != T{0}) {
                for (std::size_t a = 0; a < sizes[part]; ++a) speed[a] = momentum * speed[a] + from[a];
                add_to(theta[part], speed, sizes[part]);
            } else {
                add_to(theta[part], from, sizes[part]);
            }
            from += sizes[part];
            speed += sizes[part];
        }
    }
    return apart / static_cast<double>(std::max<std::size_t>(order.size() * d, 1));
}

// Hidden probabilities of all rows.
template <class T>
void hidden_of(MatrixView<const T> X, MatrixView<const T> W, const T* c, MatrixView<T> H, int n_threads) {
    parallel_chunks(Chunks::of(X.rows, 128), n_threads, [&](std::size_t begin, std::size_t end) {
        Buffer<T> panel(panel_size<T>());
        const MachineView<T> machine{W, nullptr, nullptr, c};
        upwards(machine, X.row(begin), end - begin, H.row(begin), panel.data());
    });
}

}  // namespace lanatus::neural
