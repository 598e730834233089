# certile's development commands; `make help` prints the list below.
#
#   make test PIP_ARGS="--extra-index-url https://download.pytorch.org/whl/cpu"
#                           passes options to pip, here for machines whose usual torch is a CUDA build
#   make test WORKERS=8     runs the tests in 8 processes

PYTHON ?= python3
PIP_ARGS ?=
WORKERS ?= 2

RUN := .venv/bin/python
PYTEST := $(RUN) -m pytest
NOT_LONG := -m "not full and not fuzz and not gpu"

.DEFAULT_GOAL := help
.PHONY: help setup demo test check test-full fuzz lint format types layers docs gpu-note clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

setup: ## create .venv and install everything (the other targets do it themselves)
	@$(PYTHON) scripts/setup.py --pip-args "$(PIP_ARGS)"

demo: setup ## real sentences through a transformer with certile kernels, checked and timed
	@$(RUN) examples/demo.py

test: setup ## the tests of every change, under 15 minutes on 2 cores
	$(PYTEST) -n $(WORKERS) $(NOT_LONG)

check: setup lint types layers ## the fast checks: style, types, layers, unit and house tests
	$(PYTEST) -n $(WORKERS) $(NOT_LONG) tests/unit tests/house

test-full: setup ## the full products too: about 2 hours on 2 cores, 20 minutes on 16
	$(PYTEST) -n $(WORKERS) --dist worksteal -m "not fuzz and not gpu"

fuzz: setup ## random programs with fresh seeds; prints what reproduces a failure
	$(PYTEST) -n $(WORKERS) --hypothesis-profile=fuzz -m "fuzz or not full" tests/laws tests/differential

lint: setup ## ruff: rules and format
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

format: setup ## let ruff rewrite what it can
	$(RUN) -m ruff format .
	$(RUN) -m ruff check --fix .

types: setup ## mypy --strict
	$(RUN) -m mypy

layers: setup ## imports go down only
	.venv/bin/lint-imports

docs: setup ## write the generated pages of docs/ again
	$(RUN) scripts/gen_docs.py

gpu-note: ## how to run the checks that need a GPU
	@echo "On a machine with an NVIDIA GPU:"
	@echo "  .venv/bin/python -m pip install -c requirements.lock -e '.[cuda,torch,dev]'"
	@echo "  .venv/bin/python -m pytest -m gpu tests/device"
	@echo "and each scripts/gpu_*.py, which prints what it measures."

clean: ## remove the environment, caches and build products
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf .import_linter_cache certile-dump certile-crash-*.zip
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
