#include "cluster/kmeans_leaf.hpp"

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "cluster/kmeans_leaf.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::cluster {

#define LANATUS_DEFINE(T)                                                                                              \
    void lloyd_rows(const LloydTask<T>& task, std::size_t begin, std::size_t end, ClusterSums& out) {                  \
        LANATUS_DISPATCH(lloyd_rows_of<T>, task, begin, end, out);                                                     \
    }                                                                                                                  \
    void bounded_rows(const BoundedTask<T>& task, std::size_t begin, std::size_t end, ClusterSums& out) {              \
        LANATUS_DISPATCH(bounded_rows_of<T>, task, begin, end, out);                                                   \
    }                                                                                                                  \
    void nearest_rows(MatrixView<const T> X, MatrixView<const T> centers, const PackedCenters<T>& packed,              \
                      std::size_t begin, std::size_t end, std::int32_t* labels, double* sq_dist) {                     \
        LANATUS_DISPATCH(nearest_rows_of<T>, X, centers, packed, begin, end, labels, sq_dist);                         \
    }                                                                                                                  \
    void two_nearest_rows(MatrixView<const T> X, const PackedCenters<T>& packed, std::size_t begin, std::size_t end,   \
                          T* first, T* second) {                                                                       \
        LANATUS_DISPATCH(two_nearest_rows_of<T>, X, packed, begin, end, first, second);                                \
    }                                                                                                                  \
    void pairwise_rows(MatrixView<const T> X, const PackedCenters<T>& packed, std::size_t begin, std::size_t end,      \
                       T* out, std::size_t row_stride, std::size_t center_stride) {                                    \
        LANATUS_DISPATCH(pairwise_rows_of<T>, X, packed, begin, end, out, row_stride, center_stride);                  \
    }                                                                                                                  \
    T sq_distance(const T* x, const T* y, std::size_t d) {                                                             \
        T out;                                                                                                         \
        LANATUS_DISPATCH(sq_distance_into<T>, x, y, d, &out);                                                          \
        return out;                                                                                                    \
    }

LANATUS_DEFINE(float)
LANATUS_DEFINE(double)

}  // namespace lanatus::cluster
