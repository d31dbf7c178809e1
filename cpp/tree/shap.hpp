// Exact Shapley values of a tree's answer, and expectations given some columns.
//
// The game (Lundberg et al. 2018, "path dependent"): of a column in the coalition the row's value is known and the row goes as
// the tree sends it; of another it is not, and the row goes to all children by their cover. A leaf of value v, on whose path the
// tests on column j let z_j (unknown) or o_j (known) of the row through, then adds to the value of column i
//
//     v (o_i - z_i) sum_S |S|! (m - 1 - |S|)! / m!  prod_{j in S} o_j  prod_{j not in S, j != i} z_j
//   = v (o_i - z_i) int_0^1 prod_{j != i} (z_j (1 - t) + o_j t) dt,
//
// because the weight of S is the Beta integral of t^|S| (1 - t)^(m - 1 - |S|). The integrand is a polynomial of degree m - 1 in
// one variable: Gauss-Legendre with m/2 points is exact, all its terms have one sign, and nothing cancels. Products are carried
// down the tree and sums over leaves up again, so a row costs O(nodes * m/2) instead of TreeSHAP's O(leaves * depth^2).
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tree/route.hpp"

namespace lanatus::tree {

// Points and weights of Gauss-Legendre on [0, 1].
struct Quadrature {
    std::vector<double> point, weight;

    explicit Quadrature(std::size_t n) : point(n), weight(n) {
        const auto size = static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i) {
            double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (size + 0.5)), slope = 1;
            for (int step = 0; step < 100; ++step) {  // Newton on the Legendre polynomial, by its recurrence
                double before = 1, now = x;
                for (std::size_t k = 2; k <= n; ++k) {
                    const auto d = static_cast<double>(k);
                    const double next = ((2 * d - 1) * x * now - (d - 1) * before) / d;
                    before = now, now = next;
                }
                slope = size * (x * now - before) / (x * x - 1);
                const double move = now / slope;
                x -= move;
                if (std::abs(move) < 1e-15) break;
            }
            point[i] = (1 + x) / 2;
            weight[i] = 1 / ((1 - x * x) * slope * slope);
        }
    }
    std::size_t size() const { return point.size(); }
};

// What all rows need to know of a tree.
struct ShapPlan {
    TreeView tree;
    std::span<const double> cover;  // part of the parent's weight, summing to 1 among siblings
    MatrixView<const double> value;
    std::size_t depth = 0;
    Quadrature rule;

    ShapPlan(const TreeView& t, std::span<const double> c, MatrixView<const double> v)
        : tree(t), cover(c), value(v), depth(depth_of(t)), rule((columns_on_a_path(t) + 1) / 2) {}

  private:
    static std::size_t depth_of(const TreeView& t) {
        std::vector<std::size_t> depth(t.feature.size(), 0);
        for (std::size_t i = 0; i < depth.size(); ++i)  // children stand behind their parents
            for (std::int32_t c = 0; c < t.n_children[i]; ++c)
                depth[static_cast<std::size_t>(t.first_child[i] + c)] = depth[i] + 1;
        return *std::max_element(depth.begin(), depth.end());
    }
    // The most columns that a path tests, at least 1.
    static std::size_t columns_on_a_path(const TreeView& t) {
        std::int32_t last = 0;  // column that is tested; a leaf may name any
        for (std::size_t i = 0; i < t.feature.size(); ++i)
            if (t.n_children[i] > 0) last = std::max(last, t.feature[i]);
        std::vector<std::size_t> times(static_cast<std::size_t>(last) + 1, 0);
        std::vector<std::pair<std::size_t, std::int32_t>> path{{0, 0}};  // nodes, and the child that is next
        std::size_t now = 0, most = 1;
        while (!path.empty()) {
            auto& [node, next] = path.back();
            const bool is_inner = t.n_children[node] > 0;
            auto* count = is_inner ? &times[static_cast<std::size_t>(t.feature[node])] : nullptr;
            if (is_inner && next == 0 && (*count)++ == 0) most = std::max(most, ++now);
            if (next < t.n_children[node]) {
                path.emplace_back(static_cast<std::size_t>(t.first_child[node] + next++), 0);
                continue;
            }
            if (is_inner && --*count == 0) --now;
            path.pop_back();
        }
        return most;
    }
};

// One row at a time through the tree, down and up again.
class ShapWalk {
  public:
    ShapWalk(const ShapPlan& plan, std::size_t n_columns)
        : p_(plan), q_(plan.rule.size()), k_(plan.value.cols), steps_(plan.depth + 1), last_(n_columns, -1),
          inverse_(steps_.size() * q_, 1.0), product_(steps_.size() * q_, 1.0), sum_(steps_.size() * q_ * k_),
          part_(q_) {}

    // phi[j * stride + c] += Shapley value of column j for output c.
    template <class T>
    void row(const T* x, double* phi, std::size_t stride) {
        std::ptrdiff_t at = 0;
        enter(at, 0, x);
        while (at >= 0) {
            Step& step = steps_[static_cast<std::size_t>(at)];
            if (step.next == p_.tree.n_children[step.node]) {
                leave(at--, phi, stride);
            } else if (descend(at, step.next++)) {
                ++at;
                enter(at, steps_[static_cast<std::size_t>(at)].node, x);
            }
        }
    }

  private:
    struct Step {  // a node on the path, and the test that led to it
        std::size_t node = 0;
        std::int32_t next = 0, chosen = -1;
        std::int32_t column = -1;
        std::ptrdiff_t same = -1;       // the step above by a test on the same column
        double unknown = 1, known = 1;  // what all tests on the column let through
    };

    double* inverse(std::ptrdiff_t at) { return inverse_.data() + static_cast<std::size_t>(at) * q_; }
    double* product(std::ptrdiff_t at) { return product_.data() + static_cast<std::size_t>(at) * q_; }
    double* sum(std::ptrdiff_t at) { return sum_.data() + static_cast<std::size_t>(at) * q_ * k_; }

    template <class T>
    void enter(std::ptrdiff_t at, std::size_t node, const T* x) {
        Step& step = steps_[static_cast<std::size_t>(at)];
        step.node = node, step.next = 0;
        double* total = sum(at);
        if (p_.tree.n_children[node] > 0) {
            step.chosen = p_.tree.child(node, x);
            std::fill_n(total, q_ * k_, 0.0);
            return;
        }
        const double *v = p_.value.row(node), *own = product(at);
        for (std::size_t c = 0; c < k_; ++c)
            for (std::size_t i = 0; i < q_; ++i) total[c * q_ + i] = own[i] * v[c];
    }

    // Prepares the step to a child; false if no part of the row can go there.
    bool descend(std::ptrdiff_t at, std::int32_t child) {
        const Step& from = steps_[static_cast<std::size_t>(at)];
        Step& to = steps_[static_cast<std::size_t>(at + 1)];
        to.node = static_cast<std::size_t>(p_.tree.first_child[from.node] + child);
        to.column = p_.tree.feature[from.node];
        to.same = last_[static_cast<std::size_t>(to.column)];
        to.unknown = p_.cover[to.node];
        to.known = from.chosen < 0 ? p_.tree.share[to.node] : from.chosen == child ? 1.0 : 0.0;
        if (to.same >= 0) {
            to.unknown *= steps_[static_cast<std::size_t>(to.same)].unknown;
            to.known *= steps_[static_cast<std::size_t>(to.same)].known;
        }
        if (!(to.unknown > 0) && !(to.known > 0)) return false;
        const double *t = p_.rule.point.data(), *above = product(at);
        double *over = inverse(at + 1), *out = product(at + 1);
        const double* old = to.same >= 0 ? inverse(to.same) : nullptr;
        for (std::size_t i = 0; i < q_; ++i) {
            const double factor = to.unknown * (1 - t[i]) + to.known * t[i];
            over[i] = 1 / factor;
            out[i] = above[i] * factor;
        }
        if (old != nullptr)
            for (std::size_t i = 0; i < q_; ++i) out[i] *= old[i];
        last_[static_cast<std::size_t>(to.column)] = at + 1;
        return true;
    }

    // The leaves below are summed: credit the test that led here, and take them from the one above on the same column.
    void leave(std::ptrdiff_t at, double* phi, std::size_t stride) {
        if (at == 0) return;
        const Step& step = steps_[static_cast<std::size_t>(at)];
        double* own = phi + static_cast<std::size_t>(step.column) * stride;
        credit(step, at, at, own, 1.0);
        if (step.same >= 0) credit(steps_[static_cast<std::size_t>(step.same)], step.same, at, own, -1.0);
        double* above = sum(at - 1);
        const double* here = sum(at);
        for (std::size_t i = 0; i < q_ * k_; ++i) above[i] += here[i];
        last_[static_cast<std::size_t>(step.column)] = step.same;
    }
    void credit(const Step& test, std::ptrdiff_t test_at, std::ptrdiff_t at, double* own, double sign) {
        const double gap = sign * (test.known - test.unknown);
        if (gap == 0) return;
        const double *over = inverse(test_at), *here = sum(at), *w = p_.rule.weight.data();
        for (std::size_t i = 0; i < q_; ++i) part_[i] = gap * w[i] * over[i];
        for (std::size_t c = 0; c < k_; ++c) {
            double total = 0;
            for (std::size_t i = 0; i < q_; ++i) total += part_[i] * here[c * q_ + i];
            own[c] += total;
        }
    }

    const ShapPlan& p_;
    std::size_t q_, k_;
    std::vector<Step> steps_;
    std::vector<std::ptrdiff_t> last_;  // the deepest step on the path by a test on each column
    std::vector<double> inverse_, product_,
        sum_;  // by step: 1 / (z (1 - t) + o t), the product of all such, sums over leaves
    std::vector<double> part_;
};

// Rows in chunks that are worth a thread: some hundred thousand nodes each.
inline Chunks chunks_of(std::size_t n_rows, std::size_t n_nodes) { return Chunks::of(n_rows, 100'000 / n_nodes + 1); }

// phi (n rows of columns x stride) += Shapley values of the tree's outputs, from output `first` on.
template <class T>
void shap(const ShapPlan& plan, MatrixView<const T> X, MatrixView<double> phi, std::size_t stride, std::size_t first,
          int n_threads) {
    parallel_chunks(chunks_of(X.rows, plan.tree.feature.size()), n_threads, [&](std::size_t begin, std::size_t end) {
        ShapWalk walk(plan, X.cols);
        for (std::size_t i = begin; i < end; ++i) walk.row(X.row(i), phi.row(i) + first, stride);
    });
}

// out (n x width, zeroed) += expectation of value where only the columns marked as known are.
template <class T>
void expect(const TreeView& tree, std::span<const double> cover, MatrixView<const T> X,
            std::span<const std::uint8_t> known, MatrixView<const double> value, MatrixView<double> out,
            int n_threads) {
    parallel_chunks(chunks_of(X.rows, tree.feature.size()), n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<std::pair<std::size_t, double>> stack;
        for (std::size_t i = begin; i < end; ++i) {
            stack.assign(1, {0, 1.0});
            while (!stack.empty()) {
                const auto [node, part] = stack.back();
                stack.pop_back();
                const auto first = static_cast<std::size_t>(tree.first_child[node]);
                if (tree.n_children[node] == 0) {
                    for (std::size_t c = 0; c < value.cols; ++c) out.row(i)[c] += part * value.row(node)[c];
                    continue;
                }
                const bool is_known = known[static_cast<std::size_t>(tree.feature[node])] != 0;
                const std::int32_t chosen = is_known ? tree.child(node, X.row(i)) : -1;
                if (chosen >= 0) {
                    stack.emplace_back(first + static_cast<std::size_t>(chosen), part);
                    continue;
                }
                const auto parts = is_known ? tree.share : cover;
                for (auto c = static_cast<std::size_t>(tree.n_children[node]); c-- > 0;)
                    if (parts[first + c] > 0) stack.emplace_back(first + c, part * parts[first + c]);
            }
        }
    });
}

}  // namespace lanatus::tree
