// A clustering-feature tree (BIRCH: Zhang, Ramakrishnan, Livny 1996): subclusters of rows within a radius, found by one
// way down a tree for each row.
//
// Given   rows one after the other, a threshold T of the radius and a branching factor B.
// Leaves  subclusters (weight, mean, squared deviations from it), each of radius sqrt(deviations / weight) <= T, in the
//         order of the leaves. Features hold means and deviations instead of sums and sums of squares, which cancel
//         (Lang, Schubert 2020). About O(n B d log n) time; memory is that of the subclusters.
// A row goes to the child with the nearest mean, ties to the earlier; a full node is split about its two farthest children.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/matrix.hpp"

namespace lanatus::cluster {

// The first of the points in slots [0, count) with the least squared distance to x.
std::size_t nearest_child(const double* values, std::size_t capacity, std::size_t d, std::size_t count, const double* x,
                          double* least);

class FeatureTree {
  public:
    FeatureTree(std::size_t d, double threshold, std::size_t branching)
        : d_(d), threshold_(threshold), branching_(branching), root_(new_node(true)) {}

    void insert(const double* mean, double weight, double deviations) {
        if (!(weight > 0)) return;
        auto split = insert_into(*root_, mean, weight, deviations);
        if (!split.second) return;
        auto above = new_node(false);
        add_child(*above, std::move(split.first));
        add_child(*above, std::move(split.second));
        root_ = std::move(above);
    }

    // Calls take(weight, mean, deviations) for every subcluster.
    template <class Take>
    void each(const Take& take) const {
        each_in(*root_, take);
    }
    std::size_t columns() const noexcept { return d_; }

  private:
    // Means of the children by columns, so that their distances to a row are one run over memory.
    struct Node {
        Node(bool leaf_, std::size_t d, std::size_t capacity_)
            : leaf(leaf_), capacity(capacity_), means(d * capacity_) {}
        bool leaf;
        std::size_t capacity;
        std::vector<double> means;  // [d][capacity]
        std::vector<double> weight, deviations;
        std::vector<std::unique_ptr<Node>> below;
        std::size_t count() const noexcept { return weight.size(); }
    };
    using Split = std::pair<std::unique_ptr<Node>, std::unique_ptr<Node>>;

    std::size_t d_;
    double threshold_;
    std::size_t branching_;
    std::unique_ptr<Node> root_;

    std::unique_ptr<Node> new_node(bool leaf) const { return std::make_unique<Node>(leaf, d_, branching_ + 2); }

    // Child c of a node takes up a feature at this squared distance (Chan, Golub, LeVeque 1979).
    void absorb(Node& node, std::size_t c, const double* mean, double weight, double deviations, double apart) const {
        const double total = node.weight[c] + weight, share = weight / total;
        node.deviations[c] += deviations + apart * node.weight[c] * share;
        for (std::size_t j = 0; j < d_; ++j) {
            double& own = node.means[j * node.capacity + c];
            own += share * (mean[j] - own);
        }
        node.weight[c] = total;
    }
    void append(Node& node, const double* mean, double weight, double deviations,
                std::unique_ptr<Node> below = nullptr) const {
        for (std::size_t j = 0; j < d_; ++j) node.means[j * node.capacity + node.count()] = mean[j];
        node.weight.push_back(weight);
        node.deviations.push_back(deviations);
        if (!node.leaf) node.below.push_back(std::move(below));
    }
    std::vector<double> mean_of(const Node& node, std::size_t c) const {
        std::vector<double> mean(d_);
        for (std::size_t j = 0; j < d_; ++j) mean[j] = node.means[j * node.capacity + c];
        return mean;
    }
    double square(const std::vector<double>& x, const std::vector<double>& y) const noexcept {
        double sum = 0;
        for (std::size_t j = 0; j < d_; ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
        return sum;
    }
    void add_child(Node& node, std::unique_ptr<Node> child) const {
        append(node, mean_of(*child, 0).data(), child->weight[0], child->deviations[0]);
        const std::size_t own = node.count() - 1;
        for (std::size_t c = 1; c < child->count(); ++c) {
            const std::vector<double> mean = mean_of(*child, c);
            const double apart = square(mean_of(node, own), mean);
            absorb(node, own, mean.data(), child->weight[c], child->deviations[c], apart);
        }
        node.below.back() = std::move(child);
    }

    // Two nodes when this one had to be split, none otherwise.
    Split insert_into(Node& node, const double* mean, double weight, double deviations) {
        double least = 0;
        const std::size_t nearest =
            node.count() ? nearest_child(node.means.data(), node.capacity, d_, node.count(), mean, &least) : 0;
        if (node.leaf) {
            if (node.count() > 0) {
                const double total = node.weight[nearest] + weight;
                const double joint =
                    node.deviations[nearest] + deviations + least * node.weight[nearest] * weight / total;
                if (joint <= threshold_ * threshold_ * total) {
                    absorb(node, nearest, mean, weight, deviations, least);
                    return {};
                }
            }
            append(node, mean, weight, deviations);
        } else {
            Split split = insert_into(*node.below[nearest], mean, weight, deviations);
            if (!split.second) {
                absorb(node, nearest, mean, weight, deviations, least);
                return {};
            }
            remove(node, nearest);
            add_child(node, std::move(split.first));
            add_child(node, std::move(split.second));
        }
        return node.count() > branching_ ? halves(node) : Split{};
    }

    void remove(Node& node, std::size_t c) const {
        for (std::size_t j = 0; j < d_; ++j) {
            double* column = node.means.data() + j * node.capacity;
            std::copy(column + c + 1, column + node.count(), column + c);
        }
        const auto at = static_cast<std::ptrdiff_t>(c);
        node.weight.erase(node.weight.begin() + at);
        node.deviations.erase(node.deviations.begin() + at);
        node.below.erase(node.below.begin() + at);
    }

    Split halves(Node& node) const {
        std::vector<std::vector<double>> means(node.count());
        for (std::size_t c = 0; c < node.count(); ++c) means[c] = mean_of(node, c);
        std::size_t one = 0, other = 1;
        double most = -1;
        for (std::size_t a = 0; a < node.count(); ++a)
            for (std::size_t b = a + 1; b < node.count(); ++b) {
                const double apart = square(means[a], means[b]);
                if (apart > most) most = apart, one = a, other = b;
            }
        Split split{new_node(node.leaf), new_node(node.leaf)};
        for (std::size_t c = 0; c < node.count(); ++c) {
            const bool first =
                c == one || (c != other && square(means[c], means[one]) < square(means[c], means[other]));
            append(first ? *split.first : *split.second, means[c].data(), node.weight[c], node.deviations[c],
                   node.leaf ? nullptr : std::move(node.below[c]));
        }
        return split;
    }

    template <class Take>
    void each_in(const Node& node, const Take& take) const {
        for (std::size_t c = 0; c < node.count(); ++c) {
            if (node.leaf) take(node.weight[c], mean_of(node, c).data(), node.deviations[c]);
            else each_in(*node.below[c], take);
        }
    }
};

}  // namespace lanatus::cluster
