// Vectors of doubles with exp and log, for files that core/foreach_isa.hpp compiles once per instruction set: include it
// inside the namespace to fill (no include guard on purpose). Both functions are right to about one unit in the last
// place.
typedef double V __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
typedef std::int64_t VBits __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
typedef std::uint64_t VWrap __attribute__((vector_size(LANATUS_VECTOR_BYTES)));  // whose sums may go round the end
constexpr std::size_t lanes = LANATUS_VECTOR_BYTES / sizeof(double);

LANATUS_INLINE V load(const double* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
LANATUS_INLINE void store(double* p, V v) { __builtin_memcpy(p, &v, sizeof v); }

LANATUS_INLINE double sum_of(V v) {
    double part[lanes], total = 0;
    store(part, v);
    for (std::size_t i = 0; i < lanes; ++i) total += part[i];
    return total;
}

// exp(x) for -708 <= x <= 0 (below, as at -708): x = n log 2 + r, Taylor in |r| <= log(2) / 2.
LANATUS_INLINE V exp_negative(V x) {
    const V magic = V{} + 0x1.8p52, lowest = V{} - 708.0;
    x = x < lowest ? lowest : x;
    const V shifted = x * 1.4426950408889634 + magic, n = shifted - magic;
    const V r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    V p = V{} + 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const VWrap power = ((VWrap)shifted << 52) + 0x3ff0000000000000u;
    return p * (V)power;
}

// log(x) for a positive, normal x: x = 2^n m with m near 1, log m = 2 artanh((m - 1) / (m + 1)).
LANATUS_INLINE V log_positive(V x) {
    const VBits bits = (VBits)x;
    V m = (V)((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
    // The exponent as a double, by way of the digits of 2^52 + exponent.
    V n = (V)((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023.0);
    const VBits large = m > V{} + 1.4142135623730951;
    m = large ? m * 0.5 : m;
    n = large ? n + 1.0 : n;
    const V s = (m - 1.0) / (m + 1.0), q = s * s;
    V p = V{} + 2.0 / 21.0;
    p = p * q + 2.0 / 19.0;
    p = p * q + 2.0 / 17.0;
    p = p * q + 2.0 / 15.0;
    p = p * q + 2.0 / 13.0;
    p = p * q + 2.0 / 11.0;
    p = p * q + 2.0 / 9.0;
    p = p * q + 2.0 / 7.0;
    p = p * q + 2.0 / 5.0;
    p = p * q + 2.0 / 3.0;
    p = p * q + 2.0;
    return n * 6.93147180559945286227e-01 + s * p;
}
