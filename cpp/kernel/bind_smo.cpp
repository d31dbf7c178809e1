#include <algorithm>

#include "core/ndarray.hpp"
#include "kernel/smo.hpp"

namespace lanatus::kernel {
using namespace nb::literals;

namespace {

template <class T>
std::size_t py_smo(In2<T> K, InOut1<double> b, InOut1<double> s, In1<double> low, In1<double> high, std::size_t split,
                   double tol, std::size_t max_pairs) {
    const std::size_t m = K.shape(0);
    require(K.shape(1) == m, "K must be square");
    require(b.shape(0) == m && s.shape(0) == m && low.shape(0) == m && high.shape(0) == m && split <= m,
            "b, s, low and high must be as long as K, and split no longer");
    nb::gil_scoped_release nogil;
    const MatrixView<const T> rows = view(K);
    std::vector<double> diagonal(m);
    for (std::size_t k = 0; k < m; ++k) diagonal[k] = static_cast<double>(rows.row(k)[k]);
    return smo(rows, diagonal, {span(b), span(s), span(low), span(high)}, {split, tol, max_pairs});
}

void require_below(std::span<const std::int32_t> places, std::size_t n) {
    require(std::all_of(places.begin(), places.end(),
                        [&](std::int32_t place) { return place >= 0 && static_cast<std::size_t>(place) < n; }),
            "a row or column is beyond the matrix");
}

template <class T>
void py_add_rows(In2<T> rows, In1<std::int32_t> slots, In1<double> coefs, InOut1<double> sums, int n_threads) {
    require_threads(n_threads);
    require(coefs.shape(0) == slots.shape(0) && sums.shape(0) == rows.shape(1), "coefs or sums have another length");
    require_below(span(slots), rows.shape(0));
    nb::gil_scoped_release nogil;
    add_rows(view(rows), span(slots), span(coefs), span(sums), n_threads);
}

template <class T>
auto py_take_block(In2<T> rows, In1<std::int32_t> slots, In1<std::int32_t> columns, int n_threads) {
    require_threads(n_threads);
    require_below(span(slots), rows.shape(0));
    require_below(span(columns), rows.shape(1));
    auto out = new_array<T>(slots.shape(0), columns.shape(0));
    nb::gil_scoped_release nogil;
    take_block<T>(view(rows), span(slots), span(columns), view(out), n_threads);
    return out;
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def(
        "smo", &py_smo<T>, "K"_a.noconvert(), "b"_a.noconvert(), "s"_a.noconvert(), "low"_a.noconvert(),
        "high"_a.noconvert(), nb::kw_only(), "split"_a, "tol"_a, "max_pairs"_a,
        "-> pairs taken; b and s = Kb + q are moved to the least 1/2 b'Kb + q'b in the box, sums of both groups kept.");
    m.def("add_rows", &py_add_rows<T>, "rows"_a.noconvert(), "slots"_a.noconvert(), "coefs"_a.noconvert(),
          "sums"_a.noconvert(), nb::kw_only(), "n_threads"_a, "sums += coefs' rows[slots]");
    m.def("take_block", &py_take_block<T>, "rows"_a.noconvert(), "slots"_a.noconvert(), "columns"_a.noconvert(),
          nb::kw_only(), "n_threads"_a, "-> rows[slots][:, columns]");
}

}  // namespace

void bind_smo(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::kernel
