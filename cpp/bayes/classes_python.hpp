// Class codes at the door of the kernels.
#pragma once
#include <algorithm>

#include "core/ndarray.hpp"

namespace lanatus::bayes {

// Negative codes are rows to leave out.
inline void require_classes(std::span<const std::int32_t> y, std::size_t rows, std::size_t n_classes) {
    require(y.size() == rows, "y and X differ in number of samples");
    require(n_classes >= 1 && n_classes <= 0x7fffffff, "n_classes must be at least 1 and fit in int32");
    require(std::all_of(y.begin(), y.end(), [k = static_cast<std::int64_t>(n_classes)](std::int32_t c) { return c < k; }),
            "y holds a class code that is not below n_classes");
}

}  // namespace lanatus::bayes
