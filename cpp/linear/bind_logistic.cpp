#include "core/csr.hpp"
#include "core/ndarray.hpp"
#include "linear/logistic.hpp"
#include "linear/logistic_csr.hpp"
#include "linear/scatter.hpp"

namespace lanatus::linear {
using namespace nb::literals;

namespace {

void require_rows(std::size_t rows, std::size_t y, const Weights& w) {
    require(y == rows, "y and X differ in number of samples");
    require_weights(w, rows);
}

void require_codes(std::span<const std::int32_t> y, std::size_t n_classes, std::int32_t least) {
    require(n_classes >= 1, "there must be at least one class");
    require(std::all_of(y.begin(), y.end(), [=](std::int32_t c) { return c >= least && c < std::int64_t(n_classes); }),
            "y holds a class code out of range");
}

logistic::Loss loss_named(const std::string& name, double epsilon) {
    if (name == "logistic") return {logistic::Form::logistic, 0};
    if (name == "squared_hinge") return {logistic::Form::squared_hinge, 0};
    require(name == "squared_epsilon_insensitive",
            "loss must be logistic, squared_hinge or squared_epsilon_insensitive");
    return {logistic::Form::squared_tube, epsilon};
}

// Room for what a two-class pass gives; the parts not asked for are empty.
struct BinaryAnswer {
    Out1<double> gradient, curvature;
    Out2<double> hessian;
    BinaryAnswer(std::size_t n, std::size_t d, const std::string& order)
        : gradient(new_array<double>(d + 1)), curvature(new_array<double>(order == "curvature" ? n : 0)),
          hessian(new_array<double>(order == "hessian" ? d + 1 : 0, order == "hessian" ? d + 1 : 0)) {
        require(order == "gradient" || order == "curvature" || order == "hessian",
                "want must be gradient, curvature or hessian");
    }
    auto tuple(double loss) const { return std::tuple(loss, gradient, hessian, curvature); }
};

template <class T>
auto py_binary(In2<T> X, In1<double> y, Weights w, In1<double> coef, const std::string& want, int n_threads,
               const std::string& loss_name, double epsilon) {
    require_threads(n_threads);
    require_rows(X.shape(0), y.shape(0), w);
    require(coef.shape(0) == X.shape(1) + 1, "coef must have one entry a feature and one for the intercept");
    const BinaryAnswer out(X.shape(0), X.shape(1), want);
    const logistic::Loss of = loss_named(loss_name, epsilon);
    double loss;
    {
        nb::gil_scoped_release nogil;
        loss = logistic::binary_pass<T>(view(X), of, span(y), span(w), span(coef), span(out.gradient),
                                        view(out.hessian), span(out.curvature), n_threads);
    }
    return out.tuple(loss);
}

template <class T>
auto py_binary_csr(const Csr<T>& X, In1<double> y, Weights w, In1<double> coef, const std::string& want, int n_threads,
                   const std::string& loss_name, double epsilon) {
    require_threads(n_threads);
    require(coef.shape(0) == X.cols() + 1, "coef must have one entry a feature and one for the intercept");
    require_rows(X.rows(), y.shape(0), w);
    const BinaryAnswer out(X.rows(), X.cols(), want);
    const logistic::Loss of = loss_named(loss_name, epsilon);
    double loss;
    {
        nb::gil_scoped_release nogil;
        loss = logistic::binary_pass_csr<T>(X.view(), of, span(y), span(w), span(coef), span(out.gradient),
                                            view(out.hessian), span(out.curvature), n_threads);
    }
    return out.tuple(loss);
}

template <class T>
auto py_product(In2<T> X, In1<double> curvature, In1<double> v, int n_threads) {
    require_threads(n_threads);
    require(curvature.shape(0) == X.shape(0), "curvature and X differ in number of samples");
    require(v.shape(0) == X.shape(1) + 1, "v must have one entry a feature and one for the intercept");
    auto out = new_array<double>(v.shape(0));
    nb::gil_scoped_release nogil;
    logistic::curved_product<T>(view(X), span(curvature), span(v), span(out), n_threads);
    return out;
}

template <class T>
auto py_product_csr(const Csr<T>& X, In1<double> curvature, In1<double> v, int n_threads) {
    require_threads(n_threads);
    require(v.shape(0) == X.cols() + 1, "v must have one entry a feature and one for the intercept");
    require(curvature.shape(0) == X.rows(), "curvature and X differ in number of samples");
    auto out = new_array<double>(v.shape(0));
    nb::gil_scoped_release nogil;
    logistic::curved_product_csr<T>(X.view(), span(curvature), span(v), span(out), n_threads);
    return out;
}

template <class T>
auto py_moments(In2<T> X, In1<double> curvature, int n_threads) {
    require_threads(n_threads);
    require(curvature.shape(0) == X.shape(0), "curvature and X differ in number of samples");
    auto out = new_array<double>(X.shape(1) + 1, 2);
    nb::gil_scoped_release nogil;
    logistic::curved_moments<T>(view(X), span(curvature), view(out), n_threads);
    return out;
}

template <class T>
auto py_moments_csr(const Csr<T>& X, In1<double> curvature, int n_threads) {
    require_threads(n_threads);
    require(curvature.shape(0) == X.rows(), "curvature and X differ in number of samples");
    auto out = new_array<double>(X.cols() + 1, 2);
    nb::gil_scoped_release nogil;
    logistic::curved_moments_csr<T>(X.view(), span(curvature), view(out), n_threads);
    return out;
}

template <class T>
auto py_multinomial(In2<T> X, In1<std::int32_t> y, Weights w, In2<double> coef, bool shares, int n_threads) {
    require_threads(n_threads);
    require_rows(X.shape(0), y.shape(0), w);
    require(coef.shape(0) == X.shape(1) + 1, "coef must have one row a feature and one for the intercept");
    require_codes(span(y), coef.shape(1), 0);
    auto gradient = new_array<double>(coef.shape(0), coef.shape(1));
    auto p = new_array<double>(shares ? X.shape(0) : 0, coef.shape(1));
    double loss;
    {
        nb::gil_scoped_release nogil;
        loss = logistic::multinomial_pass<T>(view(X), span(y), span(w), view(coef), view(gradient), view(p), n_threads);
    }
    return std::tuple(loss, gradient, p);
}

template <class T>
auto py_multinomial_csr(const Csr<T>& X, In1<std::int32_t> y, Weights w, In2<double> coef, bool shares, int n_threads) {
    require_threads(n_threads);
    require(coef.shape(0) == X.cols() + 1, "coef must have one row a feature and one for the intercept");
    require_rows(X.rows(), y.shape(0), w);
    require_codes(span(y), coef.shape(1), 0);
    auto gradient = new_array<double>(coef.shape(0), coef.shape(1));
    auto p = new_array<double>(shares ? X.rows() : 0, coef.shape(1));
    double loss;
    {
        nb::gil_scoped_release nogil;
        loss = logistic::multinomial_pass_csr<T>(X.view(), span(y), span(w), view(coef), view(gradient), view(p),
                                                 n_threads);
    }
    return std::tuple(loss, gradient, p);
}

template <class T>
auto py_multinomial_product(In2<T> X, In2<double> shares, Weights w, In2<double> direction, int n_threads) {
    require_threads(n_threads);
    require_weights(w, X.shape(0));
    require(shares.shape(0) == X.shape(0) && shares.shape(1) == direction.shape(1),
            "shares do not fit X and direction");
    require(direction.shape(0) == X.shape(1) + 1, "direction must have one row a feature and one for the intercept");
    auto out = new_array<double>(direction.shape(0), direction.shape(1));
    nb::gil_scoped_release nogil;
    logistic::multinomial_product<T>(view(X), view(shares), span(w), view(direction), view(out), n_threads);
    return out;
}

template <class T>
auto py_multinomial_product_csr(const Csr<T>& X, In2<double> shares, Weights w, In2<double> direction, int n_threads) {
    require_threads(n_threads);
    require(direction.shape(0) == X.cols() + 1, "direction must have one row a feature and one for the intercept");
    require_weights(w, X.rows());
    require(shares.shape(0) == X.rows() && shares.shape(1) == direction.shape(1), "shares do not fit X and direction");
    auto out = new_array<double>(direction.shape(0), direction.shape(1));
    nb::gil_scoped_release nogil;
    logistic::multinomial_product_csr<T>(X.view(), view(shares), span(w), view(direction), view(out), n_threads);
    return out;
}

template <class T>
auto py_scatter(In2<T> X, In1<std::int32_t> y, Weights w, std::size_t n_classes, int n_threads) {
    require_threads(n_threads);
    require_rows(X.shape(0), y.shape(0), w);
    require_codes(span(y), n_classes, std::numeric_limits<std::int32_t>::min());
    const std::size_t d = X.shape(1);
    auto mass = new_array<double>(n_classes);
    auto mean = new_array<double>(n_classes, d), within = new_array<double>(d, d);
    {
        nb::gil_scoped_release nogil;
        const auto found = logistic::class_scatter<T>(view(X), span(y), span(w), n_classes, n_threads);
        std::copy(found.mass.begin(), found.mass.end(), mass.data());
        std::copy(found.mean.begin(), found.mean.end(), mean.data());
        std::copy(found.within.begin(), found.within.end(), within.data());
    }
    return std::tuple(mass, mean, within);
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("loss_pass", &py_binary<T>, "X"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(),
          "coef"_a.noconvert(), "want"_a, nb::kw_only(), "n_threads"_a, "loss"_a = "logistic", "epsilon"_a = 0.0,
          "-> (loss, gradient, hessian, curvature) at coef (d + 1, the intercept last) for y of 0 and 1, or numbers y\n"
          "with loss squared_epsilon_insensitive; hessian and curvature are empty unless wanted. X of rows dense or\n"
          "compressed with ascending columns.");
    m.def("loss_pass", &py_binary_csr<T>, "X"_a, "y"_a.noconvert(), "w"_a.noconvert().none(), "coef"_a.noconvert(),
          "want"_a, nb::kw_only(), "n_threads"_a, "loss"_a = "logistic", "epsilon"_a = 0.0);
    m.def("logistic_product", &py_product<T>, "X"_a.noconvert(), "curvature"_a.noconvert(), "v"_a.noconvert(),
          nb::kw_only(), "n_threads"_a, "-> X' (curvature * (X v)), X with a last column of ones.");
    m.def("logistic_product", &py_product_csr<T>, "X"_a, "curvature"_a.noconvert(), "v"_a.noconvert(), nb::kw_only(),
          "n_threads"_a);
    m.def("logistic_moments", &py_moments<T>, "X"_a.noconvert(), "curvature"_a.noconvert(), nb::kw_only(),
          "n_threads"_a,
          "-> (d + 1, 2): X' curvature and the diagonal of X' diag(curvature) X, X with a last column of ones.");
    m.def("logistic_moments", &py_moments_csr<T>, "X"_a, "curvature"_a.noconvert(), nb::kw_only(), "n_threads"_a);
    m.def("multinomial_pass", &py_multinomial<T>, "X"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(),
          "coef"_a.noconvert(), "shares"_a, nb::kw_only(), "n_threads"_a,
          "-> (loss, gradient, probabilities) of the softmax loss at coef (d + 1, classes), the intercepts last; the\n"
          "probabilities have no rows unless asked for.");
    m.def("multinomial_pass", &py_multinomial_csr<T>, "X"_a, "y"_a.noconvert(), "w"_a.noconvert().none(),
          "coef"_a.noconvert(), "shares"_a, nb::kw_only(), "n_threads"_a);
    m.def("multinomial_product", &py_multinomial_product<T>, "X"_a.noconvert(), "shares"_a.noconvert(),
          "w"_a.noconvert().none(), "direction"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> Hessian of the softmax loss at the probabilities given, times a direction (d + 1, classes).");
    m.def("multinomial_product", &py_multinomial_product_csr<T>, "X"_a, "shares"_a.noconvert(),
          "w"_a.noconvert().none(), "direction"_a.noconvert(), nb::kw_only(), "n_threads"_a);
    m.def(
        "class_scatter", &py_scatter<T>, "X"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(), "n_classes"_a,
        nb::kw_only(), "n_threads"_a,
        "-> (mass, mean, within): weight and mean of each class, and the scatter within classes. Rows with y < 0 are\n"
        "left out.");
}

}  // namespace

void bind_logistic(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::linear
