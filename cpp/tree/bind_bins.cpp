#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "tree/bins.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

template <class T>
auto flat(const std::vector<std::vector<T>>& parts) {
    auto start = new_array<std::int64_t>(parts.size() + 1);
    std::size_t total = 0;
    for (std::size_t j = 0; j < parts.size(); ++j) {
        start.data()[j] = static_cast<std::int64_t>(total);
        total += parts[j].size();
    }
    start.data()[parts.size()] = static_cast<std::int64_t>(total);
    auto values = new_array<T>(total);
    T* at = values.data();
    for (const auto& part : parts) at = std::copy(part.begin(), part.end(), at);
    return std::tuple(values, start);
}

auto arrays_of(const Cuts& cuts) { return std::tuple_cat(flat(cuts.edges), flat(cuts.table), flat(cuts.middle)); }

void require_max_bins(std::size_t max_bins) {
    require(max_bins >= 2 && max_bins <= most_bins, "max_bins must be from 2 to 255");
}

template <class T>
auto py_cuts(In2<T> X, In1<std::int64_t> rows, In1<std::int32_t> n_values, Weights weight, std::size_t max_bins,
             int n_threads) {
    require_threads(n_threads);
    require_max_bins(max_bins);
    require(n_values.shape(0) == X.shape(1), "n_values and X differ in number of columns");
    require_weights(weight, X.shape(0));
    for (const std::int64_t row : span(rows))
        require(row >= 0 && static_cast<std::size_t>(row) < X.shape(0), "rows must be rows of X");
    Cuts cuts(0);
    {
        nb::gil_scoped_release nogil;
        cuts = weight ? find_cuts<T, Weighted>(view(X), span(rows), span(n_values), span(weight), max_bins, n_threads)
                      : find_cuts<T, std::uint64_t>(view(X), span(rows), span(n_values), {}, max_bins, n_threads);
    }
    return arrays_of(cuts);
}

template <class T>
auto py_cuts_csc(const Csc<T>& X, In1<std::int32_t> n_values, Weights weight, std::size_t max_bins, int n_threads) {
    require_threads(n_threads);
    require_max_bins(max_bins);
    require(X.cols() == n_values.shape(0), "n_values and X differ in number of columns");
    require_weights(weight, X.rows());
    Cuts cuts(0);
    {
        nb::gil_scoped_release nogil;
        cuts = find_cuts(X.view(), span(n_values), span(weight), X.rows(), max_bins, n_threads);
    }
    return arrays_of(cuts);
}

using Edges = In1<double>;
using Starts = In1<std::int64_t>;
using Table = In1<std::uint8_t>;

Coder coder_of(const Edges& edges, const Starts& edge_start, const Table& table, const Starts& table_start,
               std::size_t d) {
    require(edge_start.shape(0) == d + 1 && table_start.shape(0) == d + 1,
            "the bins and X differ in number of columns");
    const auto rises_to = [](std::span<const std::int64_t> start, std::size_t end) {
        return start.front() == 0 && std::is_sorted(start.begin(), start.end()) &&
               start.back() == static_cast<std::int64_t>(end);
    };
    require(rises_to(span(edge_start), edges.shape(0)), "edge_start must rise from 0 to the number of edges");
    require(rises_to(span(table_start), table.shape(0)),
            "table_start must rise from 0 to the number of entries of table");
    return Coder(span(edges), span(edge_start), span(table), span(table_start));
}

template <class T>
auto py_codes(In2<T> X, Edges edges, Starts edge_start, Table table, Starts table_start, int n_threads) {
    require_threads(n_threads);
    const Coder coder = coder_of(edges, edge_start, table, table_start, X.shape(1));
    auto out = new_array<std::uint8_t>(X.shape(0), X.shape(1));
    nb::gil_scoped_release nogil;
    coder.codes(view(X), view(out), n_threads);
    return out;
}

template <class T>
auto py_codes_csr(const Csr<T>& X, Edges edges, Starts edge_start, Table table, Starts table_start, int n_threads) {
    require_threads(n_threads);
    const Coder coder = coder_of(edges, edge_start, table, table_start, X.cols());
    auto out = new_array<std::uint8_t>(X.rows(), X.cols());
    nb::gil_scoped_release nogil;
    coder.codes(X.view(), view(out), n_threads);
    return out;
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("cuts", &py_cuts<T>, "X"_a.noconvert(), "rows"_a.noconvert(), "n_values"_a.noconvert(),
          "weight"_a.noconvert().none(), "max_bins"_a, nb::kw_only(), "n_threads"_a,
          "-> (edges, where each column's begin, table from code to bin, where each column's begins, middles of bins,\n"
          "where each column's begin).");
    m.def("cuts_csc", &py_cuts_csc<T>, "X"_a, "n_values"_a.noconvert(), "weight"_a.noconvert().none(), "max_bins"_a,
          nb::kw_only(), "n_threads"_a, "`cuts` of a matrix compressed by columns.");
    m.def("codes", &py_codes<T>, "X"_a.noconvert(), "edges"_a.noconvert(), "edge_start"_a.noconvert(),
          "table"_a.noconvert(), "table_start"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n, d) uint8: the bin of each entry of X, 255 for none.");
    m.def("codes", &py_codes_csr<T>, "X"_a, "edges"_a.noconvert(), "edge_start"_a.noconvert(), "table"_a.noconvert(),
          "table_start"_a.noconvert(), nb::kw_only(), "n_threads"_a);
}

}  // namespace

void bind_bins(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::tree
