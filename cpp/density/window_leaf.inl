// Included once per instruction set by window_leaf.cpp (no include guard on purpose).
namespace lanatus::density::LANATUS_ISA {
namespace {

#include "core/vector_math.inl"

typedef float F __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
typedef std::uint32_t FWrap __attribute__((vector_size(LANATUS_VECTOR_BYTES)));

template <class T>
struct Lanes {
    typedef V Vector;
};
template <>
struct Lanes<float> {
    typedef F Vector;
};

LANATUS_INLINE F load(const float* p) {
    F v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

// exp(x) for -87 <= x <= 0 (below, as at -87), right to about two units in the last place of a float.
LANATUS_INLINE F exp_negative(F x) {
    const F magic = F{} + 0x1.8p23f, lowest = F{} - 87.0f;
    x = x < lowest ? lowest : x;
    const F shifted = x * 1.44269504f + magic, n = shifted - magic;
    const F r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    F p = F{} + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    const FWrap power = ((FWrap)shifted << 23) + 0x3f800000u;
    return p * (F)power;
}

// sin(t) for 0 <= t <= pi / 2
LANATUS_INLINE V sine(V t) {
    constexpr double inverse[] = {1.0 / 506, 1.0 / 420, 1.0 / 342, 1.0 / 272, 1.0 / 210, 1.0 / 156,
                                  1.0 / 110, 1.0 / 72,  1.0 / 42,  1.0 / 20,  1.0 / 6};
    const V q = t * t;
    V p = V{} + 1.0;
    for (const double step : inverse) p = 1.0 - p * (q * step);
    return t * p;
}

template <class Vector>
LANATUS_INLINE Vector root(Vector v) {
    Vector out;
    for (std::size_t i = 0; i < sizeof(Vector) / sizeof(v[0]); ++i) out[i] = __builtin_sqrt(v[i]);
    return out;
}

template <class Vector>
LANATUS_INLINE Vector magnitude(Vector v) {
    return v < Vector{} ? -v : v;
}

// ---- from a sum over columns to the window

template <class T, Metric metric, Window window>
struct Height {
    typedef typename Lanes<T>::Vector Vector;
    T h, per_h, factor;

    explicit Height(const WindowSpec& spec)
        : h(static_cast<T>(spec.h)), per_h(static_cast<T>(1 / spec.h)), factor(static_cast<T>(-0.5 / spec.h / spec.h)) {
    }

    LANATUS_INLINE Vector operator()(Vector sum, Vector shift) const {
        constexpr bool squares = metric == Metric::euclidean;
        const Vector none = {}, one = Vector{} + T{1};
        if constexpr (window == Window::gaussian) {
            if constexpr (squares) return exp_negative(sum * factor + shift);
            return exp_negative(sum * sum * factor + shift);
        } else if constexpr (window == Window::tophat) {
            if constexpr (squares) return sum < Vector{} + h * h ? one : none;
            return sum < Vector{} + h ? one : none;
        } else if constexpr (window == Window::box) {
            if constexpr (squares) return sum <= Vector{} + h * h ? one : none;
            return sum <= Vector{} + h ? one : none;
        } else {
            Vector r = sum;
            if constexpr (squares) r = root(sum);
            const Vector u = r * per_h;
            if constexpr (window == Window::exponential) return exp_negative(shift - u);
            const Vector inside = one - u;
            if constexpr (window == Window::linear) return inside > none ? inside : none;
            if constexpr (window == Window::epanechnikov) return inside > none ? inside * (one + u) : none;
            return inside > none ? sine(inside * T{1.5707963267948966}) : none;
        }
    }
};

// Vectors of queries in flight, and rows that meet them in registers.
constexpr std::size_t columns = 2, tile_rows = 4;
template <class T>
constexpr std::size_t width = sizeof(typename Lanes<T>::Vector) / sizeof(T);

// Distances, as sums, of R rows to a group of queries.
template <class T, std::size_t R, Metric metric>
LANATUS_INLINE void measure(const LeafTask& task, const T* panel, const T* rows,
                            typename Lanes<T>::Vector (&sum)[R][columns]) {
    typedef typename Lanes<T>::Vector Vector;
    for (std::size_t r = 0; r < R; ++r)
        for (std::size_t c = 0; c < columns; ++c) sum[r][c] = Vector{};
    for (std::size_t j = 0; j < task.d; ++j) {
        Vector x[columns];
        for (std::size_t c = 0; c < columns; ++c) x[c] = load(panel + j * task.n_queries + c * width<T>);
        for (std::size_t r = 0; r < R; ++r)
            for (std::size_t c = 0; c < columns; ++c) {
                const Vector gap = x[c] - rows[r * task.d + j];
                if constexpr (metric == Metric::euclidean) {
                    sum[r][c] += gap * gap;
                } else if constexpr (metric == Metric::manhattan) {
                    sum[r][c] += magnitude(gap);
                } else {
                    const Vector size = magnitude(gap);
                    sum[r][c] = size > sum[r][c] ? size : sum[r][c];
                }
            }
    }
}

// body(first row, its number of rows as a constant), in tiles
template <class Body>
LANATUS_INLINE void each_tile(std::size_t n, const Body& body) {
    std::size_t i = 0;
    for (; i + tile_rows <= n; i += tile_rows) body(i, std::integral_constant<std::size_t, tile_rows>{});
    for (; i < n; ++i) body(i, std::integral_constant<std::size_t, 1>{});
}

template <class T, Metric metric, Window window>
void add_all(const LeafTask& task, const T* panel, const T* rows, const T* w, std::size_t n, double* sums) {
    typedef typename Lanes<T>::Vector Vector;
    constexpr std::size_t group = columns * width<T>;
    static_assert(query_group % group == 0);
    const Height<T, metric, window> height(task.spec);
    const Vector never = Vector{} + std::numeric_limits<T>::infinity();
    for (std::size_t q = 0; q < task.n_queries; q += group) {
        Vector total[columns] = {}, shift[columns] = {};
        for (std::size_t k = 0; task.shift && k < group; ++k)
            shift[k / width<T>][k % width<T>] = static_cast<T>(task.shift[q + k]);
        each_tile(n, [&](std::size_t i, auto count) __attribute__((always_inline)) {
            Vector sum[count][columns];
            measure<T, count, metric>(task, panel + q, rows + i * task.d, sum);
            for (std::size_t r = 0; r < count; ++r)
                for (std::size_t c = 0; c < columns; ++c) {
                    Vector far = sum[r][c];
                    if (task.spec.exclude_self) far = far == Vector{} ? never : far;
                    const Vector value = height(far, shift[c]);
                    total[c] += w ? w[i + r] * value : value;
                }
        });
        for (std::size_t k = 0; k < group; ++k) sums[q + k] += static_cast<double>(total[k / width<T>][k % width<T>]);
    }
}

template <Metric metric>
void nearest_by(const LeafTask& task, const double* panel, const double* rows, std::size_t n, double* nearest) {
    const V never = V{} + std::numeric_limits<double>::infinity();
    for (std::size_t q = 0; q < task.n_queries; q += columns * lanes) {
        V best[columns];
        for (std::size_t c = 0; c < columns; ++c) best[c] = load(nearest + q + c * lanes);
        each_tile(n, [&](std::size_t i, auto count) __attribute__((always_inline)) {
            V sum[count][columns];
            measure<double, count, metric>(task, panel + q, rows + i * task.d, sum);
            for (std::size_t r = 0; r < count; ++r)
                for (std::size_t c = 0; c < columns; ++c) {
                    V found = sum[r][c];
                    if (task.spec.exclude_self) found = found == V{} ? never : found;
                    best[c] = found < best[c] ? found : best[c];
                }
        });
        for (std::size_t c = 0; c < columns; ++c) store(nearest + q + c * lanes, best[c]);
    }
}

void nearest_of(const LeafTask& task, const double* panel, const double* rows, std::size_t n, double* nearest) {
    switch (task.spec.metric) {
        case Metric::euclidean: return nearest_by<Metric::euclidean>(task, panel, rows, n, nearest);
        case Metric::manhattan: return nearest_by<Metric::manhattan>(task, panel, rows, n, nearest);
        case Metric::chebyshev: return nearest_by<Metric::chebyshev>(task, panel, rows, n, nearest);
    }
}

template <class T, Metric metric>
void with_window(const LeafTask& task, const T* panel, const T* rows, const T* w, std::size_t n, double* sums) {
    switch (task.spec.window) {
        case Window::gaussian: return add_all<T, metric, Window::gaussian>(task, panel, rows, w, n, sums);
        case Window::tophat: return add_all<T, metric, Window::tophat>(task, panel, rows, w, n, sums);
        case Window::box: return add_all<T, metric, Window::box>(task, panel, rows, w, n, sums);
        case Window::epanechnikov: return add_all<T, metric, Window::epanechnikov>(task, panel, rows, w, n, sums);
        case Window::exponential: return add_all<T, metric, Window::exponential>(task, panel, rows, w, n, sums);
        case Window::linear: return add_all<T, metric, Window::linear>(task, panel, rows, w, n, sums);
        case Window::cosine: return add_all<T, metric, Window::cosine>(task, panel, rows, w, n, sums);
    }
}

template <class T>
void windows_of(const LeafTask& task, const T* panel, const T* rows, const T* w, std::size_t n, double* sums) {
    if constexpr (std::is_same_v<T, float>) {
        add_all<float, Metric::euclidean, Window::gaussian>(task, panel, rows, w, n, sums);
    } else {
        switch (task.spec.metric) {
            case Metric::euclidean: return with_window<T, Metric::euclidean>(task, panel, rows, w, n, sums);
            case Metric::manhattan: return with_window<T, Metric::manhattan>(task, panel, rows, w, n, sums);
            case Metric::chebyshev: return with_window<T, Metric::chebyshev>(task, panel, rows, w, n, sums);
        }
    }
}

}  // namespace
}  // namespace lanatus::density::LANATUS_ISA
