#include "neighbors/leaf.hpp"

#include "core/simd.hpp"

#define LANATUS_FOREACH_FILE "neighbors/leaf.inl"
#include "core/foreach_isa.hpp"

namespace lanatus::neighbors {

template <class T>
void screen_nearest(const Screen<T>& screen, const Queries<T>& queries, std::size_t begin, std::size_t end,
                    const Neighbors<T>& out) {
    LANATUS_DISPATCH(screen_nearest_of<T>, screen, queries, begin, end, out);
}
template <class T>
void screen_within(const Screen<T>& screen, const Queries<T>& queries, const Radii& radii, std::size_t begin,
                   std::size_t end, FoundWithin& out) {
    LANATUS_DISPATCH(screen_within_of<T>, screen, queries, radii, begin, end, out);
}

#define LANATUS_INSTANTIATE(T)                                                                                        \
    template void screen_nearest(const Screen<T>&, const Queries<T>&, std::size_t, std::size_t, const Neighbors<T>&); \
    template void screen_within(const Screen<T>&, const Queries<T>&, const Radii&, std::size_t, std::size_t,          \
                                FoundWithin&);

LANATUS_INSTANTIATE(float)
LANATUS_INSTANTIATE(double)

}  // namespace lanatus::neighbors
