#include "density/mixture_leaf.hpp"

#include <type_traits>

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "density/mixture_leaf.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::density {

void mixture_rows(const MixtureTask<float>& task, std::size_t begin, std::size_t end, MixtureSums& out) {
    LANATUS_DISPATCH(mixture_rows_of<float>, task, begin, end, out);
}
void mixture_rows(const MixtureTask<double>& task, std::size_t begin, std::size_t end, MixtureSums& out) {
    LANATUS_DISPATCH(mixture_rows_of<double>, task, begin, end, out);
}

}  // namespace lanatus::density
