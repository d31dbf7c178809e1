// Minkowski's distances (book 9.3): (sum_j |x_j - y_j|^p)^(1/p), p >= 1; p = infinity is the largest gap.
//
// A distance is a small type with two steps: `add` takes in the gap of one coordinate, `length` turns the sum into the
// distance. Order is the same by sum and by length, so searches compare sums. The next distance that is built up
// coordinate by coordinate is one more such type.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lanatus::metric {

struct Euclidean {
    double add(double sum, double gap) const noexcept { return sum + gap * gap; }
    double length(double sum) const noexcept { return std::sqrt(sum); }
};
struct Manhattan {
    double add(double sum, double gap) const noexcept { return sum + std::abs(gap); }
    double length(double sum) const noexcept { return sum; }
};
struct Chebyshev {
    double add(double sum, double gap) const noexcept { return std::max(sum, std::abs(gap)); }
    double length(double sum) const noexcept { return sum; }
};
struct Minkowski {
    double p;
    int whole;  // p, where it is a small whole number: products are ten times as fast as powers

    explicit Minkowski(double p_) : p(p_), whole(p_ <= 16 && p_ == std::floor(p_) ? static_cast<int>(p_) : 0) {}
    double add(double sum, double gap) const noexcept {
        const double size = std::abs(gap);
        if (!whole) return sum + std::pow(size, p);
        double power = size;
        for (int i = 1; i < whole; ++i) power *= size;
        return sum + power;
    }
    double length(double sum) const noexcept { return std::pow(sum, 1 / p); }
};

// visit(the distance of order p)
template <class Visit>
auto with_order(double p, const Visit& visit) {
    if (p == 2) return visit(Euclidean{});
    if (p == 1) return visit(Manhattan{});
    if (std::isinf(p)) return visit(Chebyshev{});
    return visit(Minkowski{p});
}

template <class Distance>
double distance_sum(const Distance& distance, const double* x, const double* y, std::size_t d) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum = distance.add(sum, x[j] - y[j]);
    return sum;
}

// Least and largest distance (as sums) between the points of two boxes.
struct Reach {
    double nearest, farthest;
};
template <class Distance>
Reach reach(const Distance& distance, const double* low_a, const double* high_a, const double* low_b,
            const double* high_b, std::size_t d) {
    Reach out{0, 0};
    for (std::size_t j = 0; j < d; ++j) {
        const double up = high_a[j] - low_b[j], down = high_b[j] - low_a[j];
        out.nearest = distance.add(out.nearest, std::max(0.0, std::max(-up, -down)));
        out.farthest = distance.add(out.farthest, std::max(up, down));
    }
    return out;
}

// The least one alone, from a point.
template <class Distance>
double gap_to_box(const Distance& distance, const double* x, const double* low, const double* high, std::size_t d) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum = distance.add(sum, std::max(0.0, std::max(low[j] - x[j], x[j] - high[j])));
    return sum;
}

}  // namespace lanatus::metric
