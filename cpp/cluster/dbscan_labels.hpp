// Clusters numbered by their first core row, out of the sets that core rows or cells were joined to.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanatus::cluster {

// number[s] of the set of part s (found by `set_of`), given the first core row of each part, or -1 where it has none.
template <class SetOf>
std::vector<std::int32_t> numbered(const std::vector<std::int32_t>& first_core, const SetOf& set_of) {
    const std::size_t n = first_core.size();
    std::vector<std::int32_t> number(n, -1), first(n, -1), roots;
    for (std::size_t s = 0; s < n; ++s) {
        if (first_core[s] < 0) continue;
        const auto root = static_cast<std::size_t>(set_of(static_cast<std::int32_t>(s)));
        if (first[root] < 0) roots.push_back(static_cast<std::int32_t>(root)), first[root] = first_core[s];
        else first[root] = std::min(first[root], first_core[s]);
    }
    std::sort(roots.begin(), roots.end(), [&](std::int32_t a, std::int32_t b) {
        return first[static_cast<std::size_t>(a)] < first[static_cast<std::size_t>(b)];
    });
    for (std::size_t k = 0; k < roots.size(); ++k)
        number[static_cast<std::size_t>(roots[k])] = static_cast<std::int32_t>(k);
    for (std::size_t s = 0; s < n; ++s)
        if (first_core[s] >= 0) number[s] = number[static_cast<std::size_t>(set_of(static_cast<std::int32_t>(s)))];
    return number;
}

}  // namespace lanatus::cluster
