# Everything runs in .venv, set up on first use. Stamps in it remember what is done, so nothing is done twice: editing
# C++ rebuilds the extension, editing pyproject.toml looks at the requirements again.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SANITIZED := .venv-sanitize
KERNELS := CMakeLists.txt $(shell find cpp -name '*.cpp' -o -name '*.hpp' -o -name '*.inl' -o -name '*.in')
PIP := -m pip install --quiet --disable-pip-version-check
REQUIRES := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], "cmake>=3.26", "ninja")
EXTRAS := test lint bench docs
DATA ?=
TARGET ?=
OUT ?=
SUITE ?=
TESTS ?= tests
CASES ?= 20000

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: run test bench lint docs sanitize fuzz doctor clean help

run: $(VENV)/.stamp-core  ## Train on a built-in data set, or: make run DATA=my.csv TARGET=price OUT=folder
ifeq ($(strip $(DATA)),)
	$(BIN)/lanatus demo --out "$(or $(OUT),out)"
else
	$(BIN)/lanatus fit "$(DATA)" --target "$(TARGET)" --out "$(or $(OUT),out/$$(basename "$(DATA)" | cut -d. -f1))"
endif

test: lint $(VENV)/.stamp-test  ## Lint, then all tests on two processes
	$(BIN)/python -m pytest -n 2 --dist worksteal $(TESTS)

lint: $(VENV)/.stamp-lint  ## Style, formatting, types, import layers, threads stated
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python tools/imports.py
	$(BIN)/clang-format --dry-run -Werror $(filter cpp/%,$(filter-out %.in,$(KERNELS)))
	@! grep -rnE '#pragma omp parallel' cpp | grep -v num_threads || { echo "every omp parallel must state num_threads"; exit 1; }

bench: $(VENV)/.stamp-bench  ## Side-by-side benchmarks: make bench SUITE=kmeans
	$(BIN)/python -m bench $(SUITE)

docs: $(VENV)/.stamp-docs  ## Build the documentation into site/
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

sanitize: $(SANITIZED)/.stamp-core  ## The tests on kernels built with ASan and UBSan: make sanitize TESTS=tests/kernels
	LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libstdc++.so.6)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	$(SANITIZED)/bin/python -m pytest -p no:cacheprovider -n 2 --dist worksteal $(TESTS)

fuzz: $(VENV)/.stamp-test  ## Attack every estimator with spoiled model files, sparse matrices and tables: make fuzz CASES=3000
	PYTHONPATH=tests $(BIN)/python -m fuzz.run --cases $(CASES)

doctor:  ## Say what is missing on this machine
	@PYTHON="$(PYTHON)" sh tools/doctor.sh && echo "all there"

clean:  ## Remove the environments and everything built
	rm -rf $(VENV) $(SANITIZED) build dist site out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/.stamp-venv $(SANITIZED)/.stamp-venv: %/.stamp-venv: tools/doctor.sh
	PYTHON="$(PYTHON)" sh tools/doctor.sh
	test -x $*/bin/python || $(PYTHON) -m venv $*
	$*/bin/python $(PIP) --upgrade pip
	touch $@

# What builds the extension, kept in the environment so that a rebuild compiles only what changed.
$(VENV)/.stamp-build $(SANITIZED)/.stamp-build: %/.stamp-build: pyproject.toml %/.stamp-venv
	$*/bin/python $(PIP) $$($*/bin/python -c '$(REQUIRES)')
	touch $@

$(VENV)/.stamp-core: $(VENV)/.stamp-build $(KERNELS)
	$(BIN)/python $(PIP) --no-build-isolation --editable .
	touch $@

$(SANITIZED)/.stamp-core: $(SANITIZED)/.stamp-build $(KERNELS)
	$(SANITIZED)/bin/python $(PIP) --no-build-isolation --editable '.[test]' \
		--config-settings=build-dir=build/sanitize --config-settings=cmake.define.LANATUS_SANITIZE=ON
	touch $@

# The extras; lanatus itself is there already and not built again.
$(EXTRAS:%=$(VENV)/.stamp-%): $(VENV)/.stamp-%: pyproject.toml | $(VENV)/.stamp-core
	$(BIN)/python $(PIP) 'lanatus[$*]'
	$(if $(filter bench,$*),$(BIN)/python $(PIP) --no-deps adelie)
	touch $@
