#include <initializer_list>
#include <string>
#include <utility>

#include "core/ndarray.hpp"
#include "tree/growth.hpp"

namespace lanatus::tree {
using namespace nb::literals;

namespace {

using Most = std::optional<std::int64_t>;

template <class Value>
Value one_of(const char* name, const std::string& got, std::initializer_list<std::pair<const char*, Value>> known) {
    std::string names;
    for (const auto& [word, value] : known) {
        if (got == word) return value;
        names += (names.empty() ? "" : ", ") + std::string(word);
    }
    throw std::invalid_argument(std::string(name) + " must be one of " + names + "; got '" + got + "'");
}

std::int64_t at_most(const char* name, const Most& most) {
    if (!most) return std::numeric_limits<std::int64_t>::max();
    if (*most < 0) throw std::invalid_argument(std::string(name) + " must not be negative");
    return *most;
}

Limits limits_of(const std::string& builder, const Most& max_depth, const Most& max_leaf_nodes, const Most& max_nodes,
                 std::int64_t min_samples_split) {
    require(min_samples_split >= 2, "min_samples_split must be at least 2");
    return {.order = one_of<Order>("builder", builder,
                                   {{"depth", Order::depth}, {"breadth", Order::breadth}, {"best", Order::best}}),
            .max_depth = at_most("max_depth", max_depth),
            .max_leaves = at_most("max_leaf_nodes", max_leaf_nodes),
            .max_nodes = at_most("max_nodes", max_nodes),
            .min_split = min_samples_split};
}

Missing missing_of(const std::string& missing) {
    return one_of<Missing>("missing", missing,
                           {{"branch", Missing::branch},
                            {"weights", Missing::weights},
                            {"surrogate", Missing::surrogate},
                            {"virtual", Missing::virtual_value},
                            {"majority", Missing::majority}});
}

Preselect preselect_of(const std::string& preselect, std::size_t top) {
    const auto named =
        one_of<Preselect>("preselect", preselect, {{"above-mean", Preselect::above_mean}, {"none", Preselect::none}});
    return top > 0 ? Preselect::top : named;
}

void new_growth(Growth* self, const std::string& builder, Most max_depth, Most max_leaf_nodes, Most max_nodes,
                std::int64_t min_samples_split, std::int64_t min_samples_leaf, double min_leaf_weight,
                double min_impurity_decrease, double min_gain, double size_penalty, bool multiway, bool ratio,
                bool random, bool observed, const std::string& missing, std::size_t max_features, bool mdl,
                const std::string& preselect, std::size_t top, std::uint64_t seed,
                std::optional<In1<std::uint32_t>> priority, std::optional<In1<std::int8_t>> monotone, double scale,
                double total, double target_mean, double target_step) {
    Growth made{.limits = limits_of(builder, max_depth, max_leaf_nodes, max_nodes, min_samples_split),
                .rules = {},
                .totals = {scale, total, target_mean, target_step}};
    require(min_samples_leaf >= 1, "min_samples_leaf must be at least 1");
    require(min_leaf_weight >= 0, "min_leaf_weight must not be negative");
    require(max_features >= 1, "max_features must be at least 1");
    made.limits.min_decrease = min_impurity_decrease;
    made.limits.min_gain = min_gain;
    made.limits.size_penalty = size_penalty;
    made.limits.min_split_weight = 2 * min_leaf_weight;
    Rules& rules = made.rules;
    rules.multiway = multiway, rules.ratio = ratio, rules.random = random, rules.observed = observed, rules.mdl = mdl;
    rules.preselect = preselect_of(preselect, top);
    rules.top = top;
    rules.missing = missing_of(missing);
    rules.max_features = max_features;
    rules.min_leaf = min_samples_leaf;
    rules.min_leaf_weight = min_leaf_weight;
    rules.seed = seed;
    if (monotone) rules.monotone.assign(span(*monotone).begin(), span(*monotone).end());
    if (priority) rules.priority.assign(span(*priority).begin(), span(*priority).end());
    new (self) Growth(std::move(made));
}

}  // namespace

void bind(nb::module_& m) {
    const Limits limits;
    const Rules rules;
    nb::class_<Growth>(
        m, "Growth",
        "How trees grow. Limits of None are none; scale, total, target_mean and target_step are those of "
        "the whole\nthat streamed rows are a part of, 0 where the rows are all.")
        .def("__init__", &new_growth, nb::kw_only(), "builder"_a = "depth", "max_depth"_a.none() = nb::none(),
             "max_leaf_nodes"_a.none() = nb::none(), "max_nodes"_a.none() = nb::none(),
             "min_samples_split"_a = limits.min_split, "min_samples_leaf"_a = rules.min_leaf,
             "min_leaf_weight"_a = rules.min_leaf_weight, "min_impurity_decrease"_a = limits.min_decrease,
             "min_gain"_a = limits.min_gain, "size_penalty"_a = limits.size_penalty, "multiway"_a = false,
             "ratio"_a = false, "random"_a = false, "observed"_a = false, "missing"_a = "branch",
             "max_features"_a = rules.max_features, "mdl"_a = false, "preselect"_a = "above-mean",
             "top"_a = std::size_t{0}, "seed"_a = std::uint64_t{0}, "priority"_a.none() = nb::none(),
             "monotone"_a.none() = nb::none(), "scale"_a = 0.0, "total"_a = 0.0, "target_mean"_a = 0.0,
             "target_step"_a = 0.0);
}

}  // namespace lanatus::tree
