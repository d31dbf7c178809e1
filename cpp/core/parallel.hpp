// Threads whose number never shows in a result: the work is cut into chunks by its size alone, every chunk writes its own
// slot, and slots are merged in order.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace lanatus {

namespace detail {
using Call = void (*)(const void* body, std::size_t item);
void run(std::size_t count, int n_threads, Call call, const void* body);
}  // namespace detail

// body(i) for i in [0, count), count < 2^31, in any order, by at most n_threads threads; calls from inside a body stay on its thread. The
// first exception stops the rest and is thrown again here. An item is a call: let it be a chunk, a column or a tree, not a row.
// One thread calls as many do, so that a body is compiled once.
template <class Body>
void parallel_for(std::size_t count, int n_threads, const Body& body) {
    detail::run(count, n_threads, [](const void* to, std::size_t i) { (*static_cast<const Body*>(to))(i); }, &body);
}

// Rows [0, n) cut into chunks: about `wanted` of them, none (but the last) shorter than `least` rows, all a multiple of
// `grain` rows. Depends on the data's size only.
struct Chunks {
    std::size_t n = 0, length = 1;

    static Chunks of(std::size_t n, std::size_t least = 512, std::size_t wanted = 64, std::size_t grain = 48) {
        std::size_t length = std::max({least, (n + wanted - 1) / std::max<std::size_t>(wanted, 1), std::size_t{1}});
        return {n, (length + grain - 1) / grain * grain};
    }
    std::size_t count() const noexcept { return (n + length - 1) / length; }
    std::size_t begin(std::size_t chunk) const noexcept { return chunk * length; }
    std::size_t end(std::size_t chunk) const noexcept { return std::min(n, (chunk + 1) * length); }
};

// body(begin, end) over the chunks of n rows.
template <class Body>
void parallel_chunks(const Chunks& chunks, int n_threads, const Body& body) {
    parallel_for(chunks.count(), n_threads, [&](std::size_t c) { body(chunks.begin(c), chunks.end(c)); });
}

// body(begin, end) -> Part for every chunk; the parts in order of the chunks.
template <class Part, class Body>
std::vector<Part> parallel_parts(const Chunks& chunks, int n_threads, const Body& body) {
    std::vector<Part> parts(chunks.count());
    parallel_for(chunks.count(), n_threads, [&](std::size_t c) { parts[c] = body(chunks.begin(c), chunks.end(c)); });
    return parts;
}

}  // namespace lanatus
