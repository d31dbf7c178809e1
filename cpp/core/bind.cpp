#include <nanobind/stl/optional.h>
#include <omp.h>

#include <limits>
#include <optional>

#include "core/blas.hpp"
#include "core/finite.hpp"
#include "core/ndarray.hpp"
#include "core/random.hpp"

namespace lanatus::core {
using namespace nb::literals;

namespace {

const char* isa_name() {
    switch (machine_isa()) {
        case Isa::avx512: return "avx512";
        case Isa::avx2: return "avx2";
        default: return "baseline";
    }
}

template <class T, class Draw>
Out1<T> draw(std::uint64_t start, std::size_t n, int n_threads, const Draw& element) {
    require_threads(n_threads);
    auto out = new_array<T>(n);
    T* data = out.data();
    nb::gil_scoped_release nogil;
    parallel_chunks(Chunks::of(n, 16384), n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) data[i] = element(start + i);
    });
    return out;
}

auto py_uniform(std::uint64_t seed, std::uint64_t start, std::size_t n, int n_threads) {
    return draw<double>(start, n, n_threads, [r = Philox(seed)](std::uint64_t i) { return r.uniform(i); });
}
auto py_normal(std::uint64_t seed, std::uint64_t start, std::size_t n, int n_threads) {
    return draw<double>(start, n, n_threads, [r = Philox(seed)](std::uint64_t i) { return r.normal(i); });
}
auto py_integers(std::uint64_t seed, std::uint64_t start, std::size_t n, std::uint64_t high, int n_threads) {
    require(high >= 1, "high must be at least 1");
    require(high <= std::uint64_t{1} << 63, "high must be at most 2**63");
    return draw<std::int64_t>(start, n, n_threads, [r = Philox(seed), high](std::uint64_t i) {
        return static_cast<std::int64_t>(r.below(i, high));
    });
}
auto py_block(std::uint64_t seed, std::uint64_t index, std::uint64_t stream) {
    const PhiloxBlock b = Philox(seed, stream).block(index);
    return std::tuple(b[0], b[1], b[2], b[3]);
}

template <class T>
Out2<T> py_gemm(In2<T> A, In2<T> B) {
    require(A.shape(1) == B.shape(0), "A and B do not fit: columns of A must equal rows of B");
    load_blas();
    auto C = new_array<T>(A.shape(0), B.shape(1));
    nb::gil_scoped_release nogil;
    blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, view(A), view(B), T{0}, view(C));
    return C;
}

template <class T, class Array>
bool py_all_finite(Array x, bool allow_nan, std::optional<T> limit, int n_threads) {
    require_threads(n_threads);
    constexpr T largest = std::numeric_limits<T>::max();
    const T within = limit.value_or(largest);
    require(within >= 0 && within <= largest, "limit must be a finite number from 0 on");
    nb::gil_scoped_release nogil;
    return all_within<T>({x.data(), x.size()}, within, allow_nan, n_threads);
}

template <class T>
void bind_dtype(nb::module_& m) {
    m.def("gemm", &py_gemm<T>, "A"_a.noconvert(), "B"_a.noconvert(), "The matrix product, by SciPy's BLAS.");
    m.def("all_finite", &py_all_finite<T, In2<T>>, "X"_a.noconvert(), nb::kw_only(), "allow_nan"_a,
          "limit"_a = nb::none(), "n_threads"_a,
          "True if no entry is infinite nor, unless allowed, NaN, nor, where a limit is given, larger than that.");
    m.def("all_finite", &py_all_finite<T, In1<T>>, "X"_a.noconvert(), nb::kw_only(), "allow_nan"_a,
          "limit"_a = nb::none(), "n_threads"_a);
}

}  // namespace

void bind(nb::module_& m) {
    m.def("max_threads", [] { return omp_get_max_threads(); }, "Threads OpenMP would use now.");
    m.def("isa", &isa_name, "Instruction set of the hot loops here: 'baseline', 'avx2' or 'avx512'.");
    m.def("philox_uniform", &py_uniform, "seed"_a, "start"_a, "n"_a, nb::kw_only(), "n_threads"_a = 1,
          "Elements start .. start+n of the uniform [0, 1) stream of seed.");
    m.def("philox_normal", &py_normal, "seed"_a, "start"_a, "n"_a, nb::kw_only(), "n_threads"_a = 1,
          "Elements start .. start+n of the standard normal stream of seed.");
    m.def("philox_integers", &py_integers, "seed"_a, "start"_a, "n"_a, "high"_a, nb::kw_only(), "n_threads"_a = 1,
          "Elements start .. start+n of the stream of integers in [0, high) of seed.");
    m.def("philox_block", &py_block, "seed"_a, "index"_a, "stream"_a,
          "Philox4x32-10 itself: the four words for key seed and counter (index, stream).");
    bind_dtype<double>(m), bind_dtype<float>(m);
}

}  // namespace lanatus::core
