# `make demo` and `make test` need Python >= 3.11, make and a C compiler, and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src -type f -not -name '*.pyc') pyproject.toml meson.build meson.options
DATA ?=
# Built in place, with the tools of the virtual environment, so that a change compiles only what it touches.
INSTALL := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pip install -q --disable-pip-version-check --no-build-isolation

# How long an attack takes, with which seed (default: a new one), on how many cores (default: all), after how many kills.
MINUTES ?= 10
SEED ?=
JOBS ?=
KILLS ?= 0
ATTACK := attack/run.py --minutes $(MINUTES) --kills $(KILLS) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS))

# Python itself is not built with the sanitizers: their libraries must come first, and Python must allocate through them.
SANITIZED := LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:hard_rss_limit_mb=8000 \
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONPATH="$(CURDIR)/build/sanitized-install"

.PHONY: demo test lint types suite test-slow test-checked test-sanitized sanitized attack attack-sanitized bench quality sklearn-suite bench-versions format clean

demo: $(VENV)/.demo-ready
	$(BIN)/linnet demo

test: lint types suite

lint: $(VENV)/.test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PYTHONPATH=src $(BIN)/lint-imports --no-cache --no-logo

types: $(VENV)/.test-ready
	$(BIN)/mypy

suite: $(VENV)/.test-ready
	$(BIN)/pytest -n auto

test-slow: $(VENV)/.test-ready
	$(BIN)/pytest -n auto -m slow

# The same suite against kernels that check every index, installed beside the virtual environment.
test-checked: $(VENV)/.test-ready
	$(INSTALL) --no-deps --upgrade --target build/checked-install \
		--config-settings=build-dir=build/checked --config-settings=setup-args=-Dchecked=true .
	PYTHONPATH="$(CURDIR)/build/checked-install" $(BIN)/pytest -n auto -m "not slow"

# Kernels that watch every byte they touch and every operation C leaves undefined, beside the virtual environment.
sanitized: $(VENV)/.test-ready
	$(INSTALL) --no-deps --upgrade --target build/sanitized-install \
		--config-settings=build-dir=build/sanitized --config-settings=setup-args=-Dbuildtype=debugoptimized \
		--config-settings=setup-args=-Db_sanitize=address,undefined --config-settings=setup-args=-Db_lundef=false .

# The fuzz drivers against these kernels.
test-sanitized: sanitized
	for driver in tests/fuzz/*.py; do $(SANITIZED) $(BIN)/python $$driver || exit 1; done

# The standing attack: hostile files, models, command lines and arrays; exit status 1 if anything breaks.
attack: $(VENV)/.test-ready
	$(BIN)/python $(ATTACK)

attack-sanitized: sanitized
	$(SANITIZED) $(BIN)/python $(ATTACK)

bench: $(VENV)/.bench-ready
	$(BIN)/python benchmarks/run.py $(if $(DATA),--data $(DATA))

# How good defaults are beside tuned pipelines of scikit-learn, in five folds, on real tables and on odd ones.
quality: $(VENV)/.bench-ready
	$(BIN)/python benchmarks/quality.py $(if $(DATA),--data $(DATA))
	$(BIN)/python benchmarks/quality.py --odd 1 --repeats 2

# scikit-learn's own tests with linnet's classes in the place of theirs; exit status 1 where fewer than 95 % pass.
sklearn-suite: $(VENV)/.test-ready
	$(BIN)/python benchmarks/sklearn_suite.py

# Whether this version is slower than the one at BEFORE, any name that git knows, by processor time.
BEFORE ?= HEAD~1
bench-versions: $(VENV)/.installed
	rm -rf build/before build/before-install && mkdir -p build/before build/before-install
	git archive $(BEFORE) | tar -x -C build/before
	cd build/before && PATH="$(CURDIR)/$(BIN):$$PATH" $(CURDIR)/$(BIN)/pip install -q --disable-pip-version-check --no-build-isolation --no-deps \
		--target $(CURDIR)/build/before-install .
	$(BIN)/python benchmarks/versions.py build/before-install "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

format: $(VENV)/.test-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf build $(VENV)

$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "linnet needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check "meson-python>=0.16" "Cython>=3.1" ninja
	touch $@

$(VENV)/.installed: $(VENV)/.made $(SOURCES)
	$(INSTALL) --config-settings=build-dir=build/release .
	touch $@

$(VENV)/.demo-ready: $(VENV)/.installed
	$(INSTALL) --config-settings=build-dir=build/release ".[demo]"
	touch $@

# baycomp is built from its source, by tools of its own.
$(VENV)/.test-ready: $(VENV)/.installed
	$(BIN)/pip install -q --disable-pip-version-check "baycomp>=1.0.3"
	$(INSTALL) --config-settings=build-dir=build/release ".[test]"
	touch $@

# So is LIBLINEAR.
$(VENV)/.bench-ready: $(VENV)/.installed
	$(BIN)/pip install -q --disable-pip-version-check "liblinear-official>=2.47"
	$(INSTALL) --config-settings=build-dir=build/release ".[bench]"
	touch $@
