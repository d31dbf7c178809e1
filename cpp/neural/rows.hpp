// Rows as a network reads them: numbers, dense or sparse, scaled on the way in, indicators of holes, codes of nominal values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "neural/leaf.hpp"

namespace lanatus::neural {

// One of `floats`, `doubles`, `sparse_floats` and `sparse_doubles` holds the numbers. shift and scale (d) may be null; of
// sparse rows there is no shift. `holes` are the columns whose NaN are told by an indicator after the numbers.
struct Rows {
    std::size_t n = 0, d = 0, n_codes = 0;
    const float* floats = nullptr;
    const double* doubles = nullptr;
    const CsrView<float>* sparse_floats = nullptr;
    const CsrView<double>* sparse_doubles = nullptr;
    const double *shift = nullptr, *scale = nullptr;
    std::span<const std::int32_t> holes;
    const std::int32_t* codes = nullptr;  // (n, n_codes); negative: missing

    bool squash = false;

    bool is_sparse() const noexcept { return sparse_floats != nullptr || sparse_doubles != nullptr; }
    std::size_t width() const noexcept { return d + holes.size(); }

    template <class T>
    void read(std::size_t i, T* row) const {
        if (floats != nullptr) read_dense(floats + i * d, row);
        else if (doubles != nullptr) read_dense(doubles + i * d, row);
    }
    // each(column, value) for the entries of a sparse row
    template <class Each>
    void entries(std::size_t i, const Each& each) const {
        if (sparse_floats != nullptr) entries_of(*sparse_floats, i, each);
        else entries_of(*sparse_doubles, i, each);
    }

  private:
    template <class S, class T>
    void read_dense(const S* x, T* row) const {
        scale_row(x, shift, scale, d, squash, row);
        for (std::size_t h = 0; h < holes.size(); ++h) {
            const S value = x[static_cast<std::size_t>(holes[h])];
            row[d + h] = value == value ? T{0} : T{1};
        }
    }
    template <class S, class Each>
    void entries_of(const CsrView<S>& X, std::size_t i, const Each& each) const {
        const auto row = X.row(i);
        for (std::size_t p = 0; p < row.values.size(); ++p) {
            const auto j = static_cast<std::size_t>(row.columns[p]);
            const double value = static_cast<double>(row.values[p]);
            each(j, scale != nullptr ? value * scale[j] : value);
        }
    }
};

}  // namespace lanatus::neural
