#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "reduce/tsne.hpp"
#include "reduce/umap.hpp"

namespace lanatus::reduce {
using namespace nb::literals;

namespace {

void require_dims(std::size_t dims) { require(dims >= 1 && dims <= 3, "points must have one to three columns"); }

// visit.template operator()<D>()
template <class Visit>
auto in_dims(std::size_t dims, const Visit& visit) {
    if (dims == 1) return visit.template operator()<1>();
    if (dims == 2) return visit.template operator()<2>();
    return visit.template operator()<3>();
}

auto py_tsne_gradient(const Csr<float>& p, In2<float> Y, double exaggeration, double angle, bool with_loss,
                      int n_threads) {
    require_threads(n_threads);
    const auto rows = p.view();
    const auto points = view(Y);
    require(rows.rows == points.rows && rows.cols == points.rows, "p must have a row and a column for each point");
    require(points.rows >= 1 && points.rows < (std::size_t{1} << 31), "there must be from 1 to 2^31 points");
    require_dims(points.cols);
    require(angle >= 0 && exaggeration > 0, "angle must be 0 or more, exaggeration above 0");
    for (std::size_t i = 0; i < points.size(); ++i) require(std::isfinite(points.data[i]), "a point is not finite");
    auto gradient = new_array<float>(points.rows, points.cols);
    double loss = 0;
    {
        nb::gil_scoped_release nogil;
        loss = in_dims(points.cols, [&]<std::size_t D>() {
            return tsne_gradient<D>(rows, points, exaggeration, angle, with_loss, view(gradient), n_threads);
        });
    }
    return std::tuple(gradient, loss);
}

auto py_tsne_new_gradient(const Csr<float>& p, In2<float> given, In2<float> Y, int n_threads) {
    require_threads(n_threads);
    const auto rows = p.view();
    const auto stay = view(given), points = view(Y);
    require(rows.rows == points.rows && rows.cols == stay.rows,
            "p must have a row for each new point, a column for each given");
    require(stay.cols == points.cols, "given and new points differ in their columns");
    require_dims(points.cols);
    auto gradient = new_array<float>(points.rows, points.cols);
    {
        nb::gil_scoped_release nogil;
        in_dims(points.cols,
                [&]<std::size_t D>() { tsne_new_gradient<D>(rows, stay, points, view(gradient), n_threads); });
    }
    return gradient;
}

auto py_perplexities(In2<double> sq_distances, double perplexity, int n_threads) {
    require_threads(n_threads);
    const auto d = view(sq_distances);
    require(d.cols >= 1 && perplexity > 0, "wanted a neighbour or more, and a perplexity above 0");
    auto p = new_array<double>(d.rows, d.cols);
    {
        nb::gil_scoped_release nogil;
        perplexities(d, perplexity, view(p), n_threads);
    }
    return p;
}

auto py_fuzzy_weights(In2<double> distances, double connectivity, int n_threads) {
    require_threads(n_threads);
    const auto d = view(distances);
    require(d.cols >= 1 && connectivity >= 0, "wanted a neighbour or more, and a connectivity of 0 or more");
    auto v = new_array<double>(d.rows, d.cols);
    {
        nb::gil_scoped_release nogil;
        fuzzy_weights(d, connectivity, view(v), n_threads);
    }
    return v;
}

void py_umap_round(const Csr<float>& rate, In2<float> others, In1<std::uint64_t> keys, InOut2<float> Y,
                   std::size_t round, double step, double a, double b, double push, std::size_t n_draws, bool moving,
                   int n_threads) {
    require_threads(n_threads);
    const auto rows = rate.view();
    const auto there = view(others);
    const auto points = view(Y);
    require(rows.rows == points.rows && rows.cols == there.rows,
            "rate must have a row for each point, a column for each other");
    require(keys.shape(0) == points.rows, "keys and Y differ in number");
    require(there.cols == points.cols && there.rows >= 1, "points differ in their columns, or there are none");
    require(!moving || there.rows == points.rows, "points that move are those that stand in others");
    const UmapRound how{round,
                        static_cast<float>(step),
                        static_cast<float>(a),
                        static_cast<float>(b),
                        static_cast<float>(push),
                        n_draws,
                        moving};
    nb::gil_scoped_release nogil;
    umap_round(rows, there, span(keys), how, points, n_threads);
}

}  // namespace

void bind(nb::module_& m) {
    m.def("tsne_gradient", &py_tsne_gradient, "p"_a, "Y"_a.noconvert(), nb::kw_only(), "exaggeration"_a, "angle"_a,
          "with_loss"_a, "n_threads"_a, "-> (gradient, divergence but for the sum of p log p)");
    m.def("tsne_new_gradient", &py_tsne_new_gradient, "p"_a, "given"_a.noconvert(), "Y"_a.noconvert(), nb::kw_only(),
          "n_threads"_a, "-> gradient of new points among given ones");
    m.def("perplexities", &py_perplexities, "sq_distances"_a.noconvert(), nb::kw_only(), "perplexity"_a, "n_threads"_a,
          "-> p, a row each of the given perplexity");
    m.def("fuzzy_weights", &py_fuzzy_weights, "distances"_a.noconvert(), nb::kw_only(), "connectivity"_a, "n_threads"_a,
          "-> weights of edges to neighbours");
    m.def("umap_round", &py_umap_round, "rate"_a, "others"_a.noconvert(), "keys"_a.noconvert(), "Y"_a.noconvert(),
          nb::kw_only(), "round"_a, "step"_a, "a"_a, "b"_a, "push"_a, "n_draws"_a, "moving"_a, "n_threads"_a,
          "Moves the points of Y by one round.");
}

}  // namespace lanatus::reduce
