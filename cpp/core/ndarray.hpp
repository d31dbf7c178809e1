// NumPy arrays in and out of the kernels: the only nanobind helper. Arrays are C-contiguous, of the exact type, on the CPU.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/matrix.hpp"

namespace lanatus {

namespace nb = nanobind;

template <class T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut1 = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out1 = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <class T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;
using Weights = std::optional<In1<double>>;
using InAny2 = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // of any type

// Throws ValueError.
inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}
inline void require_threads(int n_threads) { require(n_threads >= 1, "n_threads must be at least 1"); }

// Arrays cut out of a message or a file may begin anywhere; reading them as numbers would be undefined.
template <class Array>
void require_aligned(const Array& a) {
    require(reinterpret_cast<std::uintptr_t>(a.data()) % alignof(typename Array::Scalar) == 0,
            "the array's memory is not aligned to its type; copy it first");
}

template <class T, class... Tags>
MatrixView<T> view(const nb::ndarray<T, nb::ndim<2>, Tags...>& a) {
    require_aligned(a);
    return {a.data(), a.shape(0), a.shape(1)};
}
template <class T, class... Tags>
MatrixView<T> view(const nb::ndarray<nb::numpy, T, nb::ndim<2>, Tags...>& a) {
    return {a.data(), a.shape(0), a.shape(1)};
}
template <class T, class... Tags>
std::span<T> span(const nb::ndarray<T, nb::ndim<1>, Tags...>& a) {
    require_aligned(a);
    return {a.data(), a.shape(0)};
}
template <class T, class... Tags>
std::span<T> span(const nb::ndarray<nb::numpy, T, nb::ndim<1>, Tags...>& a) {
    return {a.data(), a.shape(0)};
}
// Sample weights: an empty span when absent.
inline std::span<const double> span(const Weights& w) {
    if (w) require_aligned(*w);
    return w ? std::span<const double>{w->data(), w->shape(0)} : std::span<const double>{};
}
inline void require_weights(const Weights& w, std::size_t n) {
    require(!w || w->shape(0) == n, "w and X differ in number of samples");
}

namespace detail {
template <class T>
nb::capsule owner_of(T* data) {
    return nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
}
}  // namespace detail

// New NumPy arrays, uninitialised; the array owns its memory.
template <class T>
Out1<T> new_array(std::size_t n) {
    T* data = new T[n];
    return Out1<T>(data, {n}, detail::owner_of(data));
}
template <class T>
Out2<T> new_array(std::size_t rows, std::size_t cols) {
    T* data = new T[rows * cols];
    return Out2<T>(data, {rows, cols}, detail::owner_of(data));
}

// One binding for the instances of a template that differ in the type of their first argument alone: by_dtype<f<A>, f<B>>
// looks at the matrix. A binding takes longer to compile than most kernels, so that one for each type is to be avoided.
template <auto first, auto... rest>
struct ByDtype;
template <class Result, class T, class... Args, Result (*first)(In2<T>, Args...), auto... rest>
struct ByDtype<first, rest...> {
    static Result call(InAny2 X, Args... args) {
        if (X.dtype() == nb::dtype<T>()) return first(In2<T>(X), std::move(args)...);
        if constexpr (sizeof...(rest) > 0) return ByDtype<rest...>::call(std::move(X), std::move(args)...);
        else throw nb::type_error("there is no kernel for the type of X");
    }
};
template <auto... functions>
constexpr auto by_dtype = &ByDtype<functions...>::call;

}  // namespace lanatus
