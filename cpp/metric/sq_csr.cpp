#include "metric/sq_csr.hpp"

#include "core/simd.hpp"

namespace lanatus::metric {

namespace {

template <class T>
LANATUS_INLINE double score(const T* values, const std::int32_t* columns, std::size_t entries, const double* points,
                            const double* half_norm, std::size_t stride, double* __restrict scores) {
    for (std::size_t c = 0; c < stride; ++c) scores[c] = half_norm[c];
    double norm = 0;
    for (std::size_t e = 0; e < entries; ++e) {
        const auto x = static_cast<double>(values[e]);
        const double* row = points + static_cast<std::size_t>(columns[e]) * stride;
        norm += x * x;
        for (std::size_t c = 0; c < stride; ++c) scores[c] -= x * row[c];
    }
    return norm;
}

LANATUS_CLONES double score_leaf(const float* values, const std::int32_t* columns, std::size_t entries,
                                 const ColumnPoints& points, double* scores) {
    return score(values, columns, entries, points.values.data(), points.half_norm.data(), points.stride, scores);
}
LANATUS_CLONES double score_leaf(const double* values, const std::int32_t* columns, std::size_t entries,
                                 const ColumnPoints& points, double* scores) {
    return score(values, columns, entries, points.values.data(), points.half_norm.data(), points.stride, scores);
}

}  // namespace

double score_row(const CsrView<float>::Row& x, const ColumnPoints& points, double* scores) {
    return score_leaf(x.values.data(), x.columns.data(), x.values.size(), points, scores);
}
double score_row(const CsrView<double>::Row& x, const ColumnPoints& points, double* scores) {
    return score_leaf(x.values.data(), x.columns.data(), x.values.size(), points, scores);
}

}  // namespace lanatus::metric
