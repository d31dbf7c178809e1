#include "metric/pairwise.hpp"

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "metric/pairwise.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::metric {

#define LANATUS_DEFINE(T)                                                                                              \
    void pairwise_rows(MatrixView<const T> X, const PackedRows<T>& packed, std::size_t begin, std::size_t end, T* out, \
                       std::size_t row_stride, std::size_t point_stride) {                                             \
        LANATUS_DISPATCH(pairwise_rows_of<T>, X, packed, begin, end, out, row_stride, point_stride);                   \
    }                                                                                                                  \
    void gap_rows(MatrixView<const T> X, const PackedRows<T>& packed, bool largest, std::size_t begin,                 \
                  std::size_t end, T* out) {                                                                           \
        LANATUS_DISPATCH(gap_rows_of<T>, X, packed, largest, begin, end, out);                                         \
    }                                                                                                                  \
    T sq_distance(const T* x, const T* y, std::size_t d) {                                                             \
        T out;                                                                                                         \
        LANATUS_DISPATCH(sq_distance_into<T>, x, y, d, &out);                                                          \
        return out;                                                                                                    \
    }

LANATUS_DEFINE(float)
LANATUS_DEFINE(double)

}  // namespace lanatus::metric
