#!/bin/sh
# Checks what must be on the machine before `make` can build: Python 3.11+ with venv, a C++20 compiler, Python's headers.
# Says what to install where something is missing, and exits 1.
set -u
python=${PYTHON:-python3}
missing=0

lack() { # what, then the packages for Debian, Fedora, Arch, macOS
    missing=1
    printf '%s\n' "missing: $1" \
        "  Debian/Ubuntu  sudo apt-get install -y $2" \
        "  Fedora         sudo dnf install -y $3" \
        "  Arch           sudo pacman -S --needed $4" \
        "  macOS          $5" >&2
}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    lack "Python 3.11 or newer as $python (or: make PYTHON=/path/to/python3.11)" \
        "python3 python3-venv python3-dev" "python3 python3-devel" "python" "brew install python"
    exit 1
fi
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')

"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    lack "the venv module of $python" "python$version-venv" "python3" "python" "brew install python"

"$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
    lack "the headers of $python (Python.h)" "python$version-dev" "python3-devel" "python" "brew install python"

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/probe.cpp" <<'CODE'
#include <concepts>
#include <span>
template <std::floating_point T> T first(std::span<const T> x) { return x[0]; }
typedef float Four __attribute__((vector_size(16)));
Four turn(Four x) { return __builtin_shufflevector(x, x, 1, 2, 3, 0); }
int main() {
    const double x[] = {0.0};
    double sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 2; ++i) sum += first<double>(x);
    return static_cast<int>(sum);
}
CODE
compiler=${CXX:-c++}
command -v "$compiler" >/dev/null 2>&1 || compiler=g++
if ! command -v "$compiler" >/dev/null 2>&1; then
    lack "a C++ compiler" "g++" "gcc-c++" "gcc" "xcode-select --install && brew install libomp"
elif ! "$compiler" -std=c++20 -c "$folder/probe.cpp" -o "$folder/probe.o" 2>/dev/null; then
    lack "a compiler for C++20 ($compiler is too old: g++ 12 or clang 15)" "g++-12" "gcc-c++" "gcc" "brew install gcc"
elif [ "$(uname)" != Darwin ] && ! "$compiler" -std=c++20 -fopenmp "$folder/probe.cpp" -o "$folder/probe" 2>/dev/null; then
    lack "OpenMP for $compiler" "libomp-dev" "libomp-devel" "openmp" "brew install libomp"
fi
exit $missing
