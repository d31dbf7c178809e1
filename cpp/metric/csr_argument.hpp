// Compressed rows as they come from Python, checked.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/ndarray.hpp"
#include "metric/sq_csr.hpp"

namespace lanatus::metric {

// Checks what would read out of bounds.
template <class T>
CsrRows<T> csr(const In1<T>& data, const In1<std::int32_t>& columns, const In1<std::int32_t>& indptr, std::size_t n_cols) {
    require(indptr.shape(0) >= 1 && indptr(0) == 0, "indptr must start with 0");
    require(data.shape(0) == columns.shape(0), "data and indices differ in length");
    const std::size_t n = indptr.shape(0) - 1;
    for (std::size_t i = 0; i < n; ++i) require(indptr(i) <= indptr(i + 1), "indptr must not decrease");
    require(static_cast<std::size_t>(indptr(n)) <= data.shape(0), "indptr points past the end of data");
    for (const std::int32_t j : span(columns))
        require(j >= 0 && static_cast<std::size_t>(j) < n_cols, "indices hold a column outside [0, n_cols)");
    return {data.data(), columns.data(), indptr.data(), n, n_cols};
}
}  // namespace lanatus::metric
