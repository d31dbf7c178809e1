#include "core/ndarray.hpp"
#include "tree/grower.hpp"
#include "tree/growth.hpp"
#include "tree/histogram_cuts.hpp"
#include "tree/trees_python.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

// How often each tree takes each row, a row a tree; without it rows are drawn by the trees' seeds.
using Counts = std::optional<In2<std::int32_t>>;

struct Cuts {
    In1<double> edges;
    In1<std::int64_t> edge_start;
    In1<std::uint8_t> table;
    In1<std::int64_t> table_start;
};

template <class T>
std::vector<std::span<const T>> lists(In1<T> values, In1<std::int64_t> start, std::size_t count) {
    require(start.shape(0) == count + 1, "the bins do not fit the codes");
    std::vector<std::span<const T>> out;
    for (std::size_t j = 0; j < count; ++j) {
        const std::int64_t a = start.data()[j], b = start.data()[j + 1];
        require(0 <= a && a <= b && static_cast<std::size_t>(b) <= values.shape(0), "the bins are out of order");
        out.push_back({values.data() + a, static_cast<std::size_t>(b - a)});
    }
    return out;
}

BinnedColumns columns_of(In2<std::uint8_t> codes, const Cuts& cuts) {
    return {view(codes), lists(cuts.edges, cuts.edge_start, codes.shape(1)),
            lists(cuts.table, cuts.table_start, codes.shape(1))};
}

BinnedRules rules_of(const Growth& growth) {
    const Rules& from = growth.rules;
    return {from.random, from.max_features, from.min_leaf, from.min_leaf_weight, from.seed};
}

void require_criterion(const std::string& criterion) {
    require(criterion == "gini" || criterion == "entropy", "criterion must be gini or entropy");
}

// Weights as whole numbers: themselves if they are whole, else scaled.
struct Whole {
    static double scale_of(double total, bool whole) {
        constexpr double room = 1 << 28;
        return whole && total <= room ? 1.0 : room / total;
    }
    std::vector<std::int32_t> weight;  // empty for ones
    double scale = 1;
    // With `known` above zero, the scale that was found for the whole of which these rows are a part.
    Whole(std::span<const double> w, double known) {
        if (w.empty()) return;
        double total = 0;
        bool whole = true;
        for (const double x : w) total += x, whole = whole && x == std::floor(x);
        scale = known > 0 ? known : scale_of(total, whole);
        weight.resize(w.size());
        for (std::size_t i = 0; i < w.size(); ++i)
            weight[i] = w[i] > 0 ? static_cast<std::int32_t>(std::max(1.0, std::round(w[i] * scale))) : 0;
    }
};

// How often each row is drawn in n_draws draws with replacement.
std::vector<std::int32_t> drawn(std::uint64_t seed, std::size_t n, std::size_t n_draws) {
    std::vector<std::int32_t> count(n);
    const Philox random(seed, 0);
    for (std::size_t i = 0; i < n_draws; ++i) ++count[random.below(i, n)];
    return count;
}

// A tree for each seed: on all rows, on n_draws drawn anew for each, or on those that its row of counts names.
struct Samples {
    In1<std::uint64_t> seeds;
    std::size_t n_draws;
    Counts counts;

    void require_fits(std::size_t n) const {
        require(!counts || (counts->shape(0) == seeds.shape(0) && counts->shape(1) == n),
                "counts must have a row for each tree");
    }
};

// The rows of one tree: those with weight, their weights, and the weights as whole numbers (empty for ones).
struct Sample {
    std::vector<std::uint32_t> rows;
    std::vector<double> weights;
    std::vector<std::int32_t> whole;

    Sample(const Samples& samples, std::size_t t, std::size_t n, std::span<const double> w, const Whole& base) {
        if (samples.n_draws > 0 || samples.counts) {
            if (samples.counts) whole.assign(samples.counts->data() + t * n, samples.counts->data() + (t + 1) * n);
            else whole = drawn(samples.seeds.data()[t], n, samples.n_draws);
            weights.resize(n);
            for (std::size_t i = 0; i < n; ++i) {
                weights[i] = whole[i] * (w.empty() ? 1.0 : w[i]);
                if (!base.weight.empty()) whole[i] *= base.weight[i];
            }
        } else {
            whole = base.weight;
            weights.assign(w.begin(), w.end());
        }
        for (std::size_t i = 0; i < n; ++i)
            if (weights.empty() || weights[i] > 0) rows.push_back(static_cast<std::uint32_t>(i));
    }
};

// make(weights as whole numbers) gives the cells.
template <class Purity, class MakeCells>
nb::list grow_all(const BinnedColumns& columns, const Purity& purity, const typename Purity::Label* labels, Weights w,
                  const Growth& growth, const Samples& samples, int n_threads, const MakeCells& make) {
    const std::size_t n = columns.codes.rows;
    samples.require_fits(n);
    std::vector<Flat> trees(samples.seeds.shape(0));
    {
        nb::gil_scoped_release nogil;
        const Whole base(span(w), growth.totals.scale);
        const int outer = trees.size() > 1 ? n_threads : 1, inner = trees.size() > 1 ? 1 : n_threads;
        parallel_for(trees.size(), outer, [&](std::size_t t) {
            BinnedRules rules = rules_of(growth);
            rules.seed = samples.seeds.data()[t];
            Sample sample(samples, t, n, span(w), base);
            const auto cells = make(sample.whole.empty() ? nullptr : sample.whole.data());
            using Found = HistogramFinder<Purity, std::decay_t<decltype(cells)>>;
            Found finder(columns, purity, cells, labels, sample.weights.empty() ? nullptr : sample.weights.data(),
                         base.scale, rules, std::move(sample.rows));
            auto root = finder.root();
            Limits limits = growth.limits;
            limits.total = growth.totals.weight > 0 ? growth.totals.weight : root.weight;
            trees[t] = Flat(Grower<typename Found::Part>(finder, limits, inner).grow(std::move(root)));
        });
    }
    nb::list out;
    for (Flat& tree : trees) out.append(arrays_of(std::move(tree)));
    return out;
}

void require_rows(In2<std::uint8_t> codes, std::size_t n, Weights w, int n_threads) {
    require_threads(n_threads);
    require(codes.shape(0) == n && n > 0 && n < std::numeric_limits<std::uint32_t>::max(),
            "y and codes differ in number of rows");
    require_weights(w, n);
}

nb::list py_binned_classes(In2<std::uint8_t> codes, In1<double> edges, In1<std::int64_t> edge_start,
                           In1<std::uint8_t> table, In1<std::int64_t> table_start, In1<std::uint32_t> y,
                           std::size_t n_classes, Weights w, const std::string& criterion, const Growth& growth,
                           In1<std::uint64_t> seeds, std::size_t n_draws, Counts counts, int n_threads) {
    require_rows(codes, y.shape(0), w, n_threads);
    require_criterion(criterion);
    for (const std::uint32_t k : span(y)) require(k < n_classes, "a class code is out of its range");
    const BinnedColumns columns = columns_of(codes, {edges, edge_start, table, table_start});
    auto cells = [&](const std::int32_t* weight) { return ClassCells{n_classes, y.data(), weight}; };
    if (criterion == "gini") {
        const ClassPurity<GiniTerm> purity(n_classes, {});
        return grow_all(columns, purity, y.data(), w, growth, {seeds, n_draws, counts}, n_threads, cells);
    }
    std::vector<double> logs;
    const std::size_t most = std::max(y.shape(0), n_draws);  // counts add up to about as many
    if (!w && most <= 4'000'000)
        for (std::size_t i = 0; i <= most; ++i) logs.push_back(xlog2x(static_cast<double>(i)));
    const ClassPurity<EntropyTerm> purity(n_classes, {logs.empty() ? nullptr : logs.data(), logs.size()});
    return grow_all(columns, purity, y.data(), w, growth, {seeds, n_draws, counts}, n_threads, cells);
}

nb::list py_binned_numbers(In2<std::uint8_t> codes, In1<double> edges, In1<std::int64_t> edge_start,
                           In1<std::uint8_t> table, In1<std::int64_t> table_start, In1<double> y, Weights w,
                           const Growth& growth, In1<std::uint64_t> seeds, std::size_t n_draws, Counts counts,
                           int n_threads) {
    require_rows(codes, y.shape(0), w, n_threads);
    const BinnedColumns columns = columns_of(codes, {edges, edge_start, table, table_start});
    const MeanPurity purity(1, MeanCriterion::squares);
    double mean = 0, largest = 0;
    for (const double t : span(y)) mean += t / static_cast<double>(y.shape(0));
    for (const double t : span(y)) largest = std::max(largest, std::abs(t - mean));
    auto [origin, step] = TargetGrid::of(mean, largest);
    if (growth.totals.target_step > 0) {
        step = growth.totals.target_step;
        origin = growth.totals.target_mean;
    }
    std::vector<std::int32_t> target(y.shape(0));
    for (std::size_t i = 0; i < target.size(); ++i)
        target[i] = static_cast<std::int32_t>(std::rint((y.data()[i] - origin) / step));
    auto cells = [&, step = step](const std::int32_t* weight) { return MeanCells{2, target.data(), weight, step}; };
    return grow_all(columns, purity, y.data(), w, growth, {seeds, n_draws, counts}, n_threads, cells);
}

// ------------------------------------------------------------------------------------------------ in pieces

// Cells (n_slots x d x 256 x width) of rows in any order: slot[i] says which node row i is at, -1 for none that counts.
Out2<std::int64_t> py_add_histograms(In2<std::uint8_t> codes, In1<std::int32_t> slot, In1<std::int32_t> y, Weights w,
                                     double scale, std::size_t n_slots, std::size_t n_classes) {
    const std::size_t n = codes.shape(0), d = codes.shape(1), width = n_classes > 0 ? n_classes : 2;
    require(slot.shape(0) == n && y.shape(0) == n, "codes, slot and y differ in number of rows");
    require_weights(w, n);
    for (std::size_t i = 0; i < n; ++i) {
        require(slot.data()[i] < static_cast<std::int32_t>(n_slots), "a slot is out of its range");
        require(n_classes == 0 || (y.data()[i] >= 0 && static_cast<std::size_t>(y.data()[i]) < n_classes),
                "a class code is out of its range");
    }
    auto out = new_array<std::int64_t>(n_slots, d * bins_a_column * width);
    nb::gil_scoped_release nogil;
    std::fill_n(out.data(), out.size(), std::int64_t{0});
    const Whole whole(span(w), scale);
    for (std::size_t i = 0; i < n; ++i) {
        if (slot.data()[i] < 0) continue;
        const std::int64_t weight = whole.weight.empty() ? 1 : whole.weight[i];
        if (weight == 0) continue;
        std::int64_t* cells = out.data() + static_cast<std::size_t>(slot.data()[i]) * d * bins_a_column * width;
        const std::uint8_t* row = codes.data() + i * d;
        for (std::size_t j = 0; j < d; ++j) {
            std::int64_t* cell = cells + (j * bins_a_column + row[j]) * width;
            if (n_classes > 0) {
                cell[y.data()[i]] += weight;
            } else {
                cell[0] += weight;
                cell[1] += weight * y.data()[i];
            }
        }
    }
    return out;
}

// Nodes whose rows are elsewhere: the histogram of each, and what it says of itself.
struct Distant {
    In2<std::int64_t> histograms;
    In2<double> said;
    In1<double> weight, impurity;
    In1<std::int64_t> n_rows;
    In1<std::uint64_t> keys;

    void require_fits(std::size_t cells, std::size_t width) const {
        const std::size_t n = histograms.shape(0);
        require(histograms.shape(1) == cells, "the histograms do not fit the bins");
        require(said.shape(0) == n && weight.shape(0) == n && impurity.shape(0) == n && n_rows.shape(0) == n &&
                    keys.shape(0) == n && said.shape(1) == width,
                "there must be a histogram for each node");
    }
};

nb::dict dict_of(const Split& split, std::uint64_t key) {
    nb::dict out;
    out["feature"] = split.feature;
    out["kind"] = static_cast<int>(split.kind);
    out["threshold"] = split.threshold;
    out["missing"] = split.missing;
    out["gain"] = split.gain;
    out["first_share"] = split.first_share;
    nb::list words;
    if (split.extra)
        for (const std::uint32_t word : split.extra->subset) words.append(word);
    out["subset"] = words;
    nb::list keys;
    for (std::size_t c = 0; c < 2; ++c) keys.append(key_of(key, c));
    out["keys"] = keys;
    return out;
}

template <class Purity, class Cells>
nb::list split_all(const BinnedColumns& columns, const Purity& purity, const Cells& cells, const Distant& nodes,
                   const BinnedRules& rules, double scale) {
    using Found = HistogramFinder<Purity, Cells>;
    Found finder(columns, purity, cells, nullptr, nullptr, scale, rules, {});
    nb::list out;
    std::vector<typename Cells::Number> room(nodes.histograms.shape(1));
    for (std::size_t s = 0; s < nodes.histograms.shape(0); ++s) {
        typename Found::Part part;
        part.said.assign(view(nodes.said).row(s), nodes.said.shape(1));
        part.weight = nodes.weight.data()[s];
        part.impurity = nodes.impurity.data()[s];
        part.n_rows = nodes.n_rows.data()[s];
        part.key = nodes.keys.data()[s];
        const std::int64_t* from = view(nodes.histograms).row(s);
        for (std::size_t i = 0; i < room.size(); ++i) room[i] = static_cast<typename Cells::Number>(from[i]);
        out.append(dict_of(finder.best_of(part, room.data()), part.key));
    }
    return out;
}

nb::list py_split_histograms(In2<std::int64_t> histograms, In1<double> edges, In1<std::int64_t> edge_start,
                             In1<std::uint8_t> table, In1<std::int64_t> table_start, In2<double> said,
                             In1<double> weight, In1<double> impurity, In1<std::int64_t> n_rows,
                             In1<std::uint64_t> keys, std::size_t n_classes, const std::string& criterion,
                             const Growth& growth) {
    require(edge_start.shape(0) >= 2, "there are no columns");
    require(n_classes > 0 || growth.totals.target_step > 0, "target_step must be that of the histograms");
    require_criterion(criterion);
    const std::size_t d = edge_start.shape(0) - 1, width = n_classes > 0 ? n_classes : 2;
    const Distant nodes{histograms, said, weight, impurity, n_rows, keys};
    nodes.require_fits(d * bins_a_column * width, n_classes > 0 ? n_classes : 1);
    const BinnedColumns columns{{nullptr, 0, d}, lists(edges, edge_start, d), lists(table, table_start, d)};
    const BinnedRules rules = rules_of(growth);
    const double scale = growth.totals.scale > 0 ? growth.totals.scale : 1.0;  // rows without weights count 1 each
    if (n_classes == 0) {
        const MeanCells cells{2, nullptr, nullptr, growth.totals.target_step};
        return split_all(columns, MeanPurity(1, MeanCriterion::squares), cells, nodes, rules, scale);
    }
    const ClassCells cells{n_classes, nullptr, nullptr};
    if (criterion == "gini")
        return split_all(columns, ClassPurity<GiniTerm>(n_classes, {}), cells, nodes, rules, scale);
    return split_all(columns, ClassPurity<EntropyTerm>(n_classes, {nullptr, 0}), cells, nodes, rules, scale);
}

double py_whole_scale(double total, bool whole) { return Whole::scale_of(total, whole); }

nb::tuple py_target_grid(double mean, double farthest) {
    const auto [origin, step] = TargetGrid::of(mean, farthest);
    return nb::make_tuple(origin, step);
}

Out1<std::int32_t> py_drawn(std::uint64_t seed, std::size_t n, std::size_t n_draws) {
    require(n > 0, "there are no rows to draw from");
    const auto count = drawn(seed, n, n_draws);
    auto out = new_array<std::int32_t>(n);
    std::copy(count.begin(), count.end(), out.data());
    return out;
}

}  // namespace

void bind_binned(nb::module_& m) {
    m.def("binned_classes", &py_binned_classes, "codes"_a.noconvert(), "edges"_a.noconvert(),
          "edge_start"_a.noconvert(), "table"_a.noconvert(), "table_start"_a.noconvert(), "y"_a.noconvert(),
          "n_classes"_a, "w"_a.noconvert().none(), nb::kw_only(), "criterion"_a, "growth"_a, "seeds"_a.noconvert(),
          "n_draws"_a, "counts"_a.noconvert().none(), "n_threads"_a,
          "Classification trees by histograms, one a seed, each on n_draws rows drawn with replacement (0: on all)\n"
          "-> the arrays of the Trees.");
    m.def("binned_numbers", &py_binned_numbers, "codes"_a.noconvert(), "edges"_a.noconvert(),
          "edge_start"_a.noconvert(), "table"_a.noconvert(), "table_start"_a.noconvert(), "y"_a.noconvert(),
          "w"_a.noconvert().none(), nb::kw_only(), "growth"_a, "seeds"_a.noconvert(), "n_draws"_a,
          "counts"_a.noconvert().none(), "n_threads"_a, "Regression trees by histograms, as binned_classes.");
    m.def("add_histograms", &py_add_histograms, "codes"_a.noconvert(), "slot"_a.noconvert(), "y"_a.noconvert(),
          "w"_a.noconvert().none(), nb::kw_only(), "scale"_a, "n_slots"_a, "n_classes"_a,
          "-> (n_slots, d * 256 * width): weights of the classes in each bin of the rows at each node; for numbers "
          "(n_classes 0)\n"
          "weight and weight times target.");
    m.def("split_histograms", &py_split_histograms, "histograms"_a.noconvert(), "edges"_a.noconvert(),
          "edge_start"_a.noconvert(), "table"_a.noconvert(), "table_start"_a.noconvert(), "said"_a.noconvert(),
          "weight"_a.noconvert(), "impurity"_a.noconvert(), "n_rows"_a.noconvert(), "keys"_a.noconvert(), nb::kw_only(),
          "n_classes"_a, "criterion"_a, "growth"_a, "The best split of each node by its histograms.");
    m.def("whole_scale", &py_whole_scale, "total"_a, "whole"_a, "What weights are multiplied by inside histograms.");
    m.def("target_grid", &py_target_grid, "mean"_a, "farthest"_a,
          "-> origin and step of the whole numbers that targets become inside histograms.");
    m.def("drawn", &py_drawn, "seed"_a, "n"_a, "n_draws"_a, "-> how often the tree of this seed drew each of n rows.");
}

}  // namespace lanatus::tree
