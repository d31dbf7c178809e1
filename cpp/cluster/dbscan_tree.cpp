#include <algorithm>
#include <vector>

#include "cluster/dbscan.hpp"
#include "cluster/dbscan_labels.hpp"
#include "core/parallel.hpp"
#include "core/simd.hpp"
#include "core/union_find.hpp"
#include "metric/minkowski.hpp"

namespace lanatus::cluster {

namespace {

using neighbors::fan;
using neighbors::SearchTree;

// Least and largest sums of gaps from x to the boxes of the eight children of a node.
template <class T, class Distance>
LANATUS_INLINE void reach_children(const Distance& how, const T* x, const T* low, std::size_t d, double* near,
                                   double* far) {
    const T* high = low + d * fan;
    std::fill_n(near, fan, 0.0);
    std::fill_n(far, fan, 0.0);
    for (std::size_t j = 0; j < d; ++j) {
        const auto at = static_cast<double>(x[j]);
        for (std::size_t c = 0; c < fan; ++c) {
            const double below = static_cast<double>(low[j * fan + c]) - at,
                         above = at - static_cast<double>(high[j * fan + c]);
            near[c] = how.add(near[c], std::max(std::max(below, above), 0.0));
            far[c] = how.add(far[c], std::max(-below, -above));
        }
    }
}
// Sums of gaps from x to the rows of a leaf, which stand by columns.
template <class T, class Distance>
LANATUS_INLINE void sums_in_leaf(const Distance& how, const T* x, const T* leaf, std::size_t width, std::size_t d,
                                 double* sums) {
    std::fill_n(sums, width, 0.0);
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t r = 0; r < width; ++r)
            sums[r] = how.add(sums[r], static_cast<double>(x[j]) - static_cast<double>(leaf[j * width + r]));
}
#define LANATUS_WALK(T, Distance)                                                                                    \
    LANATUS_CLONES void reach_of(const metric::Distance& how, const T* x, const T* low, std::size_t d, double* near, \
                                 double* far) {                                                                      \
        reach_children(how, x, low, d, near, far);                                                                   \
    }                                                                                                                \
    LANATUS_CLONES void sums_of(const metric::Distance& how, const T* x, const T* leaf, std::size_t width,           \
                                std::size_t d, double* sums) {                                                       \
        sums_in_leaf(how, x, leaf, width, d, sums);                                                                  \
    }
LANATUS_WALK(double, Euclidean)
LANATUS_WALK(float, Euclidean)
LANATUS_WALK(double, Manhattan)
LANATUS_WALK(float, Manhattan)
LANATUS_WALK(double, Chebyshev)
LANATUS_WALK(float, Chebyshev)
LANATUS_WALK(double, Minkowski)
LANATUS_WALK(float, Minkowski)
#undef LANATUS_WALK

// A part of the tree: a node, or a leaf where height is 0.
struct Part {
    std::size_t height, leaf;
};

// Walks down the tree from the rows near x. What a visitor says of a part that may reach x decides: pass it over, take it as
// a whole, or look inside.
enum class Say { pass, inside };

template <class T, class Distance>
class Walk {
  public:
    Walk(const SearchTree<T>& tree, const Distance& how, double eps)
        : tree_(tree), how_(how), limit_(largest_sum(how, eps)), sums_(tree.shape.leaf) {}

    double limit() const noexcept { return limit_; }

    // part(part, far) -> Say, for parts whose box is within reach; row(place) -> whether to go on, for rows within eps.
    template <class OnPart, class OnRow>
    void run(const T* x, const OnPart& on_part, const OnRow& on_row) {
        stack_.assign(1, {tree_.shape.height, 0});
        while (!stack_.empty()) {
            const Part at = stack_.back();
            stack_.pop_back();
            if (at.height == 0) {
                if (!scan(x, at.leaf, on_row)) return;
                continue;
            }
            double near[fan], far[fan];
            reach_of(how_, x, tree_.node(at.height, at.leaf), tree_.shape.d, near, far);
            const std::size_t count = tree_.shape.children(at.height, at.leaf),
                              width = tree_.shape.width[at.height - 1];
            for (std::size_t c = 0; c < count; ++c) {
                if (!(near[c] * (1 - 1e-12) <= limit_)) continue;
                const Part child{at.height - 1, at.leaf + c * width};
                if (on_part(child, far[c] * (1 + 1e-12) <= limit_) == Say::inside) stack_.push_back(child);
            }
        }
    }

    // row(place) for the rows of one leaf within eps; whether all were asked.
    template <class OnRow>
    bool in_leaf(const T* x, std::size_t leaf, const OnRow& on_row) {
        return scan(x, leaf, on_row);
    }

  private:
    const SearchTree<T>& tree_;
    const Distance& how_;
    double limit_;
    std::vector<double> sums_;
    std::vector<Part> stack_;

    template <class OnRow>
    bool scan(const T* x, std::size_t leaf, const OnRow& on_row) {
        const std::size_t width = tree_.shape.leaf, rows = std::min(width, tree_.shape.n - leaf * width);
        sums_of(how_, x, tree_.leaf(leaf), width, tree_.shape.d, sums_.data());
        for (std::size_t r = 0; r < rows; ++r)
            if (sums_[r] <= limit_ && !on_row(leaf * width + r)) return false;
        return true;
    }
};

// Marks of parts: the first core place of one whose core rows are all of one set, or one of these.
constexpr std::int32_t no_core = -1, several = -2;

template <class T, class Distance>
class TreeClusters {
  public:
    TreeClusters(MatrixView<const T> X, const SearchTree<T>& tree, const Distance& how, const DensityRule& rule,
                 const DensityClusters& out, int n_threads)
        : X_(X), tree_(tree), how_(how), rule_(rule), out_(out), n_threads_(n_threads), core_(X.rows), sets_(X.rows) {}

    void run() {
        over_rows([this](std::size_t place, auto& walk) { core_[place] = is_core(place, walk); });
        // First within leaves, then from one row of each: after that most of the tree is known to be of one set.
        over_rows([this](std::size_t place, auto& walk) { join_in_leaf(place, walk); });
        mark();
        over_rows([this](std::size_t place, auto& walk) {
            if (first_core(place / tree_.shape.leaf) == place) connect(place, walk);
        });
        mark();
        over_rows([this](std::size_t place, auto& walk) {
            if (core_[place]) connect(place, walk);
        });
        mark();
        std::vector<std::int32_t> first(X_.rows, -1);
        for (std::size_t place = 0; place < X_.rows; ++place)
            if (core_[place]) first[place] = tree_.order[place];
        number_ = numbered(first, [this](std::int32_t place) { return sets_.find(place); });
        over_rows([this](std::size_t place, auto& walk) {
            const auto row = static_cast<std::size_t>(tree_.order[place]);
            out_.core[row] = core_[place];
            out_.labels[row] = core_[place] ? number_[place] : border(place, walk);
        });
    }

  private:
    MatrixView<const T> X_;
    const SearchTree<T>& tree_;
    const Distance& how_;
    const DensityRule& rule_;
    const DensityClusters& out_;
    int n_threads_;
    std::vector<std::uint8_t> core_;                // by place in the tree
    UnionFind sets_;                                // of places
    std::vector<std::vector<std::int32_t>> marks_;  // by height, of the parts in their order
    std::vector<std::int32_t> number_;

    const T* row_at(std::size_t place) const { return X_.row(static_cast<std::size_t>(tree_.order[place])); }
    double weight(std::size_t place) const { return rule_.weight_of(static_cast<std::size_t>(tree_.order[place])); }
    std::int32_t mark_of(const Part& part) const {
        return marks_[part.height][part.leaf / tree_.shape.width[part.height]];
    }
    std::pair<std::size_t, std::size_t> places(const Part& part) const {
        const std::size_t end = std::min(tree_.shape.leaves(), part.leaf + tree_.shape.width[part.height]);
        return {part.leaf * tree_.shape.leaf, std::min(end * tree_.shape.leaf, X_.rows)};
    }
    std::size_t first_core(std::size_t leaf) const {
        const auto [begin, end] = places({0, leaf});
        std::size_t place = begin;
        while (place < end && !core_[place]) ++place;
        return place;
    }

    template <class Body>
    void over_rows(const Body& body) {
        parallel_chunks(Chunks::of(X_.rows, 64, 512, 16), n_threads_, [&](std::size_t begin, std::size_t end) {
            Walk<T, Distance> walk(tree_, how_, rule_.eps);
            for (std::size_t place = begin; place < end; ++place) body(place, walk);
        });
    }

    // Its own leaf first: in dense places that is enough.
    bool is_core(std::size_t place, Walk<T, Distance>& walk) const {
        if (!(weight(place) > 0)) return false;
        double mass = 0;
        const auto add = [&](std::size_t begin, std::size_t end) {
            if (rule_.weight.empty()) mass += static_cast<double>(end - begin);
            else
                for (std::size_t k = begin; k < end; ++k) mass += weight(k);
            return mass < rule_.min_samples;
        };
        const auto add_row = [&](std::size_t near) { return add(near, near + 1); };
        if (!walk.in_leaf(row_at(place), place / tree_.shape.leaf, add_row)) return true;
        mass = 0;
        walk.run(
            row_at(place),
            [&](const Part& part, bool whole) {
                if (mass >= rule_.min_samples) return Say::pass;
                if (!whole) return Say::inside;
                const auto [begin, end] = places(part);
                add(begin, end);
                return Say::pass;
            },
            add_row);
        return mass >= rule_.min_samples;
    }

    void join(std::size_t a, std::size_t b) { sets_.join(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)); }

    void join_in_leaf(std::size_t place, Walk<T, Distance>& walk) {
        if (!core_[place]) return;
        walk.in_leaf(row_at(place), place / tree_.shape.leaf, [&](std::size_t near) {
            if (near < place && core_[near]) join(place, near);
            return true;
        });
    }

    void mark() {
        marks_.assign(tree_.shape.height, {});
        marks_[0].resize(tree_.shape.leaves());
        parallel_chunks(Chunks::of(marks_[0].size(), 64, 256, 1), n_threads_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t leaf = begin; leaf < end; ++leaf) {
                std::int32_t found = no_core;
                for (std::size_t k = first_core(leaf); k < places({0, leaf}).second; ++k)
                    if (core_[k]) found = both(found, static_cast<std::int32_t>(k));
                marks_[0][leaf] = found;
            }
        });
        for (std::size_t h = 1; h < tree_.shape.height; ++h) {
            marks_[h].assign(tree_.shape.nodes_at(h), no_core);
            for (std::size_t k = 0; k < marks_[h - 1].size(); ++k)
                marks_[h][k / fan] = both(marks_[h][k / fan], marks_[h - 1][k]);
        }
    }
    std::int32_t both(std::int32_t a, std::int32_t b) {
        if (a == no_core || b == several) return b;
        if (b == no_core || a == several) return a;
        return sets_.same(a, b) ? a : several;
    }

    void connect(std::size_t place, Walk<T, Distance>& walk) {
        const auto self = static_cast<std::int32_t>(place);
        walk.run(
            row_at(place),
            [&](const Part& part, bool whole) {
                const std::int32_t mark = mark_of(part);
                if (mark == several) return Say::inside;
                if (mark == no_core || sets_.same(self, mark)) return Say::pass;
                if (!whole) return Say::inside;
                sets_.join(self, mark);
                return Say::pass;
            },
            [&](std::size_t near) {
                if (core_[near]) join(place, near);
                return true;
            });
    }

    // The lowest cluster with a core row within eps, or -1.
    std::int32_t border(std::size_t place, Walk<T, Distance>& walk) const {
        std::int32_t best = -1;
        const auto better = [&](std::int32_t label) { return best < 0 || label < best; };
        walk.run(
            row_at(place),
            [&](const Part& part, bool) {
                const std::int32_t mark = mark_of(part);
                const bool idle = mark == no_core || (mark >= 0 && !better(number_[static_cast<std::size_t>(mark)]));
                return idle ? Say::pass : Say::inside;
            },
            [&](std::size_t near) {
                if (core_[near] && better(number_[near])) best = number_[near];
                return true;
            });
        return best;
    }
};

}  // namespace

template <class T>
void dbscan_tree(MatrixView<const T> X, const SearchTree<T>& tree, const DensityRule& rule, const DensityClusters& out,
                 int n_threads) {
    metric::with_order(rule.p, [&](const auto& how) {
        TreeClusters<T, std::decay_t<decltype(how)>>(X, tree, how, rule, out, n_threads).run();
    });
}

template void dbscan_tree(MatrixView<const double>, const SearchTree<double>&, const DensityRule&,
                          const DensityClusters&, int);
template void dbscan_tree(MatrixView<const float>, const SearchTree<float>&, const DensityRule&, const DensityClusters&,
                          int);

}  // namespace lanatus::cluster
