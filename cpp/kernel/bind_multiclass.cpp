#include <algorithm>

#include "core/ndarray.hpp"
#include "kernel/multiclass.hpp"

namespace lanatus::kernel {
using namespace nb::literals;

namespace {

Margins margins_named(const std::string& name) {
    if (name == "crammer-singer") return Margins::relative_shared;
    if (name == "weston-watkins") return Margins::relative;
    require(name == "lee-lin-wahba", "margins must be crammer-singer, weston-watkins or lee-lin-wahba");
    return Margins::absolute;
}

template <class T>
std::size_t py_multiclass(In2<T> K, InOut2<double> a, InOut2<double> f, In1<std::int32_t> y, In1<double> cap,
                          const std::string& margins, double tol, std::size_t max_sweeps) {
    const std::size_t m = K.shape(0), k = f.shape(1);
    require(K.shape(1) == m, "K must be square");
    require(a.shape(0) == m && f.shape(0) == m && a.shape(1) == k && y.shape(0) == m && cap.shape(0) == m,
            "a, f, y and cap must have a row for each of K");
    const auto labels = span(y);
    require(std::all_of(labels.begin(), labels.end(),
                        [&](std::int32_t label) { return label >= 0 && static_cast<std::size_t>(label) < k; }),
            "a label is beyond the classes");
    const Margins how = margins_named(margins);
    nb::gil_scoped_release nogil;
    return multiclass(view(K), {view(a), view(f), labels, span(cap)}, how, tol, max_sweeps);
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("multiclass", &py_multiclass<T>, "K"_a.noconvert(), "a"_a.noconvert(), "f"_a.noconvert(), "y"_a.noconvert(),
          "cap"_a.noconvert(), nb::kw_only(), "margins"_a, "tol"_a, "max_sweeps"_a,
          "-> rows solved; multipliers a (m, k) and values f (m, k) are moved towards the largest dual.");
}

}  // namespace

void bind_multiclass(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::kernel
