// Included once per instruction set by logistic_leaf.cpp (no include guard on purpose).
namespace lanatus::logistic::LANATUS_ISA {
namespace {

typedef double V __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
constexpr std::size_t lanes = LANATUS_VECTOR_BYTES / sizeof(double);

LANATUS_INLINE V load(const double* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
LANATUS_INLINE void add_to(double* p, V v) {
    v += load(p);
    __builtin_memcpy(p, &v, sizeof v);
}

// C (M, NV vectors) += sum over k of a(i, k) b(k, .), with a(i, k) = a[i * i_step + k * k_step]: a product of matrices in
// whichever order they lie, M * NV sums in registers.
template <std::size_t M, std::size_t NV, class T>
LANATUS_INLINE void tile(const T* a, std::size_t i_step, std::size_t k_step, const double* b, std::size_t b_stride,
                         std::size_t count, double* c, std::size_t c_stride) {
    V sum[M][NV] = {};
    for (std::size_t k = 0; k < count; ++k) {
        V right[NV];
        for (std::size_t v = 0; v < NV; ++v) right[v] = load(b + k * b_stride + v * lanes);
        for (std::size_t i = 0; i < M; ++i) {
            const double left = static_cast<double>(a[i * i_step + k * k_step]);
            for (std::size_t v = 0; v < NV; ++v) sum[i][v] += left * right[v];
        }
    }
    for (std::size_t i = 0; i < M; ++i)
        for (std::size_t v = 0; v < NV; ++v) add_to(c + i * c_stride + v * lanes, sum[i][v]);
}

template <std::size_t NV, class T>
LANATUS_INLINE void column_of_tiles(const T* a, std::size_t i_step, std::size_t k_step, const double* b,
                                    std::size_t b_stride, std::size_t m, std::size_t count, double* c,
                                    std::size_t c_stride) {
    std::size_t i = 0;
    for (; i + 4 <= m; i += 4)
        tile<4, NV>(a + i * i_step, i_step, k_step, b, b_stride, count, c + i * c_stride, c_stride);
    for (; i < m; ++i) tile<1, NV>(a + i * i_step, i_step, k_step, b, b_stride, count, c + i * c_stride, c_stride);
}

// C (m, width) += A B for B (count, width), width a multiple of 4.
template <class T>
void product(const T* a, std::size_t i_step, std::size_t k_step, const double* b, std::size_t width, std::size_t m,
             std::size_t count, double* c) {
    std::size_t j = 0;
    for (; j + 3 * lanes <= width; j += 3 * lanes)
        column_of_tiles<3>(a, i_step, k_step, b + j, width, m, count, c + j, width);
    for (; j + 2 * lanes <= width; j += 2 * lanes)
        column_of_tiles<2>(a, i_step, k_step, b + j, width, m, count, c + j, width);
    for (; j < width; j += lanes) column_of_tiles<1>(a, i_step, k_step, b + j, width, m, count, c + j, width);
}

// Tiles on and above the diagonal of C (width, width) += P'P for the panel P (rows, width).
void gram(const double* panel, std::size_t rows, std::size_t width, std::size_t used, double* c) {
    for (std::size_t j = 0; j < used; j += 2 * lanes)
        for (std::size_t i = 0; i < std::min(used, j + 2 * lanes); i += 4)
            tile<4, 2>(panel + i, 1, width, panel + j, width, rows, c + i * width + j, width);
}

// ---- exp(x) and log(1 + e) as plain arithmetic, so that loops over them vectorise; both to about one unit in the last place

// exp(x) for -708 <= x <= 0 (below, as at -708): x = n log 2 + r, Taylor in |r| <= log(2) / 2.
LANATUS_INLINE double exp_negative(double x) {
    constexpr double magic = 0x1.8p52;
    x = x < -708.0 ? -708.0 : x;
    const double shifted = x * 1.4426950408889634 + magic;
    const double n = shifted - magic;
    const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    double p = 1.0 / 6227020800.0;
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
    const auto bits = (__builtin_bit_cast(std::uint64_t, shifted) << 52) + 0x3ff0000000000000u;
    return p * __builtin_bit_cast(double, bits);
}

// log(1 + e) for 0 <= e <= 1: 1 + e or half of it is brought near 1, then 2 artanh(t / (2 + t)).
LANATUS_INLINE double log1p_unit(double e) {
    const bool large = e > 0.41421356237309503;
    const double t = large ? 0.5 * (e - 1.0) : e;
    const double s = t / (2.0 + t), q = s * s;
    double p = 2.0 / 21.0;
    p = p * q + 2.0 / 19.0;
    p = p * q + 2.0 / 17.0;
    p = p * q + 2.0 / 15.0;
    p = p * q + 2.0 / 13.0;
    p = p * q + 2.0 / 11.0;
    p = p * q + 2.0 / 9.0;
    p = p * q + 2.0 / 7.0;
    p = p * q + 2.0 / 5.0;
    p = p * q + 2.0 / 3.0;
    p = p * q + 2.0;
    return s * p + (large ? 0.6931471805599453 : 0.0);
}

void logistic_terms_of(const double* __restrict z, const double* __restrict y, const double* w, std::size_t n,
                       double* loss, double* __restrict residual, double* __restrict curvature) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) {
        const double sign = 2.0 * y[i] - 1.0, margin = sign * z[i];
        const double e = exp_negative(-std::fabs(margin)), near = 1.0 / (1.0 + e), far = e * near;
        const double weight = w ? w[i] : 1.0;
        sum += weight * (log1p_unit(e) + (margin < 0.0 ? -margin : 0.0));
        residual[i] = -sign * weight * (margin < 0.0 ? near : far);
        if (curvature) curvature[i] = weight * near * far;
    }
    *loss += sum;
}

void squared_hinge_terms_of(const double* __restrict z, const double* __restrict y, const double* w, std::size_t n,
                            double* loss, double* __restrict residual, double* __restrict curvature) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) {
        const double sign = 2.0 * y[i] - 1.0, short_of = 1.0 - sign * z[i], gap = short_of > 0.0 ? short_of : 0.0;
        const double weight = w ? w[i] : 1.0;
        sum += weight * gap * gap;
        residual[i] = -2.0 * sign * weight * gap;
        if (curvature) curvature[i] = short_of > 0.0 ? 2.0 * weight : 0.0;
    }
    *loss += sum;
}

void squared_tube_terms_of(double epsilon, const double* __restrict z, const double* __restrict y, const double* w,
                           std::size_t n, double* loss, double* __restrict residual, double* __restrict curvature) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) {
        const double off = z[i] - y[i], beyond = std::fabs(off) - epsilon, gap = beyond > 0.0 ? beyond : 0.0;
        const double weight = w ? w[i] : 1.0;
        sum += weight * gap * gap;
        residual[i] = (off < 0.0 ? -2.0 : 2.0) * weight * gap;
        if (curvature) curvature[i] = beyond > 0.0 ? 2.0 * weight : 0.0;
    }
    *loss += sum;
}

void loss_terms_of(const Loss& of, const double* z, const double* y, const double* w, std::size_t n, double* loss,
                   double* residual, double* curvature) {
    switch (of.form) {
        case Form::logistic: return logistic_terms_of(z, y, w, n, loss, residual, curvature);
        case Form::squared_hinge: return squared_hinge_terms_of(z, y, w, n, loss, residual, curvature);
        case Form::squared_tube: return squared_tube_terms_of(of.epsilon, z, y, w, n, loss, residual, curvature);
    }
}

template <class T>
LANATUS_INLINE double dot(const T* __restrict x, const double* __restrict v, std::size_t d) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < d; ++j) sum += static_cast<double>(x[j]) * v[j];
    return sum;
}

// out (d + 1) += X' r over some rows, the last entry being that of a column of ones
template <class T>
LANATUS_INLINE void add_transposed(const T* __restrict X, std::size_t rows, std::size_t d, const double* __restrict r,
                                   double* __restrict out) {
    std::size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const T *a = X + i * d, *b = a + d, *c = b + d, *e = c + d;
        const double ra = r[i], rb = r[i + 1], rc = r[i + 2], re = r[i + 3];
#pragma omp simd
        for (std::size_t j = 0; j < d; ++j)
            out[j] += (ra * static_cast<double>(a[j]) + rb * static_cast<double>(b[j])) +
                      (rc * static_cast<double>(c[j]) + re * static_cast<double>(e[j]));
        out[d] += (ra + rb) + (rc + re);
    }
    for (; i < rows; ++i) {
        for (std::size_t j = 0; j < d; ++j) out[j] += r[i] * static_cast<double>(X[i * d + j]);
        out[d] += r[i];
    }
}

template <class T>
void binary_rows_of(const BinaryTask<T>& task, std::size_t begin, std::size_t end, BinarySums& out) {
    const std::size_t d = task.X.cols, width = panel_width(d + 1), used = (d + 8) / 8 * 8;
    const std::size_t block = block_rows(d * sizeof(T) + (task.hessian ? width * sizeof(double) : 0));
    const bool curved = task.hessian || task.curvature;
    const Buffer<double> panel(task.hessian ? block * width : 0);
    double z[128], residual[128], own_curvature[128];
    for (std::size_t first = begin; first < end; first += block) {
        const std::size_t rows = std::min(block, end - first);
        const T* X = task.X.row(first);
        for (std::size_t i = 0; i < rows; ++i) z[i] = dot(X + i * d, task.coef, d) + task.coef[d];
        double* curvature = task.curvature ? task.curvature + first : own_curvature;
        loss_terms_of(task.loss, z, task.y + first, task.w ? task.w + first : nullptr, rows, &out.loss, residual,
                      curved ? curvature : nullptr);
        add_transposed(X, rows, d, residual, out.gradient.data());
        if (!task.hessian) continue;
        std::size_t curving = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            if (curvature[i] == 0.0) continue;
            const double root = std::sqrt(curvature[i]);
            double* row = panel.data() + curving++ * width;
            for (std::size_t j = 0; j < d; ++j) row[j] = root * static_cast<double>(X[i * d + j]);
            row[d] = root;
            for (std::size_t j = d + 1; j < width; ++j) row[j] = 0.0;
        }
        gram(panel.data(), curving, width, used, out.hessian.data());
    }
}

template <class T>
void curved_rows_of(MatrixView<const T> X, const double* curvature, const double* v, std::size_t begin, std::size_t end,
                    double* out) {
    const std::size_t d = X.cols, block = block_rows(d * sizeof(T));
    double z[128];
    for (std::size_t first = begin; first < end; first += block) {
        const std::size_t rows = std::min(block, end - first);
        for (std::size_t i = 0; i < rows; ++i) z[i] = curvature[first + i] * (dot(X.row(first + i), v, d) + v[d]);
        add_transposed(X.row(first), rows, d, z, out);
    }
}

void softmax_terms_of(double* __restrict z, const std::int32_t* y, const double* w, std::size_t rows,
                      std::size_t classes, std::size_t width, double* loss, double* __restrict residual) {
    double sum = 0;
    std::vector<double> own(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        double* row = z + i * width;
        double largest = row[0];
        for (std::size_t c = 1; c < classes; ++c) largest = std::max(largest, row[c]);
        own[i] = largest - row[y[i]];
        for (std::size_t c = 0; c < classes; ++c) row[c] -= largest;
        for (std::size_t c = classes; c < width; ++c) row[c] = 0.0;
    }
    for (std::size_t i = 0; i < rows * width; ++i) z[i] = exp_negative(z[i]);
    for (std::size_t i = 0; i < rows; ++i) {
        double *row = z + i * width, *r = residual + i * width;
        const double weight = w ? w[i] : 1.0;
        double total = 0;
        for (std::size_t c = 0; c < classes; ++c) total += row[c];
        sum += weight * (std::log(total) + own[i]);
        const double scale = 1.0 / total;
        for (std::size_t c = 0; c < width; ++c) row[c] = c < classes ? row[c] * scale : 0.0;
        for (std::size_t c = 0; c < width; ++c) r[c] = weight * row[c];
        // 1 - p loses digits for p near 1: take the sum of the others
        double others = 0;
        for (std::size_t c = 0; c < classes; ++c) others += c == static_cast<std::size_t>(y[i]) ? 0.0 : row[c];
        r[y[i]] = -weight * others;
    }
    *loss += sum;
}

// scores (rows, width) <- X coef, coef (d + 1, width)
template <class T>
LANATUS_INLINE void scores_of(const T* X, std::size_t rows, std::size_t d, const double* coef, std::size_t width,
                              double* scores) {
    for (std::size_t i = 0; i < rows; ++i)
        __builtin_memcpy(scores + i * width, coef + d * width, width * sizeof(double));
    product(X, d, 1, coef, width, rows, d, scores);
}

// out (d + 1, width) += X' R
template <class T>
LANATUS_INLINE void add_products(const T* X, std::size_t rows, std::size_t d, const double* r, std::size_t width,
                                 double* out) {
    product(X, 1, d, r, width, d, rows, out);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < width; ++c) out[d * width + c] += r[i * width + c];
}

template <class T>
void multinomial_rows_of(const MultinomialTask<T>& task, std::size_t begin, std::size_t end, MultinomialSums& out) {
    const std::size_t d = task.X.cols, k = task.classes, width = class_width(k);
    const std::size_t block = block_rows(d * sizeof(T) + 2 * width * sizeof(double));
    const Buffer<double> scores(block * width), residual(block * width);
    for (std::size_t first = begin; first < end; first += block) {
        const std::size_t rows = std::min(block, end - first);
        scores_of(task.X.row(first), rows, d, task.coef, width, scores.data());
        softmax_terms_of(scores.data(), task.y + first, task.w ? task.w + first : nullptr, rows, k, width, &out.loss,
                         residual.data());
        add_products(task.X.row(first), rows, d, residual.data(), width, out.gradient.data());
        if (task.shares)
            for (std::size_t i = 0; i < rows; ++i)
                __builtin_memcpy(task.shares + (first + i) * k, scores.data() + i * width, k * sizeof(double));
    }
}

void softmax_curvature_of(double* z, const double* shares, const double* w, std::size_t rows, std::size_t classes,
                          std::size_t width) {
    for (std::size_t i = 0; i < rows; ++i) {
        double* row = z + i * width;
        const double* p = shares + i * classes;
        double mean = 0;
        for (std::size_t c = 0; c < classes; ++c) mean += p[c] * row[c];
        const double weight = w ? w[i] : 1.0;
        for (std::size_t c = 0; c < classes; ++c) row[c] = weight * p[c] * (row[c] - mean);
        for (std::size_t c = classes; c < width; ++c) row[c] = 0.0;
    }
}

template <class T>
void multinomial_product_rows_of(const MultinomialProduct<T>& task, std::size_t begin, std::size_t end, double* out) {
    const std::size_t d = task.X.cols, width = class_width(task.classes);
    const std::size_t block = block_rows(d * sizeof(T) + width * sizeof(double));
    const Buffer<double> scores(block * width);
    for (std::size_t first = begin; first < end; first += block) {
        const std::size_t rows = std::min(block, end - first);
        scores_of(task.X.row(first), rows, d, task.direction, width, scores.data());
        softmax_curvature_of(scores.data(), task.shares + first * task.classes, task.w ? task.w + first : nullptr, rows,
                             task.classes, width);
        add_products(task.X.row(first), rows, d, scores.data(), width, out);
    }
}

template <class T>
void scatter_rows_of(const ScatterTask<T>& task, std::size_t begin, std::size_t end, ScatterSums& out) {
    const std::size_t d = task.X.cols, width = panel_width(d), used = (d + 7) / 8 * 8;
    const std::size_t block = block_rows(d * sizeof(T) + width * sizeof(double));
    const Buffer<double> panel(block * width);
    std::fill_n(panel.data(), panel.size(), 0.0);
    for (std::size_t first = begin; first < end; first += block) {
        const std::size_t stop = std::min(first + block, end);
        std::size_t rows = 0;
        for (std::size_t i = first; i < stop; ++i) {
            const double weight = task.w ? task.w[i] : 1.0;
            if (task.y[i] < 0 || weight == 0) continue;
            const auto c = static_cast<std::size_t>(task.y[i]);
            const T* x = task.X.row(i);
            const double* shift = task.shift + c * d;
            double *row = panel.data() + rows * width, *sums = out.sums.data() + c * d;
            out.mass[c] += weight;
            if (task.w) {
                const double root = std::sqrt(weight);
                for (std::size_t j = 0; j < d; ++j) {
                    const double gap = static_cast<double>(x[j]) - shift[j];
                    sums[j] += weight * gap;
                    row[j] = root * gap;
                }
            } else {
                for (std::size_t j = 0; j < d; ++j) {
                    row[j] = static_cast<double>(x[j]) - shift[j];
                    sums[j] += row[j];
                }
            }
            ++rows;
        }
        gram(panel.data(), rows, width, used, out.scatter.data());
    }
}

}  // namespace
}  // namespace lanatus::logistic::LANATUS_ISA
