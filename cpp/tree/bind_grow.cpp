#include "core/ndarray.hpp"
#include "tree/grower.hpp"
#include "tree/sorted_cuts.hpp"
#include "tree/surrogates.hpp"
#include "tree/trees_python.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

Rules rules_of(const nb::dict& o, std::size_t d) {
    Rules r;
    r.multiway = option(o, "multiway", false);
    r.ratio = option(o, "ratio", false);
    r.random = option(o, "random", false);
    r.observed = option(o, "observed", false);
    r.mdl = option(o, "mdl", false);
    const auto preselect = option<std::string>(o, "preselect", "above-mean");
    r.top = static_cast<std::size_t>(option<std::int64_t>(o, "top", 0));
    r.preselect = r.top > 0 ? Preselect::top : preselect == "above-mean" ? Preselect::above_mean : Preselect::none;
    const auto missing = option<std::string>(o, "missing", "branch");
    r.missing = missing == "weights"     ? Missing::weights
                : missing == "surrogate" ? Missing::surrogate
                : missing == "virtual"   ? Missing::virtual_value
                : missing == "majority"  ? Missing::majority
                                         : Missing::branch;
    r.max_features = static_cast<std::size_t>(option<std::int64_t>(o, "max_features", static_cast<std::int64_t>(d)));
    r.min_leaf = option<std::int64_t>(o, "min_samples_leaf", 1);
    r.min_leaf_weight = option(o, "min_leaf_weight", 0.0);
    r.max_surrogates = static_cast<std::size_t>(option<std::int64_t>(o, "max_surrogates", 5));
    r.seed = option<std::uint64_t>(o, "seed", 0);
    if (o.contains("monotone") && !o["monotone"].is_none()) {
        const auto signs = nb::cast<In1<std::int8_t>>(o["monotone"]);
        require(signs.shape(0) == d, "monotone must name every column");
        r.monotone.assign(signs.data(), signs.data() + d);
    }
    if (o.contains("priority") && !o["priority"].is_none()) {
        const auto order = nb::cast<In1<std::uint32_t>>(o["priority"]);
        require(order.shape(0) == d, "priority must name every column");
        r.priority.assign(order.data(), order.data() + d);
        for (const std::uint32_t j : r.priority) require(j < d, "priority must name columns");
    }
    return r;
}

void require_codes(const MatrixView<const double>& X, std::span<const std::int32_t> n_values) {
    for (std::size_t j = 0; j < X.cols; ++j)
        for (std::size_t i = 0; n_values[j] > 0 && i < X.rows; ++i)
            require(std::isnan(X.row(i)[j]) || (X.row(i)[j] >= 0 && X.row(i)[j] < n_values[j]),
                    "a code is out of its range");
}

template <class Purity>
nb::dict grow_with(const Columns& columns, const Purity& purity, std::span<const typename Purity::Label> labels,
                   std::size_t n_outputs, std::span<const double> weights, const Rules& rules, Limits limits,
                   bool centred, int n_threads) {
    Grown tree;
    {
        // A criterion of the user's needs the interpreter, and then there is one thread.
        std::optional<nb::gil_scoped_release> nogil;
        if (!rules.judge) nogil.emplace();
        SortedFinder<Purity> finder(columns, purity, labels, n_outputs, rules, centred);
        auto root = finder.root(weights, n_threads);
        limits.total = root.weight;
        limits.min_split_weight = 2 * rules.min_leaf_weight;
        tree = Grower<SortedFinder<Purity>>(finder, limits, n_threads).grow(std::move(root));
    }
    return arrays_of(Flat(tree));
}

Columns columns_of(In2<double> X, In1<std::int32_t> n_values, int n_threads) {
    require_threads(n_threads);
    require(n_values.shape(0) == X.shape(1), "n_values and X differ in number of columns");
    require_codes(view(X), span(n_values));
    nb::gil_scoped_release nogil;
    return Columns(view(X), span(n_values), n_threads);
}

nb::dict py_grow_classes(In2<double> X, In1<std::int32_t> n_values, In2<std::uint32_t> y, In1<std::int64_t> n_classes,
                         Weights w, const std::string& criterion, nb::object judge, const nb::dict& options,
                         int n_threads) {
    const Columns columns = columns_of(X, n_values, n_threads);
    require(y.shape(0) == X.shape(0) && y.shape(1) == n_classes.shape(0) && y.shape(1) > 0,
            "y does not fit X or n_classes");
    require_weights(w, X.shape(0));
    Rules rules = rules_of(options, X.shape(1));
    const Limits limits = limits_of(options);
    const std::size_t n_outputs = y.shape(1);
    std::vector<std::size_t> classes;
    for (const std::int64_t k : span(n_classes)) {
        require(k >= 1, "an output has no classes");
        classes.push_back(static_cast<std::size_t>(k));
    }
    for (std::size_t i = 0; i < y.shape(0); ++i)
        for (std::size_t o = 0; o < n_outputs; ++o)
            require(view(y).row(i)[o] < classes[o], "a class code is out of its range");
    const std::span<const std::uint32_t> labels{y.data(), y.size()};
    if (!judge.is_none()) {
        std::size_t width = 0;
        for (std::size_t k : classes) width += k;
        rules.judge = [judge, width](const double* states, std::size_t k) {
            auto table = new_array<double>(k, width);
            std::copy_n(states, k * width, table.data());
            return nb::cast<double>(judge(table));
        };
        n_threads = 1;
    }
    const bool entropy = criterion == "entropy";
    if (n_outputs == 1 && judge.is_none() && criterion == "gini") {
        const ClassPurity<GiniTerm> purity(classes[0], {});
        return grow_with(columns, purity, labels, 1, span(w), rules, limits, false, n_threads);
    }
    if (n_outputs == 1 && judge.is_none() && entropy) {
        // Whole weights (none, repeats, bootstrap counts) make whole class weights: tabulate x log2 x up to their sum.
        double total = w ? 0.0 : static_cast<double>(X.shape(0));
        bool whole = true;
        for (const double x : span(w)) total += x, whole = whole && x == std::floor(x);
        std::vector<double> table;
        if (whole && total <= 4e6)
            for (std::size_t i = 0; i <= static_cast<std::size_t>(total); ++i)
                table.push_back(xlog2x(static_cast<double>(i)));
        const ClassPurity<EntropyTerm> purity(classes[0], {table.empty() ? nullptr : table.data(), table.size()});
        return grow_with(columns, purity, labels, 1, span(w), rules, limits, false, n_threads);
    }
    const GeneralPurity purity(classes, criterion == "gini" ? ClassCriterion::gini
                                        : entropy           ? ClassCriterion::entropy
                                                            : ClassCriterion::error);
    return grow_with(columns, purity, labels, n_outputs, span(w), rules, limits, false, n_threads);
}

nb::dict py_grow_numbers(In2<double> X, In1<std::int32_t> n_values, In2<double> y, Weights w,
                         const std::string& criterion, const nb::dict& options, int n_threads) {
    const Columns columns = columns_of(X, n_values, n_threads);
    require(y.shape(0) == X.shape(0) && y.shape(1) > 0, "y does not fit X");
    require_weights(w, X.shape(0));
    Rules rules = rules_of(options, X.shape(1));
    rules.median = criterion == "absolute_error";
    const bool poisson = criterion == "poisson";
    const MeanPurity purity(y.shape(1), poisson ? MeanCriterion::poisson : MeanCriterion::squares);
    return grow_with(columns, purity, std::span<const double>{y.data(), y.size()}, y.shape(1), span(w), rules,
                     limits_of(options), !poisson, n_threads);
}

}  // namespace

void bind_grow(nb::module_& m) {
    m.def("grow_classes", &py_grow_classes, "X"_a.noconvert(), "n_values"_a.noconvert(), "y"_a.noconvert(),
          "n_classes"_a.noconvert(), "w"_a.noconvert().none(), nb::kw_only(), "criterion"_a, "judge"_a.none(),
          "options"_a, "n_threads"_a, "A classification tree by sorted columns -> the arrays of a Tree.");
    m.def("grow_numbers", &py_grow_numbers, "X"_a.noconvert(), "n_values"_a.noconvert(), "y"_a.noconvert(),
          "w"_a.noconvert().none(), nb::kw_only(), "criterion"_a, "options"_a, "n_threads"_a,
          "A regression tree by sorted columns -> the arrays of a Tree.");
}

}  // namespace lanatus::tree
