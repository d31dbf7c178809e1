#include "bayes/gaussian_nb.hpp"
#include "core/ndarray.hpp"

namespace lanatus::bayes {
using namespace nb::literals;

namespace {

Out2<double> table(const std::vector<double>& values, std::size_t rows, std::size_t cols) {
    auto out = new_array<double>(rows, cols);
    std::copy(values.begin(), values.end(), out.data());
    return out;
}

template <class T>
auto py_moments(In2<T> X, In1<std::int32_t> y, Weights w, std::size_t n_classes, int n_threads) {
    require(X.shape(1) >= 1, "X must have at least one feature");
    require(y.shape(0) == X.shape(0), "y and X differ in number of samples");
    require_weights(w, X.shape(0));
    require_threads(n_threads);
    require(n_classes >= 1 && n_classes <= 0x7fffffff, "n_classes must be at least 1 and fit in int32");
    Moments m;
    {
        nb::gil_scoped_release nogil;
        const auto codes = span(y);
        require(std::all_of(codes.begin(), codes.end(),
                            [k = static_cast<std::int64_t>(n_classes)](std::int32_t c) { return c < k; }),
                "y holds a class code that is not below n_classes");
        m = moments<T>(view(X), codes, span(w), n_classes, n_threads);
    }
    return std::tuple(table(m.mass, m.classes, m.cols), table(m.mean, m.classes, m.cols),
                      table(m.m2, m.classes, m.cols));
}

Scorer scorer(std::size_t cols, const In2<double>& mean, const In2<double>& var, const In1<double>& log_prior) {
    require(mean.shape(1) == cols, "mean and X differ in number of features");
    require(var.shape(0) == mean.shape(0) && var.shape(1) == cols, "var and mean differ in shape");
    require(log_prior.shape(0) == mean.shape(0), "log_prior and mean differ in number of classes");
    require(mean.shape(0) >= 1, "there must be at least one class");
    return Scorer(view(mean), view(var), span(log_prior));
}

template <class T>
auto py_joint(In2<T> X, In2<double> mean, In2<double> var, In1<double> log_prior, int n_threads) {
    require_threads(n_threads);
    const Scorer model = scorer(X.shape(1), mean, var, log_prior);
    auto out = new_array<double>(X.shape(0), model.classes);
    nb::gil_scoped_release nogil;
    joint_log_likelihood<T>(view(X), model, view(out), n_threads);
    return out;
}

template <class T>
auto py_predict(In2<T> X, In2<double> mean, In2<double> var, In1<double> log_prior, int n_threads) {
    require_threads(n_threads);
    const Scorer model = scorer(X.shape(1), mean, var, log_prior);
    auto out = new_array<std::int32_t>(X.shape(0));
    nb::gil_scoped_release nogil;
    predict<T>(view(X), model, span(out), n_threads);
    return out;
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def(
        "moments", &py_moments<T>, "X"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(), "n_classes"_a,
        nb::kw_only(), "n_threads"_a,
        "-> (mass, mean, m2), each (n_classes, n_features): weight, mean and sum of squared deviations per class and\n"
        "attribute. NaN entries count nowhere; rows with y < 0 are left out.");
    m.def("joint_log_likelihood", &py_joint<T>, "X"_a.noconvert(), "mean"_a.noconvert(), "var"_a.noconvert(),
          "log_prior"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n, n_classes): log prior + log density of the attributes that are not NaN.");
    m.def("predict", &py_predict<T>, "X"_a.noconvert(), "mean"_a.noconvert(), "var"_a.noconvert(),
          "log_prior"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> (n,) int32: the class of the greatest joint log likelihood, the lowest one on ties.");
}

}  // namespace

void bind(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::bayes
