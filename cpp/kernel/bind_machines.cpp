#include <algorithm>

#include "core/ndarray.hpp"
#include "kernel/machines.hpp"

namespace lanatus::kernel {
using namespace nb::literals;

namespace {

void require_rows(const MachineRows& of, std::size_t n) {
    const auto length = static_cast<std::int64_t>(of.place.size());
    require(!of.start.empty() && of.start.front() == 0 && of.start.back() == length &&
                std::is_sorted(of.start.begin(), of.start.end()),
            "start must rise from 0 to the number of places");
    require(of.sign.size() == of.place.size() && of.cap.size() == of.place.size() &&
                (of.fold.empty() || of.fold.size() == of.place.size()),
            "place, sign, cap and fold must be of one length");
    require(std::all_of(of.place.begin(), of.place.end(),
                        [&](std::int32_t i) { return i >= 0 && static_cast<std::size_t>(i) < n; }),
            "a place is beyond X");
    require(std::all_of(of.fold.begin(), of.fold.end(),
                        [&](std::int32_t f) { return f >= 0 && static_cast<std::size_t>(f) < of.n_folds; }),
            "a fold is beyond n_folds");
    require(std::all_of(of.cap.begin(), of.cap.end(), [](double c) { return c >= 0; }), "caps must not be negative");
}

template <class T>
auto py_machines(In2<T> X, In1<std::int64_t> start, In1<std::int32_t> place, In1<double> sign, In1<double> cap,
                 InOut1<double> beta, In1<std::int32_t> fold, std::size_t n_folds, double gamma, double tol,
                 std::size_t max_pairs, int n_threads) {
    require_threads(n_threads);
    require(gamma >= 0, "gamma must not be negative");
    require(beta.shape(0) == place.shape(0), "beta must be as long as place");
    const MachineRows of{span(start), span(place), span(sign), span(cap), span(fold), n_folds};
    require_rows(of, X.shape(0));
    auto unseen = new_array<double>(of.fold.size());
    auto offset = new_array<double>(of.start.size() - 1);
    auto pairs = new_array<std::int64_t>(of.start.size() - 1);
    {
        nb::gil_scoped_release nogil;
        machines(view(X), gamma, of, tol, max_pairs, {span(beta), span(unseen), span(offset), span(pairs)}, n_threads);
    }
    return std::tuple(offset, pairs, unseen);
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("machines", &py_machines<T>, "X"_a.noconvert(), "start"_a.noconvert(), "place"_a.noconvert(),
          "sign"_a.noconvert(), "cap"_a.noconvert(), "beta"_a.noconvert(), "fold"_a.noconvert(), nb::kw_only(),
          "n_folds"_a, "gamma"_a, "tol"_a, "max_pairs"_a, "n_threads"_a,
          "-> offsets, pairs taken, values of rows by machines without their fold; beta (0 at first, or near) is "
          "solved.");
}

}  // namespace

void bind_machines(nb::module_& m) { bind_dtype<double>(m), bind_dtype<float>(m); }

}  // namespace lanatus::kernel
