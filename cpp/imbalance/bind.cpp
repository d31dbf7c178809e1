#include "core/ndarray.hpp"
#include "imbalance/smote.hpp"

namespace lanatus::imbalance {
using namespace nb::literals;

namespace {

void require_rows(std::span<const std::int64_t> rows, std::size_t n, const char* message) {
    for (const std::int64_t row : rows) require(row >= 0 && static_cast<std::size_t>(row) < n, message);
}

auto py_draw(std::uint64_t seed, std::size_t count, std::size_t n_parents, std::size_t k, int n_threads) {
    require_threads(n_threads);
    require(n_parents >= 1 && k >= 1, "n_parents and k must be at least 1");
    auto parent = new_array<std::int64_t>(count), neighbor = new_array<std::int64_t>(count);
    auto gap = new_array<double>(count);
    {
        nb::gil_scoped_release nogil;
        draw(seed, n_parents, k, span(parent), span(neighbor), span(gap), n_threads);
    }
    return std::tuple(parent, neighbor, gap);
}

template <class T>
auto py_interpolate(In2<T> X, In1<std::int64_t> from, In1<std::int64_t> to, In1<double> gap, int n_threads) {
    require_threads(n_threads);
    require(from.shape(0) == to.shape(0) && from.shape(0) == gap.shape(0), "start, end and gap differ in length");
    require_rows(span(from), X.shape(0), "start must be rows of X");
    require_rows(span(to), X.shape(0), "end must be rows of X");
    auto out = new_array<T>(X.shape(0) + from.shape(0), X.shape(1));
    {
        nb::gil_scoped_release nogil;
        interpolate(view(X), span(from), span(to), span(gap), view(out), n_threads);
    }
    return out;
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("interpolate", &py_interpolate<T>, "X"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "gap"_a.noconvert(), nb::kw_only(), "n_threads"_a,
          "-> the rows of X, then X[start[i]] + gap[i] (X[end[i]] - X[start[i]]) for each i.");
}

}  // namespace

void bind(nb::module_& m) {
    m.def("draw", &py_draw, "seed"_a, "count"_a, "n_parents"_a, "k"_a, nb::kw_only(), "n_threads"_a,
          "-> (parent below n_parents, neighbour below k, gap in [0, 1)) of `count` synthetic rows.");
    bind_dtype<double>(m), bind_dtype<float>(m);
}

}  // namespace lanatus::imbalance
