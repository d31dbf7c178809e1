#include "metric_learning/neighbour_weights.hpp"

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "metric_learning/neighbour_weights.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::metric_learning {

double least_of(const double* D, const double* squares, std::size_t n) {
    double found = 0;
    LANATUS_DISPATCH(least_into, D, squares, n, &found);
    return found;
}
double exponentials(double* D, const double* squares, double least, std::size_t n) {
    double sum = 0;
    LANATUS_DISPATCH(exponential, D, squares, least, n, &sum);
    return sum;
}
void scale(double* D, double factor, std::size_t n) { LANATUS_DISPATCH(scaled, D, factor, n); }

double least_of(const float* D, const double* squares, std::size_t n) {
    double found = 0;
    LANATUS_DISPATCH(least_into, D, squares, n, &found);
    return found;
}
double exponentials(float* D, const double* squares, double least, std::size_t n) {
    double sum = 0;
    LANATUS_DISPATCH(exponential, D, squares, least, n, &sum);
    return sum;
}
void scale(float* D, double factor, std::size_t n) { LANATUS_DISPATCH(scaled, D, factor, n); }

}  // namespace lanatus::metric_learning
