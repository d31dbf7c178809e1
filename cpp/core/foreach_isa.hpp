// Includes the file LANATUS_FOREACH_FILE once per instruction set, with LANATUS_ISA naming the namespace to fill
// and LANATUS_VECTOR_BYTES the vectors to use:
// isa_base always, isa_v3 (AVX2, FMA) and isa_v4 (AVX-512) where core/simd.hpp allows. Standard headers must have been
// included before, so that nothing shared is compiled for a newer machine. Pick with LANATUS_DISPATCH.
#ifndef LANATUS_FOREACH_FILE
#error "define LANATUS_FOREACH_FILE first"
#endif

#define LANATUS_ISA isa_base
#define LANATUS_VECTOR_BYTES 16
#include LANATUS_FOREACH_FILE
#undef LANATUS_ISA
#undef LANATUS_VECTOR_BYTES

#if LANATUS_MULTI_ISA
#define LANATUS_VECTOR_BYTES 32  // on AVX-512 too: twice the registers, and no drop in clock
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define LANATUS_ISA isa_v3
#include LANATUS_FOREACH_FILE
#undef LANATUS_ISA
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#define LANATUS_ISA isa_v4
#include LANATUS_FOREACH_FILE
#undef LANATUS_ISA
#pragma GCC pop_options
#undef LANATUS_VECTOR_BYTES

#define LANATUS_DISPATCH(function, ...)                                        \
    do {                                                                       \
        switch (::lanatus::machine_isa()) {                                    \
            case ::lanatus::Isa::avx512: isa_v4::function(__VA_ARGS__); break; \
            case ::lanatus::Isa::avx2: isa_v3::function(__VA_ARGS__); break;   \
            default: isa_base::function(__VA_ARGS__);                          \
        }                                                                      \
    } while (false)
#else
#define LANATUS_DISPATCH(function, ...) isa_base::function(__VA_ARGS__)
#endif

#undef LANATUS_FOREACH_FILE
