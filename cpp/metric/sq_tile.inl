// The register tile of squared distances: a block of rows against a block of points. Included once per instruction set,
// at the head of an .inl of its own, by every kernel that compares all rows with all points (no include guard on purpose).
//
// The tile computes 3 vectors of rows x 4 points in twelve vector registers. A lane is a row: the rows of a tile are
// transposed into a small panel, the points' coordinates are broadcast, and what a sink does with the scores (keep the
// smallest, keep them all, pass a limit) is done lane by lane with no horizontal step.
namespace lanatus::metric::LANATUS_ISA {
namespace {

template <class T>
struct Vec;
template <>
struct Vec<float> {
    typedef float V __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
    typedef float Half __attribute__((vector_size(16)));
    typedef float Four __attribute__((vector_size(16)));
};
template <>
struct Vec<double> {
    typedef double V __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
    typedef double Half __attribute__((vector_size(16)));
    typedef double Four __attribute__((vector_size(32)));
};
template <class T>
using V = typename Vec<T>::V;
template <class T>
using Mask = decltype(V<T>{} < V<T>{});

template <class T>
constexpr std::size_t lanes = LANATUS_VECTOR_BYTES / sizeof(T);
template <class T>
constexpr std::size_t quad = 16 / sizeof(T);  // columns transposed at a time
constexpr std::size_t row_vectors = 3;
template <class T>
constexpr std::size_t tile = row_vectors * lanes<T>;
static_assert(tile<float> <= widest_tile);

template <class Vector, class T>
LANATUS_INLINE Vector load(const T* p) {
    Vector v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
template <class Vector, class T>
LANATUS_INLINE void store(T* p, Vector v) {
    __builtin_memcpy(p, &v, sizeof v);
}

// ---- transposition: rows[0 .. lanes) at columns [0, quad) -> one vector per column

#if LANATUS_VECTOR_BYTES == 32
LANATUS_INLINE V<float> pair(const float* low, const float* high) {
    using H = Vec<float>::Half;
    return __builtin_shufflevector(load<H>(low), load<H>(high), 0, 1, 2, 3, 4, 5, 6, 7);
}
LANATUS_INLINE V<double> pair(const double* low, const double* high) {
    using H = Vec<double>::Half;
    return __builtin_shufflevector(load<H>(low), load<H>(high), 0, 1, 2, 3);
}
LANATUS_INLINE void transpose(const float* const* rows, std::size_t j, V<float>* out) {
    const V<float> a = pair(rows[0] + j, rows[4] + j), b = pair(rows[1] + j, rows[5] + j);
    const V<float> c = pair(rows[2] + j, rows[6] + j), d = pair(rows[3] + j, rows[7] + j);
    const V<float> ab_low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const V<float> ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const V<float> cd_low = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    const V<float> cd_high = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15);
}
LANATUS_INLINE void transpose(const double* const* rows, std::size_t j, V<double>* out) {
    const V<double> a = pair(rows[0] + j, rows[2] + j), b = pair(rows[1] + j, rows[3] + j);
    out[0] = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    out[1] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
}
#else
LANATUS_INLINE void transpose(const float* const* rows, std::size_t j, V<float>* out) {
    const auto a = load<V<float>>(rows[0] + j), b = load<V<float>>(rows[1] + j);
    const auto c = load<V<float>>(rows[2] + j), d = load<V<float>>(rows[3] + j);
    const V<float> ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                   ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const V<float> cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5),
                   cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}
LANATUS_INLINE void transpose(const double* const* rows, std::size_t j, V<double>* out) {
    const auto a = load<V<double>>(rows[0] + j), b = load<V<double>>(rows[1] + j);
    out[0] = __builtin_shufflevector(a, b, 0, 2);
    out[1] = __builtin_shufflevector(a, b, 1, 3);
}
#endif

// panel[(j - from) * tile + r] <- rows[r][j] (minus offset[j]) for j in [from, to)
template <bool Shift, class T>
LANATUS_INLINE void fill_panel(const T* const* rows, const T* offset, std::size_t from, std::size_t to, T* panel) {
    for (std::size_t v = 0; v < row_vectors; ++v) {
        const T* const* group = rows + v * lanes<T>;
        T* out = panel + v * lanes<T>;
        std::size_t j = from;
        while (j < to) {
            if (to - from < quad<T>) {  // too narrow for vectors
                for (std::size_t r = 0; r < lanes<T>; ++r)
                    out[(j - from) * tile<T> + r] = Shift ? group[r][j] - offset[j] : group[r][j];
                ++j;
                continue;
            }
            if (j + quad<T> > to) j = to - quad<T>;  // the last columns overlap those before
            V<T> columns[quad<T>];
            transpose(group, j, columns);
            for (std::size_t q = 0; q < quad<T>; ++q)
                store(out + (j + q - from) * tile<T>, Shift ? columns[q] - offset[j + q] : columns[q]);
            j += quad<T>;
        }
    }
}

// ---- the forms: what one coordinate adds

struct Expanded {
    static constexpr bool shift = true;
    template <class Vector, class T>
    static LANATUS_INLINE void step(Vector& sum, Vector x, T c) {
        sum -= x * c;
    }
};
struct Direct {
    static constexpr bool shift = false;
    template <class Vector, class T>
    static LANATUS_INLINE void step(Vector& sum, Vector x, T c) {
        const Vector gap = x - c;
        sum += gap * gap;
    }
};
struct Gaps {  // Manhattan
    static constexpr bool shift = false;
    template <class Vector, class T>
    static LANATUS_INLINE void step(Vector& sum, Vector x, T c) {
        const Vector gap = x - c;
        sum += gap > -gap ? gap : -gap;
    }
};
struct LargestGap {  // Chebyshev
    static constexpr bool shift = false;
    template <class Vector, class T>
    static LANATUS_INLINE void step(Vector& sum, Vector x, T c) {
        const Vector gap = x - c, size = gap > -gap ? gap : -gap;
        sum = sum > size ? sum : size;
    }
};
struct Dots {
    static constexpr bool shift = true;
};

// ---- the sinks: what becomes of the scores of C points, first the one numbered `first`

template <class T>
struct Smallest {
    V<T> best[row_vectors];
    Mask<T> which[row_vectors];
    LANATUS_INLINE Smallest() {
        for (std::size_t v = 0; v < row_vectors; ++v) {
            best[v] = V<T>{} + std::numeric_limits<T>::infinity();
            which[v] = Mask<T>{};
        }
    }
    template <std::size_t C>
    LANATUS_INLINE void take(std::size_t first, const V<T> (&score)[C][row_vectors]) {
#pragma GCC unroll 4
        for (std::size_t c = 0; c < C; ++c) {
            const Mask<T> here = Mask<T>{} + static_cast<decltype(Mask<T>{}[0] + 0)>(first + c);
#pragma GCC unroll 3
            for (std::size_t v = 0; v < row_vectors; ++v) {
                const Mask<T> closer = score[c][v] < best[v];
                which[v] = closer ? here : which[v];
                best[v] = closer ? score[c][v] : best[v];
            }
        }
    }
};

template <class T>
struct TwoSmallest {
    V<T> best[row_vectors], second[row_vectors];
    Mask<T> which[row_vectors];
    LANATUS_INLINE TwoSmallest() {
        for (std::size_t v = 0; v < row_vectors; ++v) {
            best[v] = second[v] = V<T>{} + std::numeric_limits<T>::infinity();
            which[v] = Mask<T>{};
        }
    }
    template <std::size_t C>
    LANATUS_INLINE void take(std::size_t first, const V<T> (&score)[C][row_vectors]) {
#pragma GCC unroll 4
        for (std::size_t c = 0; c < C; ++c) {
            const Mask<T> here = Mask<T>{} + static_cast<decltype(Mask<T>{}[0] + 0)>(first + c);
#pragma GCC unroll 3
            for (std::size_t v = 0; v < row_vectors; ++v) {
                const V<T> s = score[c][v];
                const Mask<T> closer = s < best[v];
                const V<T> loser = closer ? best[v] : s;
                second[v] = loser < second[v] ? loser : second[v];
                which[v] = closer ? here : which[v];
                best[v] = closer ? s : best[v];
            }
        }
    }
};

template <class T>
struct Everything {
    T* out;  // [point][tile]
    template <std::size_t C>
    LANATUS_INLINE void take(std::size_t first, const V<T> (&score)[C][row_vectors]) {
        for (std::size_t c = 0; c < C; ++c)
            for (std::size_t v = 0; v < row_vectors; ++v)
                store(out + (first + c) * tile<T> + v * lanes<T>, score[c][v]);
    }
};

template <std::size_t C, class How, class T, class Sink>
LANATUS_INLINE void group_tile(const T* __restrict panel, std::size_t width, const T* __restrict values, const T* start,
                               T* scores, std::size_t first, bool fresh, bool last, Sink& sink) {
    V<T> sum[C][row_vectors];
#pragma GCC unroll 4
    for (std::size_t c = 0; c < C; ++c)
#pragma GCC unroll 3
        for (std::size_t v = 0; v < row_vectors; ++v)
            sum[c][v] = fresh ? V<T>{} + start[first + c] : load<V<T>>(scores + (first + c) * tile<T> + v * lanes<T>);
    for (std::size_t j = 0; j < width; ++j) {
        const T* row = panel + j * tile<T>;
        const V<T> x0 = load<V<T>>(row), x1 = load<V<T>>(row + lanes<T>);
#pragma GCC unroll 4
        for (std::size_t c = 0; c < C; ++c) {
            const T value = values[j * C + c];
            if constexpr (!How::shift) asm("" : "+r"(row));  // load x2 each time: sixteen registers do not hold it
            const V<T> x2 = load<V<T>>(row + 2 * lanes<T>);
            How::step(sum[c][0], x0, value);
            How::step(sum[c][1], x1, value);
            How::step(sum[c][2], x2, value);
        }
    }
    if (last) sink.template take<C>(first, sum);
    else
        for (std::size_t c = 0; c < C; ++c)
            for (std::size_t v = 0; v < row_vectors; ++v)
                store(scores + (first + c) * tile<T> + v * lanes<T>, sum[c][v]);
}

// The panel's rows against the points [begin, end), begin a multiple of four, at the columns from `from` on. `fresh` when
// these are the first columns, `last` when they are the last.
template <class How, class T, class Sink>
LANATUS_INLINE void score_panel(const T* panel, std::size_t from, std::size_t width, const PackedRows<T>& points,
                                std::size_t begin, std::size_t end, T* scores, bool fresh, bool last, Sink& sink) {
    const T* start = points.start.data();
    std::size_t first = begin;
    for (; first + 4 <= end; first += 4)
        group_tile<4, How>(panel, width, points.values.data() + first * points.d + from * 4, start, scores, first,
                           fresh, last, sink);
    const T* rest = points.values.data() + first * points.d + from * (end - first);
    switch (end - first) {
        case 3: group_tile<3, How>(panel, width, rest, start, scores, first, fresh, last, sink); break;
        case 2: group_tile<2, How>(panel, width, rest, start, scores, first, fresh, last, sink); break;
        case 1: group_tile<1, How>(panel, width, rest, start, scores, first, fresh, last, sink); break;
        default: break;
    }
}

template <class How, class T, class Sink>
LANATUS_INLINE void run_tile(const T* const* rows, const PackedRows<T>& points, const TileSpace<T>& space, Sink& sink) {
    const Panels panels(points.d);
    for (std::size_t p = 0; p < panels.count; ++p) {
        const std::size_t from = p * panels.width, to = std::min(from + panels.width, points.d);
        fill_panel<How::shift>(rows, points.offset.data(), from, to, space.panel.data());
        score_panel<How>(space.panel.data(), from, to - from, points, 0, points.n, space.scores.data(), p == 0,
                         p + 1 == panels.count, sink);
    }
}

// ---- long rows: three rows against four points, lanes along the columns

template <class T>
LANATUS_INLINE T sum_lanes(V<T> v) {
    T total = 0;
    for (std::size_t l = 0; l < lanes<T>; ++l) total += v[l];
    return total;
}

template <std::size_t C, class T>
LANATUS_INLINE void dot_group(const T* const* rows, const PackedRows<T>& points, std::size_t first, T* scores,
                              std::size_t group, std::size_t n_groups) {
    const std::size_t whole = points.d / lanes<T> * lanes<T>, rest = points.d - whole;
    const T* offset = points.offset.data();
    const T* value = points.values.data() + first * points.stride;
    const std::size_t ahead = tile<T> * points.d;
    const bool ahead0 = group == 0, ahead1 = group == std::min<std::size_t>(1, n_groups - 1),
               ahead2 = group == std::min<std::size_t>(2, n_groups - 1);
    for (std::size_t r = 0; r < tile<T>; r += 3) {
        V<T> sum[C][3];
        for (std::size_t c = 0; c < C; ++c)
            for (std::size_t v = 0; v < 3; ++v) sum[c][v] = V<T>{};
        const T *x0 = rows[r], *x1 = rows[r + 1], *x2 = rows[r + 2];
        for (std::size_t j = 0; j < whole; j += lanes<T>) {
            // Each group fetches its share of the next tile, so that memory is never idle; past the end it does nothing.
            if (ahead0) __builtin_prefetch(x0 + j + ahead);
            if (ahead1) __builtin_prefetch(x1 + j + ahead);
            if (ahead2) __builtin_prefetch(x2 + j + ahead);
            const V<T> shift = load<V<T>>(offset + j);
            const V<T> a = load<V<T>>(x0 + j) - shift, b = load<V<T>>(x1 + j) - shift, c2 = load<V<T>>(x2 + j) - shift;
#pragma GCC unroll 4
            for (std::size_t c = 0; c < C; ++c) {
                const V<T> point = load<V<T>>(value + c * points.stride + j);
                sum[c][0] += a * point;
                sum[c][1] += b * point;
                sum[c][2] += c2 * point;
            }
        }
        if (rest)
            for (std::size_t v = 0; v < 3; ++v) {
                T end[lanes<T>] = {};
                for (std::size_t l = 0; l < rest; ++l) end[l] = rows[r + v][whole + l] - offset[whole + l];
                for (std::size_t c = 0; c < C; ++c)
                    sum[c][v] += load<V<T>>(end) * load<V<T>>(value + c * points.stride + whole);
            }
        for (std::size_t c = 0; c < C; ++c)
            for (std::size_t v = 0; v < 3; ++v)
                scores[(first + c) * tile<T> + r + v] = points.start[first + c] - sum_lanes<T>(sum[c][v]);
    }
}

template <class T, class Sink>
LANATUS_INLINE void run_dots(const T* const* rows, const PackedRows<T>& points, const TileSpace<T>& space, Sink& sink) {
    T* scores = space.scores.data();
    std::size_t first = 0;
    const std::size_t n_groups = (points.n + 3) / 4;
    for (; first + 4 <= points.n; first += 4) dot_group<4>(rows, points, first, scores, first / 4, n_groups);
    switch (points.n - first) {
        case 3: dot_group<3>(rows, points, first, scores, first / 4, n_groups); break;
        case 2: dot_group<2>(rows, points, first, scores, first / 4, n_groups); break;
        case 1: dot_group<1>(rows, points, first, scores, first / 4, n_groups); break;
        default: break;
    }
    for (std::size_t c = 0; c < points.n; ++c) {
        V<T> score[1][row_vectors];
        for (std::size_t v = 0; v < row_vectors; ++v) score[0][v] = load<V<T>>(scores + c * tile<T> + v * lanes<T>);
        sink.template take<1>(c, score);
    }
}

// Scores of the tile's rows against every point, handed to the sink group by group.
template <class How, class T, class Sink>
__attribute__((noinline)) void run(const T* const* rows, const PackedRows<T>& points, const TileSpace<T>& space,
                                   Sink& out) {
    Sink sink = out;  // in registers meanwhile
    if constexpr (std::is_same_v<How, Dots>) run_dots(rows, points, space, sink);
    else run_tile<How>(rows, points, space, sink);
    out = sink;
}

// The rows from i on, the last one repeated to fill the tile.
template <class T>
LANATUS_INLINE std::size_t point_at(MatrixView<const T> X, std::size_t i, std::size_t end, const T** rows) {
    const std::size_t count = std::min(tile<T>, end - i);
    for (std::size_t r = 0; r < tile<T>; ++r) rows[r] = X.row(i + std::min(r, count - 1));
    return count;
}

// ---- single rows

template <class T>
LANATUS_INLINE T sq_distance_of(const T* x, const T* y, std::size_t d) {
    using Four = typename Vec<T>::Four;
    V<T> sum{};
    std::size_t j = 0;
    for (; j + lanes<T> <= d; j += lanes<T>) {
        const V<T> gap = load<V<T>>(x + j) - load<V<T>>(y + j);
        sum += gap * gap;
    }
    T total = 0;
    if (lanes<T> > 4 && j + 4 <= d) {
        const Four gap = load<Four>(x + j) - load<Four>(y + j), square = gap * gap;
        total = (square[0] + square[1]) + (square[2] + square[3]);
        j += 4;
    }
    for (; j < d; ++j) total += (x[j] - y[j]) * (x[j] - y[j]);
    return d < lanes<T> ? total : total + sum_lanes<T>(sum);
}

}  // namespace
}  // namespace lanatus::metric::LANATUS_ISA
