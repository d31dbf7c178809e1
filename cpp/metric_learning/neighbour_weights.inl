// Included once per instruction set by neighbour_weights.cpp (no include guard on purpose).
namespace lanatus::metric_learning::LANATUS_ISA {
namespace {

#include "core/vector_math.inl"

template <class T>
void exponentials_of(T* D, const double* squares, double least, std::size_t n) {
    std::size_t j = 0;
    double part[lanes];
    for (; j + lanes <= n; j += lanes) {
        for (std::size_t l = 0; l < lanes; ++l) part[l] = static_cast<double>(D[j + l]);
        V x = least - (load(squares + j) - 2.0 * load(part));
        x = x > 0.0 ? V{} : x;  // the row itself may be nearer than the least of the others
        store(part, exp_negative(x));
        for (std::size_t l = 0; l < lanes; ++l) D[j + l] = static_cast<T>(part[l]);
    }
    for (; j < n; ++j) {
        const double x = least - (squares[j] - 2.0 * static_cast<double>(D[j]));
        D[j] = static_cast<T>(std::exp(x > 0 ? 0.0 : x));
    }
}

}  // namespace

void exponentials(double* D, const double* squares, double least, std::size_t n) {
    exponentials_of(D, squares, least, n);
}
void exponentials(float* D, const double* squares, double least, std::size_t n) {
    exponentials_of(D, squares, least, n);
}

}  // namespace lanatus::metric_learning::LANATUS_ISA
