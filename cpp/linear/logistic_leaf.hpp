// The hot loops of logistic regression and of class scatters, run on a range of rows by one thread. Compiled once per
// instruction set from logistic_leaf.inl; the functions here pick the machine's. Sums are double for either type of X.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::logistic {

// Columns of a panel: the features, one of ones for the intercept, zeros up to whole tiles. Not a multiple of 512 bytes,
// lest all rows of a panel fall on the same cache lines.
inline std::size_t panel_width(std::size_t columns) {
    const std::size_t width = (columns + 7) / 8 * 8;
    return width % 64 == 0 ? width + 8 : width;
}

// Rows taken together so that they stay in the second cache.
inline std::size_t block_rows(std::size_t row_bytes) {
    return std::clamp<std::size_t>((std::size_t{96} << 10) / std::max<std::size_t>(row_bytes, 1), 8, 128) / 4 * 4;
}

// The loss of a row's score z: with s = 2y - 1 for y of 0 and 1, log(1 + exp(-s z)) or max(0, 1 - s z)^2; for a number y,
// max(0, |z - y| - epsilon)^2.
enum class Form { logistic, squared_hinge, squared_tube };
struct Loss {
    Form form = Form::logistic;
    double epsilon = 0;
};

// Losses of n scores at a time. loss is added to; curvature may be null.
//   residual = w l'(z),   curvature = w l''(z): with logistic loss w (p - y) and w p (1 - p)
void loss_terms(const Loss& of, const double* z, const double* y, const double* w, std::size_t n, double* loss,
                double* residual, double* curvature);

template <class T>
struct BinaryTask {
    MatrixView<const T> X;
    Loss loss;
    const double* y;
    const double* w;     // or null
    const double* coef;  // d numbers, then the intercept
    double* curvature;   // n, or null
    bool hessian;
};

// Loss, gradient (d + 1) and, where asked, the upper triangle of the Hessian (width x width).
struct BinarySums {
    double loss = 0;
    std::vector<double> gradient;
    Buffer<double> hessian;
};

void binary_rows(const BinaryTask<float>&, std::size_t begin, std::size_t end, BinarySums&);
void binary_rows(const BinaryTask<double>&, std::size_t begin, std::size_t end, BinarySums&);

// out (d + 1) += X' (curvature * (X v)), the last entry of v being that of the intercept
void curved_rows(MatrixView<const float> X, const double* curvature, const double* v, std::size_t begin,
                 std::size_t end, double* out);
void curved_rows(MatrixView<const double> X, const double* curvature, const double* v, std::size_t begin,
                 std::size_t end, double* out);

// Several classes. Coefficients are (d + 1, width), feature by feature, classes padded with zeros to `width`.
inline std::size_t class_width(std::size_t classes) { return (classes + 3) / 4 * 4; }

template <class T>
struct MultinomialTask {
    MatrixView<const T> X;
    const std::int32_t* y;
    const double* w;  // or null
    const double* coef;
    std::size_t classes;
    double* shares;  // (n, classes) probabilities out, or null
};

struct MultinomialSums {
    double loss = 0;
    std::vector<double> gradient;  // (d + 1, width)
};

void multinomial_rows(const MultinomialTask<float>&, std::size_t begin, std::size_t end, MultinomialSums&);
void multinomial_rows(const MultinomialTask<double>&, std::size_t begin, std::size_t end, MultinomialSums&);

// Rows of scores (rows, width) -> probabilities in place; loss added to, residual w (p - onehot(y)) written.
void softmax_terms(double* z, const std::int32_t* y, const double* w, std::size_t rows, std::size_t classes,
                   std::size_t width, double* loss, double* residual);

// The product of the Hessian at probabilities `shares` with a direction (d + 1, width), added to out.
template <class T>
struct MultinomialProduct {
    MatrixView<const T> X;
    const double* shares;  // (n, classes)
    const double* w;       // or null
    const double* direction;
    std::size_t classes;
};
void multinomial_product_rows(const MultinomialProduct<float>&, std::size_t begin, std::size_t end, double* out);
void multinomial_product_rows(const MultinomialProduct<double>&, std::size_t begin, std::size_t end, double* out);

// z <- w p * (z - sum p z), row by row
void softmax_curvature(double* z, const double* shares, const double* w, std::size_t rows, std::size_t classes,
                       std::size_t width);

// Per class c: mass, sum of w (x - shift_c); and over all classes the scatter sum of w (x - shift_c)(x - shift_c)'.
template <class T>
struct ScatterTask {
    MatrixView<const T> X;
    const std::int32_t* y;  // negative: left out
    const double* w;        // or null
    const double* shift;    // (classes, d)
    std::size_t classes;
};
struct ScatterSums {
    std::vector<double> mass, sums;
    Buffer<double> scatter;  // (width, width), upper triangle
};
void scatter_rows(const ScatterTask<float>&, std::size_t begin, std::size_t end, ScatterSums&);
void scatter_rows(const ScatterTask<double>&, std::size_t begin, std::size_t end, ScatterSums&);

}  // namespace lanatus::logistic
