# Everything that is done with a checkout. The first target that needs it makes .venv and installs the project there,
# editable; it is installed again when pyproject.toml changes.

VENV := .venv
PYTHON := $(VENV)/bin/python
PIP_INSTALL := $(PYTHON) -m pip install --quiet --disable-pip-version-check
# One more than two cores have to do, as some tests wait for a server or a terminal.
THREE := --numprocesses 3 --dist worksteal
INTERPRETERS := python3 python3.11 python3.12 python3.13 python3.14
# The oldest and the newest Python at hand.
AT_HAND = $(shell for python in /usr/bin/python3 $(INTERPRETERS); do $$python -c \
    'import sys, ensurepip; v = sys.version_info; v < (3, 11) or print("%d.%d.%d=%s" % (*v[:3], sys.executable))' \
    2>/dev/null; done | sort -uV)
OLDEST = $(lastword $(subst =, ,$(firstword $(AT_HAND))))
NEWEST = $(lastword $(subst =, ,$(lastword $(AT_HAND))))

# All tests with another Python, and with the lowest or the newest versions of the dependencies that it may have.
define TEST_WITH
$(1) -m venv --clear .venv-soak
$(PYTHON) -m tests.support.lowest >.venv-soak/lowest
:>.venv-soak/newest
.venv-soak/bin/python -m pip install --quiet --disable-pip-version-check --constraint .venv-soak/$(2) --editable '.[dev]'
.venv-soak/bin/python -m pytest $(THREE)
rm -rf .venv-soak
endef

# Tests are compiled for the next run, and for each other, also where the environment says that Python keeps nothing.
unexport PYTHONDONTWRITEBYTECODE
# They write thousands of small files: into memory where there is such a folder, else where pytest does by itself.
export PYTEST_DEBUG_TEMPROOT ?= $(wildcard /dev/shm)

.PHONY: help run test check soak bench man screenshots dist clean

help:
	@echo 'make run          open the browser on the sample catalogue'
	@echo 'make test         run the tests'
	@echo 'make check        check formatting, style, types, layers and words'
	@echo 'make soak         run the tests that take minutes'
	@echo 'make bench        measure on made-up catalogues and build caches of three sizes'
	@echo 'make man          write the man pages again'
	@echo 'make screenshots  draw the pictures of the README again'
	@echo 'make dist         build the wheel and the sdist: the same bytes wherever and whenever'
	@echo 'make clean        remove what the other targets made'

run: $(VENV)/installed
	@$(VENV)/bin/cachetui

test: $(VENV)/installed-dev
	@$(PYTHON) -m compileall -q cachetui # many tests start it, and none of them compiles it for the next
	$(PYTHON) -m pytest $(THREE)

check: $(VENV)/installed-dev
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo
	$(PYTHON) -m tests.support.plain_words

soak: $(VENV)/installed-dev
	-@$(PIP_INSTALL) --only-binary atheris --editable '.[dev,fuzz]'
	$(PYTHON) -m pytest -rP -m 'soak and not alone' $(THREE)
	$(PYTHON) -m pytest -m 'soak and alone'
	HYPOTHESIS_PROFILE=long $(PYTHON) -m pytest $(THREE) --ignore tests/tui
	$(call TEST_WITH,$(OLDEST),lowest)
	$(call TEST_WITH,$(NEWEST),newest)

bench: $(VENV)/installed-dev
	$(PYTHON) -m tests.benchmarks.bench --scale 0.1 1 4

man: $(VENV)/installed
	$(PYTHON) -m man.write

screenshots: $(VENV)/installed-dev
	$(PYTHON) -m screenshots.take

# The files are as old as the last commit, where nothing else is said.
dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
dist: $(VENV)/installed-dev
	@$(PIP_INSTALL) build twine
	rm -rf dist
	$(PYTHON) -m build --no-isolation
	$(PYTHON) -m twine check --strict dist/*

clean:
	rm -rf $(VENV) .venv-soak .bench build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(PYTHON):
	@for python in $(INTERPRETERS); do \
	    if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        $$python -m venv --clear $(VENV) && exit; \
	        rm -rf $(VENV); \
	        exit 1; \
	    fi; \
	done; \
	echo 'cachetui needs Python 3.11 or newer; looked for $(INTERPRETERS)' >&2; \
	exit 1

$(VENV)/installed: $(PYTHON) pyproject.toml
	@echo 'installing into $(VENV)'
	@$(PIP_INSTALL) --editable .
	@$(PYTHON) -m compileall -q cachetui
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@echo 'installing what the tests and checks need'
	@$(PIP_INSTALL) --editable '.[dev]'
	@touch $@
