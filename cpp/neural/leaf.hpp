// The hot loops of networks, run by one thread: small matrix products, units, optimisers. Compiled once per instruction set
// from leaf.inl; the functions here pick the machine's. Every sum is made in an order that depends on the sizes alone.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/matrix.hpp"

namespace lanatus::neural {

enum class Unit { identity, logistic, tanh, relu, softmax, exponential };
enum class Rule { sgd, nesterov, adagrad, rmsprop, adam, adamw, rprop };

// A matrix read at any strides: element (i, p) is data[i * row + p * column].
template <class T>
struct Strided {
    const T* data;
    std::size_t row, column;
};

// One step of an optimiser for some parameters. The gradient is share * gradient + decay * parameter.
struct Move {
    Rule rule = Rule::sgd;
    double rate = 0, share = 1, decay = 0;
    double momentum = 0, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-8;
    double shrink = 0;           // of AdamW: what the parameters lose beside the gradient
    double least = 0, most = 0;  // step sizes of Rprop
};

// C (m, n) <- A B, or C + A B with `add`, or bias + A B where bias is not null. B is (k, n), row by row. `panel` has room for
// panel_size<T>() numbers.
template <class T>
constexpr std::size_t panel_size() {
    return 256 * 128 / sizeof(T);
}
void multiply(Strided<float> A, const float* B, const float* bias, bool add, MatrixView<float> C, std::size_t k,
              float* panel);
void multiply(Strided<double> A, const double* B, const double* bias, bool add, MatrixView<double> C, std::size_t k,
              double* panel);

// C (k, n) += A' D for n of a few columns; A is (m, k), D (m, n), row by row.
void add_outer(MatrixView<const float> A, const float* D, MatrixView<float> C);
void add_outer(MatrixView<const double> A, const double* D, MatrixView<double> C);

// out (columns, rows) <- A'
void transpose(MatrixView<const float> A, float* out);
void transpose(MatrixView<const double> A, double* out);

// sums (columns) += the rows of A
void add_rows(MatrixView<const float> A, float* sums);
void add_rows(MatrixView<const double> A, double* sums);
void add_to(float* sum, const float* part, std::size_t n);
void add_to(double* sum, const double* part, std::size_t n);

// z <- f(z); softmax and its like are of whole rows, below.
void activate(Unit unit, float* z, std::size_t n);
void activate(Unit unit, double* z, std::size_t n);
// slope <- slope * f'(z), told from a = f(z)
void times_slope(Unit unit, const float* a, float* slope, std::size_t n);
void times_slope(Unit unit, const double* a, double* slope, std::size_t n);
// Rows of Z <- softmax; the sum of the exponentials, less the largest entry, of each row into `sums`.
void softmax_rows(MatrixView<float> Z, double* sums);
void softmax_rows(MatrixView<double> Z, double* sums);

// row <- z = (x - shift) * scale, or x itself where shift is null, with `squash` z / sqrt(1 + (z/3)^2); a hole (NaN) becomes 0.
void scale_row(const float* x, const double* shift, const double* scale, std::size_t n, bool squash, float* row);
void scale_row(const double* x, const double* shift, const double* scale, std::size_t n, bool squash, float* row);
void scale_row(const float* x, const double* shift, const double* scale, std::size_t n, bool squash, double* row);
void scale_row(const double* x, const double* shift, const double* scale, std::size_t n, bool squash, double* row);

// y += a x
void add_scaled(float* y, float a, const float* x, std::size_t n);
void add_scaled(double* y, double a, const double* x, std::size_t n);

// w += share (x - w); the new |w|^2
float pull_towards(const float* x, float share, float* w, std::size_t n);
double pull_towards(const double* x, double share, double* w, std::size_t n);

// One step for n parameters; first and second are the optimiser's own numbers, step counts from 1.
void move(const Move& how, std::uint64_t step, const float* gradient, float* theta, float* first, float* second,
          std::size_t n);
void move(const Move& how, std::uint64_t step, const double* gradient, double* theta, double* first, double* second,
          std::size_t n);

// Number of the row of W (q, d) that is nearest to x: least |w|^2 - 2 w'x, the first of equals; `norms` are |w|^2.
std::size_t nearest_row(const float* x, MatrixView<const float> W, const float* norms);
std::size_t nearest_row(const double* x, MatrixView<const double> W, const double* norms);

}  // namespace lanatus::neural
