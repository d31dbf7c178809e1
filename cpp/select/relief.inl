// Included once per instruction set by relief.cpp (no include guard on purpose).
namespace lanatus::select::LANATUS_ISA {
namespace {

typedef double V __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
typedef std::int64_t VBits __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
constexpr std::size_t lanes = LANATUS_VECTOR_BYTES / sizeof(double);
constexpr std::size_t wide = 2;  // vectors of rows at a time

LANATUS_INLINE V load(const double* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

template <bool squared>
void tile(const ReliefTask& task, const double* const asked[4], std::size_t at, double* out) {
    V sum[4][wide] = {};
    const VBits magnitude = VBits{} + 0x7fffffffffffffff;
    for (std::size_t c = 0; c < task.d; ++c) {
        const double* column = task.turned + c * task.width + at;
        V x[wide];
        for (std::size_t v = 0; v < wide; ++v) x[v] = load(column + v * lanes);
        for (std::size_t r = 0; r < 4; ++r)
            for (std::size_t v = 0; v < wide; ++v) {
                const V gap = x[v] - asked[r][c];
                if constexpr (squared) sum[r][v] += gap * gap;
                else sum[r][v] += (V)((VBits)gap & magnitude);
            }
    }
    for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t v = 0; v < wide; ++v)
            __builtin_memcpy(out + r * task.width + at + v * lanes, &sum[r][v], sizeof(V));
}

}  // namespace

void four(const ReliefTask& task, const double* const asked[4], double* out) {
    for (std::size_t at = 0; at < task.width; at += wide * lanes) {
        if (task.squared) tile<true>(task, asked, at, out);
        else tile<false>(task, asked, at, out);
    }
}

}  // namespace lanatus::select::LANATUS_ISA
