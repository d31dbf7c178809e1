#include <string>

#include "cluster/exchange.hpp"
#include "cluster/medoids.hpp"
#include "cluster/to_clusters.hpp"
#include "core/ndarray.hpp"

namespace lanatus::cluster {
using namespace nb::literals;

namespace {

void require_codes_below(std::span<const std::int32_t> codes, std::size_t k) {
    for (const std::int32_t c : codes)
        require(c >= 0 && static_cast<std::size_t>(c) < k, "codes hold a value outside the range of the clusters");
}

auto py_to_clusters(In2<double> X, In2<double> points, In1<std::int32_t> cluster, std::size_t k,
                    const std::string& over, int n_threads) {
    require(points.shape(1) == X.shape(1), "points and X differ in number of features");
    require(cluster.shape(0) == points.shape(0), "cluster and points differ in length");
    require(over == "sum" || over == "largest" || over == "smallest", "over must be sum, largest or smallest");
    require(points.shape(0) >= 1, "there must be at least one point");
    require_threads(n_threads);
    require_codes_below(span(cluster), k);
    auto out = new_array<double>(X.shape(0), k);
    const Over how = over == "sum" ? Over::sum : over == "largest" ? Over::largest : Over::smallest;
    nb::gil_scoped_release nogil;
    to_clusters(view(X), view(points), span(cluster), how, view(out), n_threads);
    return out;
}

template <class T>
auto py_swap(In2<T> D, Weights w, InOut1<std::int64_t> medoids, std::size_t at, std::size_t idle, std::size_t most) {
    const std::size_t n = D.shape(0);
    require(D.shape(1) == n, "the distances must be a square matrix");
    require_weights(w, n);
    require(at < n && idle <= n, "there is no such row to begin at");
    const auto chosen = span(medoids);
    require(!chosen.empty() && chosen.size() <= n, "medoids must be one row or more");
    for (const std::int64_t m : chosen) require(m >= 0 && static_cast<std::size_t>(m) < n, "there is no such medoid");
    auto labels = new_array<std::int32_t>(n);
    std::size_t swaps;
    double total;
    {
        nb::gil_scoped_release nogil;
        Swaps<T> search(view(D), span(w), chosen);
        swaps = search.run(at, idle, most);
        total = search.total();
        std::copy(search.labels().begin(), search.labels().end(), labels.data());
    }
    return std::tuple(labels, total, swaps, at, idle);
}

template <class T>
std::size_t py_exchange(In2<T> X, Weights w, InOut1<std::int32_t> labels, InOut2<double> means, InOut1<double> mass,
                        InOut1<std::int64_t> count) {
    require_weights(w, X.shape(0));
    require(labels.shape(0) == X.shape(0), "labels and X differ in number of samples");
    require(means.shape(1) == X.shape(1), "means and X differ in number of features");
    require(mass.shape(0) == means.shape(0) && count.shape(0) == means.shape(0),
            "mass, count and means differ in length");
    require_codes_below(span(labels), means.shape(0));
    nb::gil_scoped_release nogil;
    return exchange_pass<T>(view(X), span(w), span(labels), view(means), span(mass), span(count));
}

}  // namespace

void bind_prototypes(nb::module_& m) {
    m.def("to_clusters", &py_to_clusters, "X"_a.noconvert(), "points"_a.noconvert(), "cluster"_a.noconvert(), "k"_a,
          "over"_a, nb::kw_only(), "n_threads"_a,
          "-> (n, k): sums of the distances of each row to the points of each cluster, or the largest or smallest "
          "square.");
    m.def("swap_medoids", by_dtype<py_swap<double>, py_swap<float>>, "D"_a.noconvert(), "w"_a.noconvert().none(),
          "medoids"_a.noconvert(), nb::kw_only(), "at"_a, "idle"_a, "most"_a,
          "-> (labels, total distance, swaps done, at, idle). Swaps medoids, in place, as FasterPAM does.");
    m.def("exchange_pass", by_dtype<py_exchange<double>, py_exchange<float>>, "X"_a.noconvert(),
          "w"_a.noconvert().none(), "labels"_a.noconvert(), "means"_a.noconvert(), "mass"_a.noconvert(),
          "count"_a.noconvert(), "One pass of exchanges, all in place. -> rows moved.");
}

}  // namespace lanatus::cluster
