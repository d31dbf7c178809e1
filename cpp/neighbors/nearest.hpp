// The k nearest neighbours of some queries among some points, exactly, by one of two routes.
//
// Given   points (n x d), queries (m x d), 1 <= k <= n; for each query the point that is the query itself and does not count
//         (own, with k < n), or none.
// Result  for each query the k points of least distance, nearest first, and their distances; ties go to the lower point.
//
// Both routes screen in the type of the data or in float32, and decide by the same double-precision sums, so that they give
// the same answer in the Euclidean distance; the number of threads does not show in it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "neighbors/search_tree.hpp"

namespace lanatus::neighbors {

template <class T>
struct Queries {
    MatrixView<const T> rows;
    std::span<const std::int64_t> own;  // the point that each is, or empty

    bool excludes(std::size_t query, std::size_t point) const noexcept {
        return !own.empty() && static_cast<std::size_t>(own[query]) == point;
    }
};

// What a search leaves, m x k.
template <class T>
struct Neighbors {
    std::size_t k;
    T* distance;
    std::int32_t* point;
};

// The best k so far of one query: in order while k is small, as a heap, farthest first, where it is large.
class NearestList {
  public:
    explicit NearestList(std::size_t k) : k_(k), best_(k) {}

    void clear() noexcept { size_ = 0; }
    bool full() const noexcept { return size_ == k_; }
    // The sum that a point must not exceed to be among the k.
    double farthest() const noexcept {
        return full() ? (is_heap() ? best_.front().first : best_.back().first)
                      : std::numeric_limits<double>::infinity();
    }
    void offer(double sum, std::size_t row) {
        const Found found{sum, static_cast<std::int32_t>(row)};
        if (is_heap()) offer_heap(found);
        else offer_sorted(found);
    }
    // Writes the k neighbours of a query, nearest first; length(sum) is the distance.
    template <class T, class Length>
    void write(const Neighbors<T>& out, std::size_t query, const Length& length) {
        if (!full()) throw std::invalid_argument("distances are too large to compare: scale the data first");
        if (is_heap()) std::sort_heap(best_.begin(), best_.end());
        for (std::size_t i = 0; i < k_; ++i) {
            out.distance[query * k_ + i] = static_cast<T>(length(best_[i].first));
            out.point[query * k_ + i] = best_[i].second;
        }
    }

  private:
    using Found = std::pair<double, std::int32_t>;
    std::size_t k_, size_ = 0;
    std::vector<Found> best_;

    bool is_heap() const noexcept { return k_ > 48; }
    void offer_sorted(const Found& found) {
        Found* best = best_.data();
        const auto before = [&](std::size_t at) {
            return found.first < best[at].first || (found.first == best[at].first && found.second < best[at].second);
        };
        if (full() && !before(k_ - 1)) return;
        std::size_t at = full() ? k_ - 1 : size_++;
        for (; at > 0 && before(at - 1); --at) best[at] = best[at - 1];
        best[at] = found;
    }
    void offer_heap(const Found& found) {
        if (full()) {
            if (!(found < best_.front())) return;
            std::pop_heap(best_.begin(), best_.end());
            best_.back() = found;
        } else best_[size_++] = found;
        std::push_heap(best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(size_));
    }
};

// By comparing every query with every point: brute.cpp. Euclidean.
template <class T>
void nearest_brute(MatrixView<const T> points, const Queries<T>& queries, const Neighbors<T>& out, int n_threads);

// By a tree over the points: tree_search.cpp. Minkowski's distance of order p.
template <class T>
void nearest_tree(const SearchTree<T>& tree, double p, const Queries<T>& queries, const Neighbors<T>& out,
                  int n_threads);

// How many leaves such a search looks at, in the mean: what tells whether a tree is worth it.
template <class T>
double leaves_a_query(const SearchTree<T>& tree, double p, MatrixView<const T> queries, std::size_t k);

}  // namespace lanatus::neighbors
