#include <string>

#include "core/ndarray.hpp"
#include "density/mixture.hpp"

namespace lanatus::density {
namespace {

using namespace nb::literals;

Shape shape_named(const std::string& name) {
    if (name == "full") return Shape::full;
    if (name == "tied") return Shape::tied;
    require(name == "diag", "shape must be 'full', 'tied' or 'diag'");
    return Shape::diagonal;
}

// The arguments that say what the mixture is; keeps the packed factors alive.
struct Mixture {
    Buffer<double> packed;
    Components parts;

    Mixture(const In2<double>& means, const In2<double>& factors, const In1<double>& log_const,
            const std::string& shape, const In2<double>& whitened, const In1<double>& origin) {
        const std::size_t k = means.shape(0), d = means.shape(1);
        const Shape kind = shape_named(shape);
        require(k >= 1 && d >= 1, "there must be at least one component and one column");
        require(log_const.shape(0) == k, "log_const and means differ in number of components");
        const std::size_t triangles = kind == Shape::full ? k : 1;
        require(factors.shape(0) == (kind == Shape::diagonal ? k : triangles * d) && factors.shape(1) == d,
                "factors must be triangles (count * d, d), or (k, d) along the axes");
        const bool tied = kind == Shape::tied;
        require(!tied || (whitened.shape(0) == k && whitened.shape(1) == d && origin.shape(0) == d),
                "whitened must be (k, d) and origin (d,)");
        if (kind != Shape::diagonal) packed = packed_triangles(factors.data(), triangles, d);
        parts = {k,
                 d,
                 kind,
                 tied ? view(whitened).data : view(means).data,
                 tied ? span(origin).data() : nullptr,
                 kind == Shape::diagonal ? view(factors).data : packed.data(),
                 view(means).data,
                 span(log_const).data()};
    }
};

template <class T>
void require_rows(const In2<T>& X, const Mixture& mixture, int n_threads) {
    require(X.shape(1) == mixture.parts.d, "X and means differ in number of features");
    require_threads(n_threads);
}

Out1<double> array_of(const double* data, std::size_t size) {
    auto out = new_array<double>(size);
    std::copy_n(data, size, out.data());
    return out;
}

template <class T>
auto py_sums(In2<T> X, Weights w, In2<double> means, In2<double> factors, In1<double> log_const,
             const std::string& shape, In2<double> whitened, In1<double> origin, int n_threads) {
    const Mixture mixture(means, factors, log_const, shape, whitened, origin);
    require_rows(X, mixture, n_threads);
    require_weights(w, X.shape(0));
    MixtureSums sums;
    {
        nb::gil_scoped_release nogil;
        const double* weights = w ? span(w).data() : nullptr;
        sums = mixture_pass<T>({view(X), weights, mixture.parts, true, nullptr, nullptr}, n_threads);
    }
    return std::tuple(sums.log_likelihood, sums.entropy, array_of(sums.mass.data(), sums.mass.size()),
                      array_of(sums.first.data(), sums.first.size()), array_of(sums.second.data(), sums.second.size()));
}

template <class T>
auto py_posteriors(In2<T> X, In2<double> means, In2<double> factors, In1<double> log_const, const std::string& shape,
                   In2<double> whitened, In1<double> origin, int n_threads) {
    const Mixture mixture(means, factors, log_const, shape, whitened, origin);
    require_rows(X, mixture, n_threads);
    auto log_density = new_array<double>(X.shape(0));
    auto shares = new_array<double>(X.shape(0), mixture.parts.count);
    {
        nb::gil_scoped_release nogil;
        mixture_pass<T>({view(X), nullptr, mixture.parts, false, log_density.data(), shares.data()}, n_threads);
    }
    return std::tuple(log_density, shares);
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("mixture_sums", &py_sums<T>, "X"_a.noconvert(), "w"_a.noconvert().none(), "means"_a.noconvert(),
          "factors"_a.noconvert(), "log_const"_a.noconvert(), "shape"_a, "whitened"_a.noconvert(),
          "origin"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (log-likelihood, entropy, mass (k,), first (k d,), second). Sums over rows of the posteriors and of the\n"
          "moments about means. shape 'full': factors are k lower triangles below each other, second the lower "
          "triangles\n"
          "(k d d,); 'diag': factors (k, d), second (k d,); 'tied': one triangle F, whitened = F (means - origin), no\n"
          "second.");
    m.def("mixture_posteriors", &py_posteriors<T>, "X"_a.noconvert(), "means"_a.noconvert(), "factors"_a.noconvert(),
          "log_const"_a.noconvert(), "shape"_a, "whitened"_a.noconvert(), "origin"_a.noconvert(), nb::kw_only(),
          "n_threads"_a, "-> (log densities (n,), posterior probabilities (n, k)); arguments as of mixture_sums.");
}

}  // namespace

void bind_mixture(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::density
