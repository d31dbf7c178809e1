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
nb::object made(const detail::Compression& shape, const nb::object& X, bool sound) {
    if (In1<T> values; is<T>(X.attr("data"), values)) {
        In1<std::int32_t> indices, indptr;
        if (!is<std::int32_t>(X.attr("indices"), indices) || !is<std::int32_t>(X.attr("indptr"), indptr))
            throw nb::type_error("X.indices and X.indptr must be int32 arrays without gaps");
        return nb::cast(Matrix<T>(shape, values, indices, indptr, sound));
    }
    if constexpr (sizeof...(More) > 0) return made<Matrix, More...>(shape, X, sound);
    else throw nb::type_error("X.data is of a type that the kernels do not take, or has gaps");
}

detail::Compression shape_of(const nb::object& X, const char* format, bool by_rows) {
    if (const auto got = nb::cast<std::string>(X.attr("format")); got != format)
        throw nb::value_error(text("X must be a ", format, " matrix, got ", got).c_str());
    const auto [rows, cols] = nb::cast<std::tuple<std::size_t, std::size_t>>(X.attr("shape"));
    return by_rows ? detail::Compression{"CSR", "row", "column", rows, cols}
                   : detail::Compression{"CSC", "column", "row", cols, rows};
}

nb::object csr(const nb::object& X, bool sound) {
    return made<Csr, double, float, std::int64_t, std::int32_t>(shape_of(X, "csr", true), X, sound);
}
nb::object csc(const nb::object& X) { return made<Csc, double, float>(shape_of(X, "csc", false), X, false); }

template <class I>
void require_sound(bool by_rows, std::size_t lines, std::size_t across, In1<I> indptr, In1<I> indices,
                   std::size_t n_values) {
    const auto shape = by_rows ? detail::Compression{"CSR", "row", "column", lines, across}
                               : detail::Compression{"CSC", "column", "row", lines, across};
    detail::require_compressed(shape, span(indptr), span(indices), n_values);
}
template <class I>
void bind_require(nb::module_& m) {
    m.def("require_compressed", &require_sound<I>, nb::kw_only(), "by_rows"_a, "lines"_a, "across"_a,
          "indptr"_a.noconvert(), "indices"_a.noconvert(), "n_values"_a,
          "ValueError unless indptr rises from 0 to n_values in lines + 1 steps and all indices are in [0, across).");
}

template <class Matrix>
void bind_matrix(nb::module_& m, const char* name) {
    nb::class_<Matrix>(m, name).def_prop_ro("shape", [](const Matrix& X) { return std::tuple(X.rows(), X.cols()); });
}

}  // namespace

void bind_csr(nb::module_& m) {
    bind_matrix<Csr<double>>(m, "CsrFloat64"), bind_matrix<Csr<float>>(m, "CsrFloat32");
    bind_matrix<Csr<std::int64_t>>(m, "CsrInt64"), bind_matrix<Csr<std::int32_t>>(m, "CsrInt32");
    bind_matrix<Csc<double>>(m, "CscFloat64"), bind_matrix<Csc<float>>(m, "CscFloat32");
    m.def("csr", &csr, "X"_a, nb::kw_only(), "sound"_a = false,
          nb::sig("def csr(X: object, *, sound: bool = False) -> typing.Any"),
          "A SciPy CSR matrix with int32 indices, checked and ready for the kernels. Its arrays must then stay as they "
          "are. sound=True: they were checked as they came in, and nothing changed them since.");
    m.def("csc", &csc, "X"_a, nb::sig("def csc(X: object) -> typing.Any"),
          "As csr, of a matrix compressed by columns.");
    bind_require<std::int32_t>(m), bind_require<std::int64_t>(m);
}

}  // namespace lanatus::core
