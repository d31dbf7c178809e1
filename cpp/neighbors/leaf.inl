// Included once per instruction set by leaf.cpp (no include guard on purpose).
#include "metric/sq_tile.inl"

namespace lanatus::neighbors::LANATUS_ISA {
namespace {

using namespace ::lanatus::metric::LANATUS_ISA;

typedef double Double4 __attribute__((vector_size(32)));

constexpr std::size_t point_block = 512;  // points that stay in the cache while the tiles of a chunk pass

// In four partial sums whatever the machine's vectors.
LANATUS_INLINE double exact_sq_distance(const double* x, const double* y, std::size_t d) {
    Double4 sum{};
    std::size_t j = 0;
    for (; j + 4 <= d; j += 4) {
        const Double4 gap = load<Double4>(x + j) - load<Double4>(y + j);
        sum += gap * gap;
    }
    double tail = 0;
    for (; j < d; ++j) tail += (x[j] - y[j]) * (x[j] - y[j]);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + tail;
}

void sq_distances_of(const double* x, const double* rows, std::size_t n, std::size_t d, double* sums) {
    for (std::size_t i = 0; i < n; ++i) sums[i] = exact_sq_distance(x, rows + i * d, d);
}

LANATUS_INLINE bool any(Mask<float> mask) {
    std::uint64_t words[sizeof(mask) / 8], found = 0;
    __builtin_memcpy(words, &mask, sizeof mask);
    for (std::uint64_t word : words) found |= word;
    return found != 0;
}

// The queries of one chunk, and how small the score of a point must be to be worth measuring.
struct Chunk {
    const Screen& screen;
    const Queries& queries;
    const Neighbors& out;
    std::size_t begin, count, tiles;
    Buffer<float> panel;       // tiles x d x tile: the shifted queries, a lane each
    Buffer<double> half_norm;  // of each query, shifted
    Buffer<float> limit;       // a score above it is out

    Chunk(const Screen& screen_, const Queries& queries_, std::size_t begin_, std::size_t end, const Neighbors& out_)
        : screen(screen_), queries(queries_), out(out_), begin(begin_), count(end - begin_),
          tiles((count + tile<float> - 1) / tile<float>), panel(tiles * tile<float> * screen.packed.d),
          half_norm(count), limit(tiles * tile<float>) {
        const std::size_t d = screen.packed.d;
        std::fill_n(panel.data(), panel.size(), 0.0f);
        std::fill_n(limit.data(), limit.size(), -std::numeric_limits<float>::infinity());
        std::fill_n(limit.data(), count, std::numeric_limits<float>::max());
        for (std::size_t r = 0; r < count; ++r) {
            NearestList(out, begin + r).clear();
            const double* x = queries.rows.row(begin + r);
            double norm = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const double value = x[j] - screen.middle[j];
                panel[(r / tile<float> * d + j) * tile<float> + r % tile<float>] = static_cast<float>(value);
                norm += value * value;
            }
            half_norm[r] = norm / 2;
        }
    }

    // Query r of the chunk meets point p, whose score is small enough.
    __attribute__((noinline)) void measure(std::size_t r, std::size_t p) {
        if (queries.excludes(begin + r, p)) return;
        NearestList best(out, begin + r);
        best.offer(exact_sq_distance(queries.rows.row(begin + r), screen.exact.row(p), screen.packed.d), p);
        if (!best.full()) return;
        const double bound = best.farthest() / 2 - half_norm[r] * (1 - 2 * screen.slack);
        limit[r] = std::nextafter(static_cast<float>(bound), std::numeric_limits<float>::infinity());
    }
};

// The sink of the tile: points with a score below the limit are measured.
struct Screening {
    Chunk& chunk;
    std::size_t first_row;

    template <std::size_t C>
    LANATUS_INLINE void take(std::size_t first, const V<float> (&score)[C][row_vectors]) {
        const float* limit = chunk.limit.data() + first_row;
        Mask<float> near{};
        for (std::size_t v = 0; v < row_vectors; ++v) {
            const V<float> most = load<V<float>>(limit + v * lanes<float>);
            for (std::size_t c = 0; c < C; ++c) near |= score[c][v] <= most;
        }
        if (!any(near)) [[likely]]
            return;
        for (std::size_t c = 0; c < C; ++c)
            for (std::size_t v = 0; v < row_vectors; ++v)
                for (std::size_t lane = 0; lane < lanes<float>; ++lane)
                    if (const std::size_t r = v * lanes<float> + lane; score[c][v][lane] <= limit[r])
                        chunk.measure(first_row + r, first + c);
    }
};

void screen_points_of(const Screen& screen, const Queries& queries, std::size_t begin, std::size_t end,
                      const Neighbors& out) {
    Chunk chunk(screen, queries, begin, end, out);
    const std::size_t n = screen.packed.n, d = screen.packed.d;
    for (std::size_t p = 0; p < n; p += point_block)
        for (std::size_t t = 0; t < chunk.tiles; ++t) {
            Screening sink{chunk, t * tile<float>};
            score_panel<Expanded>(chunk.panel.data() + t * tile<float> * d, 0, d, screen.packed, p,
                                  std::min(n, p + point_block), static_cast<float*>(nullptr), true, true, sink);
        }
}

}  // namespace
}  // namespace lanatus::neighbors::LANATUS_ISA
