// Vectors and tiles of an instruction set: AVX-512 has 32 registers of 64 bytes, worth their clock in matrix products.
#define LANATUS_NEURAL_JOIN_(a, b) a##b
#define LANATUS_NEURAL_JOIN(a, b) LANATUS_NEURAL_JOIN_(a, b)
#define LANATUS_NEURAL_WIDE_isa_base 0
#define LANATUS_NEURAL_WIDE_isa_v3 1
#define LANATUS_NEURAL_WIDE_isa_v4 2
#if LANATUS_NEURAL_JOIN(LANATUS_NEURAL_WIDE_, LANATUS_ISA) == 2
#define LANATUS_NEURAL_BYTES 64
#define LANATUS_NEURAL_ROWS 8
#elif LANATUS_NEURAL_JOIN(LANATUS_NEURAL_WIDE_, LANATUS_ISA) == 1
#define LANATUS_NEURAL_BYTES 32
#define LANATUS_NEURAL_ROWS 6
#else
#define LANATUS_NEURAL_BYTES 16
#define LANATUS_NEURAL_ROWS 6
#endif
#undef LANATUS_NEURAL_JOIN_
#undef LANATUS_NEURAL_JOIN
#undef LANATUS_NEURAL_WIDE_isa_base
#undef LANATUS_NEURAL_WIDE_isa_v3
#undef LANATUS_NEURAL_WIDE_isa_v4
