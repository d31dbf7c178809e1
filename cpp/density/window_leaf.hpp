// The hot loop of kernel densities: windows of some rows at some queries, added up by one thread. Compiled once per
// instruction set from window_leaf.inl; the functions here pick the machine's.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "metric/minkowski.hpp"

namespace lanatus::density {

enum class Metric { euclidean, manhattan, chebyshev };

// visit(the distance)
template <class Visit>
auto with_metric(Metric metric, const Visit& visit) {
    switch (metric) {
        case Metric::euclidean: return visit(metric::Euclidean{});
        case Metric::manhattan: return visit(metric::Manhattan{});
        default: return visit(metric::Chebyshev{});
    }
}

enum class Window { gaussian, tophat, epanechnikov, exponential, linear, cosine, box };

// K(r / h). tophat is open at r = h, box is closed.
struct WindowSpec {
    Window window;
    Metric metric;
    double h;
    bool exclude_self;  // rows at distance 0 count for nothing

    bool has_tails() const noexcept { return window == Window::gaussian || window == Window::exponential; }
};

constexpr std::size_t query_group = 16;  // queries are padded to a multiple of it

// The panel is (d, n_queries): a query each column. shift (n_queries), or null, is added to log K of windows with tails.
struct LeafTask {
    WindowSpec spec;
    std::size_t d, n_queries;
    const double* shift;
};

// sums[q] += sum over rows of w K(|q - row| / h) exp(shift[q])

void add_windows(const LeafTask&, const double* panel, const double* rows, const double* w, std::size_t n,
                 double* sums);
void add_windows(const LeafTask&, const float* panel, const float* rows, const float* w, std::size_t n, double* sums);

// nearest[q] <- the least distance (as a sum, see metric/minkowski.hpp) to a row, if below what it was
void find_nearest(const LeafTask&, const double* panel, const double* rows, std::size_t n, double* nearest);

}  // namespace lanatus::density
