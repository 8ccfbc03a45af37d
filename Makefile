# Everything is done inside .venv, which is made when it is first needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TESTING := $(VENV)/.testing
TOOLS := $(VENV)/.tools
EXTRAS := $(VENV)/.extras
# Half as many again as there are processors: many tests wait for other processes.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 3 / 2)
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
FAST := tests/games/test_golden.py tests/plan tests/rating/test_fit.py tests/tools tests/values tests/test_architecture.py \
	tests/hosts/test_confine.py tests/play/test_determinism.py::test_bots_held_in_sandboxes

PLAIN := tests/plain tests/games/test_golden.py tests/plan tests/rating/test_fit.py tests/tools/test_text.py \
	tests/setup/test_config.py tests/setup/test_roster.py tests/setup/test_versions.py tests/values

# Where Python is told to keep no compiled files, each of the hundreds of processes that tests start would compile League.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help league arena test test-slow soak test-fast test-plain test-extras lowest coverage mutate tools check format bench docs pictures golden pins site release constraints clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

league: $(READY) ## play the default league and tell where the standings are
	@$(BIN)/league run configs/quick.yaml
	@echo 'The command is $(BIN)/league, or just league after: source $(BIN)/activate'

arena: $(READY) ## start a demonstration of the arena on this machine: twelve authors, hand-ins, a ladder
	@$(BIN)/python examples/arena/demo.py build/arena

test: $(TESTING) ## run the tests that take up to a few seconds each: 4 minutes on 2 cores
	$(PYTEST) -m 'not slow and not soak'

test-slow: $(TESTING) ## run the others: browsers, clusters, compilers, kills, every example of the documentation
	$(PYTEST) -m 'slow and not soak'

soak: $(TESTING) ## run the tests that take a minute each: stops, attackers, simulations, replays
	$(PYTEST) -m soak

test-fast: $(TESTING) ## run the tests that a change of Python or of a package could fail: half a minute
	$(PYTEST) -m 'not slow and not soak' $(FAST)

test-plain: $(TESTING) ## run a fast part of the tests as on Windows or macOS: without fork, limits and locks
	PYTHONPATH=$(CURDIR)/tests/plain $(PYTEST) -m 'not slow and not soak' $(PLAIN)

test-extras: $(EXTRAS) ## run the tests of OpenSpiel and PettingZoo
	$(PYTEST) -m 'not soak' tests/adapters

lowest: ## run test-fast with the lowest versions of packages that pyproject.toml allows
	@test -x $(VENV)-lowest/bin/python || $(PYTHON) -m venv $(VENV)-lowest
	@$(VENV)-lowest/bin/python tests/lowest.py > $(VENV)-lowest/lowest.txt
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check --no-compile \
		--constraint $(VENV)-lowest/lowest.txt --editable '.[test]'
	@touch $(VENV)-lowest/.testing
	$(MAKE) --no-print-directory test-fast VENV=$(VENV)-lowest

coverage: $(TOOLS) ## measure which lines and branches the tests reach, those of bots' processes left out
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -q -n 0 -m 'not soak and not slow' -p tests.contexts
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --skip-covered --sort cover

mutate: $(TOOLS) ## change the code in small ways, one at a time, and print what no test notices (MUTANTS=20 SEED=1)
	$(BIN)/python -m tests.mutate --mutants $(or $(MUTANTS),20) --seed $(or $(SEED),1)

tools: $(TOOLS)

check: $(TOOLS) ## lint, formatting, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/biome lint
	$(BIN)/biome format

format: $(TOOLS) ## format the code and mend what lint can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/biome format --write

bench: $(TOOLS) ## measure, as ratios within one run
	$(BIN)/python -m benchmarks

docs: $(TOOLS) ## write the generated parts of the documentation again
	$(BIN)/python -m tests.docs

pictures: $(TOOLS) ## take the pictures of the documentation again, of the default league, in a browser
	$(BIN)/python -m tests.pictures

site: $(TOOLS) ## build the documentation site into build/site
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site
	@echo 'The site is in build/site/index.html'

golden: $(TOOLS) ## write the golden transcripts of games and commands again (then read the difference)
	$(BIN)/python -m tests.golden
	$(BIN)/python -m tests.transcripts

pins: $(TOOLS) ## write the standings of the pinned leagues again (then read the difference)
	$(BIN)/python -m tests.pins

release: $(TOOLS) ## build, check, and try the wheel in a fresh environment
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python -m pytest -q -n 0 tests/test_wheel.py
	@rm -rf build/fresh && $(PYTHON) -m venv build/fresh && build/fresh/bin/python -m pip install --quiet dist/*.whl
	@cd build/fresh && bin/league init work && cd work && ../bin/league run --quiet
	@echo 'Ready: dist/'

constraints: ## renew .ci/constraints.txt: the newest versions of all packages (then run the tests)
	@rm -rf build/newest && $(PYTHON) -m venv build/newest
	@build/newest/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev,openspiel,pettingzoo]'
	@{ echo '# The versions that tests run with, so that they are repeatable. Renewed by: make constraints'; \
		build/newest/bin/python -m pip freeze --exclude-editable; } > .ci/constraints.txt

clean: ## remove what was made, but not results/
	rm -rf .venv .venv-* build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage *.egg-info

RIGHT_PYTHON := import sys; version = "%d.%d" % sys.version_info[:2]; \
	sys.exit(version not in ("3.11", "3.12", "3.13", "3.14") and \
	"League needs Python 3.11 to 3.14; $(PYTHON) is %s. Try: make $(MAKECMDGOALS) PYTHON=python3.12" % version)

# Installs League, with an extra if one is given. Most modules of the packages are never imported: to compile them all
# would take longer than to play a league.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
define install
	@test -x $(BIN)/python || { $(PYTHON) -c '$(RIGHT_PYTHON)' && $(PYTHON) -m venv $(VENV); }
	@echo 'Installing League$(if $(1), and what $(1) needs,) into $(VENV) …'
	@$(PIP) --constraint .ci/constraints.txt --editable '.$(1)' || \
		{ echo 'The versions of .ci/constraints.txt cannot be installed here; trying the newest ones.'; $(PIP) --editable '.$(1)'; }
	@touch $(READY)
endef

$(READY): pyproject.toml .ci/constraints.txt
	$(call install)

# What belongs to `make test` alone, so that it starts sooner; the tools of developers include it.
$(TESTING): pyproject.toml .ci/constraints.txt
	$(call install,[test])
	@touch $@

$(TOOLS): pyproject.toml .ci/constraints.txt
	$(call install,[dev])
	@touch $(TESTING) $@

# Other projects' games and learners, which only the tests of the adapters want.
$(EXTRAS): $(TESTING)
	@$(PIP) --constraint .ci/constraints.txt --editable '.[openspiel,pettingzoo]' pygame-ce || \
		echo 'The extras openspiel and pettingzoo cannot be installed here: their tests will be skipped.'
	@touch $(EXTRAS)
