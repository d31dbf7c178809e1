// t-SNE (van der Maaten and Hinton 2008): the gradient of the divergence of q from p, and the p of a perplexity.
//
//     C = sum_ij p_ij log(p_ij / q_ij),  q_ij = (1 + |y_i - y_j|^2)^-1 / Z
//     dC/dy_i = 4 (sum_j a p_ij q~_ij (y_i - y_j) - sum_j q~_ij^2 (y_i - y_j) / Z),  q~ = q Z, a the exaggeration
//
// Given   the rows of p as CSR, points Y (n, D) with D from 1 to 3, and an angle: a cell whose longest side is seen from a
//         leaf of the tree under less than it pushes as its mean would (van der Maaten 2014); 0 sums over all points.
// Leaves  the gradient (n, D); returns the divergence but for the sum of p log p.
// A leaf gathers what pushes on all of its points once; its points then go over the list together. Every leaf and row is
// the work of one thread, sums of them go in order. O(n log n + nnz) a call.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "reduce/cell_tree.hpp"
#include "reduce/repulsion_leaf.hpp"

namespace lanatus::reduce {

// What pushes on the points of a leaf, gathered.
template <std::size_t D>
class PushList {
  public:
    void gather(const CellTree<D>& tree, const Cell<D>& leaf, float sq_angle) {
        for (auto& a : at_) a.clear();
        mass_.clear();
        stack_.assign(1, 0);
        while (!stack_.empty()) {
            const Cell<D>& cell = tree.cells[stack_.back()];
            stack_.pop_back();
            if (cell.sq_size < sq_angle * leaf.sq_gap(cell.mean)) {
                for (std::size_t k = 0; k < D; ++k) at_[k].push_back(cell.mean[k]);
                mass_.push_back(cell.mass());
            } else if (cell.n_children == 0) {
                for (std::size_t k = 0; k < D; ++k)
                    at_[k].insert(at_[k].end(), tree.at[k].begin() + cell.begin, tree.at[k].begin() + cell.end);
                mass_.resize(mass_.size() + cell.end - cell.begin, 1.0f);
            } else {
                for (std::uint32_t c = cell.n_children; c-- > 0;) stack_.push_back(cell.first_child + c);
            }
        }
        const std::size_t n = (mass_.size() + push_group - 1) / push_group * push_group;
        for (auto& a : at_) a.resize(n, 0.0f);
        mass_.resize(n, 0.0f);
    }
    Pushing list() const noexcept {
        Pushing out{{}, mass_.data(), mass_.size()};
        for (std::size_t k = 0; k < D; ++k) out.at[k] = at_[k].data();
        return out;
    }

  private:
    std::array<std::vector<float>, D> at_;
    std::vector<float> mass_;
    std::vector<std::uint32_t> stack_;
};

// push (n, D) <- sum_j q~_ij^2 (y_i - y_j); returns Z.
template <std::size_t D>
double repulsion(MatrixView<const float> Y, double angle, MatrixView<float> push, int n_threads) {
    const CellTree<D> tree(Y);
    std::vector<double> Z(tree.leaves.size());
    const auto sq_angle = static_cast<float>(angle * angle);
    parallel_chunks(Chunks::of(tree.leaves.size(), 4, 64, 1), n_threads, [&](std::size_t from, std::size_t to) {
        PushList<D> list;
        std::vector<float> queries, sums;
        for (std::size_t l = from; l < to; ++l) {
            const Cell<D>& leaf = tree.cells[tree.leaves[l]];
            list.gather(tree, leaf, sq_angle);
            const std::size_t n = leaf.end - leaf.begin;
            queries.resize(n * D), sums.resize(n * (D + 1));
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t k = 0; k < D; ++k) queries[i * D + k] = tree.at[k][leaf.begin + i];
            add_pushes(D, queries.data(), n, list.list(), sums.data());
            for (std::size_t i = 0; i < n; ++i) {
                float* out = push.row(tree.order[leaf.begin + i]);
                for (std::size_t k = 0; k < D; ++k) out[k] = sums[i * (D + 1) + k];
                Z[l] += static_cast<double>(sums[i * (D + 1) + D]) - 1;  // a point does not push itself
            }
        }
    });
    double total = 0;
    for (const double z : Z) total += z;
    return total;
}

template <std::size_t D>
double tsne_gradient(const CsrView<float>& p, MatrixView<const float> Y, double exaggeration, double angle,
                     bool with_loss, MatrixView<float> gradient, int n_threads) {
    const double Z = repulsion<D>(Y, angle, gradient, n_threads);  // 0 of a single point
    std::array<std::vector<float>, D> at;
    for (std::size_t k = 0; k < D; ++k) {
        at[k].resize(Y.rows);
        for (std::size_t i = 0; i < Y.rows; ++i) at[k][i] = Y.row(i)[k];
    }
    std::array<const float*, D> where;
    for (std::size_t k = 0; k < D; ++k) where[k] = at[k].data();
    const auto pushed = static_cast<float>(Z > 0 ? 4 / Z : 0), pulled = static_cast<float>(4 * exaggeration);
    const std::vector<double> losses =
        parallel_parts<double>(Chunks::of(Y.rows, 128, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
            double loss = 0;
            for (std::size_t i = begin; i < end; ++i) {
                float pull[D];
                const auto row = p.row(i);
                loss += add_pulls(D, where.data(), Y.row(i), row.columns.data(), row.values.data(), row.values.size(),
                                  with_loss, pull);
                float* out = gradient.row(i);
                for (std::size_t k = 0; k < D; ++k) out[k] = pulled * pull[k] - pushed * out[k];
            }
            return loss;
        });
    double loss = Z > 0 ? std::log(Z) : 0;
    for (const double part : losses) loss += part;
    return loss;
}

// Gradient of new points among given ones that stay: each has its own p, over a few of them, and its own Z over all.
template <std::size_t D>
void tsne_new_gradient(const CsrView<float>& p, MatrixView<const float> given, MatrixView<const float> Y,
                       MatrixView<float> gradient, int n_threads) {
    const std::size_t n = (given.rows + push_group - 1) / push_group * push_group;
    std::array<std::vector<float>, D> at;
    std::vector<float> mass(n, 0.0f);
    std::fill(mass.begin(), mass.begin() + static_cast<std::ptrdiff_t>(given.rows), 1.0f);
    Pushing list{{}, mass.data(), n};
    std::array<const float*, D> where;
    for (std::size_t k = 0; k < D; ++k) {
        at[k].assign(n, 0.0f);
        for (std::size_t i = 0; i < given.rows; ++i) at[k][i] = given.row(i)[k];
        list.at[k] = where[k] = at[k].data();
    }
    parallel_chunks(Chunks::of(Y.rows, 4, 64, 4), n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<float> sums((end - begin) * (D + 1));
        add_pushes(D, Y.row(begin), end - begin, list, sums.data());
        for (std::size_t i = begin; i < end; ++i) {
            float pull[D];
            const auto row = p.row(i);
            add_pulls(D, where.data(), Y.row(i), row.columns.data(), row.values.data(), row.values.size(), false, pull);
            const float* sum = sums.data() + (i - begin) * (D + 1);
            const float Z = std::max(sum[D], std::numeric_limits<float>::min());
            for (std::size_t k = 0; k < D; ++k) gradient.row(i)[k] = 2 * (pull[k] - sum[k] / Z);
        }
    });
}

// Row i of p <- exp(-b d_ij) / sum, with b such that 2^entropy is the perplexity, for squared distances d (n, k).
// Of rows whose distances are all alike the entropy is what it is. Bisection, to 1e-10 of the entropy.
inline void perplexities(MatrixView<const double> sq_distances, double perplexity, MatrixView<double> p,
                         int n_threads) {
    const double wanted = std::log(perplexity);
    parallel_chunks(Chunks::of(p.rows, 64, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double* d = sq_distances.row(i);
            double* out = p.row(i);
            const std::size_t k = p.cols;
            const double least = *std::min_element(d, d + k);
            double mean = 0;
            for (std::size_t j = 0; j < k; ++j) mean += (d[j] - least) / static_cast<double>(k);
            double low = 0, high = std::numeric_limits<double>::infinity(), b = mean > 0 ? 1 / mean : 1, sum = 0;
            for (int step = 0; step < 200; ++step) {
                double weighted = 0;
                sum = 0;
                for (std::size_t j = 0; j < k; ++j) {
                    const double gap = d[j] - least;
                    out[j] = std::exp(-b * gap);
                    sum += out[j], weighted += gap * out[j];
                }
                const double entropy = std::log(sum) + b * weighted / sum;
                if (!(mean > 0) || std::abs(entropy - wanted) <= 1e-10) break;
                (entropy > wanted ? low : high) = b;
                b = std::isinf(high) ? 2 * b : (low + high) / 2;
                if (!(b < std::numeric_limits<double>::max()) || b == low || b == high) break;
            }
            for (std::size_t j = 0; j < k; ++j) out[j] /= sum;
        }
    });
}

}  // namespace lanatus::reduce
