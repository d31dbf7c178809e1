// Included once per instruction set by path_group.cpp (no include guard on purpose).
namespace lanatus::graph::LANATUS_ISA {
namespace {

typedef double V8 __attribute__((vector_size(64)));
typedef std::int64_t M8 __attribute__((vector_size(64)));
typedef std::int64_t M4 __attribute__((vector_size(32)));
typedef std::int64_t M2 __attribute__((vector_size(16)));

LANATUS_INLINE bool any(M8 mask) {
    M4 low, high;
    __builtin_memcpy(&low, &mask, sizeof low);
    __builtin_memcpy(&high, reinterpret_cast<const char*>(&mask) + sizeof low, sizeof high);
    const M4 both = low | high;
    const M2 pair = M2{both[0], both[1]} | M2{both[2], both[3]};
    return (pair[0] | pair[1]) != 0;
}

void from_group(const CsrView<double>& graph, double width, const std::array<std::int32_t, group_size>& sources,
                GroupScratch& scratch) {
    constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();
    constexpr double far = std::numeric_limits<double>::infinity();
    double* const distances = scratch.distances.data();
    std::fill(distances, distances + graph.rows * group_size, far);
    std::fill(scratch.waits.begin(), scratch.waits.end(), nowhere);
    const std::uint64_t count = scratch.buckets.size();
    const double per_width = 1 / width;
    std::size_t waiting = 0;
    const auto put = [&](std::size_t node, std::uint64_t bucket) {
        if (scratch.waits[node] <= bucket) return;  // it is gone on from earlier, with all that it has then
        waiting += scratch.waits[node] == nowhere;
        scratch.waits[node] = bucket;
        scratch.buckets[bucket % count].push_back(static_cast<std::int32_t>(node));
    };
    for (std::size_t l = 0; l < group_size; ++l) {
        const auto node = static_cast<std::size_t>(sources[l]);
        distances[node * group_size + l] = 0;
        put(node, 0);
    }
    for (std::uint64_t at = 0; waiting > 0; ++at) {
        std::vector<std::int32_t>& bucket = scratch.buckets[at % count];
        for (std::size_t next = 0; next < bucket.size(); ++next) {
            const auto node = static_cast<std::size_t>(bucket[next]);
            if (scratch.waits[node] != at) continue;  // an older entry of a node that came nearer
            scratch.waits[node] = nowhere;
            --waiting;
            V8 from;
            __builtin_memcpy(&from, distances + node * group_size, sizeof from);
            const auto edges = graph.row(node);
            for (std::size_t e = 0; e < edges.columns.size(); ++e) {
                double* const to = distances + static_cast<std::size_t>(edges.columns[e]) * group_size;
                V8 there;
                __builtin_memcpy(&there, to, sizeof there);
                const V8 longer = from + edges.values[e];
                const M8 nearer = longer < there;
                if (!any(nearer)) continue;
                const V8 best = nearer ? longer : there, changed = nearer ? longer : V8{} + far;
                __builtin_memcpy(to, &best, sizeof best);
                double least = changed[0];
                for (std::size_t l = 1; l < group_size; ++l) least = changed[l] < least ? changed[l] : least;
                // Never behind, nor farther ahead than the ring is long: what is met too early is met again.
                const double place = least * per_width, last = static_cast<double>(at + count - 1);
                const auto to_bucket = static_cast<std::uint64_t>(place < last ? place : last);
                put(static_cast<std::size_t>(edges.columns[e]), to_bucket > at ? to_bucket : at);
            }
        }
        bucket.clear();
    }
}

}  // namespace
}  // namespace lanatus::graph::LANATUS_ISA
