// Included once per instruction set by window_leaf.cpp (no include guard on purpose).
namespace lanatus::density::LANATUS_ISA {
namespace {

#include "core/vector_math.inl"

typedef float F __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
typedef std::int32_t FBits __attribute__((vector_size(LANATUS_VECTOR_BYTES)));

template <class T> struct Lanes { typedef V Vector; };
template <> struct Lanes<float> { typedef F Vector; };

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
    const FBits power = ((FBits)shifted << 23) + 0x3f800000;
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
LANATUS_INLINE Vector magnitude(Vector v) { return v < Vector{} ? -v : v; }

// ---- from a sum over columns to the window

template <class T, Metric metric, Window window>
struct Height {
    typedef typename Lanes<T>::Vector Vector;
    T h, per_h, factor;

    explicit Height(const WindowSpec& spec)
        : h(static_cast<T>(spec.h)), per_h(static_cast<T>(1 / spec.h)), factor(static_cast<T>(-0.5 / spec.h / spec.h)) {}

    LANATUS_INLINE Vector operator()(Vector sum) const {
        constexpr bool squares = metric == Metric::euclidean;
        const Vector none = {}, one = Vector{} + T{1};
        if constexpr (window == Window::gaussian) {
            if constexpr (squares) return exp_negative(sum * factor);
            return exp_negative(sum * sum * factor);
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
            if constexpr (window == Window::exponential) return exp_negative(-u);
            const Vector inside = one - u;
            if constexpr (window == Window::linear) return inside > none ? inside : none;
            if constexpr (window == Window::epanechnikov) return inside > none ? inside * (one + u) : none;
            return inside > none ? sine(inside * T{1.5707963267948966}) : none;
        }
    }
};

// R rows at one group of queries: total += w K. Rows and queries meet in registers.
template <class T, std::size_t R, std::size_t C, Metric metric, class Heights>
LANATUS_INLINE void tile(const LeafTask& task, const Heights& height, const T* panel, const T* rows, const T* w,
                         typename Lanes<T>::Vector (&total)[C]) {
    typedef typename Lanes<T>::Vector Vector;
    constexpr std::size_t width = sizeof(Vector) / sizeof(T);
    const std::size_t d = task.d;
    Vector sum[R][C] = {};
    for (std::size_t j = 0; j < d; ++j) {
        Vector x[C];
        for (std::size_t c = 0; c < C; ++c) x[c] = load(panel + j * task.stride + c * width);
        for (std::size_t r = 0; r < R; ++r)
            for (std::size_t c = 0; c < C; ++c) {
                const Vector gap = x[c] - rows[r * d + j];
                if constexpr (metric == Metric::euclidean) sum[r][c] += gap * gap;
                else if constexpr (metric == Metric::manhattan) sum[r][c] += magnitude(gap);
                else {
                    const Vector size = magnitude(gap);
                    sum[r][c] = size > sum[r][c] ? size : sum[r][c];
                }
            }
    }
    for (std::size_t r = 0; r < R; ++r)
        for (std::size_t c = 0; c < C; ++c) {
            Vector value = height(sum[r][c]);
            if (task.spec.exclude_self) value = sum[r][c] == Vector{} ? Vector{} : value;
            if (w) total[c] += w[r] * value;
            else total[c] += value;
        }
}

template <class T, Metric metric, Window window>
void add_all(const LeafTask& task, const T* panel, const T* rows, const T* w, std::size_t n, double* sums) {
    typedef typename Lanes<T>::Vector Vector;
    constexpr std::size_t width = sizeof(Vector) / sizeof(T), C = 2, R = 4;
    static_assert(query_group % (C * width) == 0);
    const Height<T, metric, window> height(task.spec);
    for (std::size_t q = 0; q < task.n_queries; q += C * width) {
        Vector total[C] = {};
        std::size_t i = 0;
        for (; i + R <= n; i += R)
            tile<T, R, C, metric>(task, height, panel + q, rows + i * task.d, w ? w + i : nullptr, total);
        for (; i < n; ++i)
            tile<T, 1, C, metric>(task, height, panel + q, rows + i * task.d, w ? w + i : nullptr, total);
        for (std::size_t c = 0; c < C; ++c)
            for (std::size_t lane = 0; lane < width; ++lane) sums[q + c * width + lane] += static_cast<double>(total[c][lane]);
    }
}

template <class T, Metric metric>
void with_metric(const LeafTask& task, const T* panel, const T* rows, const T* w, std::size_t n, double* sums) {
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
            case Metric::euclidean: return with_metric<T, Metric::euclidean>(task, panel, rows, w, n, sums);
            case Metric::manhattan: return with_metric<T, Metric::manhattan>(task, panel, rows, w, n, sums);
            case Metric::chebyshev: return with_metric<T, Metric::chebyshev>(task, panel, rows, w, n, sums);
        }
    }
}

}  // namespace
}  // namespace lanatus::density::LANATUS_ISA
