#include "linear/logistic_leaf.hpp"

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "linear/logistic_leaf.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::logistic {

void loss_terms(const Loss& of, const double* z, const double* y, const double* w, std::size_t n, double* loss,
                double* residual, double* curvature) {
    LANATUS_DISPATCH(loss_terms_of, of, z, y, w, n, loss, residual, curvature);
}
void softmax_terms(double* z, const std::int32_t* y, const double* w, std::size_t rows, std::size_t classes,
                   std::size_t width, double* loss, double* residual) {
    LANATUS_DISPATCH(softmax_terms_of, z, y, w, rows, classes, width, loss, residual);
}
void softmax_curvature(double* z, const double* shares, const double* w, std::size_t rows, std::size_t classes,
                       std::size_t width) {
    LANATUS_DISPATCH(softmax_curvature_of, z, shares, w, rows, classes, width);
}

#define LANATUS_DEFINE(T)                                                                                             \
    void binary_rows(const BinaryTask<T>& task, std::size_t begin, std::size_t end, BinarySums& out) {                \
        LANATUS_DISPATCH(binary_rows_of<T>, task, begin, end, out);                                                   \
    }                                                                                                                 \
    void curved_rows(MatrixView<const T> X, const double* curvature, const double* v, std::size_t begin,              \
                     std::size_t end, double* out) {                                                                  \
        LANATUS_DISPATCH(curved_rows_of<T>, X, curvature, v, begin, end, out);                                        \
    }                                                                                                                 \
    void multinomial_rows(const MultinomialTask<T>& task, std::size_t begin, std::size_t end, MultinomialSums& out) { \
        LANATUS_DISPATCH(multinomial_rows_of<T>, task, begin, end, out);                                              \
    }                                                                                                                 \
    void multinomial_product_rows(const MultinomialProduct<T>& task, std::size_t begin, std::size_t end,              \
                                  double* out) {                                                                      \
        LANATUS_DISPATCH(multinomial_product_rows_of<T>, task, begin, end, out);                                      \
    }                                                                                                                 \
    void scatter_rows(const ScatterTask<T>& task, std::size_t begin, std::size_t end, ScatterSums& out) {             \
        LANATUS_DISPATCH(scatter_rows_of<T>, task, begin, end, out);                                                  \
    }

LANATUS_DEFINE(float)
LANATUS_DEFINE(double)

}  // namespace lanatus::logistic
