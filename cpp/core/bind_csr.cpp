#include "core/csr.hpp"
#include "core/text.hpp"

namespace lanatus::core {
using namespace nb::literals;

namespace {

template <class T>
bool is(const nb::object& array, In1<T>& out) {
    return nb::try_cast(array, out, false);
}

// X as Matrix<T> of the first T that its data are of.
template <template <class> class Matrix, class T, class... More>
nb::object made(const detail::Compression& shape, const nb::object& X) {
    if (In1<T> values; is<T>(X.attr("data"), values)) {
        In1<std::int32_t> indices, indptr;
        if (!is<std::int32_t>(X.attr("indices"), indices) || !is<std::int32_t>(X.attr("indptr"), indptr))
            throw nb::type_error("X.indices and X.indptr must be int32 arrays without gaps");
        return nb::cast(Matrix<T>(shape, values, indices, indptr));
    }
    if constexpr (sizeof...(More) > 0) return made<Matrix, More...>(shape, X);
    else throw nb::type_error("X.data is of a type that the kernels do not take, or has gaps");
}

detail::Compression shape_of(const nb::object& X, const char* format, bool by_rows) {
    if (const auto got = nb::cast<std::string>(X.attr("format")); got != format)
        throw nb::value_error(text("X must be a ", format, " matrix, got ", got).c_str());
    const auto [rows, cols] = nb::cast<std::tuple<std::size_t, std::size_t>>(X.attr("shape"));
    return by_rows ? detail::Compression{"CSR", "row", "column", rows, cols}
                   : detail::Compression{"CSC", "column", "row", cols, rows};
}

nb::object csr(const nb::object& X) {
    return made<Csr, double, float, std::int64_t, std::int32_t>(shape_of(X, "csr", true), X);
}
nb::object csc(const nb::object& X) { return made<Csc, double, float>(shape_of(X, "csc", false), X); }

template <class Matrix>
void bind_matrix(nb::module_& m, const char* name) {
    nb::class_<Matrix>(m, name).def_prop_ro("shape", [](const Matrix& X) { return std::tuple(X.rows(), X.cols()); });
}

}  // namespace

void bind_csr(nb::module_& m) {
    bind_matrix<Csr<double>>(m, "CsrFloat64"), bind_matrix<Csr<float>>(m, "CsrFloat32");
    bind_matrix<Csr<std::int64_t>>(m, "CsrInt64"), bind_matrix<Csr<std::int32_t>>(m, "CsrInt32");
    bind_matrix<Csc<double>>(m, "CscFloat64"), bind_matrix<Csc<float>>(m, "CscFloat32");
    m.def("csr", &csr, "X"_a, nb::sig("def csr(X: object) -> typing.Any"),
          "A SciPy CSR matrix with int32 indices, checked and ready for the kernels. Its arrays must then stay as they "
          "are.");
    m.def("csc", &csc, "X"_a, nb::sig("def csc(X: object) -> typing.Any"),
          "As csr, of a matrix compressed by columns.");
}

}  // namespace lanatus::core
