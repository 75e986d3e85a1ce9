# Every target makes the environment it needs in .venv; a second run installs nothing.
# PYTHON=python3.12 make test    takes another interpreter (3.11 or newer).

PYTHON ?= python3
STUDENTS ?= 6
VENV := .venv
READY := $(VENV)/.ready
BIN := $(VENV)/bin
# two modules of tests at a time; a module's tests share what they set up. What hangs must not hold
# up all, so each test has many times the seconds that it takes.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --timeout
# nbgrader calls `alembic` by its bare name, so the environment's programs must be found
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: setup grade test test-exhaustive test-fast mutants prove bench bench-scale lint lab release reference site clean

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Jaxercise needs Python 3.11 or newer; '$(PYTHON)' is older. Try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
	  { echo "This Python cannot make environments. On Debian or Ubuntu: sudo apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $(READY)

# The main job: release, a sample class if nobody has submitted anything, grade, feedback, table.
grade: setup
	$(BIN)/jaxercise release
	@ls submitted/*/*/*.ipynb >/dev/null 2>&1 || $(BIN)/jaxercise class --students $(STUDENTS)
	$(BIN)/jaxercise grade

test: setup lint
	$(PYTEST) 600 -m "not slow and not exhaustive"
	$(PYTEST) 1200 -m "slow and not exhaustive"

# What `make test` samples, in full: every stored answer, also in notebooks, every attack, every way
# of stopping a run. About another 40 minutes on two cores.
test-exhaustive: setup
	$(PYTEST) 1800 -m exhaustive

# Without the tests that start kernels or grade a class.
test-fast: setup lint
	$(PYTEST) 600 -m "not slow and not exhaustive"

# The model solutions with one small change each: which of them does no check notice?
mutants: setup
	$(BIN)/jaxercise proof mutants

# Everything that proves the checks, again and again, and docs/proof.md. It takes hours; stopped, it
# goes on where it was. For another version of JAX: make prove PYTHON=python3.12 VENV=.venv-3.12
prove: setup
	$(BIN)/jaxercise proof run --times 3 --often 1-dropout-keys --often 4-jit-benchmark

# How fast a class is graded: plain nbgrader, Jaxercise, and the limit. Half an hour, on an idle
# machine; docs/speed.md has the last one.
bench: setup
	$(BIN)/python scripts/bench.py

# Does a submission cost more, in time or memory, when there are more of them? Three hours.
bench-scale: setup
	$(BIN)/python scripts/bench.py --scale 30 100 300 1000

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check jaxercise tests scripts
	$(BIN)/mypy

lab: setup
	$(BIN)/jupyter lab --ServerApp.root_dir=$(CURDIR)

release: setup
	$(BIN)/jaxercise release

reference: setup
	$(BIN)/jaxercise reference

# The course as a website in site/, from release/ only. It runs the lesson, and needs no network, nor
# do its readers.
site: setup
	$(BIN)/python scripts/site/build.py

# Removes what runs have made; submitted work, marks and the environment stay.
clean:
	rm -rf .jaxercise .pytest_cache .ruff_cache .mypy_cache site
