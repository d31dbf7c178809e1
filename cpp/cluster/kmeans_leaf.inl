// Included once per instruction set by kmeans_leaf_float.cpp and kmeans_leaf_double.cpp (no include guard on purpose).
#include "metric/sq_tile.inl"

namespace lanatus::cluster::LANATUS_ISA {
namespace {

using namespace ::lanatus::metric::LANATUS_ISA;

typedef double Double4 __attribute__((vector_size(32)));

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
        if (four) add_rows<Weighted, 4>(x, weight, centers.row(c), centers.cols, sum, found);
        else if (two) add_rows<Weighted, 2>(x, weight, centers.row(c), centers.cols, sum, found);
        else add_rows<Weighted, 1>(x, weight, centers.row(c), centers.cols, sum, found);
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

template <bool Weighted, class How, class T>
LANATUS_INLINE void lloyd_range(const LloydTask<T>& task, std::size_t begin, std::size_t end, ClusterSums& out) {
    const TileSpace<T> space(task.packed);
    const std::size_t d = task.X.cols;
    for (std::size_t c = 0; c < out.k; ++c) out.row(c);
    Double4 inertia{};
    for (std::size_t i = begin; i < end; i += tile<T>) {
        const T* rows[tile<T>];
        const std::size_t count = point_at(task.X, i, end, rows);
        Smallest<T> nearest;
        run<How>(rows, task.packed, space, nearest);
        decltype(Mask<T>{}[0] + 0) which[tile<T>];
        alignas(32) T distance[tile<T>];
        __builtin_memcpy(which, nearest.which, sizeof which);
        if constexpr (!How::shift) __builtin_memcpy(distance, nearest.best, sizeof distance);
        for (std::size_t r = 0; r < count; ++r) {
            const auto c = static_cast<std::size_t>(which[r]);
            out.n_changed += task.labels[i + r] != static_cast<std::int32_t>(c);
            task.labels[i + r] = static_cast<std::int32_t>(c);
            const double w = Weighted ? task.w[i + r] : 1.0;
            out.mass[c] += w;
            if constexpr (std::is_same_v<How, Dots>) continue;
            if constexpr (How::shift) distance[r] = sq_distance_of(rows[r], task.centers.row(c), d);
            add_row<Weighted>(rows[r], d, w, out.sums.data() + c * d);
        }
        if constexpr (std::is_same_v<How, Dots>)
            add_tile<Weighted>(rows, task.w ? task.w + i : nullptr, which, count, task.centers, out.sums.data(),
                               distance);
        for (std::size_t r = count; r < tile<T>; ++r) distance[r] = 0;
        if constexpr (Weighted)
            for (std::size_t r = 0; r < count; ++r) inertia[0] += task.w[i + r] * static_cast<double>(distance[r]);
        else
            for (std::size_t r = 0; r + 4 <= tile<T>; r += 4)
                inertia += __builtin_convertvector(load<typename Vec<T>::Four>(distance + r), Double4);
        for (std::size_t r = tile<T> / 4 * 4; !Weighted && r < tile<T>; ++r)
            inertia[0] += static_cast<double>(distance[r]);
    }
    out.inertia += (inertia[0] + inertia[1]) + (inertia[2] + inertia[3]);
}

template <class How, class T>
LANATUS_INLINE void lloyd_with(const LloydTask<T>& task, std::size_t begin, std::size_t end, ClusterSums& out) {
    task.w ? lloyd_range<true, How>(task, begin, end, out) : lloyd_range<false, How>(task, begin, end, out);
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
    if (dots) run<Dots>(rows, task.packed, space, nearest);
    else run<Direct>(rows, task.packed, space, nearest);
    out.n_distances += static_cast<std::int64_t>(count * task.packed.n);
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
void nearest_rows_of(MatrixView<const T> X, MatrixView<const T> centers, const PackedRows<T>& packed, std::size_t begin,
                     std::size_t end, std::int32_t* labels, double* sq_dist) {
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
void two_nearest_rows_of(MatrixView<const T> X, const PackedRows<T>& packed, std::size_t begin, std::size_t end,
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

}  // namespace
}  // namespace lanatus::cluster::LANATUS_ISA
