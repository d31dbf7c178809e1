// What the register tile of squared distances (sq_tile.inl) works on: points packed for it, and its working memory.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/matrix.hpp"

namespace lanatus::metric {

constexpr std::size_t point_group = 4;   // points handled together in registers
constexpr std::size_t widest_tile = 24;  // most rows handled together, over all types and machines
constexpr std::size_t widest_panel = 256;

// Columns are taken in panels of nearly equal width, so that a tile of rows stays in the first cache.
struct Panels {
    std::size_t count = 1, width = 0;
    explicit Panels(std::size_t d) : count((d + widest_panel - 1) / widest_panel) {
        count = std::max<std::size_t>(count, 1);
        width = ((d + count - 1) / count + 3) / 4 * 4;
    }
};

// How distances of a row x and a point p are taken. All orders of points agree but for rounding.
//   direct    sum (x - p)^2: two operations a coordinate, exact at 0.
//   expanded  1/2 |p|^2 - x p, which is 1/2 (|x - p|^2 - |x|^2): one operation. x and p are first shifted by `offset`, near
//             the middle of the points, so that data far from the origin do not cancel.
//   dots      the same numbers, summed along the columns: for long rows, which then need not be transposed.
enum class Form { direct, expanded, dots };

// Points ready for the tile. direct and expanded: in groups of four (the last may be smaller), each group by columns,
// [j][c]. dots: row by row, padded with zeros to `stride`.
template <class T>
struct PackedRows {
    std::size_t n, d, stride;
    Form form;
    Buffer<T> values, start, offset;

    PackedRows(MatrixView<const T> rows, Form form_)
        : PackedRows(rows, form_, form_ == Form::direct ? no_offset(rows.cols) : middle_of(rows)) {}

    // offset: as long as the stride, zeros at the end
    PackedRows(MatrixView<const T> rows, Form form_, Buffer<T> offset_)
        : n(rows.rows), d(rows.cols), stride(padded(d)), form(form_), values(n * stride), start(n),
          offset(std::move(offset_)) {
        std::fill_n(values.data(), values.size(), T{0});
        for (std::size_t c = 0; c < n; ++c) {
            double norm = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const T value = static_cast<T>(rows.row(c)[j] - offset[j]);
                values[place(c, j)] = value;
                norm += static_cast<double>(value) * static_cast<double>(value);
            }
            start[c] = form == Form::direct ? T{0} : static_cast<T>(norm / 2);
        }
    }

    static Buffer<T> no_offset(std::size_t d) {
        Buffer<T> offset(padded(d));
        std::fill_n(offset.data(), offset.size(), T{0});
        return offset;
    }

  private:
    static std::size_t padded(std::size_t d) noexcept { return (d + 7) / 8 * 8; }
    static Buffer<T> middle_of(MatrixView<const T> rows) {
        Buffer<T> offset = no_offset(rows.cols);
        for (std::size_t j = 0; j < rows.cols; ++j) {
            double mean = 0;
            for (std::size_t c = 0; c < rows.rows; ++c) mean += static_cast<double>(rows.row(c)[j]);
            offset[j] = static_cast<T>(mean / static_cast<double>(rows.rows));
        }
        return offset;
    }
    std::size_t place(std::size_t c, std::size_t j) const noexcept {
        if (form == Form::dots) return c * stride + j;
        const std::size_t first = c / point_group * point_group, width = std::min(point_group, n - first);
        return first * d + j * width + (c - first);
    }
};

// Working memory of one thread.
template <class T>
struct TileSpace {
    Buffer<T> panel, scores;
    explicit TileSpace(const PackedRows<T>& points)
        : panel(points.form == Form::dots ? 0 : widest_tile * (Panels(points.d).width + 4)),
          scores(Panels(points.d).count > 1 || points.form == Form::dots ? points.n * widest_tile : 0) {}
};

}  // namespace lanatus::metric
