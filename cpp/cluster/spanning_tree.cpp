#include "cluster/spanning_tree.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "cluster/slots.hpp"
#include "core/parallel.hpp"
#include "core/simd.hpp"
#include "neighbors/kd_tree.hpp"

namespace lanatus::cluster {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Nearest {
    double square = infinity;
    std::size_t slot = 0;
};

// Core distances, squared: of the row that reaches, and of those in slots.
struct Cores {
    double own;
    const double* slots;  // or null
};

// Lowers `least` of slots [begin, end) to their squared distance to the row numbered `row`, and gives the least of all.
LANATUS_CLONES void reach(const double* values, std::size_t capacity, std::size_t d, const double* x, std::int64_t row,
                          const Cores& cores, std::size_t begin, std::size_t end, double* least, std::int64_t* from,
                          Nearest* out) {
    double squares[slot_block];
    Nearest best{infinity, end};
    for (std::size_t at = begin; at < end; at += slot_block) {
        const std::size_t length = std::min(slot_block, end - at);
        squares_to_slots(values, capacity, d, x, at, length, squares);
        if (cores.slots)
            for (std::size_t i = 0; i < length; ++i)
                squares[i] = std::max(std::max(squares[i], cores.slots[at + i]), cores.own);
        double* __restrict low = least + at;
        std::int64_t* __restrict source = from + at;
        for (std::size_t i = 0; i < length; ++i) {
            const bool closer = squares[i] < low[i];
            low[i] = closer ? squares[i] : low[i];
            source[i] = closer ? row : source[i];
        }
        typedef double Lanes __attribute__((vector_size(64)));
        std::size_t i = 0;
        for (; i + 8 <= length; i += 8) {
            Lanes v;
            __builtin_memcpy(&v, low + i, sizeof v);
            bool any = false;
            for (std::size_t l = 0; l < 8; ++l) any |= v[l] < best.square;
            if (!any) continue;
            for (std::size_t l = 0; l < 8; ++l)
                if (low[i + l] < best.square) best = {low[i + l], at + i + l};
        }
        for (; i < length; ++i)
            if (low[i] < best.square) best = {low[i], at + i};
    }
    *out = best;
}

}  // namespace

std::vector<Merge> prim(MatrixView<const double> X, int n_threads, std::span<const double> core) {
    const std::size_t n = X.rows, d = X.cols;
    constexpr std::size_t worth = std::size_t{1} << 18;  // numbers read in a step, below which threads cost more
    Slots left(X);
    std::vector<double> least(n, infinity), x(d);
    std::vector<std::int64_t> from(n);
    std::vector<Nearest> parts;
    std::vector<Merge> edges;
    edges.reserve(n);
    std::vector<double> cores(core.size());
    for (std::size_t i = 0; i < core.size(); ++i) cores[i] = core[i] * core[i];
    Cores known{0, cores.empty() ? nullptr : cores.data()};
    std::int64_t row = 0;
    const auto take = [&](std::size_t slot) {
        row = left.id[slot];
        left.read(slot, x.data());
        left.remove(slot);
        if (!known.slots) return;
        known.own = cores[slot];
        cores[slot] = cores[left.count];
    };
    take(0);
    while (left.count > 0) {
        const std::size_t grain = slot_block * 16;
        const std::size_t wanted = left.count * d >= worth && n_threads > 1 ? static_cast<std::size_t>(n_threads) : 1;
        const std::size_t length = ((left.count + wanted - 1) / wanted + grain - 1) / grain * grain;
        parts.assign((left.count + length - 1) / length, {});
        parallel_for(parts.size(), n_threads, [&](std::size_t p) {
            reach(left.values.data(), n, d, x.data(), row, known, p * length, std::min(left.count, (p + 1) * length),
                  least.data(), from.data(), &parts[p]);
        });
        Nearest best;
        for (const Nearest& part : parts)
            if (part.square < best.square) best = part;
        if (!(best.square < infinity)) throw std::invalid_argument("distances must be finite numbers");
        edges.push_back({from[best.slot], left.id[best.slot], std::sqrt(best.square)});
        take(best.slot);
        least[best.slot] = least[left.count];
        from[best.slot] = from[left.count];
    }
    return edges;
}

std::vector<Merge> prim_of_matrix(MatrixView<const double> D) {
    const std::size_t n = D.rows;
    std::vector<double> least(n, infinity);
    std::vector<std::size_t> from(n), left(n);
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::vector<Merge> edges;
    edges.reserve(n);
    std::size_t row = 0;
    left.erase(left.begin());
    while (!left.empty()) {
        std::size_t best = left.size();
        double lowest = infinity;
        for (std::size_t p = 0; p < left.size(); ++p) {
            const std::size_t i = left[p];
            if (D.row(row)[i] < least[i]) least[i] = D.row(row)[i], from[i] = row;
            if (least[i] < lowest) lowest = least[i], best = p;
        }
        if (best == left.size()) throw std::invalid_argument("distances must be finite numbers");
        row = left[best];
        edges.push_back({static_cast<std::int64_t>(from[row]), static_cast<std::int64_t>(row), lowest});
        left[best] = left.back();
        left.pop_back();
    }
    return edges;
}

namespace {

using neighbors::KdTree;
using neighbors::Place;

// An edge out of a component, in one order for all: by length, then by the numbers of its rows.
struct Edge {
    double square = infinity;
    std::int64_t low = -1, high = -1;
    bool operator<(const Edge& other) const noexcept {
        if (square != other.square) return square < other.square;
        return low != other.low ? low < other.low : high < other.high;
    }
};

void lower(std::atomic<double>& bound, double value) {
    double now = bound.load(std::memory_order_relaxed);
    while (value < now && !bound.compare_exchange_weak(now, value, std::memory_order_relaxed)) {}
}

class Boruvka {
  public:
    Boruvka(MatrixView<const double> X, int n_threads, std::span<const double> core)
        : n_(X.rows), d_(X.cols), n_threads_(n_threads), order_(X.rows) {
        const std::size_t n_nodes = neighbors::tree_nodes(neighbors::tree_levels(n_, leaf_size));
        nodes_ = Buffer<double>(n_nodes * neighbors::record_size(d_));
        const MatrixView<double> records{nodes_.data(), n_nodes, neighbors::record_size(d_)};
        neighbors::build_kd_tree<double>(X, nullptr, order_, records, n_threads);
        rows_ = Buffer<double>(n_ * d_);
        for (std::size_t i = 0; i < n_; ++i)
            std::copy_n(X.row(static_cast<std::size_t>(order_[i])), d_, rows_.data() + i * d_);
        tree_ = {{rows_.data(), n_, d_}, nullptr, records};
        component_.resize(n_);
        std::iota(component_.begin(), component_.end(), std::int32_t{0});
        node_component_.resize(n_nodes);
        core_.resize(core.size());
        for (std::size_t i = 0; i < core.size(); ++i) {
            const double length = core[static_cast<std::size_t>(order_[i])];
            core_[i] = length * length;
        }
        node_core_.resize(core.empty() ? 0 : n_nodes);
        if (!core.empty()) mark_core(tree_.root());
        best_.resize(n_);
        floor_.assign(n_, 0.0);
        partner_.assign(n_, 0);
    }

    std::vector<Merge> edges() {
        std::vector<Merge> found;
        found.reserve(n_);
        std::vector<std::atomic<double>> bound(n_);
        std::vector<Edge> shortest(n_);
        while (found.size() + 1 < n_) {
            mark(tree_.root());
            for (auto& one : bound) one.store(infinity, std::memory_order_relaxed);
            for (std::size_t i = 0; i < n_; ++i)
                if (is_out(i)) lower(bound[comp(i)], best_[i].square);
            parallel_chunks(Chunks::of(n_, 256, 512, 1), n_threads_, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    if (!is_out(i)) search(i, bound[comp(i)]);
            });
            std::fill(shortest.begin(), shortest.end(), Edge{});
            for (std::size_t i = 0; i < n_; ++i)
                if (is_out(i) && best_[i] < shortest[comp(i)]) shortest[comp(i)] = best_[i];
            const std::size_t before = found.size();
            unite(shortest, found);
            if (found.size() == before) throw std::invalid_argument("distances must be finite numbers");
        }
        return found;
    }

  private:
    static constexpr std::size_t leaf_size = 16;
    std::size_t n_, d_;
    int n_threads_;
    std::vector<std::int64_t> order_;
    Buffer<double> nodes_, rows_;
    KdTree tree_;
    std::vector<std::int32_t> component_, node_component_;  // by place in the tree; -1: of several components
    std::vector<double> core_, node_core_;                  // core distances squared by place; the least below a node
    std::vector<Edge> best_;                                // the shortest edge out of each row, where it is known
    std::vector<double> floor_;                             // how long that is at least: components grow
    std::vector<std::size_t> partner_;                      // its other end, by place

    std::size_t comp(std::size_t i) const { return static_cast<std::size_t>(component_[i]); }
    bool is_out(std::size_t i) const { return best_[i].low >= 0 && component_[partner_[i]] != component_[i]; }

    std::int32_t mark(const Place& at) {
        std::int32_t one = -2;  // none yet
        if (tree_.is_leaf(at)) {
            for (std::size_t i = at.begin; i < at.end; ++i)
                one = one == -2 || one == component_[i] ? component_[i] : -1;
        } else {
            const std::int32_t a = mark(at.left()), b = mark(at.right());
            one = a == -2 ? b : b == -2 || a == b ? a : -1;
        }
        return node_component_[at.node] = one;
    }

    double mark_core(const Place& at) {
        double least = infinity;
        if (tree_.is_leaf(at))
            for (std::size_t i = at.begin; i < at.end; ++i) least = std::min(least, core_[i]);
        else least = std::min(mark_core(at.left()), mark_core(at.right()));
        return node_core_[at.node] = least;
    }

    // How short an edge from row i to one below a node may be, squared.
    double to_node(const Place& at, std::size_t i) const {
        const double square = to_box(at, tree_.rows.row(i));
        return core_.empty() ? square : std::max(std::max(square, core_[i]), node_core_[at.node]);
    }

    double to_box(const Place& at, const double* x) const {
        const double *low = tree_.low(at), *high = tree_.high(at);
        double square = 0;
        for (std::size_t j = 0; j < d_; ++j) {
            const double gap = std::max(std::max(low[j] - x[j], x[j] - high[j]), 0.0);
            square += gap * gap;
        }
        return square;
    }

    void search(std::size_t i, std::atomic<double>& bound) {
        if (floor_[i] > bound.load(std::memory_order_relaxed)) return;
        Edge found;
        std::size_t partner = 0;
        descend(tree_.root(), 0.0, i, bound, found, partner);
        // What was passed over is farther than the bound, which only falls: an edge within it is the row's shortest. One
        // beyond it need not be, and the component has a shorter one.
        const double limit = bound.load(std::memory_order_relaxed);
        if (found.square > limit) {
            floor_[i] = std::max(floor_[i], limit);
            best_[i] = Edge{};
            return;
        }
        best_[i] = found;
        floor_[i] = found.square;
        partner_[i] = partner;
        lower(bound, found.square);
    }

    void descend(const Place& at, double square, std::size_t i, const std::atomic<double>& bound, Edge& found,
                 std::size_t& partner) const {
        if (at.empty() || node_component_[at.node] == component_[i]) return;
        if (square > found.square || square > bound.load(std::memory_order_relaxed)) return;
        if (!core_.empty() && square == found.square)
            return;  // as short a one is known; many edges are as long as a core
        const double* x = tree_.rows.row(i);
        if (!tree_.is_leaf(at)) {
            const Place left = at.left(), right = at.right();
            const double to_left = to_node(left, i), to_right = to_node(right, i);
            const bool first = to_left <= to_right;
            descend(first ? left : right, first ? to_left : to_right, i, bound, found, partner);
            descend(first ? right : left, first ? to_right : to_left, i, bound, found, partner);
            return;
        }
        for (std::size_t k = at.begin; k < at.end; ++k) {
            if (component_[k] == component_[i]) continue;
            const double* y = tree_.rows.row(k);
            double to = 0;
            for (std::size_t j = 0; j < d_; ++j) to += (x[j] - y[j]) * (x[j] - y[j]);
            if (!core_.empty()) to = std::max(std::max(to, core_[i]), core_[k]);
            const Edge edge{to, std::min(order_[i], order_[k]), std::max(order_[i], order_[k])};
            if (edge < found) found = edge, partner = k;
        }
    }

    void unite(const std::vector<Edge>& shortest, std::vector<Merge>& found) {
        std::vector<std::int32_t> parent(n_);
        std::iota(parent.begin(), parent.end(), std::int32_t{0});
        const auto root = [&](std::int32_t c) {
            while (parent[static_cast<std::size_t>(c)] != c) {
                std::int32_t& up = parent[static_cast<std::size_t>(c)];
                c = up = parent[static_cast<std::size_t>(up)];
            }
            return c;
        };
        std::vector<std::size_t> place(n_);
        for (std::size_t i = 0; i < n_; ++i) place[static_cast<std::size_t>(order_[i])] = i;
        for (const Edge& edge : shortest) {
            if (edge.low < 0) continue;
            const auto a = root(component_[place[static_cast<std::size_t>(edge.low)]]);
            const auto b = root(component_[place[static_cast<std::size_t>(edge.high)]]);
            if (a == b) continue;
            parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
            found.push_back({edge.low, edge.high, std::sqrt(edge.square)});
        }
        for (std::size_t i = 0; i < n_; ++i) component_[i] = root(component_[i]);
    }
};

}  // namespace

std::vector<Merge> boruvka(MatrixView<const double> X, int n_threads, std::span<const double> core) {
    return Boruvka(X, n_threads, core).edges();
}

}  // namespace lanatus::cluster
