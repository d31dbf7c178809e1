#include "cluster/to_clusters.hpp"

#include <limits>

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "cluster/to_clusters.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::metric {

void to_clusters_dispatch(MatrixView<const double> X, const PackedRows<double>& packed, const std::int32_t* cluster,
                          cluster::Over over, MatrixView<double> out, std::size_t begin, std::size_t end) {
    LANATUS_DISPATCH(to_clusters_of, X, packed, cluster, over, out, begin, end);
}

}  // namespace lanatus::metric

namespace lanatus::cluster {

void to_clusters_rows(MatrixView<const double> X, const metric::PackedRows<double>& packed, const std::int32_t* cluster,
                      Over over, MatrixView<double> out, std::size_t begin, std::size_t end) {
    metric::to_clusters_dispatch(X, packed, cluster, over, out, begin, end);
}

}  // namespace lanatus::cluster
