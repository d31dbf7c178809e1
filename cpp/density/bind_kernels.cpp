#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace lanatus::density {

void bind_kernels(nb::module_&) {}

}  // namespace lanatus::density
