// Sparse matrices as arguments. Python makes one of SciPy's matrix by core.csr(X) or core.csc(X): there its structure is
// checked, once for however many kernels it is then given to. A kernel takes `const Csr<T>&` and reads `X.view()` without
// looking again. The arrays are SciPy's own, kept alive, not copied: whoever changes them in place breaks the promise.
// Indices are int32, as intake gives them.
#pragma once
#include <cstdint>
#include <string>

#include "core/ndarray.hpp"

namespace lanatus {

namespace detail {
// Lines are the rows of CSR and the columns of CSC, `across` how long they are.
struct Compression {
    const char *name, *line, *entry;  // what an error calls them
    std::size_t lines, across;
};
// ValueError unless the lengths fit together and indptr begins at 0 and ends at the number of values: what takes no time.
template <class I>
void require_lengths(const Compression& shape, std::span<const I> indptr, std::span<const I> indices,
                     std::size_t n_values);
// ValueError unless indptr rises from 0 to the number of values in lines + 1 steps and all indices are in [0, across).
template <class I>  // int32 or int64
void require_compressed(const Compression& shape, std::span<const I> indptr, std::span<const I> indices,
                        std::size_t n_values);
}  // namespace detail

template <class T>
class Compressed {
  public:
    // `sound`: that these very arrays were looked at as they came in, so that only their lengths are looked at again.
    Compressed(const detail::Compression& shape, In1<T> values, In1<std::int32_t> indices, In1<std::int32_t> indptr,
               bool sound)
        : values_(values), indices_(indices), indptr_(indptr),
          view_{span(values).data(), span(indices).data(), span(indptr).data(), shape.lines, shape.across} {
        if (sound) detail::require_lengths(shape, span(indptr), span(indices), values.shape(0));
        else detail::require_compressed(shape, span(indptr), span(indices), values.shape(0));
    }
    CsrView<T> view() const noexcept { return view_; }

  private:
    In1<T> values_;
    In1<std::int32_t> indices_, indptr_;
    CsrView<T> view_;
};

template <class T>
struct Csr : Compressed<T> {
    using Compressed<T>::Compressed;
    std::size_t rows() const noexcept { return this->view().rows; }
    std::size_t cols() const noexcept { return this->view().cols; }
};

// Its view is that of the transposed matrix: row j of it is column j.
template <class T>
struct Csc : Compressed<T> {
    using Compressed<T>::Compressed;
    std::size_t rows() const noexcept { return this->view().cols; }
    std::size_t cols() const noexcept { return this->view().rows; }
};

}  // namespace lanatus
