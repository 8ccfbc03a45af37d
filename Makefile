# Everything is done inside .venv, which is made when it is first needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
EXTRAS := $(VENV)/.extras
FAST := tests/games/test_golden.py tests/plan tests/rating/test_fit.py tests/tools tests/values tests/test_architecture.py \
	tests/hosts/test_confine.py tests/play/test_determinism.py::test_bots_held_in_sandboxes

.DEFAULT_GOAL := help
.PHONY: help league test soak test-fast tools check format bench docs pictures golden site release clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

league: $(READY) ## play the default league and tell where the standings are
	@$(BIN)/league run configs/quick.yaml
	@echo 'The command is $(BIN)/league, or just league after: source $(BIN)/activate'

test: $(TOOLS) $(EXTRAS) ## run all tests but those that take a minute each
	$(BIN)/python -m pytest -n auto --dist loadgroup -m 'not soak'

soak: $(TOOLS) $(EXTRAS) ## run the tests that take a minute each: stops, attackers, replays
	$(BIN)/python -m pytest -n auto --dist loadgroup -m soak

test-fast: $(TOOLS) ## run the tests that a change of Python could fail, and no slow ones
	$(BIN)/python -m pytest -n auto --dist loadgroup -m 'not slow and not soak' $(FAST)

tools: $(TOOLS)

check: $(TOOLS) ## lint, formatting, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(TOOLS) ## format the code and mend what lint can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(TOOLS) ## measure, as ratios within one run
	$(BIN)/python -m benchmarks

docs: $(TOOLS) ## write the generated parts of the documentation anew
	$(BIN)/python -m tests.docs

pictures: $(TOOLS) ## take the pictures of the documentation anew, of the default league, in a browser
	$(BIN)/python -m tests.pictures

site: $(TOOLS) ## build the documentation site into build/site
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site
	@echo 'The site is in build/site/index.html'

golden: $(TOOLS) ## write the golden transcripts anew (then read the difference)
	$(BIN)/python -m tests.golden

release: $(TOOLS) ## build, check, and try the wheel in a fresh environment
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python -m pytest -q -n 0 tests/test_wheel.py
	@rm -rf build/fresh && $(PYTHON) -m venv build/fresh && build/fresh/bin/python -m pip install --quiet dist/*.whl
	@cd build/fresh && bin/league init work && cd work && ../bin/league run --quiet
	@echo 'Ready: dist/'

clean: ## remove what was made, but not results/
	rm -rf .venv .venv-* build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info

RIGHT_PYTHON := import sys; version = "%d.%d" % sys.version_info[:2]; \
	sys.exit(version not in ("3.11", "3.12", "3.13") and \
	"League needs Python 3.11, 3.12 or 3.13; $(PYTHON) is %s. Try: make $(MAKECMDGOALS) PYTHON=python3.12" % version)

# To play, League itself is enough; everything else wants the tools of its developers too. Most modules of the packages
# that League needs are never imported: to compile them all would take longer than to play the league.
$(READY): pyproject.toml
	@test -x $(BIN)/python || { $(PYTHON) -c '$(RIGHT_PYTHON)' && $(PYTHON) -m venv $(VENV); }
	@echo 'Installing League into $(VENV) …'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable .
	@touch $(READY)

$(TOOLS): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(TOOLS)

# Other projects' games and learners, which only the tests of the adapters want.
$(EXTRAS): $(TOOLS)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[openspiel,pettingzoo]' || \
		echo 'The extras openspiel and pettingzoo cannot be installed here: their tests will be skipped.'
	@touch $(EXTRAS)
