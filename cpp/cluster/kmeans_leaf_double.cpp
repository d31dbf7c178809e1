// The leaves of k-means for double; those for each type are a file of their own, so that two compile at a time.
#include "cluster/kmeans_leaf.hpp"
#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "cluster/kmeans_leaf.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::cluster {

void lloyd_rows(const LloydTask<double>& task, std::size_t begin, std::size_t end, ClusterSums& out) {
    LANATUS_DISPATCH(lloyd_rows_of<double>, task, begin, end, out);
}
void bounded_rows(const BoundedTask<double>& task, std::size_t begin, std::size_t end, ClusterSums& out) {
    LANATUS_DISPATCH(bounded_rows_of<double>, task, begin, end, out);
}
void nearest_rows(MatrixView<const double> X, MatrixView<const double> centers, const PackedRows<double>& packed,
                  std::size_t begin, std::size_t end, std::int32_t* labels, double* sq_dist) {
    LANATUS_DISPATCH(nearest_rows_of<double>, X, centers, packed, begin, end, labels, sq_dist);
}
void two_nearest_rows(MatrixView<const double> X, const PackedRows<double>& packed, std::size_t begin, std::size_t end,
                      double* first, double* second) {
    LANATUS_DISPATCH(two_nearest_rows_of<double>, X, packed, begin, end, first, second);
}

}  // namespace lanatus::cluster
