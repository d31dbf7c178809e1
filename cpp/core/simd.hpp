// One portable build, the machine's own vectors. Two doors:
//
// LANATUS_CLONES   before a static, non-template function whose loops the compiler vectorises by itself. The function is
//                  compiled for AVX2 and AVX-512 as well and the loader picks. Helpers it calls must be LANATUS_INLINE;
//                  lambdas and OpenMP bodies are not cloned, so a parallel loop calls a cloned function on a block.
// core/foreach_isa.hpp  for code written with vector types: compiles a file once per instruction set.
//
// Elsewhere than GCC on x86-64 Linux, and under sanitizers, both mean "the compiler's own target".
#pragma once

#define LANATUS_INLINE inline __attribute__((always_inline))

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__ELF__) && !defined(LANATUS_SANITIZE)
#define LANATUS_MULTI_ISA 1
#define LANATUS_CLONES __attribute__((target_clones("arch=x86-64-v3", "arch=x86-64-v4", "default")))
#else
#define LANATUS_MULTI_ISA 0
#define LANATUS_CLONES
#endif

namespace lanatus {

enum class Isa { baseline, avx2, avx512 };

// The best of the compiled instruction sets that this machine has.
inline Isa machine_isa() noexcept {
#if LANATUS_MULTI_ISA
    static const Isa found = [] {
        __builtin_cpu_init();
        if (__builtin_cpu_supports("x86-64-v4")) return Isa::avx512;
        if (__builtin_cpu_supports("x86-64-v3")) return Isa::avx2;
        return Isa::baseline;
    }();
    return found;
#else
    return Isa::baseline;
#endif
}

}  // namespace lanatus
