// Non-owning views of row-major tables, dense and compressed by rows, and an aligned buffer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace lanatus {

template <class T>
struct MatrixView {
    T* data = nullptr;
    std::size_t rows = 0, cols = 0;

    T* row(std::size_t i) const noexcept { return data + i * cols; }
    std::size_t size() const noexcept { return rows * cols; }
    operator MatrixView<const T>() const noexcept
        requires(!std::is_const_v<T>)
    {
        return {data, rows, cols};
    }
};

// Row i holds values[indptr[i] .. indptr[i+1]) at columns indices[...]. Indices are int32: intake gives no others.
template <class T, class I = std::int32_t>
struct CsrView {
    const T* values = nullptr;
    const I* indices = nullptr;
    const I* indptr = nullptr;
    std::size_t rows = 0, cols = 0;

    struct Row {
        std::span<const T> values;
        std::span<const I> columns;
    };
    Row row(std::size_t i) const noexcept {
        const auto start = static_cast<std::size_t>(indptr[i]), stop = static_cast<std::size_t>(indptr[i + 1]);
        return {{values + start, stop - start}, {indices + start, stop - start}};
    }
};

// Uninitialised memory for trivial types, aligned to a cache line.
template <class T>
class Buffer {
  public:
    explicit Buffer(std::size_t size = 0) : data_(allocate(size)), size_(size) {}
    T* data() const noexcept { return data_.get(); }
    std::size_t size() const noexcept { return size_; }
    T& operator[](std::size_t i) const noexcept { return data_[i]; }

  private:
    struct Free {
        void operator()(T* p) const noexcept { std::free(p); }
    };
    static T* allocate(std::size_t size) {
        if (size == 0) return nullptr;
        const std::size_t bytes = (size * sizeof(T) + 63) / 64 * 64;
        if (void* p = std::aligned_alloc(64, bytes)) return static_cast<T*>(p);
        throw std::bad_alloc();
    }
    std::unique_ptr<T[], Free> data_;
    std::size_t size_;
};

}  // namespace lanatus
