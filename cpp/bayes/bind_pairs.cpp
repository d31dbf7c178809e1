#include <algorithm>
#include <limits>

#include "bayes/averaged.hpp"
#include "bayes/families.hpp"
#include "bayes/lazy_rule.hpp"
#include "bayes/pairs.hpp"
#include "core/ndarray.hpp"

namespace lanatus::bayes {
using namespace nb::literals;

namespace {

using Sizes = In1<std::int64_t>;
using Out3 = nb::ndarray<nb::numpy, double, nb::ndim<3>, nb::c_contig>;

std::vector<std::int64_t> starts(const Sizes& sizes) {
    std::vector<std::int64_t> start(sizes.shape(0) + 1);
    for (std::size_t j = 0; j < sizes.shape(0); ++j) start[j + 1] = start[j] + span(sizes)[j];
    return start;
}

void require_rows(std::size_t rows, const In1<std::int32_t>& y, const Weights& w, int n_threads) {
    require(y.shape(0) == rows, "y and X differ in number of samples");
    require_weights(w, rows);
    require_threads(n_threads);
}

void require_below(std::span<const std::int32_t> y, std::size_t classes) {
    require(classes >= 1 && classes < 0x7fffffff, "n_classes must be at least 1 and fit in int32");
    require(std::all_of(y.begin(), y.end(), [&](std::int32_t c) { return c < static_cast<std::int64_t>(classes); }),
            "y holds a class code that is not below n_classes");
}

template <class Code>
void require_codes(MatrixView<const Code> X, std::span<const std::int64_t> sizes) {
    require(sizes.size() == X.cols, "sizes and X differ in number of features");
    std::vector<Code> last(X.cols);
    for (std::size_t j = 0; j < X.cols; ++j)
        last[j] = static_cast<Code>(std::min<std::int64_t>(sizes[j] - 1, std::numeric_limits<Code>::max()));
    bool beyond = false;
    for (std::size_t i = 0; i < X.rows; ++i)
        for (std::size_t j = 0; j < X.cols; ++j) beyond |= X.row(i)[j] > last[j];
    require(!beyond, "X holds a code that is not below its size");
}

template <class Code>
auto py_pair_counts(In2<Code> X, Sizes sizes, In1<std::int32_t> y, Weights w, std::size_t n_classes, int n_threads) {
    require_rows(X.shape(0), y, w, n_threads);
    const auto start = starts(sizes);
    const auto slots = static_cast<std::size_t>(start.back());
    double* data = new double[slots * slots * n_classes];
    Out3 out(data, {slots, slots, n_classes}, lanatus::detail::owner_of(data));
    nb::gil_scoped_release nogil;
    require_below(span(y), n_classes);
    require_codes(view(X), span(sizes));
    pair_counts<Code>(view(X), span(sizes), start, span(y), span(w), n_classes, slots,
                      {data, slots * slots * n_classes}, n_threads);
    return out;
}

// Families from Python, with the arrays that they look at.
struct FamilyArrays {
    Sizes sizes, parent_start, parents, table_start;

    FamilyArrays(Sizes sizes_, Sizes parent_start_, Sizes parents_, Sizes table_start_)
        : sizes(sizes_), parent_start(parent_start_), parents(parents_), table_start(table_start_) {
        const std::size_t d = sizes.shape(0);
        require(parent_start.shape(0) == d + 1 && table_start.shape(0) == d + 1,
                "starts must have one entry more than sizes");
        const auto start = span(parent_start);
        require(start[0] == 0 && std::is_sorted(start.begin(), start.end()) &&
                    start[d] == static_cast<std::int64_t>(parents.shape(0)),
                "parent_start must rise from 0 to the number of parents");
        for (const std::int64_t parent : span(parents))
            require(parent >= 0 && parent < static_cast<std::int64_t>(d), "parents must be columns");
    }

    // For so many classes, of whose tables the starts must leave room for all cells.
    Families of(std::size_t classes) const {
        const Families all{span(sizes), span(parent_start), span(parents), span(table_start), classes};
        require(all.table_start[0] == 0, "table_start must begin with 0");
        for (std::size_t j = 0; j < all.sizes.size(); ++j)
            require(all.table_start[j + 1] - all.table_start[j] == static_cast<std::int64_t>(all.cells(j)),
                    "table_start does not fit sizes, parents and classes");
        return all;
    }
};

template <class Code>
auto py_count_families(In2<Code> X, const FamilyArrays& families, In1<std::int32_t> y, Weights w, std::size_t n_classes,
                       int n_threads) {
    require_rows(X.shape(0), y, w, n_threads);
    const auto all = families.of(n_classes);
    auto out = new_array<double>(static_cast<std::size_t>(all.table_start.back()));
    nb::gil_scoped_release nogil;
    require_below(span(y), n_classes);
    require_codes(view(X), all.sizes);
    count_families<Code>(view(X), all, span(y), span(w), span(out), n_threads);
    return out;
}

template <class Code>
auto py_family_scores(In2<Code> X, const FamilyArrays& families, In1<double> tables, In1<double> start, int n_threads) {
    require_threads(n_threads);
    const auto all = families.of(start.shape(0));
    require(static_cast<std::int64_t>(tables.shape(0)) == all.table_start.back(),
            "table_start does not end with tables");
    auto out = new_array<double>(X.shape(0), start.shape(0));
    nb::gil_scoped_release nogil;
    require_codes(view(X), all.sizes);
    family_scores<Code>(view(X), all, span(tables), span(start), view(out), n_threads);
    return out;
}

template <class Code>
auto py_left_out_right(In2<Code> X, const FamilyArrays& families, In1<double> tables, In1<double> less,
                       In1<double> start, In1<double> start_less, In1<std::int32_t> y, int n_threads) {
    require_rows(X.shape(0), y, std::nullopt, n_threads);
    const std::size_t k = start.shape(0);
    const auto all = families.of(k);
    require(static_cast<std::int64_t>(tables.shape(0)) == all.table_start.back() && less.shape(0) == tables.shape(0),
            "table_start does not end with tables");
    require(start_less.shape(0) == k, "start and start_less differ in number of classes");
    auto out = new_array<std::uint8_t>(X.shape(0));
    nb::gil_scoped_release nogil;
    require_below(span(y), k);
    require(std::all_of(span(y).begin(), span(y).end(), [](std::int32_t c) { return c >= 0; }),
            "y must not be negative");
    require_codes(view(X), all.sizes);
    left_out_right<Code>(view(X), all, {span(tables), span(less), span(start), span(start_less)}, span(y), span(out),
                         n_threads);
    return out;
}

template <class Code>
auto py_averaged_scores(In2<Code> X, Sizes sizes, std::size_t order, In2<double> joint, In1<double> child,
                        In1<std::uint8_t> support, bool literal, int n_threads) {
    require_threads(n_threads);
    const auto start = starts(sizes);
    const std::size_t slots = static_cast<std::size_t>(start.back()), k = joint.shape(1);
    std::size_t sets = 1;
    for (std::size_t level = 0; level < order; ++level) sets *= slots;
    require(joint.shape(0) == sets && child.shape(0) == sets * slots * k && support.shape(0) == sets,
            "the tables do not fit sizes and order");
    auto out = new_array<double>(X.shape(0), k);
    auto found = new_array<std::int64_t>(X.shape(0));
    const Averaged model{slots, k, order, start, {joint.data(), sets * k}, span(child), span(support), literal};
    {
        nb::gil_scoped_release nogil;
        require_codes(view(X), span(sizes));
        averaged_scores<Code>(view(X), model, view(out), span(found), n_threads);
    }
    return std::tuple(out, found);
}

template <class Code>
auto py_lazy_rule(In2<Code> X, Sizes sizes, In1<std::int32_t> y, Weights w, std::size_t n_classes, InAny2 queries_,
                  double alpha, double significance, double least, double unit, int n_threads) {
    require(queries_.dtype() == X.dtype(), "queries and X differ in type");
    require(alpha >= 0, "alpha must not be negative");
    require(significance >= 0 && significance <= 1, "significance must be from 0 to 1");
    require(least >= 0, "least must not be negative");
    require(unit > 0, "unit must be above 0");
    const In2<Code> queries(queries_);
    require_rows(X.shape(0), y, w, n_threads);
    require(queries.shape(1) == X.shape(1), "queries and X differ in number of features");
    auto out = new_array<double>(queries.shape(0), n_classes);
    auto antecedents = new_array<std::uint8_t>(queries.shape(0), X.shape(1));
    {
        nb::gil_scoped_release nogil;
        require_below(span(y), n_classes);
        require_codes(view(X), span(sizes)), require_codes(view(queries), span(sizes));
        const auto start = starts(sizes);
        const LazyRows<Code> rows{.X = view(X),
                                  .sizes = span(sizes),
                                  .start = start,
                                  .y = span(y),
                                  .w = span(w),
                                  .classes = n_classes,
                                  .slots = static_cast<std::size_t>(start.back()),
                                  .options = {alpha, significance, least, unit}};
        lazy_rule_scores<Code>(rows, view(queries), view(out), view(antecedents), n_threads);
    }
    return std::tuple(out, antecedents);
}

}  // namespace

void bind_pairs(nb::module_& m) {
    nb::class_<FamilyArrays>(m, "Families", "Columns with their parents, and where the table of each begins.")
        .def(nb::init<Sizes, Sizes, Sizes, Sizes>(), "sizes"_a.noconvert(), "parent_start"_a.noconvert(),
             "parents"_a.noconvert(), "table_start"_a.noconvert());
    m.def("pair_counts",
          by_dtype<py_pair_counts<std::int8_t>, py_pair_counts<std::int16_t>, py_pair_counts<std::int32_t>>,
          "X"_a.noconvert(), "sizes"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(), "n_classes"_a,
          nb::kw_only(), "n_threads"_a,
          "-> (S, S, n_classes): weight of the rows of each class that have two values, S being all values of all\n"
          "columns. Negative codes are missing; rows with y < 0 are left out.");
    m.def(
        "count_families",
        by_dtype<py_count_families<std::int8_t>, py_count_families<std::int16_t>, py_count_families<std::int32_t>>,
        "X"_a.noconvert(), "families"_a, "y"_a.noconvert(), "w"_a.noconvert().none(), "n_classes"_a, nb::kw_only(),
        "n_threads"_a,
        "-> flat tables (values of parents + 1, values, n_classes) of all columns; the last value of a parent stands\n"
        "for one that is missing.");
    m.def("family_scores",
          by_dtype<py_family_scores<std::int8_t>, py_family_scores<std::int16_t>, py_family_scores<std::int32_t>>,
          "X"_a.noconvert(), "families"_a, "tables"_a.noconvert(), "start"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n, n_classes): start plus the entries of the tables for the values that are not missing.");
    m.def("left_out_right",
          by_dtype<py_left_out_right<std::int8_t>, py_left_out_right<std::int16_t>, py_left_out_right<std::int32_t>>,
          "X"_a.noconvert(), "families"_a, "tables"_a.noconvert(), "less"_a.noconvert(), "start"_a.noconvert(),
          "start_less"_a.noconvert(), "y"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n,) uint8: whether a row gets its class, scored by `less` and `start_less` for that class.");
    m.def("averaged_scores",
          by_dtype<py_averaged_scores<std::int8_t>, py_averaged_scores<std::int16_t>, py_averaged_scores<std::int32_t>>,
          "X"_a.noconvert(), "sizes"_a.noconvert(), "order"_a, "joint"_a.noconvert(), "child"_a.noconvert(),
          "support"_a.noconvert(), "literal"_a, nb::kw_only(), "n_threads"_a,
          "-> (scores, sets): logarithm of the sum over the supported sets of `order` values, and their number.");
    m.def("lazy_rule_scores",
          by_dtype<py_lazy_rule<std::int8_t>, py_lazy_rule<std::int16_t>, py_lazy_rule<std::int32_t>>,
          "X"_a.noconvert(), "sizes"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(), "n_classes"_a,
          "queries"_a.noconvert(), "alpha"_a, "significance"_a, "least"_a, "unit"_a, nb::kw_only(), "n_threads"_a,
          "-> (scores, antecedents): log P(c, x) by the rule of each query, and the columns that the rule fixes.");
}

}  // namespace lanatus::bayes
