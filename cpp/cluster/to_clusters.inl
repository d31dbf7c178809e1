// Included once per instruction set by to_clusters.cpp (no include guard on purpose).
#include "metric/sq_tile.inl"

namespace lanatus::metric::LANATUS_ISA {
namespace {

using cluster::Over;

template <Over over>
LANATUS_INLINE V<double> joined(V<double> so_far, V<double> square) {
    if constexpr (over == Over::sum) {
        V<double> root;
        for (std::size_t l = 0; l < lanes<double>; ++l) root[l] = __builtin_sqrt(square[l]);
        return so_far + root;
    } else if constexpr (over == Over::largest) {
        return square > so_far ? square : so_far;
    } else {
        return square < so_far ? square : so_far;
    }
}

// Keeps one number for each row of the tile and each cluster, lane by lane.
template <Over over>
struct ByCluster {
    double* kept;  // [cluster][tile]
    const std::int32_t* cluster;
    template <std::size_t C>
    LANATUS_INLINE void take(std::size_t first, const V<double> (&score)[C][row_vectors]) {
        for (std::size_t c = 0; c < C; ++c) {
            double* here = kept + static_cast<std::size_t>(cluster[first + c]) * tile<double>;
            for (std::size_t v = 0; v < row_vectors; ++v)
                store(here + v * lanes<double>, joined<over>(load<V<double>>(here + v * lanes<double>), score[c][v]));
        }
    }
};

template <Over over>
void rows_to_clusters(MatrixView<const double> X, const PackedRows<double>& packed, const std::int32_t* cluster,
                      MatrixView<double> out, std::size_t begin, std::size_t end) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double start = over == Over::sum ? 0.0 : over == Over::largest ? -infinity : infinity;
    const TileSpace<double> space(packed);
    const Buffer<double> kept(out.cols * tile<double>);
    for (std::size_t i = begin; i < end; i += tile<double>) {
        const double* rows[tile<double>];
        const std::size_t count = point_at(X, i, end, rows);
        std::fill_n(kept.data(), kept.size(), start);
        ByCluster<over> sink{kept.data(), cluster};
        run<Direct>(rows, packed, space, sink);
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t c = 0; c < out.cols; ++c) out.row(i + r)[c] = kept[c * tile<double> + r];
    }
}

void to_clusters_of(MatrixView<const double> X, const PackedRows<double>& packed, const std::int32_t* cluster,
                    Over over, MatrixView<double> out, std::size_t begin, std::size_t end) {
    switch (over) {
        case Over::sum: rows_to_clusters<Over::sum>(X, packed, cluster, out, begin, end); break;
        case Over::largest: rows_to_clusters<Over::largest>(X, packed, cluster, out, begin, end); break;
        case Over::smallest: rows_to_clusters<Over::smallest>(X, packed, cluster, out, begin, end); break;
    }
}

}  // namespace
}  // namespace lanatus::metric::LANATUS_ISA
