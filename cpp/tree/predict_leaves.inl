// Included once per instruction set by predict_leaves.cpp (no include guard on purpose).
namespace lanatus::tree::LANATUS_ISA {
namespace {

typedef std::uint8_t V __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
constexpr std::size_t n_vectors = rows_at_once / LANATUS_VECTOR_BYTES;

LANATUS_INLINE V load(const std::uint8_t* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
LANATUS_INLINE V all(std::uint8_t x) { return V{} + x; }
// The lowest set bit's number, for bytes that are not zero.
LANATUS_INLINE V lowest(V x) {
    const V bit = x & (V{} - x);
    return ((V)((bit & all(0xaa)) != 0) & all(1)) + ((V)((bit & all(0xcc)) != 0) & all(2)) +
           ((V)((bit & all(0xf0)) != 0) & all(4));
}

void find_leaves_of(const std::uint8_t* ranks, std::size_t stride, std::span<const PlaneTest> tests,
                    std::span<const std::uint32_t> start, std::uint8_t* leaf) {
    V found[n_vectors] = {}, done[n_vectors] = {};
    for (std::size_t p = 0; p + 1 < start.size(); ++p) {
        V plane[n_vectors];
        for (std::size_t v = 0; v < n_vectors; ++v) plane[v] = all(0xff);
        for (std::uint32_t i = start[p]; i < start[p + 1]; ++i) {
            const PlaneTest test = tests[i];
            const std::uint8_t* at = ranks + test.place * stride;
            const V rank = all(test.rank), keep = all(test.keep);
            for (std::size_t v = 0; v < n_vectors; ++v) plane[v] &= (V)(load(at + v * sizeof(V)) <= rank) | keep;
        }
        for (std::size_t v = 0; v < n_vectors; ++v) {
            const V here = (V)(plane[v] != 0) & ~done[v];
            found[v] |= here & (lowest(plane[v]) + all(static_cast<std::uint8_t>(8 * p)));
            done[v] |= here;
        }
    }
    __builtin_memcpy(leaf, found, sizeof found);
}

}  // namespace
}  // namespace lanatus::tree::LANATUS_ISA
