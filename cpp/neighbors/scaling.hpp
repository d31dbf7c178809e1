// Points and queries divided by a power of two, so that powers of their gaps neither overflow nor vanish. Exact.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/matrix.hpp"
#include "neighbors/nearest.hpp"

namespace lanatus::neighbors {

class Scaled {
  public:
    Scaled(MatrixView<const double> points, const Queries& queries)
        : exponent_(exponent_of(std::max(largest_of(points), largest_of(queries.rows)))), points_(divided(points)),
          queries_(divided(queries.rows)), n_(points.rows), m_(queries.rows.rows), d_(points.cols), own_(queries.own) {}

    MatrixView<const double> points() const noexcept { return {points_.data(), n_, d_}; }
    Queries queries() const noexcept { return {{queries_.data(), m_, d_}, own_}; }
    double length(double scaled) const noexcept { return std::ldexp(scaled, exponent_); }

  private:
    int exponent_;
    Buffer<double> points_, queries_;
    std::size_t n_, m_, d_;
    std::span<const std::int64_t> own_;

    static double largest_of(MatrixView<const double> X) {
        double largest = 0;
        for (std::size_t i = 0; i < X.size(); ++i) largest = std::max(largest, std::abs(X.data[i]));
        return largest;
    }
    static int exponent_of(double largest) {
        int exponent = 0;
        std::frexp(largest, &exponent);
        return exponent;
    }
    Buffer<double> divided(MatrixView<const double> X) const {
        Buffer<double> out(X.size());
        for (std::size_t i = 0; i < X.size(); ++i) out[i] = std::ldexp(X.data[i], -exponent_);
        return out;
    }
};

}  // namespace lanatus::neighbors
