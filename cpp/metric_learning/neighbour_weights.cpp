#include "metric_learning/neighbour_weights.hpp"

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "metric_learning/neighbour_weights.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::metric_learning {

void exponentials(double* D, const double* squares, double least, std::size_t n) {
    LANATUS_DISPATCH(exponentials, D, squares, least, n);
}
void exponentials(float* D, const double* squares, double least, std::size_t n) {
    LANATUS_DISPATCH(exponentials, D, squares, least, n);
}

}  // namespace lanatus::metric_learning
