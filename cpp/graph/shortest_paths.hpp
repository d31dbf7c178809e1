// Shortest paths from some nodes to all by Dijkstra's algorithm -- book 10.5.1, the geodesic distances of Fig. 10.8.
//
// Given   a graph as CSR with lengths >= 0 (a stored 0 is an edge), and the nodes to begin at.
// Leaves  row s of D: the length of the shortest path from sources[s] to each node, infinity where there is none.
// Reached nodes wait in buckets by their distance, each half a mean edge wide; those of a bucket are gone on from until none
// of them has come nearer, so that the lengths are those of Dijkstra's order to the last bit. Where the longest edge is
// too long for buckets, a heap of four children a node takes their place.
// Many sources are taken in groups of eight that lie near each other (path_group.hpp): they go along an edge together.
// Groups are shared among the threads; each is the work of one, so their number never shows. O((n + e) log n) a source.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"
#include "graph/path_group.hpp"

namespace lanatus::graph {

// Nodes by their distance, the nearest on top.
class NodeHeap {
  public:
    NodeHeap(std::size_t n) : place_(n) { nodes_.reserve(n); }

    bool empty() const noexcept { return nodes_.empty(); }
    void clear_for(double* distance) noexcept { nodes_.clear(), distance_ = distance; }

    // A node that was not there.
    void push(std::int32_t node) {
        nodes_.push_back(node);
        up(nodes_.size() - 1, node);
    }
    // A node that is there and came nearer.
    void nearer(std::int32_t node) { up(place_[static_cast<std::size_t>(node)], node); }

    std::int32_t pop() {
        const std::int32_t top = nodes_.front(), last = nodes_.back();
        nodes_.pop_back();
        if (!nodes_.empty()) down(last);
        return top;
    }

  private:
    double at(std::int32_t node) const noexcept { return distance_[static_cast<std::size_t>(node)]; }
    void put(std::size_t i, std::int32_t node) noexcept {
        nodes_[i] = node;
        place_[static_cast<std::size_t>(node)] = static_cast<std::uint32_t>(i);
    }
    void up(std::size_t i, std::int32_t node) noexcept {
        const double d = at(node);
        while (i > 0) {
            const std::size_t parent = (i - 1) / 4;
            if (at(nodes_[parent]) <= d) break;
            put(i, nodes_[parent]);
            i = parent;
        }
        put(i, node);
    }
    void down(std::int32_t node) noexcept {
        const double d = at(node);
        const std::size_t n = nodes_.size();
        std::size_t i = 0;
        for (;;) {
            const std::size_t first = 4 * i + 1, end = first + 4 < n ? first + 4 : n;
            if (first >= n) break;
            std::size_t least = first;
            double low = at(nodes_[first]);
            for (std::size_t c = first + 1; c < end; ++c)
                if (const double x = at(nodes_[c]); x < low) least = c, low = x;
            if (low >= d) break;
            put(i, nodes_[least]);
            i = least;
        }
        put(i, node);
    }

    std::vector<std::int32_t> nodes_;
    std::vector<std::uint32_t> place_;
    double* distance_ = nullptr;
};

inline void dijkstra(const CsrView<double>& graph, std::size_t source, double* distance, NodeHeap& heap) {
    constexpr double far = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < graph.rows; ++i) distance[i] = far;
    distance[source] = 0;
    heap.clear_for(distance);
    heap.push(static_cast<std::int32_t>(source));
    while (!heap.empty()) {
        const auto node = static_cast<std::size_t>(heap.pop());
        const double so_far = distance[node];
        const auto edges = graph.row(node);
        for (std::size_t e = 0; e < edges.columns.size(); ++e) {
            const std::int32_t other = edges.columns[e];
            const double longer = so_far + edges.values[e];
            double& best = distance[static_cast<std::size_t>(other)];
            if (!(longer < best)) continue;  // done, or no nearer this way
            const bool is_new = best == far;
            best = longer;
            if (is_new) heap.push(other);
            else heap.nearer(other);
        }
    }
}

// Buckets in a ring: no edge leads farther than once round.
struct Ring {
    double width = 0;
    std::size_t count = 0;  // 0: a heap is to be taken

    static Ring of(std::span<const double> lengths) {
        constexpr std::size_t most = 1024;
        double sum = 0, longest = 0;
        for (const double length : lengths) sum += length, longest = length > longest ? length : longest;
        const double width = lengths.empty() ? 0 : 0.5 * sum / static_cast<double>(lengths.size());
        if (!(width > 0) || !(longest < width * static_cast<double>(most - 2))) return {};
        return {width, static_cast<std::size_t>(longest / width) + 3};
    }
};

struct BucketScratch {
    std::vector<std::vector<std::int32_t>> buckets;
    std::vector<double> left_from;  // the distance at which a node was last gone on from
};

inline void by_buckets(const CsrView<double>& graph, const Ring& ring, std::size_t source, double* distance,
                       BucketScratch& scratch) {
    constexpr double far = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < graph.rows; ++i) distance[i] = far, scratch.left_from[i] = far;
    distance[source] = 0;
    scratch.buckets[0].push_back(static_cast<std::int32_t>(source));
    const double per_width = 1.0 / ring.width;
    for (std::size_t empty = 0, at = 0; empty < ring.count; at = at + 1 == ring.count ? 0 : at + 1) {
        std::vector<std::int32_t>& bucket = scratch.buckets[at];
        empty = bucket.empty() ? empty + 1 : 0;
        while (!bucket.empty()) {
            const auto node = static_cast<std::size_t>(bucket.back());
            bucket.pop_back();
            const double so_far = distance[node];
            if (!(so_far < scratch.left_from[node])) continue;  // an older entry of a node that came nearer
            scratch.left_from[node] = so_far;
            const auto edges = graph.row(node);
            for (std::size_t e = 0; e < edges.columns.size(); ++e) {
                const auto other = static_cast<std::size_t>(edges.columns[e]);
                const double longer = so_far + edges.values[e];
                if (!(longer < distance[other])) continue;
                distance[other] = longer;
                const auto place = static_cast<std::uint64_t>(longer * per_width) % ring.count;
                scratch.buckets[place].push_back(static_cast<std::int32_t>(other));
            }
        }
    }
}

// The sources, by number, in groups that lie near each other: each begins with the first source left over, and takes those
// that are met first on the way along edges from there. A last group repeats its last.
inline std::vector<std::array<std::size_t, group_size>> near_groups(const CsrView<double>& graph,
                                                                    std::span<const std::int32_t> sources) {
    constexpr std::size_t most_met = 512;                    // nodes looked at for a group
    std::vector<std::vector<std::size_t>> left(graph.rows);  // the sources at each node that are in no group
    for (std::size_t s = sources.size(); s-- > 0;) left[static_cast<std::size_t>(sources[s])].push_back(s);
    std::vector<std::size_t> met_by(graph.rows, 0), met;
    std::vector<std::array<std::size_t, group_size>> groups;
    std::vector<char> taken(sources.size(), 0);
    for (std::size_t first = 0, from = 0; first < sources.size(); ++first) {
        if (taken[first]) continue;
        std::array<std::size_t, group_size> group;
        std::size_t size = 0;
        met.assign(1, static_cast<std::size_t>(sources[first]));
        met_by[met[0]] = groups.size() + 1;
        for (std::size_t m = 0; m < met.size() && size < group_size; ++m) {
            for (auto& here = left[met[m]]; !here.empty() && size < group_size; here.pop_back())
                taken[here.back()] = 1, group[size++] = here.back();
            for (const std::int32_t next : graph.row(met[m]).columns) {
                const auto node = static_cast<std::size_t>(next);
                if (met_by[node] == groups.size() + 1 || met.size() >= most_met) continue;
                met_by[node] = groups.size() + 1;
                met.push_back(node);
            }
        }
        for (; from < sources.size() && size < group_size; ++from)  // too few near: any
            if (!taken[from]) {
                auto& here = left[static_cast<std::size_t>(sources[from])];
                here.erase(std::find(here.begin(), here.end(), from));
                taken[from] = 1, group[size++] = from;
            }
        for (; size < group_size; ++size) group[size] = group[size - 1];
        groups.push_back(group);
    }
    return groups;
}

inline void paths_in_groups(const CsrView<double>& graph, const Ring& ring, std::span<const std::int32_t> sources,
                            MatrixView<double> D, int n_threads) {
    const auto groups = near_groups(graph, sources);
    parallel_chunks(Chunks::of(groups.size(), 1, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        GroupScratch scratch(graph.rows, ring.count);
        for (std::size_t g = begin; g < end; ++g) {
            std::array<std::int32_t, group_size> nodes;
            for (std::size_t l = 0; l < group_size; ++l) nodes[l] = sources[groups[g][l]];
            paths_from_group(graph, ring.width, nodes, scratch);
            for (std::size_t l = 0; l < group_size; ++l) {
                double* row = D.row(groups[g][l]);
                for (std::size_t i = 0; i < graph.rows; ++i) row[i] = scratch.distances[i * group_size + l];
            }
        }
    });
}

inline void shortest_paths(const CsrView<double>& graph, std::span<const std::int32_t> sources, MatrixView<double> D,
                           int n_threads) {
    const Ring ring = Ring::of({graph.values, static_cast<std::size_t>(graph.indptr[graph.rows])});
    if (ring.count > 0 && sources.size() >= group_size) return paths_in_groups(graph, ring, sources, D, n_threads);
    parallel_chunks(Chunks::of(sources.size(), 1, 64, 1), n_threads, [&](std::size_t begin, std::size_t end) {
        if (ring.count > 0) {
            BucketScratch scratch{std::vector<std::vector<std::int32_t>>(ring.count), std::vector<double>(graph.rows)};
            for (std::size_t s = begin; s < end; ++s)
                by_buckets(graph, ring, static_cast<std::size_t>(sources[s]), D.row(s), scratch);
            return;
        }
        NodeHeap heap(graph.rows);
        for (std::size_t s = begin; s < end; ++s) dijkstra(graph, static_cast<std::size_t>(sources[s]), D.row(s), heap);
    });
}

}  // namespace lanatus::graph
