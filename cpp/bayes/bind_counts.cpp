#include <string>

#include "bayes/classes_python.hpp"
#include "bayes/codes.hpp"
#include "bayes/counts.hpp"
#include "core/ndarray.hpp"

namespace lanatus::bayes {
using namespace nb::literals;

namespace {

// ---- codes

template <class T>
auto py_survey(In2<T> X, int n_threads) {
    require_threads(n_threads);
    const std::size_t d = X.shape(1);
    auto least = new_array<double>(d), largest = new_array<double>(d);
    auto unfit = new_array<std::int64_t>(d);
    nb::gil_scoped_release nogil;
    const auto found = survey<T>(view(X), n_threads);
    for (std::size_t j = 0; j < d; ++j) {
        const bool any = found.largest[j] >= found.least[j];
        least.data()[j] = any ? static_cast<double>(found.least[j]) : 0.0;
        largest.data()[j] = any ? static_cast<double>(found.largest[j]) : -1.0;
        unfit.data()[j] = found.unfit[j];
    }
    return std::tuple(least, largest, unfit);
}

template <class Out, class T>
auto py_narrow(In2<T> X, In1<std::int64_t> n_values, int n_threads) {
    require_threads(n_threads);
    require(n_values.shape(0) == X.shape(1), "n_values and X differ in number of features");
    auto out = new_array<Out>(X.shape(0), X.shape(1));
    nb::gil_scoped_release nogil;
    narrow<Out, T>(view(X), span(n_values), view(out), n_threads);
    return out;
}

template <class Out>
void bind_narrow(nb::module_& m, const char* name) {
    m.def(name,
          by_dtype<py_narrow<Out, std::int8_t>, py_narrow<Out, std::int16_t>, py_narrow<Out, std::int32_t>,
                   py_narrow<Out, std::int64_t>, py_narrow<Out, float>, py_narrow<Out, double>>,
          "X"_a.noconvert(), "n_values"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> codes (n, n_features): x where it is in [0, n_values_j), else -1.");
}

// ---- counts of codes

// Where the tables of the columns begin; the lines of all together come last.
std::vector<std::int64_t> first_lines(const In1<std::int64_t>& n_values) {
    std::vector<std::int64_t> first(n_values.shape(0) + 1);
    for (std::size_t j = 0; j < n_values.shape(0); ++j) {
        require(n_values.data()[j] >= 0 && n_values.data()[j] < 0x7fffffff, "n_values must be from 0 to 2**31 - 2");
        first[j + 1] = first[j] + n_values.data()[j] + 1;
    }
    return first;
}

template <class Code>
auto py_count(In2<Code> X, In1<std::int32_t> y, Weights w, In1<std::int64_t> n_values, std::size_t n_classes,
              int n_threads) {
    require_threads(n_threads);
    require_weights(w, X.shape(0));
    require_classes(span(y), X.shape(0), n_classes);
    require(n_values.shape(0) == X.shape(1), "n_values and X differ in number of features");
    const auto first = first_lines(n_values);
    auto out = new_array<double>(static_cast<std::size_t>(first.back()), n_classes);
    nb::gil_scoped_release nogil;
    count<Code>(view(X), span(y), span(w), first, n_classes, {out.data(), out.size()}, n_threads);
    return out;
}

struct Table {
    std::vector<std::int64_t> first;
    std::span<const double> lines, start;
};

Table table(std::size_t cols, const In1<std::int64_t>& n_values, const In2<double>& lines, const In1<double>& start) {
    require(n_values.shape(0) == cols, "n_values and X differ in number of features");
    Table out{first_lines(n_values), {lines.data(), lines.size()}, span(start)};
    require(lines.shape(1) == start.shape(0) && start.shape(0) >= 1, "table and start differ in number of classes");
    require(lines.shape(0) == static_cast<std::size_t>(out.first.back()),
            "table must have n_values + 1 lines a column");
    return out;
}

std::int32_t likeliest(std::span<const double> prior) {
    return static_cast<std::int32_t>(std::max_element(prior.begin(), prior.end()) - prior.begin());
}

template <class Code>
auto py_coded_joint(In2<Code> X, In1<std::int64_t> n_values, In2<double> lines, In1<double> start, int n_threads) {
    require_threads(n_threads);
    const Table model = table(X.shape(1), n_values, lines, start);
    auto out = new_array<double>(X.shape(0), model.start.size());
    nb::gil_scoped_release nogil;
    coded_scores<Code>(view(X), model.first, model.lines, model.start, n_threads, keeping(out));
    return out;
}

template <class Code>
auto py_coded_predict(In2<Code> X, In1<std::int64_t> n_values, In2<double> lines, In1<double> start, int n_threads) {
    require_threads(n_threads);
    const Table model = table(X.shape(1), n_values, lines, start);
    auto out = new_array<std::int32_t>(X.shape(0));
    nb::gil_scoped_release nogil;
    coded_scores<Code>(view(X), model.first, model.lines, model.start, n_threads,
                       picking(out, model.start.size(), likeliest(model.start)));
    return out;
}

}  // namespace

void bind_counts(nb::module_& m) {
    m.def("survey_codes",
          by_dtype<py_survey<std::int8_t>, py_survey<std::int16_t>, py_survey<std::int32_t>, py_survey<std::int64_t>,
                   py_survey<float>, py_survey<double>>,
          "X"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (least, largest, unfit), each (n_features,): of the values that are not NaN (0 and -1 where there are "
          "none)\n"
          "the least and the largest, and how many are no whole number below 2**31 - 1 (of integers, whether any).");
    bind_narrow<std::int8_t>(m, "narrow_int8");
    bind_narrow<std::int16_t>(m, "narrow_int16");
    bind_narrow<std::int32_t>(m, "narrow_int32");
    m.def("count_codes", by_dtype<py_count<std::int8_t>, py_count<std::int16_t>, py_count<std::int32_t>>,
          "X"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(), "n_values"_a.noconvert(), "n_classes"_a,
          nb::kw_only(), "n_threads"_a,
          "-> (sum of n_values + 1, n_classes): for each column a line for missing values, which is 0, then one for "
          "each\n"
          "value: the weight of its rows by class. Rows with y < 0 are left out.");
    m.def("coded_joint",
          by_dtype<py_coded_joint<std::int8_t>, py_coded_joint<std::int16_t>, py_coded_joint<std::int32_t>>,
          "X"_a.noconvert(), "n_values"_a.noconvert(), "table"_a.noconvert(), "start"_a.noconvert(), nb::kw_only(),
          "n_threads"_a,
          "-> (n, n_classes): start plus the sum of the table's lines of the codes; lines as in count_codes.");
    m.def("coded_predict",
          by_dtype<py_coded_predict<std::int8_t>, py_coded_predict<std::int16_t>, py_coded_predict<std::int32_t>>,
          "X"_a.noconvert(), "n_values"_a.noconvert(), "table"_a.noconvert(), "start"_a.noconvert(), nb::kw_only(),
          "n_threads"_a,
          "-> (n,) int32: the class of the greatest sum, the lowest on ties; where all are -inf, that of the greatest "
          "start.");
}

}  // namespace lanatus::bayes
