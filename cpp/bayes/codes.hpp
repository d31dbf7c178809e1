// Columns of whole numbers as small codes, -1 for what is missing.
//
// survey   per column the least and the largest value that is not NaN, and how many are no whole number below 2^31 - 1.
// narrow   x where it is a code in [0, n_values_j), else -1, as int8, int16 or int32.
// Both read X once, row by row.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/matrix.hpp"
#include "core/parallel.hpp"

namespace lanatus::bayes {

template <class T>
struct Survey {
    std::vector<T> least, largest;
    std::vector<std::int64_t> unfit;

    Survey() = default;
    explicit Survey(std::size_t d)
        : least(d, std::numeric_limits<T>::max()), largest(d, std::numeric_limits<T>::lowest()), unfit(d) {}
};

template <class T>
Survey<T> survey(MatrixView<const T> X, int n_threads) {
    constexpr double limit = 2147483646.0;
    const std::size_t d = X.cols;
    const auto parts =
        parallel_parts<Survey<T>>(Chunks::of(X.rows, 4096), n_threads, [&](std::size_t begin, std::size_t end) {
            Survey<T> found(d);
            T* __restrict least = found.least.data();
            T* __restrict largest = found.largest.data();
            for (std::size_t i = begin; i < end; ++i) {
                const T* __restrict x = X.row(i);
                // A comparison with NaN is false, so that it changes nothing.
                for (std::size_t j = 0; j < d; ++j) {
                    least[j] = x[j] < least[j] ? x[j] : least[j];
                    largest[j] = x[j] > largest[j] ? x[j] : largest[j];
                }
                if constexpr (std::is_floating_point_v<T>)
                    for (std::size_t j = 0; j < d; ++j)
                        found.unfit[j] += x[j] == x[j] && (std::trunc(x[j]) != x[j] || double(x[j]) > limit);
            }
            if constexpr (std::is_integral_v<T> && sizeof(T) > 4)
                for (std::size_t j = 0; j < d; ++j)
                    found.unfit[j] += double(largest[j]) > limit && largest[j] >= least[j];
            return found;
        });
    Survey<T> total(d);
    for (const auto& part : parts)
        for (std::size_t j = 0; j < d; ++j) {
            total.least[j] = std::min(total.least[j], part.least[j]);
            total.largest[j] = std::max(total.largest[j], part.largest[j]);
            total.unfit[j] += part.unfit[j];
        }
    return total;
}

template <class Out, class T>
    requires(std::is_signed_v<T>)
void narrow(MatrixView<const T> X, std::span<const std::int64_t> n_values, MatrixView<Out> out, int n_threads) {
    const std::size_t d = X.cols;
    std::vector<T> limit(d);
    for (std::size_t j = 0; j < d; ++j) {
        const double most = static_cast<double>(std::numeric_limits<T>::max());
        const double last = static_cast<double>(n_values[j]) - 1;  // n_values - 1 fits where n_values may not
        limit[j] = last >= most ? std::numeric_limits<T>::max() : static_cast<T>(last);
    }
    parallel_chunks(Chunks::of(X.rows, 4096), n_threads, [&](std::size_t begin, std::size_t end) {
        const T* __restrict last = limit.data();
        for (std::size_t i = begin; i < end; ++i) {
            const T* __restrict x = X.row(i);
            Out* __restrict code = out.row(i);
            for (std::size_t j = 0; j < d; ++j)
                code[j] = x[j] >= 0 && x[j] <= last[j] ? static_cast<Out>(x[j]) : static_cast<Out>(-1);
        }
    });
}

}  // namespace lanatus::bayes
