// All points within a radius of some queries, exactly, by the same two routes as the nearest ones.
//
// Given   points (n x d), queries (m x d), for each a radius, or one for all; perhaps the point that each query is.
// Result  for each query the points at a distance of at most its radius, by their numbers in increasing order.
//
// Other kernels (density-based clustering) ask query by query: points_within, count_within.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "neighbors/nearest.hpp"
#include "neighbors/search_tree.hpp"

namespace lanatus::neighbors {

// Neighbours of queries one after the other; those of the q-th of them end at ends[q].
struct FoundWithin {
    std::vector<std::int32_t> point;
    std::vector<double> distance;
    std::vector<std::size_t> ends;
};

struct Radii {
    std::span<const double> values;  // one for each query, or one for all
    double of(std::size_t query) const noexcept { return values.size() == 1 ? values[0] : values[query]; }
};

// The queries in chunks, in order; each chunk has its own list.
template <class T>
std::vector<FoundWithin> within_tree(const SearchTree<T>& tree, double p, const Queries<T>& queries, const Radii& radii,
                                     int n_threads);
template <class T>
std::vector<FoundWithin> within_brute(MatrixView<const T> points, const Queries<T>& queries, const Radii& radii,
                                      int n_threads);

// One query, on this thread: appends the points within `radius` of x to `points`, in no order of note, and how far they
// are to `distances` if that is wanted.
template <class T>
void points_within(const SearchTree<T>& tree, double p, const T* x, double radius, std::vector<std::int32_t>& points,
                   std::vector<double>* distances = nullptr);

// How many they are; counting stops at `enough`.
template <class T>
std::size_t count_within(const SearchTree<T>& tree, double p, const T* x, double radius, std::size_t enough);

}  // namespace lanatus::neighbors
