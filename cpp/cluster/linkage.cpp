#include "cluster/linkage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "cluster/slots.hpp"
#include "core/parallel.hpp"
#include "core/simd.hpp"
#include "metric/pairwise.hpp"

namespace lanatus::cluster {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
typedef double Lanes __attribute__((vector_size(64)));

LANATUS_INLINE Lanes lanes_at(const double* p) {
    Lanes v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

// The first place with the smallest row[i] + gone[i], where gone is 0 or infinity; n if all are infinite.
LANATUS_CLONES std::size_t smallest_of(const double* row, const double* gone, std::size_t n, double* value) {
    double best = infinity;
    std::size_t block_of_best = 0;
    constexpr std::size_t block = 256;
    std::size_t i = 0;
    for (; i + block <= n; i += block) {
        Lanes low = lanes_at(row + i) + lanes_at(gone + i);
        for (std::size_t j = 8; j < block; j += 8) {
            const Lanes here = lanes_at(row + i + j) + lanes_at(gone + i + j);
            low = here < low ? here : low;
        }
        for (std::size_t l = 0; l < 8; ++l)
            if (low[l] < best) best = low[l], block_of_best = i;
    }
    for (; i < n; ++i)
        if (row[i] + gone[i] < best) best = row[i] + gone[i], block_of_best = i;
    *value = best;
    if (best == infinity) return n;
    std::size_t at = block_of_best;
    while (!(row[at] + gone[at] <= best)) ++at;
    return at;
}

// Distance of the union of a and b to another cluster (Lance and Williams 1967); squares for ward and centroid.
template <Linkage how>
LANATUS_INLINE double united(double to_a, double to_b, double between, double a, double b, double other) {
    if constexpr (how == Linkage::single) return std::min(to_a, to_b);
    else if constexpr (how == Linkage::complete) return std::max(to_a, to_b);
    else if constexpr (how == Linkage::average) return (a * to_a + b * to_b) / (a + b);
    else if constexpr (how == Linkage::weighted) return (to_a + to_b) / 2;
    else if constexpr (how == Linkage::ward)
        return ((a + other) * to_a + (b + other) * to_b - other * between) / (a + b + other);
    else return (a * to_a + b * to_b) / (a + b) - a * b * between / ((a + b) * (a + b));
}

// A matrix of distances whose rows are the clusters that are left. Those gone stay in it for a while: when half are,
// the rest moves together, so that rows get shorter and columns closer.
struct Matrix {
    MatrixView<double> D;
    std::vector<double> size;
    std::vector<double> gone;        // 0, or infinity
    std::vector<std::int64_t> name;  // of the cluster in a slot: one of its rows
    std::vector<std::size_t> alive;  // slots, in order

    Matrix(MatrixView<double> D_, std::span<const double> size_)
        : D(D_), size(size_.begin(), size_.end()), gone(D.rows), name(D.rows), alive(D.rows) {
        for (std::size_t i = 0; i < D.rows; ++i) D.row(i)[i] = infinity;
        std::iota(name.begin(), name.end(), std::int64_t{0});
        std::iota(alive.begin(), alive.end(), std::size_t{0});
    }
    // b becomes the union of a and b, and a is gone.
    template <Linkage how>
    void merge_by(std::size_t a, std::size_t b) {
        const double between = D.row(a)[b], of_a = size[a], of_b = size[b];
        const double* row_a = D.row(a);
        double* row_b = D.row(b);
        gone[a] = infinity;
        alive.erase(std::lower_bound(alive.begin(), alive.end(), a));
        double* column = D.data + b;
        for (const std::size_t i : alive) {
            const double to = united<how>(row_a[i], row_b[i], between, of_a, of_b, size[i]);
            row_b[i] = to;
            column[i * D.cols] = to;
        }
        row_b[b] = infinity;
        size[b] += of_a;
    }
    void merge(Linkage how, std::size_t a, std::size_t b) {
        switch (how) {
            case Linkage::single: return merge_by<Linkage::single>(a, b);
            case Linkage::complete: return merge_by<Linkage::complete>(a, b);
            case Linkage::average: return merge_by<Linkage::average>(a, b);
            case Linkage::weighted: return merge_by<Linkage::weighted>(a, b);
            case Linkage::ward: return merge_by<Linkage::ward>(a, b);
            case Linkage::centroid: return merge_by<Linkage::centroid>(a, b);
        }
    }
    // Moves those left together, once enough are gone; slots in `kept` are renamed.
    void tidy(std::vector<std::size_t>& kept) {
        const std::size_t m = alive.size();
        if (m < 64 || 2 * m > D.rows) return;
        std::vector<std::size_t> to(D.rows);
        for (std::size_t i = 0; i < m; ++i) to[alive[i]] = i;
        for (std::size_t& slot : kept) slot = to[slot];
        for (std::size_t i = 0; i < m; ++i) {  // forwards: nothing is written before it was read
            const double* from = D.row(alive[i]);
            double* row = D.data + i * m;
            for (std::size_t j = 0; j < m; ++j) row[j] = from[alive[j]];
            size[i] = size[alive[i]];
            name[i] = name[alive[i]];
        }
        D.rows = D.cols = m;
        gone.assign(m, 0.0);
        alive.resize(m);
        std::iota(alive.begin(), alive.end(), std::size_t{0});
    }
};

LANATUS_CLONES void roots(double* values, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) values[i] = std::sqrt(values[i]);
}

}  // namespace

std::vector<Merge> chain_merges(MatrixView<double> D, std::span<double> size, Linkage how) {
    const std::size_t n = D.rows;
    Matrix left(D, size);
    std::vector<Merge> merges;
    merges.reserve(n);
    std::vector<std::size_t> chain;
    while (merges.size() + 1 < n) {
        left.tidy(chain);
        if (chain.empty()) chain.push_back(left.alive.front());
        const std::size_t end = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : n;
        const double* row = left.D.row(end);
        double nearest;
        std::size_t next = smallest_of(row, left.gone.data(), left.D.cols, &nearest);
        if (next == left.D.cols) throw std::invalid_argument("distances must be finite numbers");
        if (before < n && !(nearest < row[before])) next = before;
        if (next != before) {
            chain.push_back(next);
            continue;
        }
        chain.resize(chain.size() - 2);
        const std::size_t a = std::min(end, next), b = std::max(end, next);
        merges.push_back({left.name[a], left.name[b], row[next]});
        left.merge(how, a, b);
    }
    return merges;
}

std::vector<Merge> generic_merges(MatrixView<double> D, std::span<double> size, Linkage how) {
    const std::size_t n = D.rows;
    Matrix left(D, size);
    std::vector<double> least(n, infinity);  // distance to the nearest cluster behind; infinite for those gone
    std::vector<std::size_t> nearest(n);
    const auto look = [&](std::size_t i) {
        nearest[i] = i + 1;
        least[i] = infinity;
        if (i + 1 < n) nearest[i] += smallest_of(D.row(i) + i + 1, left.gone.data() + i + 1, n - i - 1, &least[i]);
    };
    for (std::size_t i = 0; i < n; ++i) look(i);
    std::vector<Merge> merges;
    merges.reserve(n);
    const std::vector<double> zeros(n);
    while (merges.size() + 1 < n) {
        double height;
        const std::size_t a = smallest_of(least.data(), zeros.data(), n, &height);
        if (a == n) throw std::invalid_argument("distances must be finite numbers");
        const std::size_t b = nearest[a];
        left.merge(how, a, b);
        least[a] = infinity;
        merges.push_back({left.name[a], left.name[b], height});
        for (const std::size_t i : left.alive) {
            if (i >= b) break;
            if (nearest[i] == a || nearest[i] == b) look(i);
            else if (D.row(i)[b] < least[i]) least[i] = D.row(i)[b], nearest[i] = b;
        }
        look(b);
    }
    return merges;
}

std::vector<Merge> chain_merges_of_rows(MatrixView<const double> X, Linkage how, int n_threads) {
    const std::size_t n = X.rows;
    const bool squared = how == Linkage::complete;  // the largest square is the square of the largest
    const Buffer<double> memory(n * n);
    const MatrixView<double> D{memory.data(), n, n};
    const metric::PackedRows<double> packed(X, metric::Form::direct);
    parallel_chunks(Chunks::of(n, 96), n_threads, [&](std::size_t begin, std::size_t end) {
        metric::pairwise_rows(X, packed, begin, end, D.data, n, 1);
        if (!squared) roots(D.row(begin), (end - begin) * n);
    });
    std::vector<double> size(n, 1.0);
    std::vector<Merge> merges = chain_merges(D, size, how);
    if (squared)
        for (Merge& merge : merges) merge.height = std::sqrt(merge.height);
    return merges;
}

namespace {

// The slot nearest to slot `own` by Ward's squared distance 2 a b / (a + b) |x - y|^2; ties go to `before`, then to the
// lower slot.
LANATUS_CLONES std::size_t nearest_by_ward(const double* values, std::size_t capacity, std::size_t d, std::size_t count,
                                           const double* size, std::size_t own, const double* x, std::size_t before,
                                           double* height) {
    double squares[slot_block];
    double best = infinity;
    std::size_t at = count;
    const double a = size[own];
    for (std::size_t begin = 0; begin < count; begin += slot_block) {
        const std::size_t length = std::min(slot_block, count - begin);
        squares_to_slots(values, capacity, d, x, begin, length, squares);
        const double* __restrict b = size + begin;
        for (std::size_t i = 0; i < length; ++i) squares[i] *= 2 * a * b[i] / (a + b[i]);
        if (own >= begin && own < begin + length) squares[own - begin] = infinity;
        if (before >= begin && before < begin + length && squares[before - begin] <= best)
            best = squares[before - begin], at = before;
        std::size_t i = 0;
        for (; i + 8 <= length; i += 8) {
            const Lanes low = lanes_at(squares + i);
            bool any = false;
            for (std::size_t l = 0; l < 8; ++l) any |= low[l] < best;
            if (!any) continue;
            for (std::size_t l = 0; l < 8; ++l)
                if (squares[i + l] < best) best = squares[i + l], at = begin + i + l;
        }
        for (; i < length; ++i)
            if (squares[i] < best) best = squares[i], at = begin + i;
    }
    *height = best;
    return at;
}

}  // namespace

std::vector<Merge> ward_merges(MatrixView<const double> X) {
    const std::size_t n = X.rows, d = X.cols;
    Slots left(X);
    std::vector<double> size(n, 1.0), x(d), y(d);
    std::vector<std::size_t> slot_of(n);  // of a cluster, named by one of its rows
    std::iota(slot_of.begin(), slot_of.end(), std::size_t{0});
    std::vector<Merge> merges;
    merges.reserve(n);
    std::vector<std::int64_t> chain;
    while (merges.size() + 1 < n) {
        if (chain.empty()) chain.push_back(left.id[0]);
        const std::size_t end = slot_of[static_cast<std::size_t>(chain.back())];
        const std::size_t before = chain.size() > 1 ? slot_of[static_cast<std::size_t>(chain[chain.size() - 2])] : n;
        left.read(end, x.data());
        double height;
        const std::size_t next =
            nearest_by_ward(left.values.data(), n, d, left.count, size.data(), end, x.data(), before, &height);
        if (next >= left.count) throw std::invalid_argument("distances must be finite numbers");
        if (next != before) {
            chain.push_back(left.id[next]);
            continue;
        }
        chain.resize(chain.size() - 2);
        const std::size_t a = std::min(end, next), b = std::max(end, next);
        merges.push_back({left.id[a], left.id[b], std::sqrt(height)});
        left.read(next, y.data());
        const double share = size[next] / (size[end] + size[next]);
        for (std::size_t j = 0; j < d; ++j) x[j] += share * (y[j] - x[j]);
        left.write(a, x.data());
        size[a] += size[b];
        left.remove(b);
        size[b] = size[left.count];
        if (b < left.count) slot_of[static_cast<std::size_t>(left.id[b])] = b;
    }
    return merges;
}

void sort_merges(std::vector<Merge>& merges) {
    std::stable_sort(merges.begin(), merges.end(), [](const Merge& a, const Merge& b) { return a.height < b.height; });
}

void number_merges(std::span<const Merge> merges, MatrixView<std::int64_t> children, std::span<double> heights) {
    const std::size_t n = merges.size() + 1;
    std::vector<std::int64_t> parent(2 * n - 1);
    std::iota(parent.begin(), parent.end(), std::int64_t{0});
    const auto root = [&](std::int64_t i) {
        while (parent[static_cast<std::size_t>(i)] != i) {
            std::int64_t& up = parent[static_cast<std::size_t>(i)];
            up = parent[static_cast<std::size_t>(up)];
            i = up;
        }
        return i;
    };
    for (std::size_t m = 0; m < merges.size(); ++m) {
        const std::int64_t a = root(merges[m].first), b = root(merges[m].second);
        if (a == b) throw std::logic_error("merges are no tree");
        children.row(m)[0] = std::min(a, b);
        children.row(m)[1] = std::max(a, b);
        heights[m] = merges[m].height;
        const auto made = static_cast<std::int64_t>(n + m);
        parent[static_cast<std::size_t>(a)] = parent[static_cast<std::size_t>(b)] = made;
    }
}

}  // namespace lanatus::cluster
