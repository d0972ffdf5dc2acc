# Every target does its own set-up: a virtual environment in .venv, made anew when pyproject.toml changes.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
WORKERS ?= auto

.PHONY: demo test check format bench clean

demo: $(VENV)/ready
	@$(RUN)/python -m demo $(if $(AUTO),--auto)

test: $(VENV)/ready
	@.ci/chromium
	@$(RUN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

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
