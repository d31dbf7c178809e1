// Included once per instruction set by leaf.cpp (no include guard on purpose).
#include "metric/sq_tile.inl"

namespace lanatus::neighbors::LANATUS_ISA {
namespace {

using namespace ::lanatus::metric::LANATUS_ISA;

constexpr std::size_t point_block = 512;  // points that stay in the cache while the tiles of a chunk pass

LANATUS_INLINE bool any(Mask<float> mask) {
    std::uint64_t words[sizeof(mask) / 8], found = 0;
    __builtin_memcpy(words, &mask, sizeof mask);
    for (std::uint64_t word : words) found |= word;
    return found != 0;
}

// The queries of one chunk, and how small the score of a point must be to be worth measuring.
template <class T>
struct Chunk {
    const Screen<T>& screen;
    const Queries<T>& queries;
    std::size_t begin, count, tiles;
    Buffer<float> panel;       // tiles x d x tile: the shifted queries, a lane each
    Buffer<double> half_norm;  // of each query, shifted
    Buffer<float> limit;       // a score above it is out

    Chunk(const Screen<T>& screen_, const Queries<T>& queries_, std::size_t begin_, std::size_t end)
        : screen(screen_), queries(queries_), begin(begin_), count(end - begin_),
          tiles((count + tile<float> - 1) / tile<float>), panel(tiles * tile<float> * screen.packed.d),
          half_norm(count), limit(tiles * tile<float>) {
        const std::size_t d = screen.packed.d;
        std::fill_n(panel.data(), panel.size(), 0.0f);
        std::fill_n(limit.data(), limit.size(), -std::numeric_limits<float>::infinity());
        std::fill_n(limit.data(), count, std::numeric_limits<float>::max());
        for (std::size_t r = 0; r < count; ++r) {
            const T* x = queries.rows.row(begin + r);
            double norm = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const double value = static_cast<double>(x[j]) - screen.middle[j];
                panel[(r / tile<float> * d + j) * tile<float> + r % tile<float>] = static_cast<float>(value);
                norm += value * value;
            }
            half_norm[r] = norm / 2;
        }
    }

    // Points farther than this squared distance from query r are out.
    void confine(std::size_t r, double sq_distance) const {
        const double bound = sq_distance / 2 - half_norm[r] * (1 - 2 * screen.slack);
        limit[r] = std::nextafter(static_cast<float>(bound), std::numeric_limits<float>::infinity());
    }
    double measure(std::size_t r, std::size_t p) const {
        return exact_sq_distance(queries.rows.row(begin + r), screen.exact.row(p), 1, screen.packed.d);
    }

    // sink.meet(r, p) for the query r of the chunk and each point p whose score is small enough.
    template <class Sink>
    void meet_all(Sink& sink) const;
};

// What the tile does with its scores.
template <class T, class Sink>
struct Screening {
    const Chunk<T>& chunk;
    std::size_t first_row;
    Sink& sink;

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
                        sink.meet(first_row + r, first + c);
    }
};

template <class T>
template <class Sink>
void Chunk<T>::meet_all(Sink& sink) const {
    const std::size_t n = screen.packed.n, d = screen.packed.d;
    for (std::size_t p = 0; p < n; p += point_block)
        for (std::size_t t = 0; t < tiles; ++t) {
            Screening<T, Sink> screening{*this, t * tile<float>, sink};
            score_panel<Expanded>(panel.data() + t * tile<float> * d, 0, d, screen.packed, p,
                                  std::min(n, p + point_block), static_cast<float*>(nullptr), true, true, screening);
        }
}

template <class T>
struct NearestMeeting {
    const Chunk<T>& chunk;
    std::vector<NearestList>& best;

    __attribute__((noinline)) void meet(std::size_t r, std::size_t p) {
        if (chunk.queries.excludes(chunk.begin + r, p)) return;
        best[r].offer(chunk.measure(r, p), p);
        if (best[r].full()) chunk.confine(r, best[r].farthest());
    }
};

template <class T>
struct RadiusMeeting {
    const Chunk<T>& chunk;
    const Radii& radii;
    std::vector<FoundWithin>& found;

    __attribute__((noinline)) void meet(std::size_t r, std::size_t p) {
        const double distance = std::sqrt(chunk.measure(r, p));
        if (!(distance <= radii.of(chunk.begin + r)) || chunk.queries.excludes(chunk.begin + r, p)) return;
        found[r].point.push_back(static_cast<std::int32_t>(p));
        found[r].distance.push_back(distance);
    }
};

template <class T>
void screen_nearest_of(const Screen<T>& screen, const Queries<T>& queries, std::size_t begin, std::size_t end,
                       const Neighbors<T>& out) {
    const Chunk<T> chunk(screen, queries, begin, end);
    std::vector<NearestList> best(end - begin, NearestList(out.k));
    NearestMeeting<T> meeting{chunk, best};
    chunk.meet_all(meeting);
    for (std::size_t r = 0; r < best.size(); ++r)
        best[r].write(out, begin + r, [](double sum) { return std::sqrt(sum); });
}

template <class T>
void screen_within_of(const Screen<T>& screen, const Queries<T>& queries, const Radii& radii, std::size_t begin,
                      std::size_t end, FoundWithin& out) {
    const Chunk<T> chunk(screen, queries, begin, end);
    std::vector<FoundWithin> found(end - begin);
    for (std::size_t r = 0; r < found.size(); ++r) {
        const double radius = radii.of(begin + r);
        if (radius >= 0) chunk.confine(r, radius * radius * (1 + 1e-12));
        else chunk.limit[r] = -std::numeric_limits<float>::infinity();
    }
    RadiusMeeting<T> meeting{chunk, radii, found};
    chunk.meet_all(meeting);
    for (const FoundWithin& one : found) {
        out.point.insert(out.point.end(), one.point.begin(), one.point.end());
        out.distance.insert(out.distance.end(), one.distance.begin(), one.distance.end());
        out.ends.push_back(out.point.size());
    }
}

}  // namespace
}  // namespace lanatus::neighbors::LANATUS_ISA
