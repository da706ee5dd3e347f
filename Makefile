# Two commands matter: `make run` shows what Steelyard does, `make test` proves it. Both set everything up.
.DEFAULT_GOAL := help
.PHONY: help setup run test ready-to-test packages tools agents compiled system clients engines lint style types tests coverage references bench docs scale diagrams lock audit sbom clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
AUDIT := $(VENV)-audit
RUNNABLE := $(VENV)/.runnable
READY := $(VENV)/.ready
COMPILED := $(VENV)/.compiled
WORKERS ?= 3
OUT ?= steelyard-demo
# The tests start this program some hundred times: without bytecode on disk each start would compile it anew.
unexport PYTHONDONTWRITEBYTECODE
# Packages from elsewhere (as ROS names them for every shell) would take the place of pinned ones.
unexport PYTHONPATH PYTHONHOME
# Whatever the locale is, files are UTF-8.
export PYTHONUTF8 := 1
AGENTS := claude-code codex gemini-cli opencode
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -q

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## Install everything into .venv, plus the pinned Node tools and the embedded model
	@scripts/system-packages bubblewrap libgomp1
	@$(BIN)/steelyard setup

# A stamp is older than its lock or the project file: install again. The demo needs no tests, providers, Ray or agents.
$(RUNNABLE): requirements/demo.txt pyproject.toml
	@test -e $(READY) && test ! pyproject.toml -nt $(READY) && test ! requirements/dev.txt -nt $(READY) || \
	  scripts/install "$(PYTHON)" $(VENV) demo
	@touch $@

$(READY): requirements/dev.txt pyproject.toml
	@scripts/install "$(PYTHON)" $(VENV) dev
	@touch $@

run: $(RUNNABLE) ## Weigh the embedded subjects and show a board, an audit and a verdict
	@scripts/system-packages bubblewrap libgomp1
	@$(BIN)/steelyard setup
	@$(BIN)/steelyard demo --out $(OUT)

test: ready-to-test ## Lint, types, import contracts, all tests
	@$(MAKE) --no-print-directory --jobs=2 style types tests

# Downloads wait for the network and unpacking for the disk, so what does not need the other is installed beside it.
ready-to-test:
	@$(MAKE) --no-print-directory --jobs=4 packages tools agents compiled

packages:
	@scripts/system-packages bubblewrap libgomp1 chromium graphviz gh

tools: $(READY)
	@$(BIN)/steelyard setup

agents: $(READY)
	@$(BIN)/steelyard setup --agent claude-code --agent codex || echo "make: the tests run without the clients of coding agents"

# Each worker would compile every module and test for itself: once is enough, while the others wait for the network.
# What is wrong with a test the tests say.
compiled: $(COMPILED)

$(COMPILED): $(READY)
	@$(BIN)/python -m pytest -q --collect-only >/dev/null 2>&1 || true
	@touch $@

system: ready-to-test ## The tests of what touches the system: sandbox, engines, toolchain, gate, command line
	@$(PYTEST) tests/sandbox tests/engine tests/gate tests/cli tests/models tests/bench/cdk_synth $(filter-out tests/test_docs.py tests/test_recipes.py,$(wildcard tests/test_*.py))

clients: setup ## Every test that drives the real client of a coding agent (about 1 GB), or go or cargo
	@for agent in $(AGENTS); do $(BIN)/steelyard setup --agent $$agent || exit 2; done
	@STEELYARD_CLIENTS=1 $(BIN)/python -m pytest -q -m clients
	@$(BIN)/python benchmarks/bridge.py

engines: setup ## Whole runs on worker processes that are interrupted (some minutes)
	@STEELYARD_ENGINES=1 $(BIN)/python -m pytest -q -m engines

coverage: ready-to-test ## All tests, and which lines they never reach
	@$(PYTEST) --cov --cov-report=term:skip-covered

lint: style types ## ruff, import-linter, pyrefly (strict)

style: $(READY)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/lint-imports --no-cache

types: $(READY)
	@$(BIN)/pyrefly check --summary=none

tests: $(READY)
	@$(PYTEST)

references: setup ## All apps of the CDK tasks without a record, all 40 references and the gate's example in every sandbox
	@STEELYARD_ALL_REFERENCES=1 $(BIN)/python -m pytest -q tests/bench/cdk_synth/test_dataset.py tests/bench/hard_cdk/test_behaviour.py
	@STEELYARD_ALL_REFERENCES=1 $(BIN)/python -m pytest -q tests/bench/cdk_synth/test_sandboxed.py tests/gate/test_sandboxes.py -k 'references_pass or the_example'

docs: $(READY) ## Build the docs as a site in site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --site-dir site
	@echo "make: the site is in site/; look at it with: $(BIN)/steelyard view site"

bench: setup ## Measure us against the alternatives; writes docs/figures.json
	@for program in $(filter-out benchmarks/figures.py benchmarks/cdk_corpus.py benchmarks/gate_simulation.py benchmarks/workers.py benchmarks/scale.py,$(wildcard benchmarks/*.py)); do echo "== $$program"; $(BIN)/python $$program || exit 1; done

scale: setup ## Engines on two Ray nodes, and the board of ten thousand logs (many minutes, 1 GB of disk)
	@$(BIN)/python benchmarks/workers.py
	@$(BIN)/python benchmarks/scale.py

diagrams: $(READY) ## Draw the architecture diagrams anew from their sources
	@scripts/system-packages graphviz
	@$(BIN)/python datasets/architecture_diagrams/draw.py

lock: $(READY) ## Pin the newest versions that fit pyproject.toml
	@scripts/lock

audit: ## Look up every pinned package in the public lists of known vulnerabilities (needs the network)
	@test -x $(AUDIT)/bin/python || $(PYTHON) -m venv $(AUDIT)
	@$(AUDIT)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: -r requirements/audit.txt
	@scripts/audit $(AUDIT)/bin

sbom: $(READY) ## Write the bill of materials (CycloneDX) to build/sbom.json
	@$(BIN)/python scripts/sbom build/sbom.json

clean: ## Remove the environment and everything that was produced
	@rm -rf $(VENV) $(AUDIT) $(OUT) build dist .pytest_cache .ruff_cache .hypothesis .coverage .coverage.*
