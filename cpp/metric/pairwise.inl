// Included once per instruction set by pairwise.cpp (no include guard on purpose).
#include "metric/sq_tile.inl"

namespace lanatus::metric::LANATUS_ISA {
namespace {

template <class How, class T>
void pairwise_tiles(MatrixView<const T> X, const PackedRows<T>& packed, std::size_t begin, std::size_t end, T* out,
                    std::size_t row_stride, std::size_t point_stride) {
    const TileSpace<T> space(packed);
    const Buffer<T> scores(packed.n * tile<T>);
    for (std::size_t i = begin; i < end; i += tile<T>) {
        const T* rows[tile<T>];
        const std::size_t count = point_at(X, i, end, rows);
        Everything<T> all{scores.data()};
        run<How>(rows, packed, space, all);
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t c = 0; c < packed.n; ++c)
                out[(i + r) * row_stride + c * point_stride] = scores[c * tile<T> + r];
    }
}

template <class T>
void pairwise_rows_of(MatrixView<const T> X, const PackedRows<T>& packed, std::size_t begin, std::size_t end, T* out,
                      std::size_t row_stride, std::size_t point_stride) {
    pairwise_tiles<Direct>(X, packed, begin, end, out, row_stride, point_stride);
}

template <class T>
void gap_rows_of(MatrixView<const T> X, const PackedRows<T>& packed, bool largest, std::size_t begin, std::size_t end,
                 T* out) {
    if (largest) pairwise_tiles<LargestGap>(X, packed, begin, end, out, packed.n, 1);
    else pairwise_tiles<Gaps>(X, packed, begin, end, out, packed.n, 1);
}

template <class T>
void sq_distance_into(const T* x, const T* y, std::size_t d, T* out) {
    *out = sq_distance_of(x, y, d);
}

}  // namespace
}  // namespace lanatus::metric::LANATUS_ISA
