#include "core/ndarray.hpp"
#include "tree/grower.hpp"
#include "tree/sorted_cuts.hpp"
#include "tree/trees_python.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

void require_fits(const Rules& rules, std::size_t d) {
    require(rules.monotone.empty() || rules.monotone.size() == d, "monotone must name every column");
    require(rules.priority.empty() || rules.priority.size() == d, "priority must name every column");
    for (const std::uint32_t j : rules.priority) require(j < d, "priority must name columns");
}

void require_codes(const MatrixView<const double>& X, std::span<const std::int32_t> n_values) {
    for (std::size_t j = 0; j < X.cols; ++j)
        for (std::size_t i = 0; n_values[j] > 0 && i < X.rows; ++i)
            require(std::isnan(X.row(i)[j]) || (X.row(i)[j] >= 0 && X.row(i)[j] < n_values[j]),
                    "a code is out of its range");
}

// The rows to grow on, whatever their labels are.
struct Rows {
    const Columns& columns;
    std::size_t n_outputs;
    std::span<const double> weights;
    bool centred;  // numbers are taken about the mean of each node
};

template <class Purity>
nb::dict grow_with(const Rows& rows, const Purity& purity, std::span<const typename Purity::Label> labels,
                   const Growth& growth, int n_threads) {
    Grown tree;
    {
        // A criterion of the user's needs the interpreter, and then there is one thread.
        std::optional<nb::gil_scoped_release> nogil;
        if (!growth.rules.judge) nogil.emplace();
        SortedFinder<Purity> finder(rows.columns, purity, labels, rows.n_outputs, growth.rules, rows.centred);
        auto root = finder.root(rows.weights, n_threads);
        Limits limits = growth.limits;
        limits.total = root.weight;
        tree = Grower<typename SortedFinder<Purity>::Part>(finder, limits, n_threads).grow(std::move(root));
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

std::vector<std::size_t> classes_of(In2<std::uint32_t> y, In1<std::int64_t> n_classes) {
    std::vector<std::size_t> classes;
    for (const std::int64_t k : span(n_classes)) {
        require(k >= 1, "an output has no classes");
        classes.push_back(static_cast<std::size_t>(k));
    }
    for (std::size_t i = 0; i < y.shape(0); ++i)
        for (std::size_t o = 0; o < classes.size(); ++o)
            require(view(y).row(i)[o] < classes[o], "a class code is out of its range");
    return classes;
}

// The user's function of the class weights of all children, a row each.
Judge judge_of(const nb::object& judge, const std::vector<std::size_t>& classes) {
    std::size_t width = 0;
    for (const std::size_t k : classes) width += k;
    return [judge, width](const double* states, std::size_t k) {
        auto table = new_array<double>(k, width);
        std::copy_n(states, k * width, table.data());
        return nb::cast<double>(judge(table));
    };
}

// Whole weights (none, repeats, bootstrap counts) make whole class weights: x log2 x up to their sum.
std::vector<double> table_of_logs(std::size_t n, std::span<const double> w) {
    double total = w.empty() ? static_cast<double>(n) : 0.0;
    bool whole = true;
    for (const double x : w) total += x, whole = whole && x == std::floor(x);
    std::vector<double> table;
    if (whole && total <= 4e6)
        for (std::size_t i = 0; i <= static_cast<std::size_t>(total); ++i)
            table.push_back(xlog2x(static_cast<double>(i)));
    return table;
}

nb::dict py_grow_classes(In2<double> X, In1<std::int32_t> n_values, In2<std::uint32_t> y, In1<std::int64_t> n_classes,
                         Weights w, const std::string& criterion, nb::object judge, Growth growth, int n_threads) {
    const Columns columns = columns_of(X, n_values, n_threads);
    require(y.shape(0) == X.shape(0) && y.shape(1) == n_classes.shape(0) && y.shape(1) > 0,
            "y does not fit X or n_classes");
    require(criterion == "gini" || criterion == "entropy" || criterion == "error",
            "criterion must be one of gini, entropy, error");
    require_weights(w, X.shape(0));
    require_fits(growth.rules, X.shape(1));
    const std::vector<std::size_t> classes = classes_of(y, n_classes);
    const std::span<const std::uint32_t> labels{y.data(), y.size()};
    const Rows rows{columns, y.shape(1), span(w), false};
    if (!judge.is_none()) {
        growth.rules.judge = judge_of(judge, classes);
        n_threads = 1;
    }
    const bool entropy = criterion == "entropy", plain = classes.size() == 1 && judge.is_none();
    if (plain && criterion == "gini")
        return grow_with(rows, ClassPurity<GiniTerm>(classes[0], {}), labels, growth, n_threads);
    if (plain && entropy) {
        const std::vector<double> table = table_of_logs(X.shape(0), rows.weights);
        const ClassPurity<EntropyTerm> purity(classes[0], {table.empty() ? nullptr : table.data(), table.size()});
        return grow_with(rows, purity, labels, growth, n_threads);
    }
    const GeneralPurity purity(classes, criterion == "gini" ? ClassCriterion::gini
                                        : entropy           ? ClassCriterion::entropy
                                                            : ClassCriterion::error);
    return grow_with(rows, purity, labels, growth, n_threads);
}

nb::dict py_grow_numbers(In2<double> X, In1<std::int32_t> n_values, In2<double> y, Weights w,
                         const std::string& criterion, Growth growth, int n_threads) {
    const Columns columns = columns_of(X, n_values, n_threads);
    require(y.shape(0) == X.shape(0) && y.shape(1) > 0, "y does not fit X");
    const bool poisson = criterion == "poisson";
    growth.rules.median = criterion == "absolute_error";
    require(poisson || growth.rules.median || criterion == "squared_error" || criterion == "friedman_mse",
            "criterion must be one of squared_error, friedman_mse, absolute_error, poisson");
    require_weights(w, X.shape(0));
    require_fits(growth.rules, X.shape(1));
    const MeanPurity purity(y.shape(1), poisson ? MeanCriterion::poisson : MeanCriterion::squares);
    return grow_with(Rows{columns, y.shape(1), span(w), !poisson}, purity, std::span<const double>{y.data(), y.size()},
                     growth, n_threads);
}

}  // namespace

void bind_grow(nb::module_& m) {
    m.def("grow_classes", &py_grow_classes, "X"_a.noconvert(), "n_values"_a.noconvert(), "y"_a.noconvert(),
          "n_classes"_a.noconvert(), "w"_a.noconvert().none(), nb::kw_only(), "criterion"_a, "judge"_a.none(),
          "growth"_a, "n_threads"_a, "A classification tree by sorted columns -> the arrays of a Tree.");
    m.def("grow_numbers", &py_grow_numbers, "X"_a.noconvert(), "n_values"_a.noconvert(), "y"_a.noconvert(),
          "w"_a.noconvert().none(), nb::kw_only(), "criterion"_a, "growth"_a, "n_threads"_a,
          "A regression tree by sorted columns -> the arrays of a Tree.");
}

}  // namespace lanatus::tree
