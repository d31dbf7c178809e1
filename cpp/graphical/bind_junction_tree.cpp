#include <algorithm>
#include <cmath>
#include <vector>

#include "core/ndarray.hpp"
#include "graphical/junction_tree.hpp"

namespace lanatus::graphical {
using namespace nb::literals;

namespace {

template <class T>
std::vector<T> copied(const In1<T>& a) {
    const auto values = span(a);
    return {values.begin(), values.end()};
}

// Starts of parts one behind the other: from 0 on, never going back, up to `total`.
void require_starts(std::span<const std::int64_t> starts, std::size_t parts, std::size_t total, const char* message) {
    require(starts.size() == parts + 1 && starts[0] == 0, message);
    for (std::size_t p = 0; p < parts; ++p) require(starts[p] <= starts[p + 1], message);
    require(static_cast<std::size_t>(starts[parts]) == total, message);
}

void require_below(std::span<const std::int32_t> values, std::int64_t end, const char* message) {
    for (const std::int32_t value : values) require(value >= 0 && value < end, message);
}

// A tree that owns its arrays, looked at once as it is made.
class CompiledTree {
  public:
    CompiledTree(In1<std::int64_t> start, In1<double> potentials, In1<std::int32_t> parent, In1<std::int32_t> separator,
                 In1<std::int32_t> up, In1<std::int64_t> down_start, In1<std::int32_t> down,
                 In1<std::int64_t> state_start, In1<std::int32_t> home, In1<std::int32_t> stride)
        : start_(copied(start)), down_start_(copied(down_start)), state_start_(copied(state_start)),
          potentials_(copied(potentials)), parent_(copied(parent)), separator_(copied(separator)), up_(copied(up)),
          down_(copied(down)), home_(copied(home)), stride_(copied(stride)) {
        require_cliques();
        require_variables();
    }

    JunctionTree view() const {
        return {start_, potentials_, parent_, separator_, up_, down_start_, down_, state_start_, home_, stride_};
    }

    MatrixView<const std::int32_t> checked(const In2<std::int32_t>& evidence) const {
        const auto rows = lanatus::view(evidence);
        require(rows.cols == home_.size(), "evidence must have a column for each variable");
        for (std::size_t i = 0; i < rows.rows; ++i)
            for (std::size_t v = 0; v < rows.cols; ++v)
                require(rows.row(i)[v] < static_cast<std::int64_t>(view().cardinality(v)),
                        "evidence names a state that its variable does not have");
        return rows;
    }

  private:
    std::vector<std::int64_t> start_, down_start_, state_start_;
    std::vector<double> potentials_;
    std::vector<std::int32_t> parent_, separator_, up_, down_, home_, stride_;

    void require_cliques() const {
        const std::size_t n = parent_.size();
        require(n > 0, "a junction tree has one clique at least");
        require_starts(start_, n, potentials_.size(), "start does not cut the potentials into cliques");
        require_starts(down_start_, n, down_.size(), "down_start does not cut down into cliques");
        require(separator_.size() == n && up_.size() == potentials_.size(),
                "separator and up are not as long as wanted");
        for (const double value : potentials_)
            require(value >= 0 && std::isfinite(value), "a potential is negative, NaN or infinite");
        const JunctionTree tree = view();
        for (std::size_t c = 0; c < n; ++c) {
            require(parent_[c] >= -1 && parent_[c] < static_cast<std::int64_t>(c), "a clique stands before its parent");
            require(separator_[c] >= 1 && tree.size(c) >= 1, "a clique or a separator is empty");
            require_below({up_.data() + start_[c], tree.size(c)}, separator_[c], "up names no entry of a separator");
            const std::size_t length = static_cast<std::size_t>(down_start_[c + 1] - down_start_[c]);
            const std::size_t wanted = parent_[c] < 0 ? 0 : tree.size(static_cast<std::size_t>(parent_[c]));
            require(length == wanted, "down is not as long as the parent's table");
            require_below({down_.data() + down_start_[c], length}, separator_[c], "down names no entry of a separator");
        }
    }

    void require_variables() const {
        require(!state_start_.empty() && state_start_.size() == home_.size() + 1, "state_start and home do not agree");
        require_starts(state_start_, home_.size(), static_cast<std::size_t>(state_start_.back()),
                       "state_start goes back");
        require(stride_.size() == home_.size(), "home and stride differ in length");
        require_below(home_, static_cast<std::int64_t>(parent_.size()), "home names no clique");
        const JunctionTree tree = view();
        for (std::size_t v = 0; v < home_.size(); ++v) {
            const std::size_t block = static_cast<std::size_t>(std::max(stride_[v], 0)) * tree.cardinality(v);
            require(block > 0 && tree.size(static_cast<std::size_t>(home_[v])) % block == 0,
                    "a stride does not fit its clique");
        }
    }
};

auto py_marginals(const CompiledTree& tree, const In2<std::int32_t>& evidence, int n_threads) {
    require_threads(n_threads);
    const auto rows = tree.checked(evidence);
    const JunctionTree junction = tree.view();
    auto marginals = new_array<double>(rows.rows, static_cast<std::size_t>(junction.state_start.back()));
    auto log_evidence = new_array<double>(rows.rows);
    {
        nb::gil_scoped_release nogil;
        all_marginals(junction, rows, view(marginals), span(log_evidence), n_threads);
    }
    return std::tuple(marginals, log_evidence);
}

auto py_log_evidence(const CompiledTree& tree, const In2<std::int32_t>& evidence, int n_threads) {
    require_threads(n_threads);
    const auto rows = tree.checked(evidence);
    auto out = new_array<double>(rows.rows);
    {
        nb::gil_scoped_release nogil;
        log_evidence_of(tree.view(), rows, span(out), n_threads);
    }
    return out;
}

auto py_most_probable(const CompiledTree& tree, const In2<std::int32_t>& evidence, int n_threads) {
    require_threads(n_threads);
    const auto rows = tree.checked(evidence);
    auto states = new_array<std::int32_t>(rows.rows, rows.cols);
    auto log_product = new_array<double>(rows.rows);
    {
        nb::gil_scoped_release nogil;
        most_probable_states(tree.view(), rows, view(states), span(log_product), n_threads);
    }
    return std::tuple(states, log_product);
}

auto py_expected_counts(const CompiledTree& tree, const In2<std::int32_t>& rows, const Weights& w,
                        const In1<std::int32_t>& home, const In1<std::int64_t>& place_start,
                        const In1<std::int32_t>& place, const In1<std::int64_t>& table_start, int n_threads) {
    require_threads(n_threads);
    const auto data = tree.checked(rows);
    require_weights(w, data.rows);
    const JunctionTree junction = tree.view();
    const Families families{span(home), span(place_start), span(place), span(table_start)};
    const std::size_t n = families.home.size();
    require_below(families.home, static_cast<std::int64_t>(junction.n_cliques()), "home names no clique");
    require_starts(families.place_start, n, families.place.size(), "place_start does not cut place into families");
    require(families.table_start.size() == n + 1, "table_start and home do not agree");
    require_starts(families.table_start, n, static_cast<std::size_t>(families.table_start[n]), "table_start goes back");
    for (std::size_t f = 0; f < n; ++f) {
        const auto length = static_cast<std::size_t>(families.place_start[f + 1] - families.place_start[f]);
        require(length == junction.size(static_cast<std::size_t>(families.home[f])),
                "place is not as long as the home clique");
        require_below(families.place.subspan(static_cast<std::size_t>(families.place_start[f]), length),
                      families.table_start[f + 1] - families.table_start[f], "place names no entry of a family");
    }
    auto counts = new_array<double>(static_cast<std::size_t>(families.table_start[n]));
    double log_likelihood = 0;
    {
        nb::gil_scoped_release nogil;
        log_likelihood = expected_counts(junction, families, data, span(w), span(counts), n_threads);
    }
    return std::tuple(counts, log_likelihood);
}

}  // namespace

void bind_junction_tree(nb::module_& m) {
    nb::class_<CompiledTree>(m, "JunctionTree", "A forest of cliques with their tables, ready for many queries.")
        .def(nb::init<In1<std::int64_t>, In1<double>, In1<std::int32_t>, In1<std::int32_t>, In1<std::int32_t>,
                      In1<std::int64_t>, In1<std::int32_t>, In1<std::int64_t>, In1<std::int32_t>, In1<std::int32_t>>(),
             nb::kw_only(), "start"_a.noconvert(), "potentials"_a.noconvert(), "parent"_a.noconvert(),
             "separator"_a.noconvert(), "up"_a.noconvert(), "down_start"_a.noconvert(), "down"_a.noconvert(),
             "state_start"_a.noconvert(), "home"_a.noconvert(), "stride"_a.noconvert())
        .def("marginals", &py_marginals, "evidence"_a.noconvert(), nb::kw_only(), "n_threads"_a,
             "-> (marginals (rows, states), log P(evidence) (rows,)); a code below 0 is no evidence.")
        .def("log_evidence", &py_log_evidence, "evidence"_a.noconvert(), nb::kw_only(), "n_threads"_a,
             "-> log P(evidence) (rows,)")
        .def("most_probable", &py_most_probable, "evidence"_a.noconvert(), nb::kw_only(), "n_threads"_a,
             "-> (states (rows, variables), log of their product (rows,))")
        .def("expected_counts", &py_expected_counts, "rows"_a.noconvert(), "w"_a.none(), "home"_a.noconvert(),
             "place_start"_a.noconvert(), "place"_a.noconvert(), "table_start"_a.noconvert(), nb::kw_only(),
             "n_threads"_a, "-> (expected counts of the entries of all families, log-likelihood)");
}

}  // namespace lanatus::graphical
