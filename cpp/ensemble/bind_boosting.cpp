#include "core/ndarray.hpp"
#include "ensemble/boosting_losses.hpp"
#include "ensemble/boosting_round.hpp"

namespace lanatus::ensemble {
using namespace nb::literals;

namespace {

void new_round(Round* self, In2<std::uint8_t> codes, In1<std::int32_t> n_bins, In1<std::uint8_t> nominal,
               std::size_t n_outputs, std::optional<In1<std::uint8_t>> repeats, int n_threads) {
    require_threads(n_threads);
    require(codes.shape(0) >= 1 && codes.shape(1) >= 1, "there must be a row and a column");
    require(n_outputs >= 1, "there must be an output");
    require(codes.shape(0) < (std::size_t{1} << wide_count_bits), "too many rows: at most 67 million");
    require(n_bins.shape(0) == codes.shape(1) && nominal.shape(0) == codes.shape(1),
            "n_bins, nominal and codes differ in number of columns");
    for (const std::int32_t bins : span(n_bins)) require(bins >= 1 && bins <= 255, "n_bins must be from 1 to 255");
    const auto bins = span(n_bins);
    const auto kinds = span(nominal);
    std::vector<std::uint8_t> times;
    if (repeats) {
        require(repeats->shape(0) == codes.shape(0), "repeats and codes differ in number of rows");
        for (const std::uint8_t many : span(*repeats))
            require(many >= 1 && many <= most_repeats, "repeats must be from 1 to 4");
        times.assign(span(*repeats).begin(), span(*repeats).end());
    }
    nb::gil_scoped_release nogil;
    new (self) Round(view(codes), std::vector<std::int32_t>(bins.begin(), bins.end()),
                     std::vector<std::uint8_t>(kinds.begin(), kinds.end()), std::move(times), n_outputs, n_threads);
}

void require_indices(std::span<const std::int32_t> columns, std::size_t d) {
    for (std::size_t c = 0; c < columns.size(); ++c)
        require(columns[c] >= 0 && static_cast<std::size_t>(columns[c]) < d && (c == 0 || columns[c - 1] < columns[c]),
                "columns must be columns of X, ascending");
}

// The nodes of a tree of boosting: bins for thresholds and codes for subsets.
struct GrownTree {
    Out1<std::int32_t> feature, bin, first_child, parent, missing;
    Out1<std::int64_t> n_rows, begin;
    Out1<double> gain, value, g, h, low, high;
    Out2<std::uint64_t> left;

    explicit GrownTree(std::size_t n)
        : feature(new_array<std::int32_t>(n)), bin(new_array<std::int32_t>(n)), first_child(new_array<std::int32_t>(n)),
          parent(new_array<std::int32_t>(n)), missing(new_array<std::int32_t>(n)), n_rows(new_array<std::int64_t>(n)),
          begin(new_array<std::int64_t>(n)), gain(new_array<double>(n)), value(new_array<double>(n)),
          g(new_array<double>(n)), h(new_array<double>(n)), low(new_array<double>(n)), high(new_array<double>(n)),
          left(new_array<std::uint64_t>(n, 4)) {}
};

GrownTree grown_of(const Grower& grower) {
    const std::vector<Node>& nodes = grower.nodes();
    GrownTree out(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        const bool leaf = node.is_leaf();
        out.feature.data()[i] = leaf ? -1 : node.split.column;
        out.bin.data()[i] = leaf ? -1 : node.split.bin;
        out.first_child.data()[i] = node.first_child;
        out.parent.data()[i] = node.parent;
        out.missing.data()[i] = leaf ? -1 : node.split.missing_left ? 0 : 1;
        out.n_rows.data()[i] = static_cast<std::int64_t>(node.size());
        out.begin.data()[i] = static_cast<std::int64_t>(node.begin);
        out.gain.data()[i] = leaf ? 0.0 : node.split.gain;
        out.value.data()[i] = node.value;
        out.g.data()[i] = node.sums.g;
        out.h.data()[i] = node.sums.h;
        out.low.data()[i] = node.bounds.low;
        out.high.data()[i] = node.bounds.high;
        std::copy(node.split.left.begin(), node.split.left.end(), out.left.data() + 4 * i);
    }
    return out;
}

// GrowOptions from Python, with the arrays that it looks at.
struct Growth {
    GrowOptions options;
    std::optional<In1<std::int8_t>> monotone;
    std::optional<std::tuple<In1<std::int32_t>, In1<std::int32_t>>> groups;

    void require_fits(std::size_t n_columns) const {
        require(options.monotone.empty() || options.monotone.size() == n_columns,
                "monotone and X differ in number of columns");
        for (const std::int32_t column : options.group)
            require(column >= 0 && static_cast<std::size_t>(column) < n_columns, "groups must be of columns");
    }
};

void new_growth(Growth* self, std::size_t max_leaves, std::int32_t max_depth, double learning_rate, bool curbed,
                std::size_t min_split, std::size_t min_rows, double min_hessian, double min_gain, double l1, double l2,
                double smoothing, double nominal_l2, std::optional<In1<std::int8_t>> monotone,
                std::optional<std::tuple<In1<std::int32_t>, In1<std::int32_t>>> groups) {
    Growth made{
        .options = {.penalties = {l1, l2, min_gain, std::max(min_hessian, 1e-12),
                                  static_cast<double>(std::max(min_rows, std::size_t{1})), smoothing, nominal_l2},
                    .max_leaves = max_leaves,
                    .min_split = min_split,
                    .max_depth = max_depth,
                    .learning_rate = learning_rate,
                    .curbed = curbed},
        .monotone = monotone,
        .groups = groups};
    if (monotone) made.options.monotone = span(*monotone);
    if (groups) {
        const auto start = span(std::get<0>(*groups));
        const auto members = span(std::get<1>(*groups));
        require(!start.empty() && start.front() == 0 && std::is_sorted(start.begin(), start.end()) &&
                    static_cast<std::size_t>(start.back()) == members.size(),
                "the groups' starts must rise from 0 to their number of members");
        made.options.group_start = start, made.options.group = members;
    }
    new (self) Growth(std::move(made));
}

nb::list grow(Round& round, In2<double> g, In2<double> h, std::optional<In1<std::int64_t>> bag,
              In2<std::int32_t> columns, In1<std::uint32_t> seeds, const Growth& growth, int n_threads) {
    require_threads(n_threads);
    const std::size_t k = round.n_outputs();
    require(g.shape(0) == k && h.shape(0) == k && columns.shape(0) == k && seeds.shape(0) == k,
            "g, h, columns and seeds must have an entry for each output");
    require(g.shape(1) == round.n_rows() && h.shape(1) == round.n_rows(), "g, h and X differ in number of rows");
    for (std::size_t output = 0; output < k; ++output)
        require_indices({view(columns).row(output), columns.shape(1)}, round.n_columns());
    growth.require_fits(round.n_columns());
    std::span<const std::int64_t> rows;
    if (bag) {
        rows = span(*bag);
        require(!rows.empty(), "the bag is empty");
        for (const std::int64_t row : rows)
            require(row >= 0 && static_cast<std::size_t>(row) < round.n_rows(), "the bag must be of rows of X");
    }
    {
        nb::gil_scoped_release nogil;
        round.grow(view(g), view(h), rows, view(columns), span(seeds), growth.options, n_threads);
    }
    nb::list out;
    for (std::size_t output = 0; output < k; ++output) out.append(grown_of(round[output]));
    return out;
}

const Grower& tree_of(const Round& round, std::size_t output) {
    require(output < round.n_outputs(), "there is no such output");
    return round[output];
}

void add_to(const Round& round, InOut2<double> score, std::size_t output, int n_threads) {
    const Grower& grower = tree_of(round, output);
    require(score.shape(0) == round.n_rows() && output < score.shape(1), "score does not fit the rows or outputs");
    nb::gil_scoped_release nogil;
    const std::size_t k = score.shape(1);
    grower.add_to({score.data() + output, score.shape(0) * k - output}, k, n_threads);
}

void set_values(Round& round, std::size_t output, In1<double> values) {
    require(output < round.n_outputs(), "there is no such output");
    round[output].set_values(span(values));
}

auto rows_of(const Round& round, std::size_t output) {
    const Grower& grower = tree_of(round, output);
    auto out = new_array<std::uint32_t>(grower.n_used());
    std::copy_n(grower.rows(), grower.n_used(), out.data());
    return out;
}

auto apply_codes(const Round& round, std::size_t output, In2<std::uint8_t> codes, int n_threads) {
    require_threads(n_threads);
    const Grower& grower = tree_of(round, output);
    require(codes.shape(1) == round.n_columns(), "the codes differ in number of columns");
    auto out = new_array<std::int32_t>(codes.shape(0));
    nb::gil_scoped_release nogil;
    grower.apply(view(codes), span(out), n_threads);
    return out;
}

auto apply_rows(const Round& round, std::size_t output, In1<std::int64_t> rows, int n_threads) {
    require_threads(n_threads);
    const Grower& grower = tree_of(round, output);
    for (const std::int64_t row : span(rows))
        require(row >= 0 && static_cast<std::size_t>(row) < round.n_rows(), "rows must be rows of X");
    auto out = new_array<std::int32_t>(rows.shape(0));
    nb::gil_scoped_release nogil;
    grower.apply(span(rows), span(out), n_threads);
    return out;
}

using Loss = double (*)(std::span<const double>, std::span<const double>, std::span<const double>, std::span<double>,
                        std::span<double>, int);

template <Loss loss>
double py_gradients(In2<double> score, In1<double> y, Weights weight, InOut2<double> g, InOut2<double> h,
                    int n_threads) {
    require_threads(n_threads);
    require_weights(weight, y.shape(0));
    require(score.size() == y.size() && g.size() == y.size() && h.size() == y.size(),
            "score, y, g and h differ in length");
    nb::gil_scoped_release nogil;
    return loss({score.data(), score.size()}, span(y), span(weight), {g.data(), g.size()}, {h.data(), h.size()},
                n_threads);
}

double py_softmax(In2<double> score, In1<std::int32_t> y, Weights weight, InOut2<double> g, InOut2<double> h,
                  int n_threads) {
    require_threads(n_threads);
    require_weights(weight, y.shape(0));
    require(score.shape(0) == y.shape(0) && g.shape(0) == score.shape(1) && g.shape(1) == y.shape(0) &&
                h.shape(0) == g.shape(0) && h.shape(1) == g.shape(1),
            "score, y, g and h do not fit each other");
    for (const std::int32_t code : span(y))
        require(code >= 0 && static_cast<std::size_t>(code) < score.shape(1),
                "y must be from 0 to the classes' number - 1");
    nb::gil_scoped_release nogil;
    return softmax_gradients(view(score), span(y), span(weight), view(g), view(h), n_threads);
}

}  // namespace

void bind_boosting(nb::module_& m) {
    nb::class_<GrownTree> tree(m, "GrownTree", "The nodes of a tree of boosting, one array each.");
    const auto field = [&](const char* name, auto member, const char* doc) {
        tree.def_prop_ro(name, [member](const GrownTree& t) { return t.*member; }, nb::rv_policy::automatic, doc);
    };
    field("feature", &GrownTree::feature, "Column that the node tests, -1 at a leaf.");
    field("bin", &GrownTree::bin, "Last bin that goes to the first child; -1 at a leaf or a test of codes.");
    field("first_child", &GrownTree::first_child, "First of two children, -1 at a leaf.");
    field("parent", &GrownTree::parent, "-1 at the root.");
    field("missing", &GrownTree::missing, "Child of missing values, 0 or 1; -1 at a leaf.");
    field("n_rows", &GrownTree::n_rows, "Rows at the node.");
    field("begin", &GrownTree::begin, "Where the node's rows begin in Round.rows.");
    field("gain", &GrownTree::gain, "What the split gained.");
    field("value", &GrownTree::value, "What the node adds to a score.");
    field("g", &GrownTree::g, "Sum of the gradients.");
    field("h", &GrownTree::h, "Sum of the Hessians.");
    field("left", &GrownTree::left, "(n_nodes, 4): bits of the codes that go to the first child.");
    field("low", &GrownTree::low, "Least step that monotone columns allow.");
    field("high", &GrownTree::high, "Largest step that monotone columns allow.");
    nb::class_<Growth>(m, "Growth", "How trees of boosting grow.")
        .def("__init__", &new_growth, nb::kw_only(), "max_leaves"_a, "max_depth"_a, "learning_rate"_a, "curbed"_a,
             "min_split"_a, "min_rows"_a, "min_hessian"_a, "min_gain"_a, "l1"_a, "l2"_a, "smoothing"_a, "nominal_l2"_a,
             "monotone"_a.noconvert().none(), "groups"_a.none());
    nb::class_<Round>(m, "Round",
                      "Grows the trees of gradient boosting, one for each output and round, on the same binned rows.")
        .def("__init__", &new_round, "codes"_a.noconvert(), "n_bins"_a.noconvert(), "nominal"_a.noconvert(),
             "n_outputs"_a, nb::kw_only(), "repeats"_a.noconvert().none() = nb::none(), "n_threads"_a,
             "repeats: how many equal rows each stands for, 1 to 4; gradients are those of all of them.")
        .def("grow", &grow, "g"_a.noconvert(), "h"_a.noconvert(), "bag"_a.noconvert().none(), "columns"_a.noconvert(),
             "seeds"_a.noconvert(), "growth"_a, nb::kw_only(), "n_threads"_a,
             "-> a GrownTree for each output. g, h and columns have a row for each output, seeds a number.")
        .def("add_to", &add_to, "score"_a.noconvert(), "output"_a, nb::kw_only(), "n_threads"_a,
             "score[row, output] += the value of its leaf, for the rows that the output's last tree was grown on.")
        .def("set_values", &set_values, "output"_a, "values"_a.noconvert(),
             "Other values for the nodes of the output's last tree.")
        .def("rows", &rows_of, "output"_a,
             "Rows that the output's last tree was grown on; those of node i begin at begin[i].")
        .def("apply", &apply_codes, "output"_a, "codes"_a.noconvert(), nb::kw_only(), "n_threads"_a,
             "-> the leaf of each row of other codes in the output's last tree.")
        .def("apply_rows", &apply_rows, "output"_a, "rows"_a.noconvert(), nb::kw_only(), "n_threads"_a,
             "-> the leaf of some of its own rows in the output's last tree.");
    const auto loss = [&](const char* name, auto function, const char* doc) {
        m.def(name, function, "score"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(),
              "g"_a.noconvert(), "h"_a.noconvert(), nb::kw_only(), "n_threads"_a, doc);
    };
    loss("squared_gradients", &py_gradients<squared_gradients>, "-> sum of (score - y)^2 / 2; sets g and h (1, n).");
    loss("logistic_gradients", &py_gradients<logistic_gradients>,
         "-> sum of the log loss, y 0 or 1; sets g and h (1, n).");
    loss("softmax_gradients", &py_softmax, "-> sum of the log loss of score (n, k); sets g and h (k, n).");
}

}  // namespace lanatus::ensemble
