#include "density/window_leaf.hpp"

#include <type_traits>

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "density/window_leaf.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::density {

void add_windows(const LeafTask& task, const double* panel, const double* rows, const double* w, std::size_t n,
                 double* sums) {
    LANATUS_DISPATCH(windows_of<double>, task, panel, rows, w, n, sums);
}
void add_windows(const LeafTask& task, const float* panel, const float* rows, const float* w, std::size_t n,
                 double* sums) {
    LANATUS_DISPATCH(windows_of<float>, task, panel, rows, w, n, sums);
}
void find_nearest(const LeafTask& task, const double* panel, const double* rows, std::size_t n, double* nearest) {
    LANATUS_DISPATCH(nearest_of, task, panel, rows, n, nearest);
}

}  // namespace lanatus::density
