#include "select/relief.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"
#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "select/relief.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::select {

void distances_of_four(const ReliefTask& task, const double* const asked[4], double* out) {
    LANATUS_DISPATCH(four, task, asked, out);
}

namespace {

struct Near {
    double away;
    std::int64_t row;
    bool operator<(const Near& other) const noexcept {
        return away < other.away || (away == other.away && row < other.row);
    }
};

// The k nearest of places [first, last) as rows, nearest first; heap holds the best so far, the worst on top.
void nearest_of(const double* away, const std::vector<std::int64_t>& order, std::size_t first, std::size_t last,
                std::int64_t own, std::size_t k, std::vector<Near>& heap, std::int64_t* out) {
    heap.clear();
    double limit = std::numeric_limits<double>::infinity();
    for (std::size_t place = first; place < last; ++place) {
        if (away[place] > limit || order[place] == own) continue;
        const Near one{away[place], order[place]};
        if (heap.size() < k) {
            heap.push_back(one), std::push_heap(heap.begin(), heap.end());
        } else if (one < heap.front()) {
            std::pop_heap(heap.begin(), heap.end());
            heap.back() = one;
            std::push_heap(heap.begin(), heap.end());
        }
        if (heap.size() == k) limit = heap.front().away;
    }
    std::sort_heap(heap.begin(), heap.end());
    for (std::size_t t = 0; t < k; ++t) out[t] = t < heap.size() ? heap[t].row : -1;
}

}  // namespace

void nearest_by_class(MatrixView<const double> X, std::span<const std::int32_t> classes, std::size_t n_classes,
                      std::span<const std::int64_t> asked, std::size_t k, bool squared, std::int64_t* out,
                      int n_threads) {
    const std::size_t n = X.rows, d = X.cols, width = (n + relief_pad - 1) / relief_pad * relief_pad;
    std::vector<std::int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return classes[static_cast<std::size_t>(a)] < classes[static_cast<std::size_t>(b)];
    });
    std::vector<std::size_t> edge(n_classes + 1, 0);
    for (const std::int32_t c : classes) ++edge[static_cast<std::size_t>(c) + 1];
    for (std::size_t c = 0; c < n_classes; ++c) edge[c + 1] += edge[c];
    Buffer<double> turned(d * width);
    parallel_for(d, n_threads, [&](std::size_t c) {
        for (std::size_t place = 0; place < n; ++place)
            turned[c * width + place] = X.row(static_cast<std::size_t>(order[place]))[c];
        for (std::size_t place = n; place < width; ++place) turned[c * width + place] = 0;
    });
    const ReliefTask task{turned.data(), d, width, n, squared};
    parallel_chunks(Chunks::of(asked.size(), 4, 256, 4), n_threads, [&](std::size_t begin, std::size_t end) {
        Buffer<double> away(4 * width);
        std::vector<Near> heap;
        for (std::size_t at = begin; at < end; at += 4) {
            const double* rows[4];
            for (std::size_t r = 0; r < 4; ++r)
                rows[r] = X.row(static_cast<std::size_t>(asked[std::min(at + r, end - 1)]));
            distances_of_four(task, rows, away.data());
            for (std::size_t r = 0; r < 4 && at + r < end; ++r)
                for (std::size_t c = 0; c < n_classes; ++c)
                    nearest_of(away.data() + r * width, order, edge[c], edge[c + 1], asked[at + r], k, heap,
                               out + ((at + r) * n_classes + c) * k);
        }
    });
}

}  // namespace lanatus::select
