#include "neural/leaf.hpp"

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "neural/leaf.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::neural {

#define LANATUS_DEFINE(T)                                                                                              \
    void multiply(Strided<T> A, const T* B, const T* bias, bool add, MatrixView<T> C, std::size_t k, T* panel) {       \
        LANATUS_DISPATCH(multiply_of<T>, A, B, bias, add, C, k, panel);                                                \
    }                                                                                                                  \
    void add_outer(MatrixView<const T> A, const T* D, MatrixView<T> C) { LANATUS_DISPATCH(add_outer_of<T>, A, D, C); } \
    void transpose(MatrixView<const T> A, T* out) { LANATUS_DISPATCH(transpose_of<T>, A, out); }                       \
    void add_rows(MatrixView<const T> A, T* sums) { LANATUS_DISPATCH(add_rows_of<T>, A, sums); }                       \
    void add_to(T* sum, const T* part, std::size_t n) { LANATUS_DISPATCH(add_to_of<T>, sum, part, n); }                \
    void add_scaled(T* y, T a, const T* x, std::size_t n) { LANATUS_DISPATCH(add_scaled_of<T>, y, a, x, n); }          \
    void activate(Unit unit, T* z, std::size_t n) { LANATUS_DISPATCH(activate_of<T>, unit, z, n); }                    \
    void times_slope(Unit unit, const T* a, T* slope, std::size_t n) {                                                 \
        LANATUS_DISPATCH(times_slope_of<T>, unit, a, slope, n);                                                        \
    }                                                                                                                  \
    void softmax_rows(MatrixView<T> Z, double* sums) { LANATUS_DISPATCH(softmax_rows_of<T>, Z, sums); }                \
    void move(const Move& how, std::uint64_t step, const T* gradient, T* theta, T* first, T* second, std::size_t n) {  \
        LANATUS_DISPATCH(move_of<T>, how, step, gradient, theta, first, second, n);                                    \
    }

LANATUS_DEFINE(float)
LANATUS_DEFINE(double)

#define LANATUS_DEFINE_SCALING(S, T)                                                                           \
    void scale_row(const S* x, const double* shift, const double* scale, std::size_t n, bool squash, T* row) { \
        LANATUS_DISPATCH(scale_row_of, x, shift, scale, n, squash, row);                                       \
    }

LANATUS_DEFINE_SCALING(float, float)
LANATUS_DEFINE_SCALING(double, float)
LANATUS_DEFINE_SCALING(float, double)
LANATUS_DEFINE_SCALING(double, double)

namespace {
template <class T>
std::size_t nearest(const T* x, MatrixView<const T> W, const T* norms) {
    switch (machine_isa()) {
#if LANATUS_MULTI_ISA
        case Isa::avx512: return isa_v4::nearest_row_of<T>(x, W, norms);
        case Isa::avx2: return isa_v3::nearest_row_of<T>(x, W, norms);
#endif
        default: return isa_base::nearest_row_of<T>(x, W, norms);
    }
}
template <class T>
T pulled(const T* x, T share, T* w, std::size_t n) {
    switch (machine_isa()) {
#if LANATUS_MULTI_ISA
        case Isa::avx512: return isa_v4::pull_towards_of<T>(x, share, w, n);
        case Isa::avx2: return isa_v3::pull_towards_of<T>(x, share, w, n);
#endif
        default: return isa_base::pull_towards_of<T>(x, share, w, n);
    }
}
}  // namespace
float pull_towards(const float* x, float share, float* w, std::size_t n) { return pulled(x, share, w, n); }
double pull_towards(const double* x, double share, double* w, std::size_t n) { return pulled(x, share, w, n); }
std::size_t nearest_row(const float* x, MatrixView<const float> W, const float* norms) { return nearest(x, W, norms); }
std::size_t nearest_row(const double* x, MatrixView<const double> W, const double* norms) {
    return nearest(x, W, norms);
}

}  // namespace lanatus::neural
