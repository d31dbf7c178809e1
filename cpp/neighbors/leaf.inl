// Included once per instruction set by neighbors.cpp (no include guard on purpose).
namespace lanatus::imbalance::LANATUS_ISA {
namespace {

typedef float Lanes __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
typedef decltype(Lanes{} < Lanes{}) Mask;
typedef double Double4 __attribute__((vector_size(32)));

constexpr std::size_t lanes = LANATUS_VECTOR_BYTES / sizeof(float);
constexpr std::size_t columns_of_lanes = 3;                          // what fits the registers, four points at a time
constexpr std::size_t strip = columns_of_lanes * lanes;              // asking rows in flight
static_assert(query_tile % strip == 0);

template <class Vector, class T>
LANATUS_INLINE Vector load(const T* p) {
    Vector v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

LANATUS_INLINE bool any(Mask mask) {
    std::uint64_t words[sizeof(Mask) / 8], found = 0;
    __builtin_memcpy(words, &mask, sizeof mask);
    for (std::uint64_t word : words) found |= word;
    return found != 0;
}

LANATUS_INLINE double sq_distance_of(const double* x, const double* y, std::size_t d) {
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

// Row r of the chunk meets point p. Points come in order, so an equal distance met later ranks later.
void consider(const Screen& screen, std::span<const std::int64_t> rows, std::size_t r, std::size_t p, Nearest& best) {
    const auto own = static_cast<std::size_t>(rows[r]);
    if (p == own || p >= screen.n) return;
    const double found = sq_distance_of(screen.row(own), screen.row(p), screen.d);
    double* sq_dist = best.sq_dist.data() + r * best.k;
    std::int32_t* which = best.which.data() + r * best.k;
    std::size_t at = best.k - 1;
    if (which[at] >= 0 && found >= sq_dist[at]) return;
    for (; at > 0 && (which[at - 1] < 0 || sq_dist[at - 1] > found); --at) {
        sq_dist[at] = sq_dist[at - 1];
        which[at] = which[at - 1];
    }
    sq_dist[at] = found;
    which[at] = static_cast<std::int32_t>(p);
    if (which[best.k - 1] >= 0) {
        const double limit = sq_dist[best.k - 1] / 2 - best.half_norm[r] * (1 - 2 * screen.slack);
        best.limit[r] = std::nextafter(static_cast<float>(limit), std::numeric_limits<float>::infinity());
    }
}

void screen_points_of(const Screen& screen, std::span<const std::int64_t> rows, std::size_t begin, std::size_t end,
                      Nearest& best) {
    const std::size_t d = screen.d;
    for (std::size_t first = 0; first < rows.size(); first += strip) {
        const float* panel = best.panel.data() + first / query_tile * query_tile * d + first % query_tile;
        for (std::size_t p = begin; p < end; p += point_group) {
            const float* points = screen.packed.data() + p * d;
            Lanes score[point_group][columns_of_lanes];
            for (std::size_t c = 0; c < point_group; ++c)
                for (std::size_t v = 0; v < columns_of_lanes; ++v) score[c][v] = Lanes{} + screen.start[p + c];
            for (std::size_t j = 0; j < d; ++j) {
                Lanes x[columns_of_lanes];
                for (std::size_t v = 0; v < columns_of_lanes; ++v)
                    x[v] = load<Lanes>(panel + j * query_tile + v * lanes);
                for (std::size_t c = 0; c < point_group; ++c)
                    for (std::size_t v = 0; v < columns_of_lanes; ++v) score[c][v] -= x[v] * points[j * point_group + c];
            }
            Mask near{};
            Lanes limit[columns_of_lanes];
            for (std::size_t v = 0; v < columns_of_lanes; ++v) {
                limit[v] = load<Lanes>(best.limit.data() + first + v * lanes);
                for (std::size_t c = 0; c < point_group; ++c) near |= score[c][v] <= limit[v];
            }
            if (!any(near)) [[likely]]
                continue;
            for (std::size_t c = 0; c < point_group; ++c)
                for (std::size_t v = 0; v < columns_of_lanes; ++v)
                    for (std::size_t lane = 0; lane < lanes; ++lane)
                        if (const std::size_t r = first + v * lanes + lane; score[c][v][lane] <= best.limit[r])
                            consider(screen, rows, r, p + c, best);
        }
    }
}

}  // namespace
}  // namespace lanatus::imbalance::LANATUS_ISA
