// Included once per instruction set by mixture_leaf.cpp (no include guard on purpose).
namespace lanatus::density::LANATUS_ISA {
namespace {

#include "core/vector_math.inl"

// Rows are taken in groups, one row a lane; a panel holds (groups, d, group_rows).
constexpr std::size_t vectors = 3, group_rows = vectors * lanes;

LANATUS_INLINE std::size_t groups_in_block(std::size_t d) {
    constexpr std::size_t bytes = std::size_t{96} << 10;
    return std::clamp<std::size_t>(bytes / (group_rows * d * sizeof(double)), 8, 32);
}

// ---- one block of rows and what is known about it

struct Workspace {
    std::size_t groups = 0;         // in use
    Buffer<double> x, gaps, heavy;  // panels: the rows, less a mean, and that times r
    Buffer<double> joint;           // (count, rows): log p(x, c), then p(c | x)
    Buffer<double> weight, squares;

    Workspace(const Components& mixture, bool moments)
        : Workspace(mixture, groups_in_block(mixture.d) * group_rows, moments && mixture.shape == Shape::full) {}

  private:
    Workspace(const Components& mixture, std::size_t rows, bool scatter)
        : x(rows * mixture.d), gaps(mixture.shape == Shape::diagonal ? 0 : rows * mixture.d),
          heavy(scatter ? rows * mixture.d : 0), joint(rows * mixture.count), weight(rows), squares(rows) {}
};

// Rows side by side, the last group filled up with copies of the first row that weigh nothing.
template <class T>
void take_rows(const MixtureTask<T>& task, std::size_t first, std::size_t rows, Workspace& work) {
    const std::size_t d = task.X.cols;
    work.groups = (rows + group_rows - 1) / group_rows;
    for (std::size_t i = 0; i < work.groups * group_rows; ++i) {
        const std::size_t row = i < rows ? first + i : first;
        const T* x = task.X.row(row);
        double* out = work.x.data() + i / group_rows * d * group_rows + i % group_rows;
        for (std::size_t j = 0; j < d; ++j) out[j * group_rows] = static_cast<double>(x[j]);
        work.weight[i] = i >= rows ? 0.0 : task.w ? task.w[row] : 1.0;
    }
}

void subtract(const double* mean, std::size_t d, const Workspace& work, double* out) {
    for (std::size_t g = 0; g < work.groups; ++g)
        for (std::size_t j = 0; j < d; ++j) {
            const std::size_t at = (g * d + j) * group_rows;
            for (std::size_t v = 0; v < group_rows; v += lanes)
                store(out + at + v, load(work.x.data() + at + v) - mean[j]);
        }
}

// ---- E step: squared distances after whitening

// sum <- J rows of the triangle (`stop` columns) times a group's panel
template <std::size_t J>
LANATUS_INLINE void triangle_tile(const double* factor, std::size_t stop, const double* panel, V (&sum)[J][vectors]) {
    for (std::size_t m = 0; m < stop; ++m) {
        V x[vectors];
        for (std::size_t v = 0; v < vectors; ++v) x[v] = load(panel + m * group_rows + v * lanes);
        for (std::size_t j = 0; j < J; ++j)
            for (std::size_t v = 0; v < vectors; ++v) sum[j][v] += factor[m * J + j] * x[v];
    }
}

template <std::size_t J>
void add_squares(const double* factor, std::size_t first, std::size_t d, const Workspace& work) {
    for (std::size_t g = 0; g < work.groups; ++g) {
        V sum[J][vectors] = {};
        triangle_tile<J>(factor, first + J, work.gaps.data() + g * d * group_rows, sum);
        double* squares = work.squares.data() + g * group_rows;
        for (std::size_t v = 0; v < vectors; ++v) {
            V total = load(squares + v * lanes);
            for (std::size_t j = 0; j < J; ++j) total += sum[j][v] * sum[j][v];
            store(squares + v * lanes, total);
        }
    }
}

template <std::size_t J>
void write_whitened(const double* factor, std::size_t first, std::size_t d, const double* from, std::size_t groups,
                    double* to) {
    for (std::size_t g = 0; g < groups; ++g) {
        V sum[J][vectors] = {};
        triangle_tile<J>(factor, first + J, from + g * d * group_rows, sum);
        for (std::size_t j = 0; j < J; ++j)
            for (std::size_t v = 0; v < vectors; ++v)
                store(to + (g * d + first + j) * group_rows + v * lanes, sum[j][v]);
    }
}

// body(first row, rows as a constant) for the tiles of a triangle
template <class Body>
LANATUS_INLINE void each_tile(std::size_t d, const Body& body) {
    static_assert(tile_rows == 4);
    std::size_t j = 0;
    for (; j + tile_rows <= d; j += tile_rows) body(j, std::integral_constant<std::size_t, tile_rows>{});
    switch (d - j) {
        case 3: body(j, std::integral_constant<std::size_t, 3>{}); break;
        case 2: body(j, std::integral_constant<std::size_t, 2>{}); break;
        case 1: body(j, std::integral_constant<std::size_t, 1>{}); break;
        default: break;
    }
}

void full_squares(const Components& mixture, std::size_t c, const Workspace& work) {
    const std::size_t d = mixture.d;
    subtract(mixture.means + c * d, d, work, work.gaps.data());
    std::fill_n(work.squares.data(), work.groups * group_rows, 0.0);
    const double* factor = mixture.factors + c * packed_size(d);
    each_tile(d, [&](std::size_t first, auto rows) {
        add_squares<rows>(factor, first, d, work);
        factor += rows * (first + rows);
    });
}

// gaps <- F (x - origin), once for all components
void whiten_block(const Components& mixture, const Workspace& work) {
    const std::size_t d = mixture.d;
    const Buffer<double> centred(work.groups * d * group_rows);
    subtract(mixture.origin, d, work, centred.data());
    const double* factor = mixture.factors;
    each_tile(d, [&](std::size_t first, auto rows) {
        write_whitened<rows>(factor, first, d, centred.data(), work.groups, work.gaps.data());
        factor += rows * (first + rows);
    });
}

// Squared distances to a mean, along the axes; `scale` may be null.
void axis_squares(const double* panel, const double* mean, const double* scale, std::size_t d, const Workspace& work) {
    for (std::size_t g = 0; g < work.groups; ++g) {
        V total[vectors] = {};
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t v = 0; v < vectors; ++v) {
                V gap = load(panel + (g * d + j) * group_rows + v * lanes) - mean[j];
                if (scale) gap *= scale[j];
                total[v] += gap * gap;
            }
        for (std::size_t v = 0; v < vectors; ++v) store(work.squares.data() + g * group_rows + v * lanes, total[v]);
    }
}

void log_joints(const Components& mixture, const Workspace& work) {
    const std::size_t d = mixture.d, rows = work.groups * group_rows;
    if (mixture.shape == Shape::tied) whiten_block(mixture, work);
    // Distances that overflow are merely very large, lest their differences be undefined.
    const V lowest = V{} - 1e300;
    for (std::size_t c = 0; c < mixture.count; ++c) {
        const double* mean = mixture.means + c * d;
        switch (mixture.shape) {
            case Shape::full: full_squares(mixture, c, work); break;
            case Shape::tied: axis_squares(work.gaps.data(), mean, nullptr, d, work); break;
            case Shape::diagonal: axis_squares(work.x.data(), mean, mixture.factors + c * d, d, work); break;
        }
        double* joint = work.joint.data() + c * rows;
        for (std::size_t i = 0; i < rows; i += lanes) {
            const V value = mixture.log_const[c] - 0.5 * load(work.squares.data() + i);
            store(joint + i, value > lowest ? value : lowest);
        }
    }
}

// joint <- posterior probabilities; squares <- log densities
void posteriors(std::size_t count, const Workspace& work, MixtureSums& out) {
    const std::size_t rows = work.groups * group_rows;
    double* joint = work.joint.data();
    V likelihood = {}, entropy = {};
    for (std::size_t i = 0; i < rows; i += lanes) {
        V largest = load(joint + i), total = {}, mean = {};
        for (std::size_t c = 1; c < count; ++c) {
            const V value = load(joint + c * rows + i);
            largest = value > largest ? value : largest;
        }
        for (std::size_t c = 0; c < count; ++c) {
            const V below = load(joint + c * rows + i) - largest, e = exp_negative(below);
            total += e;
            mean += e * (below > V{} - 708.0 ? below : V{} - 708.0);
            store(joint + c * rows + i, e);
        }
        const V scale = 1.0 / total, log_total = log_positive(total), weight = load(work.weight.data() + i);
        for (std::size_t c = 0; c < count; ++c) store(joint + c * rows + i, load(joint + c * rows + i) * scale);
        const V log_density = largest + log_total;
        store(work.squares.data() + i, log_density);
        likelihood += weight * log_density;
        entropy += weight * (log_total - mean * scale);
    }
    out.log_likelihood += sum_of(likelihood);
    out.entropy += sum_of(entropy);
}

template <class T>
void write_rows(const MixtureTask<T>& task, std::size_t first, std::size_t rows, const Workspace& work) {
    if (task.log_density) std::copy_n(work.squares.data(), rows, task.log_density + first);
    const std::size_t count = task.mixture.count, stride = work.groups * group_rows;
    if (task.shares)
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t c = 0; c < count; ++c) task.shares[(first + i) * count + c] = work.joint[c * stride + i];
}

// ---- M step: moments about the means that the E step used

// Lower triangle of `second`, rows first .. first + J, columns m .. m + M
template <std::size_t J, std::size_t M>
LANATUS_INLINE void gram_tile(std::size_t first, std::size_t m, std::size_t d, const Workspace& work, double* second) {
    V sum[J][M] = {};
    for (std::size_t g = 0; g < work.groups; ++g) {
        const double* left = work.heavy.data() + (g * d + first) * group_rows;
        const double* right = work.gaps.data() + (g * d + m) * group_rows;
        for (std::size_t v = 0; v < group_rows; v += lanes) {
            V b[M];
            for (std::size_t t = 0; t < M; ++t) b[t] = load(right + t * group_rows + v);
            for (std::size_t j = 0; j < J; ++j) {
                const V a = load(left + j * group_rows + v);
                for (std::size_t t = 0; t < M; ++t) sum[j][t] += a * b[t];
            }
        }
    }
    for (std::size_t j = 0; j < J; ++j)
        for (std::size_t t = 0; t < M; ++t) second[(first + j) * d + m + t] += sum_of(sum[j][t]);
}

void add_scatter(std::size_t d, const Workspace& work, double* second) {
    each_tile(d, [&](std::size_t first, auto rows) {
        const std::size_t stop = first + rows;
        std::size_t m = 0;
        for (; m + 3 <= stop; m += 3) gram_tile<rows, 3>(first, m, d, work, second);
        if (m + 2 == stop) gram_tile<rows, 2>(first, m, d, work, second);
        if (m + 1 == stop) gram_tile<rows, 1>(first, m, d, work, second);
    });
}

// r <- posterior probability times weight, in place; returns their sum
double weigh(double* shares, const Workspace& work) {
    V total = {};
    for (std::size_t i = 0; i < work.groups * group_rows; i += lanes) {
        const V r = load(shares + i) * load(work.weight.data() + i);
        store(shares + i, r);
        total += r;
    }
    return sum_of(total);
}

// first[j] += r (x - mean) and, where wanted, the squares along the axes or the panels for the scatter
void add_moments(const Components& mixture, std::size_t c, const double* r, const Workspace& work, MixtureSums& out) {
    const std::size_t d = mixture.d;
    const double* mean = mixture.raw_means + c * d;
    const bool full = mixture.shape == Shape::full, diagonal = mixture.shape == Shape::diagonal;
    for (std::size_t j = 0; j < d; ++j) {
        V first[vectors] = {}, second[vectors] = {};
        for (std::size_t g = 0; g < work.groups; ++g)
            for (std::size_t v = 0; v < vectors; ++v) {
                const std::size_t at = (g * d + j) * group_rows + v * lanes;
                const V gap = load(work.x.data() + at) - mean[j], heavy = gap * load(r + g * group_rows + v * lanes);
                first[v] += heavy;
                if (full) store(work.gaps.data() + at, gap), store(work.heavy.data() + at, heavy);
                if (diagonal) second[v] += gap * heavy;
            }
        static_assert(vectors == 3);
        out.first[c * d + j] += sum_of(first[0] + first[1] + first[2]);
        if (diagonal) out.second[c * d + j] += sum_of(second[0] + second[1] + second[2]);
    }
    if (full) add_scatter(d, work, out.second.data() + c * d * d);
}

template <class T>
void mixture_rows_of(const MixtureTask<T>& task, std::size_t begin, std::size_t end, MixtureSums& out) {
    const Components& mixture = task.mixture;
    Workspace work(mixture, task.moments);
    const std::size_t block = groups_in_block(mixture.d) * group_rows;
    for (std::size_t first = begin; first < end; first += block) {
        const std::size_t rows = std::min(block, end - first);
        take_rows(task, first, rows, work);
        log_joints(mixture, work);
        posteriors(mixture.count, work, out);
        write_rows(task, first, rows, work);
        if (!task.moments) continue;
        for (std::size_t c = 0; c < mixture.count; ++c) {
            double* r = work.joint.data() + c * work.groups * group_rows;
            out.mass[c] += weigh(r, work);
            add_moments(mixture, c, r, work, out);
        }
    }
}

}  // namespace
}  // namespace lanatus::density::LANATUS_ISA
