#include "bayes/classes_python.hpp"
#include "bayes/counts.hpp"
#include "core/csr.hpp"
#include "core/ndarray.hpp"

namespace lanatus::bayes {
using namespace nb::literals;

namespace {

struct Itself {
    double operator()(double x) const { return x; }
};
struct Above {
    double limit;
    double operator()(double x) const { return x > limit ? 1.0 : 0.0; }
};

template <class T>
DenseRows<T> rows_of(const In2<T>& X) {
    return {view(X)};
}

template <class T>
SparseRows<T> rows_of(const Csr<T>& X) {
    return {X.view()};
}

template <class Rows>
auto sums_of(const Rows& X, std::size_t cols, const In1<std::int32_t>& y, const Weights& w, std::size_t n_classes,
             std::optional<double> above, int n_threads) {
    require_threads(n_threads);
    require_weights(w, X.rows());
    require_classes(span(y), X.rows(), n_classes);
    auto out = new_array<double>(cols, n_classes);
    const std::span<double> to{out.data(), out.size()};
    nb::gil_scoped_release nogil;
    if (above) class_sums(X, span(y), span(w), n_classes, Above{*above}, to, n_threads);
    else class_sums(X, span(y), span(w), n_classes, Itself{}, to, n_threads);
    return out;
}

template <class Rows>
auto joint_of(const Rows& X, std::size_t cols, const In2<double>& lines, const In1<double>& start,
              std::optional<double> above, int n_threads) {
    require_threads(n_threads);
    require(lines.shape(0) == cols && lines.shape(1) == start.shape(0), "table, start and X differ in shape");
    auto out = new_array<double>(X.rows(), start.shape(0));
    const std::span<const double> table{lines.data(), lines.size()};
    nb::gil_scoped_release nogil;
    if (above) linear_scores(X, table, span(start), Above{*above}, n_threads, keeping(out));
    else linear_scores(X, table, span(start), Itself{}, n_threads, keeping(out));
    return out;
}

template <class Rows>
auto predict_of(const Rows& X, std::size_t cols, const In2<double>& lines, const In1<double>& start,
                std::int32_t otherwise, std::optional<double> above, int n_threads) {
    require_threads(n_threads);
    require(lines.shape(0) == cols && lines.shape(1) == start.shape(0), "table, start and X differ in shape");
    auto out = new_array<std::int32_t>(X.rows());
    const std::span<const double> table{lines.data(), lines.size()};
    const auto take = picking(out, start.shape(0), otherwise);
    nb::gil_scoped_release nogil;
    if (above) linear_scores(X, table, span(start), Above{*above}, n_threads, take);
    else linear_scores(X, table, span(start), Itself{}, n_threads, take);
    return out;
}

template <class T>
auto py_sums(In2<T> X, In1<std::int32_t> y, Weights w, std::size_t n_classes, std::optional<double> above,
             int n_threads) {
    return sums_of(rows_of<T>(X), X.shape(1), y, w, n_classes, above, n_threads);
}
template <class T>
auto py_joint(In2<T> X, In2<double> lines, In1<double> start, std::optional<double> above, int n_threads) {
    return joint_of(rows_of<T>(X), X.shape(1), lines, start, above, n_threads);
}
template <class T>
auto py_predict(In2<T> X, In2<double> lines, In1<double> start, std::int32_t otherwise, std::optional<double> above,
                int n_threads) {
    return predict_of(rows_of<T>(X), X.shape(1), lines, start, otherwise, above, n_threads);
}

void bind_dense(nb::module_& m) {
    m.def("class_sums", by_dtype<py_sums<double>, py_sums<float>, py_sums<std::int64_t>, py_sums<std::int32_t>>,
          "X"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(), "n_classes"_a, nb::kw_only(),
          "above"_a.none() = nb::none(), "n_threads"_a,
          "-> (n_features, n_classes): weighted sums by class, of the numbers or of whether they are above a limit >= "
          "0.");
    m.def("linear_joint", by_dtype<py_joint<double>, py_joint<float>, py_joint<std::int64_t>, py_joint<std::int32_t>>,
          "X"_a.noconvert(), "table"_a.noconvert(), "start"_a.noconvert(), nb::kw_only(), "above"_a.none() = nb::none(),
          "n_threads"_a, "-> (n, n_classes): start + X table; zeros times infinity are nothing.");
    m.def("linear_predict",
          by_dtype<py_predict<double>, py_predict<float>, py_predict<std::int64_t>, py_predict<std::int32_t>>,
          "X"_a.noconvert(), "table"_a.noconvert(), "start"_a.noconvert(), nb::kw_only(), "otherwise"_a,
          "above"_a.none() = nb::none(), "n_threads"_a,
          "-> (n,) int32: the class of the greatest score, the lowest on ties; `otherwise` where all are -inf.");
}

template <class T>
void bind_sparse(nb::module_& m) {
    m.def(
        "class_sums",
        [](const Csr<T>& X, In1<std::int32_t> y, Weights w, std::size_t n_classes, std::optional<double> above,
           int n_threads) { return sums_of(rows_of(X), X.cols(), y, w, n_classes, above, n_threads); },
        "X"_a, "y"_a.noconvert(), "w"_a.noconvert().none(), "n_classes"_a, nb::kw_only(), "above"_a.none() = nb::none(),
        "n_threads"_a);
    m.def(
        "linear_joint",
        [](const Csr<T>& X, In2<double> lines, In1<double> start, std::optional<double> above, int n_threads) {
            return joint_of(rows_of(X), X.cols(), lines, start, above, n_threads);
        },
        "X"_a, "table"_a.noconvert(), "start"_a.noconvert(), nb::kw_only(), "above"_a.none() = nb::none(),
        "n_threads"_a);
    m.def(
        "linear_predict",
        [](const Csr<T>& X, In2<double> lines, In1<double> start, std::int32_t otherwise, std::optional<double> above,
           int n_threads) { return predict_of(rows_of(X), X.cols(), lines, start, otherwise, above, n_threads); },
        "X"_a, "table"_a.noconvert(), "start"_a.noconvert(), nb::kw_only(), "otherwise"_a,
        "above"_a.none() = nb::none(), "n_threads"_a);
}

}  // namespace

void bind_sums(nb::module_& m) {
    bind_dense(m);
    bind_sparse<double>(m), bind_sparse<float>(m), bind_sparse<std::int64_t>(m), bind_sparse<std::int32_t>(m);
}

}  // namespace lanatus::bayes
