#include <cmath>
#include <string>

#include "core/ndarray.hpp"
#include "graphical/family_scores.hpp"

namespace lanatus::graphical {
using namespace nb::literals;

namespace {

CodedColumns checked(const In2<std::int32_t>& codes, const In1<std::int32_t>& cardinality, const Weights& w) {
    const CodedColumns columns{view(codes), span(cardinality), span(w)};
    require(columns.cardinality.size() == columns.codes.rows, "cardinality must have an entry for each variable");
    require_weights(w, columns.rows());
    for (std::size_t v = 0; v < columns.codes.rows; ++v) {
        require(columns.cardinality[v] >= 1, "a variable has one state at least");
        for (std::size_t i = 0; i < columns.rows(); ++i)
            require(columns.codes.row(v)[i] < columns.cardinality[v],
                    "a code names a state that its variable does not have");
    }
    return columns;
}

// Every family a product of cardinalities that keys of 64 bits can tell apart.
void require_families(const CodedColumns& columns, std::span<const std::int32_t> children,
                      std::span<const std::int64_t> start, std::span<const std::int32_t> parents) {
    const auto d = static_cast<std::int64_t>(columns.codes.rows);
    require(start.size() == children.size() + 1 && start.front() == 0 &&
                start.back() == static_cast<std::int64_t>(parents.size()),
            "start does not cut the parents into families");
    for (const std::int32_t child : children) require(child >= 0 && child < d, "a child is no variable");
    for (const std::int32_t parent : parents) require(parent >= 0 && parent < d, "a parent is no variable");
    for (std::size_t f = 0; f < children.size(); ++f) {
        require(start[f] <= start[f + 1], "start does not cut the parents into families");
        double cells = columns.cardinality[static_cast<std::size_t>(children[f])];
        for (auto p = static_cast<std::size_t>(start[f]); p < static_cast<std::size_t>(start[f + 1]); ++p)
            cells *= columns.cardinality[static_cast<std::size_t>(parents[p])];
        require(cells < 4e18, "a family has more combinations of states than can be told apart; take fewer parents");
    }
}

FamilyScore kind_of(const std::string& name) {
    if (name == "log-likelihood") return FamilyScore::log_likelihood;
    if (name == "dirichlet") return FamilyScore::dirichlet;
    require(name == "unit-dirichlet", "kind must be log-likelihood, dirichlet or unit-dirichlet");
    return FamilyScore::unit_dirichlet;
}

auto py_family_scores(const In2<std::int32_t>& codes, const In1<std::int32_t>& cardinality, const Weights& w,
                      const In1<std::int32_t>& children, const In1<std::int64_t>& start,
                      const In1<std::int32_t>& parents, const std::string& kind, double alpha, int n_threads) {
    require_threads(n_threads);
    const CodedColumns columns = checked(codes, cardinality, w);
    require_families(columns, span(children), span(start), span(parents));
    const FamilyScore score = kind_of(kind);
    require(score == FamilyScore::log_likelihood || (alpha > 0 && std::isfinite(alpha)),
            "alpha must be above 0 and finite");
    auto scores = new_array<double>(children.shape(0)), seen = new_array<double>(children.shape(0));
    {
        nb::gil_scoped_release nogil;
        family_scores(columns, span(children), span(start), span(parents), score, alpha, span(scores), span(seen),
                      n_threads);
    }
    return std::tuple(scores, seen);
}

auto py_family_counts(const In2<std::int32_t>& codes, const In1<std::int32_t>& cardinality, const Weights& w,
                      std::int32_t child, const In1<std::int32_t>& parents) {
    const CodedColumns columns = checked(codes, cardinality, w);
    const std::int64_t start[] = {0, static_cast<std::int64_t>(parents.shape(0))};
    require_families(columns, {&child, 1}, start, span(parents));
    auto cells = static_cast<std::size_t>(columns.cardinality[static_cast<std::size_t>(child)]);
    for (const std::int32_t parent : span(parents))
        cells *= static_cast<std::size_t>(columns.cardinality[static_cast<std::size_t>(parent)]);
    require(cells <= (std::size_t{1} << 28), "the table of a family is too large");
    auto counts = new_array<double>(cells);
    {
        nb::gil_scoped_release nogil;
        FamilyCounter counter(columns);
        counter.count_dense(child, span(parents), cells);
        std::copy(counter.counts().begin(), counter.counts().end(), span(counts).begin());
    }
    return counts;
}

}  // namespace

void bind_family_scores(nb::module_& m) {
    m.def("family_scores", &py_family_scores, "codes"_a.noconvert(), "cardinality"_a.noconvert(), "w"_a.none(),
          "children"_a.noconvert(), "start"_a.noconvert(), "parents"_a.noconvert(), nb::kw_only(), "kind"_a, "alpha"_a,
          "n_threads"_a, "-> (scores, weight of the rows that were counted), one each a family");
    m.def("family_counts", &py_family_counts, "codes"_a.noconvert(), "cardinality"_a.noconvert(), "w"_a.none(),
          "child"_a, "parents"_a.noconvert(),
          "-> counts, flat: states of the child within those of the parents, the first slowest");
}

}  // namespace lanatus::graphical
