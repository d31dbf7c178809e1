#include "core/ndarray.hpp"
#include "ensemble/boosted_stumps.hpp"

namespace lanatus::ensemble {
using namespace nb::literals;

namespace {

void require_codes(std::span<const std::int32_t> codes, std::size_t n, std::size_t n_classes) {
    require(codes.size() == n, "codes and X differ in number of samples");
    for (const std::int32_t code : codes)
        require(code >= 0 && static_cast<std::size_t>(code) < n_classes, "codes must be from 0 to n_classes - 1");
}

Criterion criterion_of(const std::string& name) {
    if (name == "gini") return Criterion::gini;
    if (name == "entropy") return Criterion::entropy;
    require(name == "error", "criterion must be gini, entropy or error");
    return Criterion::error;
}

template <class T>
auto py_sort_columns(In2<T> X, In1<std::int32_t> codes, int n_threads) {
    require_threads(n_threads);
    require(codes.shape(0) == X.shape(0), "codes and X differ in number of samples");
    require(X.shape(0) < cut_bit, "X has too many rows");
    const std::size_t m = X.shape(0), d = X.shape(1);
    auto places = new_array<Place>(d, m);
    {
        nb::gil_scoped_release nogil;
        const auto rows = view(X);
        parallel_for(d, n_threads, [&](std::size_t j) {
            sort_column<T>([&](std::size_t i) { return rows.row(i)[j]; }, span(codes), {places.data() + j * m, m});
        });
    }
    return places;
}

template <class T>
auto py_best_stump(In2<T> X, In2<Place> places, In1<std::int32_t> codes, In1<double> weight, std::size_t n_classes,
                   const std::string& criterion, int n_threads) {
    require_threads(n_threads);
    const std::size_t m = X.shape(0), d = X.shape(1);
    require(n_classes >= 2, "there must be at least two classes");
    require(places.shape(0) == d && places.shape(1) == m, "places must have a row for each column of X");
    require(weight.shape(0) == m, "weight and X differ in number of samples");
    require_codes(span(codes), m, n_classes);
    const Criterion wanted = criterion_of(criterion);
    auto mass = new_array<double>(2, n_classes);
    auto said = new_array<std::int32_t>(m);
    Stump stump;
    {
        nb::gil_scoped_release nogil;
        const auto rows = view(X);
        const SortedRows sorted{{places.data(), d * m}, span(codes), d, n_classes};
        stump = best_stump(
            sorted, [&](std::size_t i, std::size_t j) { return rows.row(i)[j]; }, span(weight), wanted,
            {mass.data(), 2 * n_classes}, span(said), n_threads);
    }
    return std::tuple(stump.column, stump.threshold, mass, stump.n_below, said);
}

template <class T>
auto py_boost_sets(In2<T> X, In1<std::int32_t> codes, In1<std::int64_t> rows, In1<std::int64_t> begin,
                   std::size_t n_classes, std::size_t rounds, int n_threads) {
    require_threads(n_threads);
    require(X.shape(1) >= 1, "X must have a column");
    require(n_classes >= 2 && rounds >= 1, "there must be at least two classes and a round");
    require_codes(span(codes), X.shape(0), n_classes);
    for (const std::int64_t row : span(rows))
        require(row >= 0 && static_cast<std::size_t>(row) < X.shape(0), "rows must be rows of X");
    require(rows.shape(0) < cut_bit, "rows has too many rows");
    const auto sets = span(begin);
    require(sets.size() >= 2 && sets.front() == 0 && static_cast<std::size_t>(sets.back()) == rows.shape(0),
            "begin must go from 0 to the number of rows");
    for (std::size_t s = 0; s + 1 < sets.size(); ++s) require(sets[s] < sets[s + 1], "a set must not be empty");
    std::vector<std::vector<WeightedStump>> found;
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
        for (const WeightedStump& member : found[s]) {
            owner.data()[at] = static_cast<std::int32_t>(s);
            column.data()[at] = member.stump.column;
            threshold.data()[at] = member.stump.threshold;
            said.data()[2 * at] = member.stump.below;
            said.data()[2 * at + 1] = member.stump.above;
            alpha.data()[at++] = member.alpha;
        }
    return std::tuple(owner, column, threshold, said, alpha);
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("sort_columns", &py_sort_columns<T>, "X"_a.noconvert(), "codes"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (columns, rows) uint32: the rows of each column in ascending order; the top bit marks cuts to try.");
    m.def("best_stump", &py_best_stump<T>, "X"_a.noconvert(), "places"_a.noconvert(), "codes"_a.noconvert(),
          "weight"_a.noconvert(), "n_classes"_a, "criterion"_a, nb::kw_only(), "n_threads"_a,
          "The best stump on rows sorted by `sort_columns`, under weights of zero or more\n"
          "-> (column, threshold, (2, n_classes) weights of the classes up to it and above, number of rows up to it,\n"
          "class said of each row); the threshold is inf where no cut tells rows apart.");
    m.def("boost_sets", &py_boost_sets<T>, "X"_a.noconvert(), "codes"_a.noconvert(), "rows"_a.noconvert(),
          "begin"_a.noconvert(), "n_classes"_a, "rounds"_a, nb::kw_only(), "n_threads"_a,
          "AdaBoost of stumps on rows[begin[s]:begin[s + 1]] for each s\n"
          "-> (set, column, threshold, classes said up to it and above, alpha) of all stumps.");
}

}  // namespace

void bind_stumps(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::ensemble
