#include "core/csr.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>

#include "core/parallel.hpp"
#include "core/simd.hpp"
#include "core/text.hpp"

namespace lanatus::detail {

namespace {

// Whether all are in [0, bound): as unsigned numbers the negative ones are the largest of all.
template <class I>
[[gnu::always_inline]] inline bool below(const I* index, std::size_t n, std::make_unsigned_t<I> bound) {
    using U = std::make_unsigned_t<I>;
    U largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, static_cast<U>(index[i]));
    return n == 0 || largest < bound;
}
template <class I>
[[gnu::always_inline]] inline bool never_falls(const I* start, std::size_t n) {
    bool falls = false;
    for (std::size_t i = 1; i < n; ++i) falls |= start[i] < start[i - 1];
    return !falls;
}
LANATUS_CLONES bool all_below(const std::int32_t* index, std::size_t n, std::uint32_t bound) {
    return below(index, n, bound);
}
LANATUS_CLONES bool all_below(const std::int64_t* index, std::size_t n, std::uint64_t bound) {
    return below(index, n, bound);
}
LANATUS_CLONES bool rises(const std::int32_t* start, std::size_t n) { return never_falls(start, n); }
LANATUS_CLONES bool rises(const std::int64_t* start, std::size_t n) { return never_falls(start, n); }

// Whether holds(begin, end) for all of [0, n), cut into chunks of a megabyte or more; each looks at `overlap` items of the next.
template <class Holds>
bool everywhere(std::size_t n, std::size_t overlap, const Holds& holds) {
    std::atomic<bool> sound{true};
    parallel_chunks(Chunks::of(n, std::size_t{1} << 18), omp_get_max_threads(),
                    [&](std::size_t begin, std::size_t end) {
                        if (!holds(begin, std::min(end + overlap, n))) sound = false;
                    });
    return sound;
}

[[noreturn]] void refuse(const Compression& shape, const std::string& why) {
    throw std::invalid_argument(text("X is no sound ", shape.name, " matrix: ", why));
}

}  // namespace

template <class I>
void require_lengths(const Compression& shape, std::span<const I> indptr, std::span<const I> indices,
                     std::size_t n_values) {
    if (indptr.size() != shape.lines + 1)
        refuse(shape, text("indptr has length ", indptr.size(), ", wanted ", shape.lines + 1,
                           ": one more than there are ", shape.line, "s"));
    if (indices.size() != n_values)
        refuse(shape, text("indices has length ", indices.size(), ", wanted that of data, ", n_values));
    if (indptr.front() != 0) refuse(shape, text("indptr begins at ", indptr.front(), ", wanted 0"));
    if (static_cast<std::size_t>(indptr.back()) != n_values)
        refuse(shape, text("indptr ends at ", indptr.back(), ", wanted the length of data, ", n_values));
}

template <class I>
void require_compressed(const Compression& shape, std::span<const I> indptr, std::span<const I> indices,
                        std::size_t n_values) {
    using U = std::make_unsigned_t<I>;
    require_lengths(shape, indptr, indices, n_values);
    if (!everywhere(indptr.size(), 1, [=](auto a, auto b) { return rises(indptr.data() + a, b - a); })) {
        const auto at = std::is_sorted_until(indptr.begin(), indptr.end()) - indptr.begin();
        refuse(shape, text("indptr falls from ", indptr[static_cast<std::size_t>(at) - 1], " to ",
                           indptr[static_cast<std::size_t>(at)], " at entry ", at, ", wanted it never to fall"));
    }
    const auto bound = static_cast<U>(std::min<std::size_t>(shape.across, U{1} << (8 * sizeof(I) - 1)));
    if (!everywhere(indices.size(), 0, [=](auto a, auto b) { return all_below(indices.data() + a, b - a, bound); })) {
        const auto bad = std::find_if(indices.begin(), indices.end(), [=](I i) { return static_cast<U>(i) >= bound; });
        refuse(shape, text("indices holds ", *bad, ", wanted from 0 on and below ", shape.across, ", the number of ",
                           shape.entry, "s"));
    }
}

template void require_lengths(const Compression&, std::span<const std::int32_t>, std::span<const std::int32_t>,
                              std::size_t);
template void require_compressed(const Compression&, std::span<const std::int32_t>, std::span<const std::int32_t>,
                                 std::size_t);
template void require_compressed(const Compression&, std::span<const std::int64_t>, std::span<const std::int64_t>,
                                 std::size_t);

}  // namespace lanatus::detail
