// Included once per instruction set by tree_search.cpp (no include guard on purpose).
#include "metric/sq_tile.inl"

namespace lanatus::neighbors::LANATUS_ISA {
namespace {

using namespace ::lanatus::metric::LANATUS_ISA;

// ---- one more coordinate, for a vector of rows or children

template <class Vector>
LANATUS_INLINE Vector larger(Vector a, Vector b) {
    return a > b ? a : b;
}
template <class Vector>
LANATUS_INLINE void add_gap(const metric::Euclidean&, Vector& sum, Vector gap) {
    sum += gap * gap;
}
template <class Vector>
LANATUS_INLINE void add_gap(const metric::Manhattan&, Vector& sum, Vector gap) {
    sum += larger(gap, -gap);
}
template <class Vector>
LANATUS_INLINE void add_gap(const metric::Chebyshev&, Vector& sum, Vector gap) {
    sum = larger(sum, larger(gap, -gap));
}
template <class Vector>
LANATUS_INLINE void add_gap(const metric::Minkowski& how, Vector& sum, Vector gap) {
    using T = std::remove_reference_t<decltype(gap[0] + gap[0])>;
    for (std::size_t l = 0; l < sizeof(Vector) / sizeof(T); ++l)
        sum[l] = static_cast<T>(how.add(static_cast<double>(sum[l]), static_cast<double>(gap[l])));
}

// A bit for each lane that holds, eight apart.
template <class LaneMask>
LANATUS_INLINE std::uint64_t lane_bits(LaneMask mask) {
    constexpr std::size_t n = sizeof(LaneMask) / sizeof(mask[0]);
    typedef signed char Bytes __attribute__((vector_size(n)));
    const Bytes bytes = __builtin_convertvector(mask, Bytes);
    std::uint64_t word = 0;
    __builtin_memcpy(&word, &bytes, n);
    return word & 0x0101010101010101;
}
LANATUS_INLINE std::size_t first_lane(std::uint64_t bits) {
    return static_cast<std::size_t>(__builtin_ctzll(bits)) / 8;
}

// The sum that decides, in double.
template <class T, class Distance>
LANATUS_INLINE double exact_sum(const Distance& how, const T* x, const T* column, std::size_t stride, std::size_t d) {
    if constexpr (std::is_same_v<Distance, metric::Euclidean>) {
        return exact_sq_distance(x, column, stride, d);
    } else {
        double sum = 0;
        for (std::size_t j = 0; j < d; ++j)
            sum = how.add(sum, static_cast<double>(x[j]) - static_cast<double>(column[j * stride]));
        return sum;
    }
}

// Screening sums of the type T may round apart from exact ones by a factor within 1 -+ this.
template <class T>
LANATUS_INLINE T rounding(std::size_t d) {
    return 4 * static_cast<T>(d + 4) * std::numeric_limits<T>::epsilon();
}

// ---- what becomes of the points that are near enough

template <class T, class Distance>
struct NearestSink {
    const Distance& how;
    NearestList& best;
    std::int64_t own;
    T limit = std::numeric_limits<T>::infinity(), slack;

    NearestSink(const Distance& how_, NearestList& best_, std::int64_t own_, std::size_t d)
        : how(how_), best(best_), own(own_), slack(1 + rounding<T>(d)) {
        best.clear();
    }
    LANATUS_INLINE void offer(double sum, std::int32_t point) {
        if (point == own) return;
        best.offer(sum, static_cast<std::size_t>(point));
        if (best.full()) limit = static_cast<T>(best.farthest()) * slack + std::numeric_limits<T>::min();
    }
};

template <class T, class Distance>
struct RadiusSink {
    const Distance& how;
    double radius;
    std::int64_t own;
    std::vector<std::int32_t>& points;
    std::vector<double>* distances;
    std::size_t enough;
    T limit;

    RadiusSink(const Distance& how_, double radius_, std::int64_t own_, std::size_t d,
               std::vector<std::int32_t>& points_, std::vector<double>* distances_, std::size_t enough_)
        : how(how_), radius(radius_), own(own_), points(points_), distances(distances_), enough(enough_),
          limit(static_cast<T>(how.add(0.0, radius)) * (1 + rounding<T>(d)) + std::numeric_limits<T>::min()) {
        if (!(radius >= 0)) limit = -1;
    }
    LANATUS_INLINE void offer(double sum, std::int32_t point) {
        const double distance = how.length(sum);
        if (!(distance <= radius) || point == own) return;
        points.push_back(point);
        if (distances) distances->push_back(distance);
        if (points.size() >= enough) limit = -1;  // nothing is near enough any more
    }
};

// ---- the search

template <class T, class Distance>
class Search {
  public:
    Search(const SearchTree<T>& tree, const Distance& how)
        : tree_(tree), how_(how), shrink_(1 - rounding<T>(tree.shape.d)), stretch_(1 + rounding<T>(tree.shape.d)) {}

    // Returns how many leaves were looked at.
    template <class Sink>
    std::size_t run(const T* x, Sink& sink) const {
        Entry stack[(fan - 1) * most_levels + 2];
        std::size_t size = 0, leaves = 0;
        stack[size++] = {T{0}, 0, static_cast<std::uint32_t>(tree_.shape.height)};
        while (size) {
            const Entry at = stack[--size];
            if (!(at.bound <= sink.limit)) continue;
            if (at.height == 0) scan(x, at.leaf, sink), ++leaves;
            else size = push_children(x, at, sink.limit, stack, size);
        }
        return leaves;
    }

    // The leaf that the nearest child at each height leads to.
    std::size_t home(const T* x) const {
        std::size_t leaf = 0;
        for (std::size_t h = tree_.shape.height; h > 0; --h) {
            T bounds[fan];
            bound_children(x, tree_.node(h, leaf), bounds);
            std::size_t nearest = 0;
            for (std::size_t c = 1; c < tree_.shape.children(h, leaf); ++c)
                if (bounds[c] < bounds[nearest]) nearest = c;
            leaf += nearest * tree_.shape.width[h - 1];
        }
        return leaf;
    }

  private:
    struct Entry {
        T bound;
        std::uint32_t leaf, height;
    };
    const SearchTree<T>& tree_;
    const Distance& how_;
    T shrink_, stretch_;

    LANATUS_INLINE void bound_children(const T* x, const T* node, T* bounds) const {
        if (tree_.shape.bound == Bound::box) bound_boxes(x, node, bounds);
        else bound_balls(x, node, bounds);
    }
    LANATUS_INLINE void bound_boxes(const T* x, const T* low, T* bounds) const {
        const std::size_t d = tree_.shape.d;
        const T* high = low + d * fan;
        V<T> sum[fan / lanes<T>] = {};
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t v = 0; v < fan / lanes<T>; ++v) {
                const V<T> below = load<V<T>>(low + j * fan + v * lanes<T>) - x[j];
                const V<T> above = x[j] - load<V<T>>(high + j * fan + v * lanes<T>);
                add_gap(how_, sum[v], larger(larger(below, above), V<T>{}));
            }
        for (std::size_t v = 0; v < fan / lanes<T>; ++v) store(bounds + v * lanes<T>, sum[v] * shrink_);
    }
    LANATUS_INLINE void bound_balls(const T* x, const T* centre, T* bounds) const {
        const std::size_t d = tree_.shape.d;
        V<T> sum[fan / lanes<T>] = {};
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t v = 0; v < fan / lanes<T>; ++v)
                add_gap(how_, sum[v], load<V<T>>(centre + j * fan + v * lanes<T>) - x[j]);
        for (std::size_t v = 0; v < fan / lanes<T>; ++v)
            for (std::size_t l = 0; l < lanes<T>; ++l) {
                const double away = how_.length(static_cast<double>(sum[v][l] * shrink_));
                const double gap = away * static_cast<double>(shrink_) -
                                   static_cast<double>(centre[d * fan + v * lanes<T> + l] * stretch_);
                bounds[v * lanes<T> + l] = gap > 0 ? static_cast<T>(how_.add(0.0, gap)) * shrink_ : T{0};
            }
    }

    // The nearest child ends on top.
    LANATUS_INLINE std::size_t push_children(const T* x, const Entry& at, T limit, Entry* stack,
                                             std::size_t size) const {
        T bounds[fan];
        bound_children(x, tree_.node(at.height, at.leaf), bounds);
        const std::size_t bottom = size, count = tree_.shape.children(at.height, at.leaf);
        const auto width = static_cast<std::uint32_t>(tree_.shape.width[at.height - 1]);
        std::uint64_t near = 0;
        for (std::size_t v = 0; v < fan / lanes<T>; ++v)
            near |= lane_bits(load<V<T>>(bounds + v * lanes<T>) <= limit) << 8 * lanes<T> * v;
        if (count < fan) near &= (std::uint64_t{1} << 8 * count) - 1;  // the others are no children
        for (; near; near &= near - 1) {
            const std::size_t c = first_lane(near);
            std::size_t place = size++;
            for (; place > bottom && stack[place - 1].bound < bounds[c]; --place) stack[place] = stack[place - 1];
            stack[place] = {bounds[c], at.leaf + static_cast<std::uint32_t>(c) * width, at.height - 1};
        }
        return size;
    }

    template <std::size_t N>
    static LANATUS_INLINE bool any_within(const V<T> (&sum)[N], T limit) {
        std::uint64_t found = 0;
        for (std::size_t v = 0; v < N; ++v) found |= lane_bits(sum[v] <= limit);
        return found != 0;
    }

    template <class Sink>
    LANATUS_INLINE void scan(const T* x, std::size_t leaf, Sink& sink) const {
        const std::size_t d = tree_.shape.d, width = tree_.shape.leaf;
        const T* values = tree_.leaf(leaf);
        const std::int32_t* rows = tree_.order + leaf * width;
        constexpr std::size_t step = leaf_grain / lanes<T>;
        for (std::size_t i = 0; i < width; i += leaf_grain) {
            V<T> sum[step] = {};
            std::size_t j = 0;
            while (j < d) {  // sums only grow: rows that are out after some columns need no more
                const std::size_t end = d - j <= 12 ? d : j + 8;
                for (; j < end; ++j)
                    for (std::size_t v = 0; v < step; ++v)
                        add_gap(how_, sum[v], load<V<T>>(values + j * width + i + v * lanes<T>) - x[j]);
                if (j < d && !any_within(sum, sink.limit)) break;
            }
            if (j < d) continue;
            for (std::size_t v = 0; v < step; ++v)
                for (std::uint64_t near = lane_bits(sum[v] <= sink.limit); near; near &= near - 1) {
                    const std::size_t r = i + v * lanes<T> + first_lane(near);
                    sink.offer(exact_sum(how_, x, values + r, width, d), rows[r]);
                }
        }
    }
};

// ---- what tree_search.cpp calls

// The queries order[begin .. end), or [begin, end) where there is no order.
template <class T>
void nearest_rows_of(const SearchTree<T>& tree, double p, const Queries<T>& queries, const std::int32_t* order,
                     std::size_t begin, std::size_t end, const Neighbors<T>& out) {
    metric::with_order(p, [&](const auto& how) {
        const Search search(tree, how);
        NearestList best(out.k);
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t q = order ? static_cast<std::size_t>(order[i]) : i;
            NearestSink<T, std::decay_t<decltype(how)>> sink(how, best, queries.own.empty() ? -1 : queries.own[q],
                                                             tree.shape.d);
            search.run(queries.rows.row(q), sink);
            best.write(out, q, [&](double sum) { return how.length(sum); });
        }
    });
}

template <class T>
void homes_of(const SearchTree<T>& tree, MatrixView<const T> rows, std::size_t begin, std::size_t end,
              std::uint32_t* homes) {
    const metric::Euclidean how;
    const Search search(tree, how);
    for (std::size_t q = begin; q < end; ++q) homes[q] = static_cast<std::uint32_t>(search.home(rows.row(q)));
}

// Leaves that a search for the k nearest looks at, summed over the queries.
template <class T>
void effort_of(const SearchTree<T>& tree, double p, MatrixView<const T> rows, std::size_t k, std::size_t* effort) {
    metric::with_order(p, [&](const auto& how) {
        const Search search(tree, how);
        NearestList best(k);
        for (std::size_t q = 0; q < rows.rows; ++q) {
            NearestSink<T, std::decay_t<decltype(how)>> sink(how, best, -1, tree.shape.d);
            *effort += search.run(rows.row(q), sink);
        }
    });
}

template <class T>
void within_row_of(const SearchTree<T>& tree, double p, const T* x, double radius, std::int64_t own,
                   std::vector<std::int32_t>& points, std::vector<double>* distances, std::size_t enough) {
    metric::with_order(p, [&](const auto& how) {
        RadiusSink<T, std::decay_t<decltype(how)>> sink(how, radius, own, tree.shape.d, points, distances, enough);
        Search(tree, how).run(x, sink);
    });
}

}  // namespace
}  // namespace lanatus::neighbors::LANATUS_ISA
