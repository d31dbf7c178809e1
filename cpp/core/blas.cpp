#include "core/blas.hpp"

#include <nanobind/nanobind.h>

namespace lanatus {

namespace nb = nanobind;

namespace {

// A cython_blas entry is a capsule named by its C signature.
template <class Function>
void take(const nb::object& entries, const char* name, Function*& pointer) {
    const nb::object capsule = entries[name];
    void* address = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
    if (!address) throw nb::python_error();
    pointer = reinterpret_cast<Function*>(address);
}

}  // namespace

void load_blas() {
    static bool loaded = false;  // guarded by the GIL
    if (loaded) return;
    const nb::object entries = nb::module_::import_("scipy.linalg.cython_blas").attr("__pyx_capi__");
    take(entries, "sgemm", blas::table<float>.gemm);
    take(entries, "dgemm", blas::table<double>.gemm);
    take(entries, "sgemv", blas::table<float>.gemv);
    take(entries, "dgemv", blas::table<double>.gemv);
    take(entries, "ssyrk", blas::table<float>.syrk);
    take(entries, "dsyrk", blas::table<double>.syrk);
    loaded = true;
}

}  // namespace lanatus
