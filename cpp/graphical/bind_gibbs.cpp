#include <cmath>
#include <vector>

#include "core/ndarray.hpp"
#include "graphical/gibbs.hpp"

namespace lanatus::graphical {
using namespace nb::literals;

namespace {

void require_starts(std::span<const std::int64_t> starts, std::size_t parts, std::size_t total, const char* message) {
    require(starts.size() == parts + 1 && starts[0] == 0, message);
    for (std::size_t p = 0; p < parts; ++p) require(starts[p] <= starts[p + 1], message);
    require(static_cast<std::size_t>(starts[parts]) == total, message);
}

// Every state of the variables of a table leads to an entry of it, and each variable knows the tables it stands in.
void require_sound(const FactorTables& tables) {
    const std::size_t n = tables.start.size() - 1, d = tables.cardinality.size();
    require(!tables.start.empty() && !tables.used_start.empty(), "start is empty");
    require_starts(tables.start, n, tables.values.size(), "start does not cut the values into tables");
    require_starts(tables.scope_start, n, tables.scope.size(), "scope_start does not cut the scopes into tables");
    require_starts(tables.used_start, d, tables.used.size(), "used_start does not cut the tables into variables");
    require(tables.scope_stride.size() == tables.scope.size() && tables.used_stride.size() == tables.used.size() &&
                tables.used.size() == tables.scope.size(),
            "strides are not as long as scopes");
    for (const double value : tables.values)
        require(value >= 0 && std::isfinite(value), "a table holds a negative number, NaN or infinity");
    for (const std::int32_t k : tables.cardinality) require(k >= 1, "a variable has one state at least");
    std::size_t at = 0;
    for (std::size_t f = 0; f < n; ++f) {
        std::int64_t last = 0;
        for (; at < static_cast<std::size_t>(tables.scope_start[f + 1]); ++at) {
            require(tables.scope[at] >= 0 && static_cast<std::size_t>(tables.scope[at]) < d,
                    "a scope names no variable");
            const std::int64_t k = tables.cardinality[static_cast<std::size_t>(tables.scope[at])];
            require(tables.scope_stride[at] >= 0 &&
                        tables.scope_stride[at] <= static_cast<std::int64_t>(tables.values.size()),
                    "a stride is negative or too long");
            last += tables.scope_stride[at] * (k - 1);
        }
        require(last < tables.start[f + 1] - tables.start[f],
                "a table has fewer entries than its variables have states");
    }
    // A variable that stands twice in one table would be moved twice, out of it.
    std::vector<std::size_t> last_seen(n, d);
    for (std::size_t v = 0; v < d; ++v)
        for (auto u = static_cast<std::size_t>(tables.used_start[v]);
             u < static_cast<std::size_t>(tables.used_start[v + 1]); ++u) {
            const auto f = static_cast<std::size_t>(tables.used[u]);
            require(tables.used[u] >= 0 && f < n && last_seen[f] != v, "a variable names no table, or one twice");
            last_seen[f] = v;
            std::size_t found = 0;
            for (auto s = static_cast<std::size_t>(tables.scope_start[f]);
                 s < static_cast<std::size_t>(tables.scope_start[f + 1]); ++s)
                if (static_cast<std::size_t>(tables.scope[s]) == v)
                    found += tables.scope_stride[s] == tables.used_stride[u] ? 1 : 2;
            require(found == 1, "a variable names a table that it does not stand in once");
        }
}

auto py_gibbs_samples(const In1<double>& values, const In1<std::int64_t>& start, const In1<std::int64_t>& scope_start,
                      const In1<std::int32_t>& scope, const In1<std::int64_t>& scope_stride,
                      const In1<std::int64_t>& used_start, const In1<std::int32_t>& used,
                      const In1<std::int64_t>& used_stride, const In1<std::int32_t>& cardinality,
                      const In2<std::int32_t>& first, const In1<std::int32_t>& free, std::size_t burn_in, std::size_t n,
                      bool random_scan, std::uint64_t seed, int n_threads) {
    require_threads(n_threads);
    const FactorTables tables{span(values),     span(start), span(scope_start), span(scope),      span(scope_stride),
                              span(used_start), span(used),  span(used_stride), span(cardinality)};
    require_sound(tables);
    const auto chains = view(first);
    require(chains.cols == tables.cardinality.size(), "a chain must begin with a state for each variable");
    for (std::size_t c = 0; c < chains.rows; ++c)
        for (std::size_t v = 0; v < chains.cols; ++v)
            require(chains.row(c)[v] >= 0 && chains.row(c)[v] < tables.cardinality[v],
                    "a chain begins in a state that there is not");
    for (const std::int32_t v : span(free))
        require(v >= 0 && static_cast<std::size_t>(v) < chains.cols, "free names no variable");
    auto samples = new_array<std::int32_t>(chains.rows * n, chains.cols);
    std::size_t stuck = 0;
    {
        nb::gil_scoped_release nogil;
        stuck = gibbs_samples(tables, chains, span(free), burn_in, n, random_scan, seed, view(samples), n_threads);
    }
    return std::tuple(samples, stuck);
}

}  // namespace

void bind_gibbs(nb::module_& m) {
    m.def("gibbs_samples", &py_gibbs_samples, nb::kw_only(), "values"_a.noconvert(), "start"_a.noconvert(),
          "scope_start"_a.noconvert(), "scope"_a.noconvert(), "scope_stride"_a.noconvert(), "used_start"_a.noconvert(),
          "used"_a.noconvert(), "used_stride"_a.noconvert(), "cardinality"_a.noconvert(), "first"_a.noconvert(),
          "free"_a.noconvert(), "burn_in"_a, "n"_a, "random_scan"_a, "seed"_a, "n_threads"_a,
          "-> (samples (chains * n, variables), draws of which every state was impossible)");
}

}  // namespace lanatus::graphical
