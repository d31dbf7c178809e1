#include "core/ndarray.hpp"
#include "ensemble/boosting.hpp"
#include "ensemble/boosting_losses.hpp"

namespace lanatus::ensemble {
using namespace nb::literals;

namespace {

void new_grower(Grower* self, In2<std::uint8_t> codes, In1<std::int32_t> n_bins, In1<std::uint8_t> nominal,
                int n_threads) {
    require_threads(n_threads);
    require(codes.shape(0) >= 1 && codes.shape(1) >= 1, "there must be a row and a column");
    require(codes.shape(0) < (std::size_t{1} << wide_count_bits), "too many rows: at most 67 million");
    require(n_bins.shape(0) == codes.shape(1) && nominal.shape(0) == codes.shape(1),
            "n_bins, nominal and codes differ in number of columns");
    for (const std::int32_t bins : span(n_bins)) require(bins >= 1 && bins <= 255, "n_bins must be from 1 to 255");
    const auto bins = span(n_bins);
    const auto kinds = span(nominal);
    nb::gil_scoped_release nogil;
    new (self) Grower(view(codes), std::vector<std::int32_t>(bins.begin(), bins.end()),
                      std::vector<std::uint8_t>(kinds.begin(), kinds.end()), n_threads);
}

void require_indices(std::span<const std::int32_t> columns, std::size_t d) {
    for (std::size_t c = 0; c < columns.size(); ++c)
        require(columns[c] >= 0 && static_cast<std::size_t>(columns[c]) < d && (c == 0 || columns[c - 1] < columns[c]),
                "columns must be columns of X, ascending");
}

// The arrays of a tree (see lanatus.tree.Tree): bins for thresholds and codes for subsets.
nb::tuple arrays_of(const Grower& grower) {
    const std::vector<Node>& nodes = grower.nodes();
    const std::size_t n = nodes.size();
    auto feature = new_array<std::int32_t>(n), bin = new_array<std::int32_t>(n), first = new_array<std::int32_t>(n);
    auto parent = new_array<std::int32_t>(n), missing = new_array<std::int32_t>(n);
    auto rows = new_array<std::int64_t>(n), begin = new_array<std::int64_t>(n);
    auto gain = new_array<double>(n), value = new_array<double>(n), g = new_array<double>(n), h = new_array<double>(n);
    auto low = new_array<double>(n), high = new_array<double>(n);
    auto left = new_array<std::uint64_t>(n, 4);
    for (std::size_t i = 0; i < n; ++i) {
        const Node& node = nodes[i];
        const bool leaf = node.is_leaf();
        feature.data()[i] = leaf ? -1 : node.split.column;
        bin.data()[i] = leaf ? -1 : node.split.bin;
        first.data()[i] = node.first_child;
        parent.data()[i] = node.parent;
        missing.data()[i] = leaf ? -1 : node.split.missing_left ? 0 : 1;
        rows.data()[i] = static_cast<std::int64_t>(node.size());
        begin.data()[i] = static_cast<std::int64_t>(node.begin);
        gain.data()[i] = leaf ? 0.0 : node.split.gain;
        value.data()[i] = node.value;
        g.data()[i] = node.sums.g;
        h.data()[i] = node.sums.h;
        low.data()[i] = node.bounds.low;
        high.data()[i] = node.bounds.high;
        std::copy(node.split.left.begin(), node.split.left.end(), left.data() + 4 * i);
    }
    return nb::make_tuple(feature, bin, first, parent, missing, rows, begin, gain, value, g, h, left, low, high);
}

nb::tuple grow(Grower& grower, In1<double> g, In1<double> h, std::optional<In1<std::int64_t>> bag, In1<std::int32_t> columns,
               std::size_t max_leaves, std::int32_t max_depth, double learning_rate, std::size_t min_rows,
               double min_hessian, double min_gain, double l1, double l2, double smoothing, double nominal_l2,
               std::uint32_t seed, std::optional<In1<std::int8_t>> monotone,
               std::optional<std::tuple<In1<std::int32_t>, In1<std::int32_t>>> groups, int n_threads) {
    require_threads(n_threads);
    require(g.shape(0) == grower.n_rows() && h.shape(0) == grower.n_rows(), "g, h and X differ in number of rows");
    require_indices(span(columns), grower.n_columns());
    GrowOptions options;
    options.penalties = {l1, l2, min_gain, std::max(min_hessian, 1e-12), static_cast<double>(std::max(min_rows, std::size_t{1})),
                         smoothing, nominal_l2};
    options.max_leaves = max_leaves;
    options.max_depth = max_depth;
    options.learning_rate = learning_rate;
    options.seed = seed;
    if (monotone) {
        require(monotone->shape(0) == grower.n_columns(), "monotone and X differ in number of columns");
        options.monotone = span(*monotone);
    }
    if (groups) {
        options.group_start = span(std::get<0>(*groups)), options.group = span(std::get<1>(*groups));
        require(!options.group_start.empty() &&
                    static_cast<std::size_t>(options.group_start.back()) == options.group.size(),
                "the groups' starts must end at their number of members");
        for (const std::int32_t column : options.group)
            require(column >= 0 && static_cast<std::size_t>(column) < grower.n_columns(), "groups must be of columns");
    }
    std::span<const std::int64_t> rows;
    if (bag) {
        rows = span(*bag);
        require(!rows.empty(), "the bag is empty");
        for (const std::int64_t row : rows)
            require(row >= 0 && static_cast<std::size_t>(row) < grower.n_rows(), "the bag must be of rows of X");
    }
    {
        nb::gil_scoped_release nogil;
        grower.grow(span(g), span(h), rows, span(columns), options, n_threads);
    }
    return arrays_of(grower);
}

void add_to(const Grower& grower, InOut2<double> score, std::size_t output, int n_threads) {
    require(score.shape(0) == grower.n_rows() && output < score.shape(1), "score does not fit the rows or outputs");
    nb::gil_scoped_release nogil;
    const std::size_t k = score.shape(1);
    grower.add_to({score.data() + output, score.shape(0) * k - output}, k, n_threads);
}

void set_values(Grower& grower, In1<double> values) { grower.set_values(span(values)); }

auto rows_of(const Grower& grower) {
    auto out = new_array<std::uint32_t>(grower.n_used());
    std::copy_n(grower.rows(), grower.n_used(), out.data());
    return out;
}

auto apply_codes(const Grower& grower, In2<std::uint8_t> codes, int n_threads) {
    require_threads(n_threads);
    require(codes.shape(1) == grower.n_columns(), "the codes differ in number of columns");
    auto out = new_array<std::int32_t>(codes.shape(0));
    nb::gil_scoped_release nogil;
    grower.apply(view(codes), span(out), n_threads);
    return out;
}

auto apply_rows(const Grower& grower, In1<std::int64_t> rows, int n_threads) {
    require_threads(n_threads);
    for (const std::int64_t row : span(rows))
        require(row >= 0 && static_cast<std::size_t>(row) < grower.n_rows(), "rows must be rows of X");
    auto out = new_array<std::int32_t>(rows.shape(0));
    nb::gil_scoped_release nogil;
    grower.apply(span(rows), span(out), n_threads);
    return out;
}

using Loss = double (*)(std::span<const double>, std::span<const double>, std::span<const double>, std::span<double>,
                        std::span<double>, int);

template <Loss loss>
double py_gradients(In2<double> score, In1<double> y, Weights weight, InOut2<double> g, InOut2<double> h, int n_threads) {
    require_threads(n_threads);
    require_weights(weight, y.shape(0));
    require(score.size() == y.size() && g.size() == y.size() && h.size() == y.size(), "score, y, g and h differ in length");
    nb::gil_scoped_release nogil;
    return loss({score.data(), score.size()}, span(y), span(weight), {g.data(), g.size()}, {h.data(), h.size()}, n_threads);
}

double py_softmax(In2<double> score, In1<std::int32_t> y, Weights weight, InOut2<double> g, InOut2<double> h, int n_threads) {
    require_threads(n_threads);
    require_weights(weight, y.shape(0));
    require(score.shape(0) == y.shape(0) && g.shape(0) == score.shape(1) && g.shape(1) == y.shape(0) &&
                h.shape(0) == g.shape(0) && h.shape(1) == g.shape(1),
            "score, y, g and h do not fit each other");
    for (const std::int32_t code : span(y))
        require(code >= 0 && static_cast<std::size_t>(code) < score.shape(1), "y must be from 0 to the classes' number - 1");
    nb::gil_scoped_release nogil;
    return softmax_gradients(view(score), span(y), span(weight), view(g), view(h), n_threads);
}

}  // namespace

void bind_boosting(nb::module_& m) {
    nb::class_<Grower>(m, "Grower", "Grows trees of gradient boosting, one after the other, on the same binned rows.")
        .def("__init__", &new_grower, "codes"_a.noconvert(), "n_bins"_a.noconvert(), "nominal"_a.noconvert(), nb::kw_only(),
             "n_threads"_a)
        .def("grow", &grow, "g"_a.noconvert(), "h"_a.noconvert(), "bag"_a.noconvert().none(), "columns"_a.noconvert(),
             nb::kw_only(), "max_leaves"_a, "max_depth"_a, "learning_rate"_a, "min_rows"_a, "min_hessian"_a, "min_gain"_a,
             "l1"_a, "l2"_a, "smoothing"_a, "nominal_l2"_a, "seed"_a, "monotone"_a.noconvert().none(), "groups"_a.none(),
             "n_threads"_a,
             "-> (feature, bin, first_child, parent, missing, n_rows, begin, gain, value, g, h, bits of the codes that go "
             "left, least and largest step) of the nodes.")
        .def("add_to", &add_to, "score"_a.noconvert(), "output"_a, nb::kw_only(), "n_threads"_a,
             "score[row, output] += the value of its leaf, for the rows that the last tree was grown on.")
        .def("set_values", &set_values, "values"_a.noconvert(), "Other values for the nodes of the last tree.")
        .def("rows", &rows_of, "Rows that the last tree was grown on; those of node i begin at begin[i].")
        .def("apply", &apply_codes, "codes"_a.noconvert(), nb::kw_only(), "n_threads"_a,
             "-> the last tree's leaf of each row of other codes.")
        .def("apply_rows", &apply_rows, "rows"_a.noconvert(), nb::kw_only(), "n_threads"_a,
             "-> the last tree's leaf of some of the grower's own rows.");
    const auto loss = [&](const char* name, auto function, const char* doc) {
        m.def(name, function, "score"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(), "g"_a.noconvert(),
              "h"_a.noconvert(), nb::kw_only(), "n_threads"_a, doc);
    };
    loss("squared_gradients", &py_gradients<squared_gradients>, "-> sum of (score - y)^2 / 2; sets g and h (1, n).");
    loss("logistic_gradients", &py_gradients<logistic_gradients>, "-> sum of the log loss, y 0 or 1; sets g and h (1, n).");
    loss("softmax_gradients", &py_softmax, "-> sum of the log loss of score (n, k); sets g and h (k, n).");
}

}  // namespace lanatus::ensemble
