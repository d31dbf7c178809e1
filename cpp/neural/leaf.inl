// Included by core/foreach_isa.hpp once per instruction set: see leaf.hpp.
#include "neural/leaf_isa.inl"

namespace lanatus::neural::LANATUS_ISA {

constexpr std::size_t vector_bytes = LANATUS_NEURAL_BYTES;
constexpr std::size_t tile_rows = LANATUS_NEURAL_ROWS;

template <class T>
struct Of {
    typedef T V __attribute__((vector_size(LANATUS_NEURAL_BYTES)));
    using Int = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    typedef Int I __attribute__((vector_size(LANATUS_NEURAL_BYTES)));
    static constexpr std::size_t lanes = LANATUS_NEURAL_BYTES / sizeof(T);
};
template <class T>
using Vec = typename Of<T>::V;

template <class T>
LANATUS_INLINE Vec<T> get(const T* p) {
    Vec<T> v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
template <class T>
LANATUS_INLINE void put(T* p, Vec<T> v) {
    __builtin_memcpy(p, &v, sizeof v);
}

// ---------------------------------------------------------------- products

// R rows of C, N vectors wide, over a packed panel (k, N vectors).
template <class T, std::size_t R, std::size_t N>
LANATUS_INLINE void tile(const T* A, std::size_t row, std::size_t column, const T* panel, std::size_t k, T* C,
                         std::size_t ldc, std::size_t valid, const T* bias, bool add, const T* spill) {
    constexpr std::size_t L = Of<T>::lanes;
    Vec<T> sum[R][N];
    for (std::size_t r = 0; r < R; ++r)
        for (std::size_t v = 0; v < N; ++v) sum[r][v] = Vec<T>{};
    for (std::size_t p = 0; p < k; ++p) {
        Vec<T> b[N];
        for (std::size_t v = 0; v < N; ++v) b[v] = get(panel + (p * N + v) * L);
        for (std::size_t r = 0; r < R; ++r) {
            const Vec<T> a = Vec<T>{} + A[r * row + p * column];
            for (std::size_t v = 0; v < N; ++v) sum[r][v] += a * b[v];
        }
    }
    if (valid == N * L) {
        for (std::size_t r = 0; r < R; ++r)
            for (std::size_t v = 0; v < N; ++v) {
                T* to = C + r * ldc + v * L;
                put(to, add ? get(to) + sum[r][v] : bias ? get(bias + v * L) + sum[r][v] : sum[r][v]);
            }
        return;
    }
    T part[N * L];
    if (spill != nullptr && C + (R - 1) * ldc + N * L <= spill) {
        for (std::size_t v = 0; v < N; ++v) {
            const std::size_t first = v * L, there = valid > first ? std::min(L, valid - first) : 0;
            for (std::size_t l = 0; l < L; ++l) part[first + l] = l < there && bias ? bias[first + l] : T{0};
        }
        for (std::size_t r = 0; r < R; ++r)
            for (std::size_t v = 0; v < N; ++v) put(C + r * ldc + v * L, get(part + v * L) + sum[r][v]);
        return;
    }
    for (std::size_t r = 0; r < R; ++r) {
        for (std::size_t v = 0; v < N; ++v) put(part + v * L, sum[r][v]);
        T* to = C + r * ldc;
        for (std::size_t j = 0; j < valid; ++j) to[j] = part[j] + (add ? to[j] : bias ? bias[j] : T{0});
    }
}

template <class T, std::size_t N>
void columns_of(const Strided<T>& A, const T* panel, std::size_t k, T* C, std::size_t ldc, std::size_t m,
                std::size_t valid, const T* bias, bool add, const T* spill) {
    std::size_t i = 0;
    const auto rows = [&](auto count) {
        constexpr std::size_t R = decltype(count)::value;
        for (; i + R <= m; i += R)
            tile<T, R, N>(A.data + i * A.row, A.row, A.column, panel, k, C + i * ldc, ldc, valid, bias, add, spill);
    };
    rows(std::integral_constant<std::size_t, tile_rows>{});
    rows(std::integral_constant<std::size_t, 4>{});
    rows(std::integral_constant<std::size_t, 2>{});
    rows(std::integral_constant<std::size_t, 1>{});
}

// A few columns: rows of A times columns of B, laid out one after the other in the panel.
template <class T>
void narrow_of(Strided<T> A, const T* B, const T* bias, bool add, MatrixView<T> C, std::size_t k, T* panel) {
    constexpr std::size_t L = Of<T>::lanes;
    const std::size_t n = C.cols;
    for (std::size_t p = 0; p < k; ++p)
        for (std::size_t j = 0; j < n; ++j) panel[j * k + p] = B[p * n + j];
    for (std::size_t i = 0; i < C.rows; ++i) {
        const T* a = A.data + i * A.row;
        for (std::size_t j = 0; j < n; ++j) {
            const T* b = panel + j * k;
            Vec<T> even = Vec<T>{}, odd = Vec<T>{};
            std::size_t p = 0;
            for (; p + 2 * L <= k; p += 2 * L) {
                even += get(a + p) * get(b + p);
                odd += get(a + p + L) * get(b + p + L);
            }
            T part[L], sum = 0;
            put(part, even + odd);
            for (std::size_t l = 0; l < L; ++l) sum += part[l];
            for (; p < k; ++p) sum += a[p] * b[p];
            T& to = C.row(i)[j];
            to = sum + (add ? to : bias ? bias[j] : T{0});
        }
    }
}

template <class T>
void multiply_of(Strided<T> A, const T* B, const T* bias, bool add, MatrixView<T> C, std::size_t k, T* panel) {
    constexpr std::size_t L = Of<T>::lanes;
    const std::size_t n = C.cols, depth = std::min<std::size_t>(256, panel_size<T>() / (2 * L));
    // Long rows by few columns: vectors along the rows, whose parts are added up at the end.
    if (n * (k / L + L) < k && A.column == 1 && n * k <= panel_size<T>())
        return narrow_of(A, B, bias, add, C, k, panel);
    // One block of columns, written row by row: what is written beyond a row is written over by the next.
    const T* spill = !add && k <= depth && n <= 2 * L ? C.data + C.size() : nullptr;
    if (k == 0 && !add)
        for (std::size_t i = 0; i < C.rows; ++i)
            for (std::size_t j = 0; j < n; ++j) C.row(i)[j] = bias ? bias[j] : T{0};
    for (std::size_t p = 0; p < k; p += depth) {
        const std::size_t rows = std::min(depth, k - p);
        const Strided<T> part{A.data + p * A.column, A.row, A.column};
        for (std::size_t j = 0; j < n;) {
            const std::size_t width = n - j > L ? 2 * L : L, valid = std::min(width, n - j);
            for (std::size_t q = 0; q < rows; ++q) {
                const T* from = B + (p + q) * n + j;
                T* to = panel + q * width;
                if (valid == width || from + width <= B + k * n) {  // lanes beyond are not looked at
                    for (std::size_t v = 0; v < width; v += L) put(to + v, get(from + v));
                } else {
                    for (std::size_t c = 0; c < width; ++c) to[c] = c < valid ? from[c] : T{0};
                }
            }
            const T* constant = bias ? bias + j : nullptr;
            if (width == L)
                columns_of<T, 1>(part, panel, rows, C.data + j, n, C.rows, valid, constant, add || p > 0, spill);
            else columns_of<T, 2>(part, panel, rows, C.data + j, n, C.rows, valid, constant, add || p > 0, spill);
            j += width;
        }
    }
}

template <class T>
void add_outer_of(MatrixView<const T> A, const T* D, MatrixView<T> C) {
    constexpr std::size_t L = Of<T>::lanes, most = 4;
    const std::size_t n = C.cols, k = A.cols;
    std::size_t c = 0;
    for (; c + L <= k; c += L) {
        Vec<T> sum[most];
        for (std::size_t j = 0; j < most; ++j) sum[j] = Vec<T>{};
        for (std::size_t i = 0; i < A.rows; ++i) {
            const Vec<T> a = get(A.row(i) + c);
            for (std::size_t j = 0; j < n; ++j) sum[j] += a * D[i * n + j];
        }
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t l = 0; l < L; ++l) C.row(c + l)[j] += sum[j][l];
    }
    if (c == k) return;
    Vec<T> sum[most];
    for (std::size_t j = 0; j < most; ++j) sum[j] = Vec<T>{};
    const T* end = A.data + A.rows * k;
    for (std::size_t i = 0; i < A.rows; ++i) {
        const T* from = A.row(i) + c;
        // Lanes of the next row are not looked at; after the last rows there may be nothing to read.
        T rest[L] = {};
        const bool whole = from + L <= end;
        if (!whole) std::copy_n(from, k - c, rest);
        const Vec<T> a = get(whole ? from : rest);
        for (std::size_t j = 0; j < n; ++j) sum[j] += a * D[i * n + j];
    }
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t l = 0; c + l < k; ++l) C.row(c + l)[j] += sum[j][l];
}

template <class T>
void transpose_of(MatrixView<const T> A, T* out) {
    constexpr std::size_t side = 16;
    for (std::size_t i = 0; i < A.rows; i += side)
        for (std::size_t j = 0; j < A.cols; j += side)
            for (std::size_t a = i; a < std::min(i + side, A.rows); ++a)
                for (std::size_t b = j; b < std::min(j + side, A.cols); ++b) out[b * A.rows + a] = A.row(a)[b];
}

template <class T>
void add_rows_of(MatrixView<const T> A, T* sums) {
    for (std::size_t i = 0; i < A.rows; ++i) {
        const T* row = A.row(i);
        for (std::size_t j = 0; j < A.cols; ++j) sums[j] += row[j];
    }
}
template <class T>
void add_to_of(T* sum, const T* part, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) sum[i] += part[i];
}
template <class T>
void add_scaled_of(T* y, T a, const T* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

// ---------------------------------------------------------------- units

// exp of any finite number, to about one unit in the last place; beyond the range, its ends.
LANATUS_INLINE Vec<float> exp_of(Vec<float> x) {
    using V = Vec<float>;
    const V low = V{} - 87.0f, high = V{} + 88.0f, magic = V{} + 0x1.8p23f;
    x = x < low ? low : x;
    x = x > high ? high : x;
    const V shifted = x * 1.44269504f + magic, n = shifted - magic;
    const V r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    V p = V{} + 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    typedef std::uint32_t Wrap __attribute__((vector_size(LANATUS_NEURAL_BYTES)));
    return p * (V)(((Wrap)shifted << 23) + 0x3f800000u);
}
LANATUS_INLINE Vec<double> exp_of(Vec<double> x) {
    using V = Vec<double>;
    const V low = V{} - 708.0, high = V{} + 709.0, magic = V{} + 0x1.8p52;
    x = x < low ? low : x;
    x = x > high ? high : x;
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
    typedef std::uint64_t Wrap __attribute__((vector_size(LANATUS_NEURAL_BYTES)));
    return p * (V)(((Wrap)shifted << 52) + 0x3ff0000000000000u);
}

template <class T>
LANATUS_INLINE Vec<T> unit_of(Unit unit, Vec<T> z) {
    using V = Vec<T>;
    const V one = V{} + T{1};
    const V nothing = z != z ? z : V{};  // NaN goes through, as exp_of's limits would not let it
    switch (unit) {
        case Unit::logistic: return one / (one + exp_of(-z)) + nothing;
        case Unit::tanh: return one - (one + one) / (exp_of(z + z) + one) + nothing;
        case Unit::relu: return z < V{} ? V{} : z;
        case Unit::exponential: return exp_of(z) + nothing;
        default: return z;
    }
}

template <class T>
void activate_of(Unit unit, T* z, std::size_t n) {
    constexpr std::size_t L = Of<T>::lanes;
    std::size_t i = 0;
    for (; i + L <= n; i += L) put(z + i, unit_of<T>(unit, get(z + i)));
    if (i == n) return;
    T rest[L] = {};
    std::copy(z + i, z + n, rest);
    put(rest, unit_of<T>(unit, get(rest)));
    std::copy(rest, rest + (n - i), z + i);
}

template <class T>
void times_slope_of(Unit unit, const T* a, T* slope, std::size_t n) {
    switch (unit) {
        case Unit::logistic:
            for (std::size_t i = 0; i < n; ++i) slope[i] *= a[i] * (1 - a[i]);
            break;
        case Unit::tanh:
            for (std::size_t i = 0; i < n; ++i) slope[i] *= 1 - a[i] * a[i];
            break;
        case Unit::relu:
            for (std::size_t i = 0; i < n; ++i) slope[i] = a[i] > 0 ? slope[i] : T{0};
            break;
        case Unit::exponential:
            for (std::size_t i = 0; i < n; ++i) slope[i] *= a[i];
            break;
        default: break;
    }
}

template <class T>
void softmax_rows_of(MatrixView<T> Z, double* sums) {
    for (std::size_t i = 0; i < Z.rows; ++i) {
        T* row = Z.row(i);
        T largest = row[0];
        for (std::size_t j = 1; j < Z.cols; ++j) largest = row[j] > largest ? row[j] : largest;
        for (std::size_t j = 0; j < Z.cols; ++j) row[j] -= largest;
    }
    activate_of<T>(Unit::exponential, Z.data, Z.size());
    for (std::size_t i = 0; i < Z.rows; ++i) {
        T* row = Z.row(i);
        T sum = 0;
        for (std::size_t j = 0; j < Z.cols; ++j) sum += row[j];
        const T part = 1 / sum;
        for (std::size_t j = 0; j < Z.cols; ++j) row[j] *= part;
        sums[i] = static_cast<double>(sum);
    }
}

template <class S, class T>
void scale_row_of(const S* x, const double* shift, const double* scale, std::size_t n, bool squash, T* row) {
    if (shift == nullptr) {
        for (std::size_t j = 0; j < n; ++j) row[j] = x[j] == x[j] ? static_cast<T>(x[j]) : T{0};
    } else {
        for (std::size_t j = 0; j < n; ++j) {
            const double value = (static_cast<double>(x[j]) - shift[j]) * scale[j];
            row[j] = value == value ? static_cast<T>(value) : T{0};
        }
    }
    if (squash)
        for (std::size_t j = 0; j < n; ++j) row[j] /= std::sqrt(T{1} + row[j] * row[j] * T(1.0 / 9));
}

// ---------------------------------------------------------------- optimisers

template <class T>
void move_of(const Move& how, std::uint64_t step, const T* gradient, T* theta, T* first, T* second, std::size_t n) {
    const T share = T(how.share), decay = T(how.decay), rate = T(how.rate), momentum = T(how.momentum);
    const T b1 = T(how.beta_1), b2 = T(how.beta_2), c1 = T(1 - how.beta_1), c2 = T(1 - how.beta_2);
    const T epsilon = T(how.epsilon);
    switch (how.rule) {
        case Rule::sgd:
            for (std::size_t i = 0; i < n; ++i) {
                const T g = share * gradient[i] + decay * theta[i];
                first[i] = momentum * first[i] - rate * g;
                theta[i] += first[i];
            }
            break;
        case Rule::nesterov:
            for (std::size_t i = 0; i < n; ++i) {
                const T g = share * gradient[i] + decay * theta[i];
                first[i] = momentum * first[i] - rate * g;
                theta[i] += momentum * first[i] - rate * g;
            }
            break;
        case Rule::adagrad:
            for (std::size_t i = 0; i < n; ++i) {
                const T g = share * gradient[i] + decay * theta[i];
                second[i] += g * g;
                theta[i] -= rate * g / (std::sqrt(second[i]) + epsilon);
            }
            break;
        case Rule::rmsprop:
            for (std::size_t i = 0; i < n; ++i) {
                const T g = share * gradient[i] + decay * theta[i];
                second[i] = b2 * second[i] + c2 * g * g;
                theta[i] -= rate * g / (std::sqrt(second[i]) + epsilon);
            }
            break;
        case Rule::adam:
        case Rule::adamw: {
            const double t = static_cast<double>(step);
            const T now = T(how.rate * std::sqrt(1 - std::pow(how.beta_2, t)) / (1 - std::pow(how.beta_1, t)));
            const T kept = T(1 - how.rate * how.shrink);
            for (std::size_t i = 0; i < n; ++i) {
                const T g = share * gradient[i] + decay * theta[i];
                first[i] = b1 * first[i] + c1 * g;
                second[i] = b2 * second[i] + c2 * g * g;
                theta[i] = kept * theta[i] - now * first[i] / (std::sqrt(second[i]) + epsilon);
            }
            break;
        }
        case Rule::rprop:  // first: the last gradient, second: the size of the step
            for (std::size_t i = 0; i < n; ++i) {
                T g = share * gradient[i] + decay * theta[i];
                const T turn = first[i] * g;
                T size = second[i] * (turn > 0 ? T(1.2) : turn < 0 ? T(0.5) : T(1));
                size = size > T(how.most) ? T(how.most) : size < T(how.least) ? T(how.least) : size;
                if (turn < 0) g = 0;
                second[i] = size;
                first[i] = g;
                theta[i] -= g > 0 ? size : g < 0 ? -size : T(0);
            }
            break;
    }
}

template <class T>
T pull_towards_of(const T* x, T share, T* w, std::size_t n) {
    constexpr std::size_t L = Of<T>::lanes;
    Vec<T> squares = Vec<T>{};
    std::size_t j = 0;
    for (; j + L <= n; j += L) {
        const Vec<T> before = get(w + j), after = before + share * (get(x + j) - before);
        put(w + j, after);
        squares += after * after;
    }
    T part[L], sum = 0;
    put(part, squares);
    for (std::size_t l = 0; l < L; ++l) sum += part[l];
    for (; j < n; ++j) {
        w[j] += share * (x[j] - w[j]);
        sum += w[j] * w[j];
    }
    return sum;
}

template <class T>
std::size_t nearest_row_of(const T* x, MatrixView<const T> W, const T* norms) {
    constexpr std::size_t L = Of<T>::lanes;
    std::size_t best = 0;
    T least = std::numeric_limits<T>::infinity();
    for (std::size_t q = 0; q < W.rows; ++q) {
        const T* w = W.row(q);
        Vec<T> sum = Vec<T>{};
        std::size_t j = 0;
        for (; j + L <= W.cols; j += L) sum += get(w + j) * get(x + j);
        T part[L], product = 0;
        put(part, sum);
        for (std::size_t l = 0; l < L; ++l) product += part[l];
        for (; j < W.cols; ++j) product += w[j] * x[j];
        const T distance = norms[q] - 2 * product;
        if (distance < least) least = distance, best = q;
    }
    return best;
}

}  // namespace lanatus::neural::LANATUS_ISA

#undef LANATUS_NEURAL_BYTES
#undef LANATUS_NEURAL_ROWS
