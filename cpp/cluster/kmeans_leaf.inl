// Included once per instruction set by kmeans_leaf.cpp (no include guard on purpose).
//
// The tile kernel computes 3 vectors of rows x 4 centers in twelve vector registers. A lane is a row: the rows of a tile
// are transposed into a small panel, the centers' coordinates are broadcast, and the minimum over centers is taken lane
// by lane with no horizontal step.
namespace lanatus::cluster::LANATUS_ISA {
namespace {

template <class T> struct Vec;
template <> struct Vec<float> {
    typedef float V __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
    typedef float Half __attribute__((vector_size(16)));
    typedef float Four __attribute__((vector_size(16)));
};
template <> struct Vec<double> {
    typedef double V __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
    typedef double Half __attribute__((vector_size(16)));
    typedef double Four __attribute__((vector_size(32)));
};
template <class T> using V = typename Vec<T>::V;
template <class T> using Mask = decltype(V<T>{} < V<T>{});
typedef double Double4 __attribute__((vector_size(32)));

template <class T> constexpr std::size_t lanes = LANATUS_VECTOR_BYTES / sizeof(T);
template <class T> constexpr std::size_t quad = 16 / sizeof(T);  // columns transposed at a time
constexpr std::size_t row_vectors = 3;
template <class T> constexpr std::size_t tile = row_vectors * lanes<T>;
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
    const V<float> ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const V<float> cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
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

// ---- the metrics: what one coordinate adds

struct Expanded {
    static constexpr bool shift = true;
    template <class Vector, class T>
    static LANATUS_INLINE void step(Vector& sum, Vector x, T c) { sum -= x * c; }
};
struct Direct {
    static constexpr bool shift = false;
    template <class Vector, class T>
    static LANATUS_INLINE void step(Vector& sum, Vector x, T c) {
        const Vector gap = x - c;
        sum += gap * gap;
    }
};
struct Dots {
    static constexpr bool shift = true;
};

// ---- the sinks: what becomes of the scores of C centers, first the one numbered `first`

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
    T* out;  // [center][tile]
    template <std::size_t C>
    LANATUS_INLINE void take(std::size_t first, const V<T> (&score)[C][row_vectors]) {
        for (std::size_t c = 0; c < C; ++c)
            for (std::size_t v = 0; v < row_vectors; ++v) store(out + (first + c) * tile<T> + v * lanes<T>, score[c][v]);
    }
};

template <std::size_t C, class Metric, class T, class Sink>
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
            if constexpr (!Metric::shift) asm("" : "+r"(row));  // load x2 each time: sixteen registers do not hold it
            const V<T> x2 = load<V<T>>(row + 2 * lanes<T>);
            Metric::step(sum[c][0], x0, value);
            Metric::step(sum[c][1], x1, value);
            Metric::step(sum[c][2], x2, value);
        }
    }
    if (last)
        sink.template take<C>(first, sum);
    else
        for (std::size_t c = 0; c < C; ++c)
            for (std::size_t v = 0; v < row_vectors; ++v) store(scores + (first + c) * tile<T> + v * lanes<T>, sum[c][v]);
}

template <class Metric, class T, class Sink>
LANATUS_INLINE void run_tile(const T* const* rows, const PackedCenters<T>& centers, const TileSpace<T>& space,
                             Sink& sink) {
    const Panels panels(centers.d);
    const T* start = centers.start.data();
    for (std::size_t p = 0; p < panels.count; ++p) {
        const std::size_t from = p * panels.width, to = std::min(from + panels.width, centers.d), width = to - from;
        const bool fresh = p == 0, last = p + 1 == panels.count;
        fill_panel<Metric::shift>(rows, centers.offset.data(), from, to, space.panel.data());
        std::size_t first = 0;
        for (; first + 4 <= centers.k; first += 4)
            group_tile<4, Metric>(space.panel.data(), width, centers.values.data() + first * centers.d + from * 4, start,
                                  space.scores.data(), first, fresh, last, sink);
        const T* rest = centers.values.data() + first * centers.d + from * (centers.k - first);
        switch (centers.k - first) {
            case 3: group_tile<3, Metric>(space.panel.data(), width, rest, start, space.scores.data(), first, fresh, last, sink); break;
            case 2: group_tile<2, Metric>(space.panel.data(), width, rest, start, space.scores.data(), first, fresh, last, sink); break;
            case 1: group_tile<1, Metric>(space.panel.data(), width, rest, start, space.scores.data(), first, fresh, last, sink); break;
            default: break;
        }
    }
}

// ---- long rows: three rows against four centers, lanes along the columns

template <class T>
LANATUS_INLINE T sum_lanes(V<T> v) {
    T total = 0;
    for (std::size_t l = 0; l < lanes<T>; ++l) total += v[l];
    return total;
}

template <std::size_t C, class T>
LANATUS_INLINE void dot_group(const T* const* rows, const PackedCenters<T>& centers, std::size_t first, T* scores,
                              std::size_t group, std::size_t n_groups) {
    const std::size_t whole = centers.d / lanes<T> * lanes<T>, rest = centers.d - whole;
    const T* offset = centers.offset.data();
    const T* value = centers.values.data() + first * centers.stride;
    const std::size_t ahead = tile<T> * centers.d;
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
                const V<T> center = load<V<T>>(value + c * centers.stride + j);
                sum[c][0] += a * center;
                sum[c][1] += b * center;
                sum[c][2] += c2 * center;
            }
        }
        if (rest)
            for (std::size_t v = 0; v < 3; ++v) {
                T end[lanes<T>] = {};
                for (std::size_t l = 0; l < rest; ++l) end[l] = rows[r + v][whole + l] - offset[whole + l];
                for (std::size_t c = 0; c < C; ++c)
                    sum[c][v] += load<V<T>>(end) * load<V<T>>(value + c * centers.stride + whole);
            }
        for (std::size_t c = 0; c < C; ++c)
            for (std::size_t v = 0; v < 3; ++v)
                scores[(first + c) * tile<T> + r + v] = centers.start[first + c] - sum_lanes<T>(sum[c][v]);
    }
}

template <class T, class Sink>
LANATUS_INLINE void run_dots(const T* const* rows, const PackedCenters<T>& centers, const TileSpace<T>& space,
                             Sink& sink) {
    T* scores = space.scores.data();
    std::size_t first = 0;
    const std::size_t n_groups = (centers.k + 3) / 4;
    for (; first + 4 <= centers.k; first += 4) dot_group<4>(rows, centers, first, scores, first / 4, n_groups);
    switch (centers.k - first) {
        case 3: dot_group<3>(rows, centers, first, scores, first / 4, n_groups); break;
        case 2: dot_group<2>(rows, centers, first, scores, first / 4, n_groups); break;
        case 1: dot_group<1>(rows, centers, first, scores, first / 4, n_groups); break;
        default: break;
    }
    for (std::size_t c = 0; c < centers.k; ++c) {
        V<T> score[1][row_vectors];
        for (std::size_t v = 0; v < row_vectors; ++v) score[0][v] = load<V<T>>(scores + c * tile<T> + v * lanes<T>);
        sink.template take<1>(c, score);
    }
}

// Scores of the tile's rows against every center, handed to the sink group by group.
template <class Metric, class T, class Sink>
__attribute__((noinline)) void run(const T* const* rows, const PackedCenters<T>& centers, const TileSpace<T>& space,
                                   Sink& out) {
    Sink sink = out;  // in registers meanwhile
    if constexpr (std::is_same_v<Metric, Dots>)
        run_dots(rows, centers, space, sink);
    else
        run_tile<Metric>(rows, centers, space, sink);
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

// For R rows of one cluster: sum += w x, and their squared distances to its center. The sums are read and written once.
template <bool Weighted, std::size_t R, class T>
LANATUS_INLINE void add_rows(const T* const* x, const double* w, const T* center, std::size_t d, double* __restrict sum,
                             T* distance) {
    V<T> squares[R] = {};
    std::size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        Double4 low = load<Double4>(sum + j), high = load<Double4>(sum + j + 4);
        for (std::size_t r = 0; r < R; ++r) {
            for (std::size_t l = 0; l < 8; l += lanes<T>) {
                const V<T> gap = load<V<T>>(x[r] + j + l) - load<V<T>>(center + j + l);
                squares[r] += gap * gap;
            }
            Double4 a = __builtin_convertvector(load<typename Vec<T>::Four>(x[r] + j), Double4);
            Double4 b = __builtin_convertvector(load<typename Vec<T>::Four>(x[r] + j + 4), Double4);
            if constexpr (Weighted) a *= w[r], b *= w[r];
            low += a;
            high += b;
        }
        store(sum + j, low);
        store(sum + j + 4, high);
    }
    for (std::size_t r = 0; r < R; ++r) distance[r] = sum_lanes<T>(squares[r]);
    for (; j < d; ++j)
        for (std::size_t r = 0; r < R; ++r) {
            const T gap = x[r][j] - center[j];
            distance[r] += gap * gap;
            sum[j] += Weighted ? w[r] * static_cast<double>(x[r][j]) : static_cast<double>(x[r][j]);
        }
}

// The rows of a tile, cluster by cluster.
template <bool Weighted, class T, class Index>
LANATUS_INLINE void add_tile(const T* const* rows, const double* w, const Index* which, std::size_t count,
                             MatrixView<const T> centers, double* sums, T* distance) {
    std::size_t order[tile<T>];
    for (std::size_t r = 0; r < count; ++r) {
        std::size_t at = r;
        for (; at > 0 && which[order[at - 1]] > which[r]; --at) order[at] = order[at - 1];
        order[at] = r;
    }
    for (std::size_t r = 0; r < count;) {
        const auto c = static_cast<std::size_t>(which[order[r]]);
        const bool four = r + 4 <= count && which[order[r + 3]] == which[order[r]];
        const bool two = r + 2 <= count && which[order[r + 1]] == which[order[r]];
        const std::size_t taken = four ? 4 : two ? 2 : 1;
        const T* x[4];
        double weight[4];
        T found[4];
        for (std::size_t t = 0; t < taken; ++t) x[t] = rows[order[r + t]], weight[t] = Weighted ? w[order[r + t]] : 1.0;
        double* sum = sums + c * centers.cols;
        if (four)
            add_rows<Weighted, 4>(x, weight, centers.row(c), centers.cols, sum, found);
        else if (two)
            add_rows<Weighted, 2>(x, weight, centers.row(c), centers.cols, sum, found);
        else
            add_rows<Weighted, 1>(x, weight, centers.row(c), centers.cols, sum, found);
        for (std::size_t t = 0; t < taken; ++t) distance[order[r + t]] = found[t];
        r += taken;
    }
}

// sum += w x
template <bool Weighted, class T>
LANATUS_INLINE void add_row(const T* __restrict x, std::size_t d, double w, double* __restrict sum) {
    std::size_t j = 0;
    for (; j + 4 <= d; j += 4) {
        Double4 value = __builtin_convertvector(load<typename Vec<T>::Four>(x + j), Double4);
        if constexpr (Weighted) value *= w;
        store(sum + j, load<Double4>(sum + j) + value);
    }
    for (; j < d; ++j) sum[j] += Weighted ? w * static_cast<double>(x[j]) : static_cast<double>(x[j]);
}

template <bool Weighted, class Metric, class T>
LANATUS_INLINE void lloyd_range(const LloydTask<T>& task, std::size_t begin, std::size_t end, ClusterSums& out) {
    const TileSpace<T> space(task.packed);
    const std::size_t d = task.X.cols;
    for (std::size_t c = 0; c < out.k; ++c) out.row(c);
    Double4 inertia{};
    for (std::size_t i = begin; i < end; i += tile<T>) {
        const T* rows[tile<T>];
        const std::size_t count = point_at(task.X, i, end, rows);
        Smallest<T> nearest;
        run<Metric>(rows, task.packed, space, nearest);
        decltype(Mask<T>{}[0] + 0) which[tile<T>];
        alignas(32) T distance[tile<T>];
        __builtin_memcpy(which, nearest.which, sizeof which);
        if constexpr (!Metric::shift) __builtin_memcpy(distance, nearest.best, sizeof distance);
        for (std::size_t r = 0; r < count; ++r) {
            const auto c = static_cast<std::size_t>(which[r]);
            out.n_changed += task.labels[i + r] != static_cast<std::int32_t>(c);
            task.labels[i + r] = static_cast<std::int32_t>(c);
            const double w = Weighted ? task.w[i + r] : 1.0;
            out.mass[c] += w;
            if constexpr (std::is_same_v<Metric, Dots>) continue;
            if constexpr (Metric::shift) distance[r] = sq_distance_of(rows[r], task.centers.row(c), d);
            add_row<Weighted>(rows[r], d, w, out.sums.data() + c * d);
        }
        if constexpr (std::is_same_v<Metric, Dots>)
            add_tile<Weighted>(rows, task.w ? task.w + i : nullptr, which, count, task.centers, out.sums.data(), distance);
        for (std::size_t r = count; r < tile<T>; ++r) distance[r] = 0;
        if constexpr (Weighted)
            for (std::size_t r = 0; r < count; ++r) inertia[0] += task.w[i + r] * static_cast<double>(distance[r]);
        else
            for (std::size_t r = 0; r + 4 <= tile<T>; r += 4)
                inertia += __builtin_convertvector(load<typename Vec<T>::Four>(distance + r), Double4);
        for (std::size_t r = tile<T> / 4 * 4; !Weighted && r < tile<T>; ++r) inertia[0] += static_cast<double>(distance[r]);
    }
    out.inertia += (inertia[0] + inertia[1]) + (inertia[2] + inertia[3]);
}

template <class Metric, class T>
LANATUS_INLINE void lloyd_with(const LloydTask<T>& task, std::size_t begin, std::size_t end, ClusterSums& out) {
    task.w ? lloyd_range<true, Metric>(task, begin, end, out) : lloyd_range<false, Metric>(task, begin, end, out);
}
template <class T>
void lloyd_rows_of(const LloydTask<T>& task, std::size_t begin, std::size_t end, ClusterSums& out) {
    switch (task.packed.form) {
        case Form::direct: lloyd_with<Direct>(task, begin, end, out); break;
        case Form::expanded: lloyd_with<Expanded>(task, begin, end, out); break;
        case Form::dots: lloyd_with<Dots>(task, begin, end, out); break;
    }
}

// A row changes cluster: its sums follow.
template <class T>
LANATUS_INLINE void move_row(const BoundedTask<T>& task, std::size_t i, std::int32_t to, ClusterSums& out) {
    const std::int32_t from = task.labels[i];
    if (from == to) return;
    const double w = task.w ? task.w[i] : 1.0;
    const auto target = static_cast<std::size_t>(to);
    add_row<true>(task.X.row(i), task.X.cols, w, out.row(target));
    out.mass[target] += w;
    if (from >= 0) {
        const auto source = static_cast<std::size_t>(from);
        add_row<true>(task.X.row(i), task.X.cols, -w, out.row(source));
        out.mass[source] -= w;
    }
    task.labels[i] = to;
    ++out.n_changed;
}

// Full scan of the pending rows: new label, exact upper bound, and a lower bound from the second smallest score.
template <class T>
LANATUS_INLINE void settle(const BoundedTask<T>& task, const std::size_t* pending, std::size_t count,
                           const TileSpace<T>& space, ClusterSums& out) {
    const bool dots = task.packed.form == Form::dots;
    const T* rows[tile<T>];
    for (std::size_t r = 0; r < tile<T>; ++r) rows[r] = task.X.row(pending[std::min(r, count - 1)]);
    TwoSmallest<T> nearest;
    if (dots)
        run<Dots>(rows, task.packed, space, nearest);
    else
        run<Direct>(rows, task.packed, space, nearest);
    out.n_distances += static_cast<std::int64_t>(count * task.packed.k);
    decltype(Mask<T>{}[0] + 0) which[tile<T>];
    T first[tile<T>], second[tile<T>];
    __builtin_memcpy(which, nearest.which, sizeof which);
    __builtin_memcpy(first, nearest.best, sizeof first);
    __builtin_memcpy(second, nearest.second, sizeof second);
    // A product of d terms, summed in lanes, errs by this much relative to |x| |c|.
    const T dot_slack = static_cast<T>(task.X.cols / lanes<T> + 16) * std::numeric_limits<T>::epsilon();
    for (std::size_t r = 0; r < count; ++r) {
        const std::size_t i = pending[r];
        const auto c = static_cast<std::size_t>(which[r]);
        if (dots) {  // scores are 1/2 (|x - c|^2 - |x|^2)
            const T exact = sq_distance_of(rows[r], task.centers.row(c), task.X.cols);
            const T norm = std::max(exact - 2 * first[r], T{0});
            second[r] = std::max(exact + 2 * (second[r] - first[r]) - 2 * dot_slack * (norm + task.most_norm), T{0});
            first[r] = exact;
        }
        move_row(task, i, static_cast<std::int32_t>(c), out);
        task.upper[i] = std::sqrt(first[r]) * (1 + task.slack);
        task.lower[i] = std::sqrt(second[r]) * (1 - task.slack);
    }
}

template <class T>
void bounded_rows_of(const BoundedTask<T>& task, std::size_t begin, std::size_t end, ClusterSums& out) {
    const TileSpace<T> space(task.packed);
    const std::size_t d = task.X.cols;
    std::size_t pending[tile<T>], count = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t label = task.labels[i];
        if (label >= 0) {
            const auto own = static_cast<std::size_t>(label);
            const T others = own == task.most_drifted ? task.second_drift : task.most_drift;
            T upper = (task.upper[i] + task.drift[own]) * (1 + task.slack);
            const T lower = task.lower[i] - others;
            task.lower[i] = lower > 0 ? lower * (1 - task.slack) : lower * (1 + task.slack);
            const T reach = std::max(task.lower[i], task.half_gap[own]);
            if (upper >= reach) {
                upper = std::sqrt(sq_distance_of(task.X.row(i), task.centers.row(own), d)) * (1 + task.slack);
                ++out.n_distances;
            }
            task.upper[i] = upper;
            if (upper < reach) continue;
        }
        pending[count++] = i;
        if (count == tile<T>) {
            settle(task, pending, count, space, out);
            count = 0;
        }
    }
    if (count) settle(task, pending, count, space, out);
}

template <class T>
void nearest_rows_of(MatrixView<const T> X, MatrixView<const T> centers, const PackedCenters<T>& packed,
                     std::size_t begin, std::size_t end, std::int32_t* labels, double* sq_dist) {
    const TileSpace<T> space(packed);
    for (std::size_t i = begin; i < end; i += tile<T>) {
        const T* rows[tile<T>];
        const std::size_t count = point_at(X, i, end, rows);
        Smallest<T> nearest;
        switch (packed.form) {
            case Form::direct: run<Direct>(rows, packed, space, nearest); break;
            case Form::expanded: run<Expanded>(rows, packed, space, nearest); break;
            case Form::dots: run<Dots>(rows, packed, space, nearest); break;
        }
        decltype(Mask<T>{}[0] + 0) which[tile<T>];
        __builtin_memcpy(which, nearest.which, sizeof which);
        for (std::size_t r = 0; r < count; ++r) {
            const auto c = static_cast<std::size_t>(which[r]);
            if (labels) labels[i + r] = static_cast<std::int32_t>(c);
            if (sq_dist) sq_dist[i + r] = static_cast<double>(sq_distance_of(rows[r], centers.row(c), X.cols));
        }
    }
}

template <class T>
void two_nearest_rows_of(MatrixView<const T> X, const PackedCenters<T>& packed, std::size_t begin, std::size_t end,
                         T* first, T* second) {
    const TileSpace<T> space(packed);
    for (std::size_t i = begin; i < end; i += tile<T>) {
        const T* rows[tile<T>];
        const std::size_t count = point_at(X, i, end, rows);
        TwoSmallest<T> nearest;
        run<Direct>(rows, packed, space, nearest);
        __builtin_memcpy(first + i, nearest.best, count * sizeof(T));
        __builtin_memcpy(second + i, nearest.second, count * sizeof(T));
    }
}

template <class T>
void pairwise_rows_of(MatrixView<const T> X, const PackedCenters<T>& packed, std::size_t begin, std::size_t end, T* out,
                      std::size_t row_stride, std::size_t center_stride) {
    const TileSpace<T> space(packed);
    const Buffer<T> scores(packed.k * tile<T>);
    for (std::size_t i = begin; i < end; i += tile<T>) {
        const T* rows[tile<T>];
        const std::size_t count = point_at(X, i, end, rows);
        Everything<T> all{scores.data()};
        run<Direct>(rows, packed, space, all);
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t c = 0; c < packed.k; ++c)
                out[(i + r) * row_stride + c * center_stride] = scores[c * tile<T> + r];
    }
}

template <class T>
void sq_distance_into(const T* x, const T* y, std::size_t d, T* out) { *out = sq_distance_of(x, y, d); }

}  // namespace
}  // namespace lanatus::cluster::LANATUS_ISA
