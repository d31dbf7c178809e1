#include "core/ndarray.hpp"
#include "imbalance/boosted_stumps.hpp"
#include "imbalance/neighbors.hpp"
#include "imbalance/smote.hpp"

namespace lanatus::imbalance {
using namespace nb::literals;

namespace {

void require_rows(std::span<const std::int64_t> rows, std::size_t n, const char* message) {
    for (const std::int64_t row : rows) require(row >= 0 && static_cast<std::size_t>(row) < n, message);
}

template <class T>
auto py_nearest_rows(In2<T> X, In1<std::int64_t> rows, std::size_t k, int n_threads) {
    require_threads(n_threads);
    require(k >= 1 && k < X.shape(0), "k must be at least 1 and less than the number of rows of X");
    require(X.shape(0) < std::numeric_limits<std::int32_t>::max(), "X has too many rows");
    require_rows(span(rows), X.shape(0), "rows must be rows of X");
    auto out = new_array<std::int32_t>(rows.shape(0), k);
    {
        nb::gil_scoped_release nogil;
        nearest_rows(view(X), span(rows), k, out.data(), n_threads);
    }
    return out;
}

auto py_draw(std::uint64_t seed, std::size_t count, std::size_t n_parents, std::size_t k, int n_threads) {
    require_threads(n_threads);
    require(n_parents >= 1 && k >= 1, "n_parents and k must be at least 1");
    auto parent = new_array<std::int64_t>(count), neighbor = new_array<std::int64_t>(count);
    auto gap = new_array<double>(count);
    {
        nb::gil_scoped_release nogil;
        draw(seed, n_parents, k, span(parent), span(neighbor), span(gap), n_threads);
    }
    return std::tuple(parent, neighbor, gap);
}

template <class T>
auto py_interpolate(In2<T> X, In1<std::int64_t> from, In1<std::int64_t> to, In1<double> gap, int n_threads) {
    require_threads(n_threads);
    require(from.shape(0) == to.shape(0) && from.shape(0) == gap.shape(0), "start, end and gap differ in length");
    require_rows(span(from), X.shape(0), "start must be rows of X");
    require_rows(span(to), X.shape(0), "end must be rows of X");
    auto out = new_array<T>(X.shape(0) + from.shape(0), X.shape(1));
    {
        nb::gil_scoped_release nogil;
        interpolate(view(X), span(from), span(to), span(gap), view(out), n_threads);
    }
    return out;
}

template <class T>
auto py_boost_sets(In2<T> X, In1<std::int32_t> codes, In1<std::int64_t> rows, In1<std::int64_t> begin,
                   std::size_t n_classes, std::size_t rounds, int n_threads) {
    require_threads(n_threads);
    require(X.shape(1) >= 1 && codes.shape(0) == X.shape(0), "codes and X differ in number of samples");
    require(n_classes >= 2 && rounds >= 1, "there must be at least two classes and a round");
    for (const std::int32_t code : span(codes))
        require(code >= 0 && static_cast<std::size_t>(code) < n_classes, "codes must be from 0 to n_classes - 1");
    require_rows(span(rows), X.shape(0), "rows must be rows of X");
    const auto sets = span(begin);
    require(sets.size() >= 2 && sets.front() == 0 && static_cast<std::size_t>(sets.back()) == rows.shape(0),
            "begin must go from 0 to the number of rows");
    for (std::size_t s = 0; s + 1 < sets.size(); ++s) require(sets[s] < sets[s + 1], "a set must not be empty");
    std::vector<std::vector<Stump>> found;
    {
        nb::gil_scoped_release nogil;
        found = boost_sets(view(X), span(codes), span(rows), sets, n_classes, rounds, n_threads);
    }
    std::size_t total = 0;
    for (const auto& stumps : found) total += stumps.size();
    auto owner = new_array<std::int32_t>(total), column = new_array<std::int32_t>(total);
    auto said = new_array<std::int32_t>(total, 2);
    auto threshold = new_array<double>(total), alpha = new_array<double>(total);
    std::size_t at = 0;
    for (std::size_t s = 0; s < found.size(); ++s)
        for (const Stump& stump : found[s]) {
            owner.data()[at] = static_cast<std::int32_t>(s);
            column.data()[at] = stump.column;
            threshold.data()[at] = stump.threshold;
            said.data()[2 * at] = stump.below;
            said.data()[2 * at + 1] = stump.above;
            alpha.data()[at++] = stump.alpha;
        }
    return std::tuple(owner, column, threshold, said, alpha);
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("nearest_rows", &py_nearest_rows<T>, "X"_a.noconvert(), "rows"_a.noconvert(), "k"_a, nb::kw_only(),
          "n_threads"_a, "-> (len(rows), k) int32: the k other rows of X nearest to each of `rows`, nearest first.");
    m.def("interpolate", &py_interpolate<T>, "X"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "gap"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> the rows of X, then X[start[i]] + gap[i] (X[end[i]] - X[start[i]]) for each i.");
    m.def("boost_sets", &py_boost_sets<T>, "X"_a.noconvert(), "codes"_a.noconvert(), "rows"_a.noconvert(),
          "begin"_a.noconvert(), "n_classes"_a, "rounds"_a, nb::kw_only(), "n_threads"_a,
          "AdaBoost of stumps on rows[begin[s]:begin[s + 1]] for each s\n"
          "-> (set, column, threshold, classes said up to it and above, alpha) of all stumps.");
}

}  // namespace

void bind(nb::module_& m) {
    m.def("draw", &py_draw, "seed"_a, "count"_a, "n_parents"_a, "k"_a, nb::kw_only(), "n_threads"_a,
          "-> (parent below n_parents, neighbour below k, gap in [0, 1)) of `count` synthetic rows.");
    bind_dtype<double>(m), bind_dtype<float>(m);
}

}  // namespace lanatus::imbalance
