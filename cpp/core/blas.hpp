// BLAS through the function pointers that SciPy exports (scipy.linalg.cython_blas), so that nothing is linked and the
// process keeps one BLAS. Row-major wrappers over the column-major Fortran calls: a row-major matrix is its transpose.
// load_blas() must have been called once with the GIL held (cheap when repeated).
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <stdexcept>

#include "core/matrix.hpp"

namespace lanatus {

void load_blas();  // blas.cpp

namespace blas {

template <class T>
struct Table {
    using Gemm = void(char*, char*, int*, int*, int*, T*, T*, int*, T*, int*, T*, T*, int*);
    using Gemv = void(char*, int*, int*, T*, T*, int*, T*, int*, T*, T*, int*);
    using Syrk = void(char*, char*, int*, int*, T*, T*, int*, T*, T*, int*);
    Gemm* gemm = nullptr;
    Gemv* gemv = nullptr;
    Syrk* syrk = nullptr;
};
template <class T>
inline Table<T> table;

inline int size(std::size_t n) {
    if (n > static_cast<std::size_t>(std::numeric_limits<int>::max())) throw std::length_error("too large for BLAS");
    return static_cast<int>(n);
}

enum class Op : char { none = 'N', transpose = 'T' };

// C <- alpha op(A) op(B) + beta C
template <std::floating_point T>
void gemm(Op op_a, Op op_b, T alpha, MatrixView<const T> A, MatrixView<const T> B, T beta, MatrixView<T> C) {
    char ta = static_cast<char>(op_a), tb = static_cast<char>(op_b);
    int m = size(C.rows), n = size(C.cols), k = size(op_a == Op::none ? A.cols : A.rows);
    int lda = std::max(size(A.cols), 1), ldb = std::max(size(B.cols), 1), ldc = std::max(n, 1);
    if (m == 0 || n == 0) return;
    table<T>.gemm(&tb, &ta, &n, &m, &k, &alpha, const_cast<T*>(B.data), &ldb, const_cast<T*>(A.data), &lda, &beta,
                  C.data, &ldc);
}

// y <- alpha op(A) x + beta y
template <std::floating_point T>
void gemv(Op op_a, T alpha, MatrixView<const T> A, const T* x, T beta, T* y) {
    char flipped = op_a == Op::none ? 'T' : 'N';
    int rows = size(A.rows), cols = size(A.cols), lda = std::max(cols, 1), one = 1;
    table<T>.gemv(&flipped, &cols, &rows, &alpha, const_cast<T*>(A.data), &lda, const_cast<T*>(x), &one, &beta, y,
                  &one);
}

// Upper triangle of C <- alpha A'A + beta C  (op none: A A')
template <std::floating_point T>
void syrk(Op op_a, T alpha, MatrixView<const T> A, T beta, MatrixView<T> C) {
    char lower = 'L', flipped = op_a == Op::none ? 'T' : 'N';
    int n = size(C.rows), k = size(op_a == Op::none ? A.cols : A.rows);
    int lda = std::max(size(A.cols), 1), ldc = std::max(n, 1);
    if (n == 0) return;
    table<T>.syrk(&lower, &flipped, &n, &k, &alpha, const_cast<T*>(A.data), &lda, &beta, C.data, &ldc);
}

}  // namespace blas
}  // namespace lanatus
