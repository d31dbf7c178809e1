#include "core/ndarray.hpp"
#include "core/parallel.hpp"
#include "select/mutual_information.hpp"
#include "select/relief.hpp"

namespace lanatus::select {
using namespace nb::literals;

namespace {

void require_classes(const In1<std::int32_t>& classes, std::size_t n, std::size_t n_classes) {
    require(classes.shape(0) == n, "classes must name a class for each row");
    for (const std::int32_t c : span(classes))
        require(c >= 0 && static_cast<std::size_t>(c) < n_classes, "classes must be from 0 to below n_classes");
}

Out2<std::int64_t> py_nearest(In2<double> X, In1<std::int32_t> classes, In1<std::int64_t> asked, std::size_t n_classes,
                              std::size_t k, bool squared, int n_threads) {
    require_threads(n_threads);
    require(k >= 1 && n_classes >= 1, "k and n_classes must be at least 1");
    require_classes(classes, X.shape(0), n_classes);
    for (const std::int64_t i : span(asked))
        require(i >= 0 && static_cast<std::size_t>(i) < X.shape(0), "asked names a row that is not there");
    auto out = new_array<std::int64_t>(asked.shape(0), n_classes * k);
    const auto rows = view(X);
    const auto labels = span(classes);
    const auto questions = span(asked);
    nb::gil_scoped_release nogil;
    nearest_by_class(rows, labels, n_classes, questions, k, squared, out.data(), n_threads);
    return out;
}

// Columns of X as rows: XT is d x n.
Out1<double> py_discrete(In2<double> XT, In1<std::int32_t> y, std::size_t n_classes, std::size_t k, int n_threads) {
    require_threads(n_threads);
    require(k >= 1, "k must be at least 1");
    require_classes(y, XT.shape(1), n_classes);
    const auto columns = view(XT);
    const auto labels = span(y);
    auto out = new_array<double>(columns.rows);
    nb::gil_scoped_release nogil;
    const auto psi = digammas(columns.cols + 1);
    parallel_for(columns.rows, n_threads, [&](std::size_t j) {
        out.data()[j] = mutual_information_discrete({columns.row(j), columns.cols}, labels, n_classes, k, psi);
    });
    return out;
}

Out1<double> py_continuous(In2<double> XT, In1<double> y, std::size_t k, int n_threads) {
    require_threads(n_threads);
    require(k >= 1, "k must be at least 1");
    require(y.shape(0) == XT.shape(1), "y and X differ in number of rows");
    const auto columns = view(XT);
    const auto target = span(y);
    auto out = new_array<double>(columns.rows);
    nb::gil_scoped_release nogil;
    const auto psi = digammas(columns.cols + 1);
    parallel_for(columns.rows, n_threads, [&](std::size_t j) {
        out.data()[j] = mutual_information_continuous({columns.row(j), columns.cols}, target, k, psi);
    });
    return out;
}

}  // namespace

void bind(nb::module_& m) {
    m.def("nearest_by_class", &py_nearest, "X"_a.noconvert(), "classes"_a.noconvert(), "asked"_a.noconvert(),
          nb::kw_only(), "n_classes"_a, "k"_a, "squared"_a, "n_threads"_a,
          "For each row asked the k nearest other rows of each class, by sums of differences of columns; -1 for none.");
    m.def("mutual_information_discrete", &py_discrete, "XT"_a.noconvert(), "y"_a.noconvert(), nb::kw_only(),
          "n_classes"_a, "k"_a, "n_threads"_a, "Mutual information of each column with classes, in nats.");
    m.def("mutual_information_continuous", &py_continuous, "XT"_a.noconvert(), "y"_a.noconvert(), nb::kw_only(), "k"_a,
          "n_threads"_a, "Mutual information of each column with numbers, in nats.");
}

}  // namespace lanatus::select
