# Every target does its own set-up: a virtual environment in .venv, made anew when pyproject.toml changes.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
WORKERS ?= auto

.PHONY: demo test soak check format bench clean

demo: $(VENV)/ready
	@$(RUN)/python -m demo $(if $(AUTO),--auto)

test: $(VENV)/ready
	@.ci/chromium
	@$(RUN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

# Spoilt policies and calls, 200,000 of each: make soak SEED=1 takes the same ones again.
soak: SEED ?= $(shell date +%s000000)
soak: export GATE_MUTATIONS ?= 200000
soak: $(VENV)/ready
	GATE_MUTATION_SEED=$(SEED) $(RUN)/python -m pytest -s tests/property/test_policy_mutations.py \
		tests/property/test_call_mutations.py $(ARGS)

check: $(VENV)/ready
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports

format: $(VENV)/ready
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .

bench: $(VENV)/ready
	@$(RUN)/python -m bench

clean:
	rm -rf $(VENV) build dist

$(VENV)/ready: pyproject.toml .ci/setup
	@PYTHON=$(PYTHON) .ci/setup $(VENV)
	@touch $@
