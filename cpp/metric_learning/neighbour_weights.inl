// Included once per instruction set by neighbour_weights.cpp (no include guard on purpose).
namespace lanatus::metric_learning::LANATUS_ISA {
namespace {

#include "core/vector_math.inl"

LANATUS_INLINE V load_as_double(const double* p) { return load(p); }
LANATUS_INLINE V load_as_double(const float* p) {
    V v;
    for (std::size_t l = 0; l < lanes; ++l) v[l] = static_cast<double>(p[l]);
    return v;
}
LANATUS_INLINE void store_as(double* p, V v) { store(p, v); }
LANATUS_INLINE void store_as(float* p, V v) {
    for (std::size_t l = 0; l < lanes; ++l) p[l] = static_cast<float>(v[l]);
}

template <class T>
double least_of_row(const T* D, const double* squares, std::size_t n) {
    V least = V{} + std::numeric_limits<double>::infinity();
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes) {
        const V away = load(squares + j) - 2.0 * load_as_double(D + j);
        least = away < least ? away : least;
    }
    double found = std::numeric_limits<double>::infinity();
    for (; j < n; ++j) found = std::min(found, squares[j] - 2 * static_cast<double>(D[j]));
    for (std::size_t l = 0; l < lanes; ++l) found = std::min(found, least[l]);
    return found;
}

template <class T>
double exponentials_of(T* D, const double* squares, double least, std::size_t n) {
    V sum{};
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes) {
        const V x = least - (load(squares + j) - 2.0 * load_as_double(D + j));
        const V value = exp_negative(x > 0.0 ? V{} : x);
        store_as(D + j, value);
        sum += value;
    }
    double total = sum_of(sum);
    for (; j < n; ++j) {
        const double value = std::exp(std::min(least - (squares[j] - 2 * static_cast<double>(D[j])), 0.0));
        D[j] = static_cast<T>(value);
        total += value;
    }
    return total;
}

template <class T>
void scale_row(T* D, double factor, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) D[j] = static_cast<T>(static_cast<double>(D[j]) * factor);
}

}  // namespace

void exponential(double* D, const double* squares, double least, std::size_t n, double* sum) {
    *sum = exponentials_of(D, squares, least, n);
}
void exponential(float* D, const double* squares, double least, std::size_t n, double* sum) {
    *sum = exponentials_of(D, squares, least, n);
}
void least_into(const double* D, const double* squares, std::size_t n, double* found) {
    *found = least_of_row(D, squares, n);
}
void least_into(const float* D, const double* squares, std::size_t n, double* found) {
    *found = least_of_row(D, squares, n);
}
void scaled(double* D, double factor, std::size_t n) { scale_row(D, factor, n); }
void scaled(float* D, double factor, std::size_t n) { scale_row(D, factor, n); }

}  // namespace lanatus::metric_learning::LANATUS_ISA
