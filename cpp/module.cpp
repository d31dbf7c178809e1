// lanatus._core: one submodule per topic.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace lanatus {
namespace core { void bind(nb::module_& m); }
namespace bayes { void bind(nb::module_& m); void bind_counts(nb::module_& m); void bind_pairs(nb::module_& m); }
namespace cluster { void bind(nb::module_& m); }
namespace density { void bind_mixture(nb::module_& m); void bind_kernels(nb::module_& m); }
namespace evaluation { void bind(nb::module_& m); }
namespace linear { void bind_sparse(nb::module_& m); void bind_logistic(nb::module_& m); }
namespace imbalance { void bind(nb::module_& m); }
namespace metric { void bind(nb::module_& m); }
namespace neighbors { void bind(nb::module_& m); }
namespace tree { void bind_grow(nb::module_& m); void bind_binned(nb::module_& m); void bind_route(nb::module_& m); void bind_predict(nb::module_& m); void bind_bins(nb::module_& m); void bind_shap(nb::module_& m); }
namespace ensemble { void bind_boosting(nb::module_& m); void bind_stumps(nb::module_& m); }
}  // namespace lanatus

NB_MODULE(_core, m) {
    m.doc() = "The C++ kernels of lanatus. Private: inputs are trusted beyond types and shapes.";
    auto topic = [&](const char* name, const char* doc) { return m.def_submodule(name, doc); };
    auto core = topic("core", "Ground: threads, random numbers, BLAS, checks.");
    lanatus::core::bind(core);
    auto bayes = topic("bayes", "Naive Bayes.");
    lanatus::bayes::bind(bayes);
    lanatus::bayes::bind_counts(bayes);
    lanatus::bayes::bind_pairs(bayes);
    auto cluster = topic("cluster", "k-means.");
    lanatus::cluster::bind(cluster);
    auto density = topic("density", "Mixtures and kernel densities.");
    lanatus::density::bind_mixture(density);
    lanatus::density::bind_kernels(density);
    auto evaluation = topic("evaluation", "Rankings.");
    lanatus::evaluation::bind(evaluation);
    auto linear = topic("linear", "Linear models.");
    lanatus::linear::bind_sparse(linear);
    lanatus::linear::bind_logistic(linear);
    auto imbalance = topic("imbalance", "SMOTE.");
    lanatus::imbalance::bind(imbalance);
    auto metric = topic("metric", "Distances.");
    lanatus::metric::bind(metric);
    auto neighbors = topic("neighbors", "Search trees and nearest neighbours.");
    lanatus::neighbors::bind(neighbors);
    auto tree = topic("tree", "Decision trees and forests.");
    lanatus::tree::bind_grow(tree);
    lanatus::tree::bind_binned(tree);
    lanatus::tree::bind_route(tree);
    lanatus::tree::bind_predict(tree);
    lanatus::tree::bind_bins(tree);
    lanatus::tree::bind_shap(tree);
    auto ensemble = topic("ensemble", "Boosting.");
    lanatus::ensemble::bind_boosting(ensemble);
    lanatus::ensemble::bind_stumps(ensemble);
}
