# `make demo` and `make test` need Python >= 3.11, make and a C compiler, and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src -type f -not -name '*.pyc') pyproject.toml meson.build meson.options
DATA ?=
# Built in place, with the tools of the virtual environment, so that a change compiles only what it touches.
INSTALL := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pip install -q --disable-pip-version-check --no-build-isolation

.PHONY: demo test lint types suite test-slow test-checked bench format clean

demo: $(VENV)/.installed
	$(BIN)/linnet demo

test: lint types suite

lint: $(VENV)/.test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PYTHONPATH=src $(BIN)/lint-imports --no-cache --no-logo

types: $(VENV)/.test-ready
	$(BIN)/mypy

suite: $(VENV)/.test-ready
	$(BIN)/pytest

test-slow: $(VENV)/.test-ready
	$(BIN)/pytest -m slow

# The same suite against kernels that check every index, installed beside the virtual environment.
test-checked: $(VENV)/.test-ready
	$(INSTALL) --no-deps --upgrade --target build/checked-install \
		-Cbuild-dir=build/checked -Csetup-args=-Dchecked=true .
	PYTHONPATH=build/checked-install $(BIN)/pytest -m "not slow"

bench: $(VENV)/.bench-ready
	$(BIN)/python benchmarks/run.py $(if $(DATA),--data $(DATA))

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
	$(INSTALL) -Cbuild-dir=build/release .
	touch $@

$(VENV)/.test-ready: $(VENV)/.installed
	$(INSTALL) -Cbuild-dir=build/release ".[test]"
	touch $@

$(VENV)/.bench-ready: $(VENV)/.installed
	$(INSTALL) -Cbuild-dir=build/release ".[bench]"
	touch $@
