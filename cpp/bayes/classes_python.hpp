// Class codes at the door of the kernels, and scores on their way out.
#pragma once
#include <algorithm>

#include "bayes/counts.hpp"
#include "core/ndarray.hpp"

namespace lanatus::bayes {

// Negative codes are rows to leave out.
inline void require_classes(std::span<const std::int32_t> y, std::size_t rows, std::size_t n_classes) {
    require(y.size() == rows, "y and X differ in number of samples");
    require(n_classes >= 1 && n_classes <= 0x7fffffff, "n_classes must be at least 1 and fit in int32");
    require(
        std::all_of(y.begin(), y.end(), [k = static_cast<std::int64_t>(n_classes)](std::int32_t c) { return c < k; }),
        "y holds a class code that is not below n_classes");
}

// A taker of scores that keeps them, and one that keeps the best class. The kernels' loops know them by type: scores that
// went through memory first cost predictions a fifth more.
inline auto keeping(const Out2<double>& out) {
    return
        [to = out.data(), k = out.shape(1)](std::size_t i, const double* score) { std::copy_n(score, k, to + i * k); };
}
inline auto picking(const Out1<std::int32_t>& out, std::size_t k, std::int32_t otherwise) {
    return [to = out.data(), k, otherwise](std::size_t i, const double* score) {
        to[i] = detail::best_of(score, k, otherwise);
    };
}

}  // namespace lanatus::bayes
