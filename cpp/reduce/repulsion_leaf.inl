// Included once per instruction set by repulsion_leaf.cpp (no include guard on purpose).
namespace lanatus::reduce::LANATUS_ISA {
namespace {

typedef float F __attribute__((vector_size(LANATUS_VECTOR_BYTES)));
constexpr std::size_t lanes = sizeof(F) / sizeof(float);
static_assert(push_group % lanes == 0);

LANATUS_INLINE F load(const float* p) {
    F v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
LANATUS_INLINE float total(F v) {
    float sum = 0;
    for (std::size_t l = 0; l < lanes; ++l) sum += v[l];
    return sum;
}

template <std::size_t D>
void pushes_in(const float* queries, std::size_t n_queries, const Pushing& list, float* sums) {
    constexpr std::size_t together = 4;  // queries that meet an entry of the list while it is in registers
    for (std::size_t first = 0; first < n_queries; first += together) {
        const std::size_t here = n_queries - first < together ? n_queries - first : together;
        F y[together][D], force[together][D] = {}, mass[together] = {};
        for (std::size_t r = 0; r < together; ++r)
            for (std::size_t k = 0; k < D; ++k) y[r][k] = F{} + queries[(first + (r < here ? r : 0)) * D + k];
        for (std::size_t i = 0; i < list.n; i += lanes) {
            F at[D];
            for (std::size_t k = 0; k < D; ++k) at[k] = load(list.at[k] + i);
            const F m = load(list.mass + i);
            for (std::size_t r = 0; r < together; ++r) {
                F gap[D], square = F{} + 1.0f;
                for (std::size_t k = 0; k < D; ++k) gap[k] = y[r][k] - at[k], square += gap[k] * gap[k];
                const F q = 1.0f / square, mq = m * q, mqq = mq * q;
                mass[r] += mq;
                for (std::size_t k = 0; k < D; ++k) force[r][k] += mqq * gap[k];
            }
        }
        for (std::size_t r = 0; r < here; ++r) {
            for (std::size_t k = 0; k < D; ++k) sums[(first + r) * (D + 1) + k] = total(force[r][k]);
            sums[(first + r) * (D + 1) + D] = total(mass[r]);
        }
    }
}

template <std::size_t D>
void pulls_in(const float* const* at, const float* y, const std::int32_t* neighbours, const float* p, std::size_t n,
              bool with_loss, float* pull, double& loss) {
    F force[D] = {};
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        F square = F{} + 1.0f, gap[D];
        for (std::size_t k = 0; k < D; ++k) {
            F there;
            for (std::size_t l = 0; l < lanes; ++l) there[l] = at[k][neighbours[i + l]];
            gap[k] = y[k] - there;
            square += gap[k] * gap[k];
        }
        const F pq = load(p + i) / square;
        for (std::size_t k = 0; k < D; ++k) force[k] += pq * gap[k];
        if (with_loss)
            for (std::size_t l = 0; l < lanes; ++l) loss += p[i + l] * std::log(static_cast<double>(square[l]));
    }
    for (std::size_t k = 0; k < D; ++k) pull[k] = total(force[k]);
    for (; i < n; ++i) {
        float square = 1, gap[D];
        for (std::size_t k = 0; k < D; ++k) gap[k] = y[k] - at[k][neighbours[i]], square += gap[k] * gap[k];
        const float pq = p[i] / square;
        for (std::size_t k = 0; k < D; ++k) pull[k] += pq * gap[k];
        if (with_loss) loss += p[i] * std::log(static_cast<double>(square));
    }
}

void pushes(std::size_t dims, const float* queries, std::size_t n_queries, const Pushing& list, float* sums) {
    switch (dims) {
        case 1: return pushes_in<1>(queries, n_queries, list, sums);
        case 2: return pushes_in<2>(queries, n_queries, list, sums);
        default: return pushes_in<3>(queries, n_queries, list, sums);
    }
}

void pulls(std::size_t dims, const float* const* at, const float* y, const std::int32_t* neighbours, const float* p,
           std::size_t n, bool with_loss, float* pull, double& loss) {
    switch (dims) {
        case 1: return pulls_in<1>(at, y, neighbours, p, n, with_loss, pull, loss);
        case 2: return pulls_in<2>(at, y, neighbours, p, n, with_loss, pull, loss);
        default: return pulls_in<3>(at, y, neighbours, p, n, with_loss, pull, loss);
    }
}

}  // namespace
}  // namespace lanatus::reduce::LANATUS_ISA
