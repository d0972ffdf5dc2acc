# Every target does its own set-up: a virtual environment in .venv, made anew when pyproject.toml changes.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
# Written compiled wherever the machine says otherwise too: the tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=
# Two more than cores, since many tests wait for sockets and processes.
WORKERS ?= $(shell expr $$(nproc) + 2)

.PHONY: demo test soak soak-policies soak-faults soak-long check format bench bench-peers snapshots clean

demo: $(VENV)/ready
	@$(RUN)/python -m demo $(if $(AUTO),--auto)

test: $(VENV)/ready
	@.ci/chromium
	@$(RUN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

# The long forms: make soak SEED=1 makes the same chances again.
soak: soak-policies soak-faults
soak-policies soak-faults: SEED ?= $(shell date +%s000000)

# Spoilt policies and calls, 200,000 of each.
soak-policies: export GATE_MUTATIONS ?= 200000
soak-policies: $(VENV)/ready
	GATE_MUTATION_SEED=$(SEED) $(RUN)/python -m pytest -s --timeout=0 tests/property/test_policy_mutations.py \
		tests/property/test_call_mutations.py $(ARGS)

# Killed processes (every point, then random runs), races for the same holds, an outage of Slack, keepers'
# commands killed between their lines, and the whole gate beside its model.
soak-faults: export GATE_SOAK_KILLS ?= 300
soak-faults: export GATE_SOAK_HOLDS ?= 10000
soak-faults: export GATE_SOAK_OUTAGE ?= 1000
soak-faults: export GATE_SOAK_ADMIN ?= 200
soak-faults: export GATE_SOAK_MACHINE ?= 1000
soak-faults: $(VENV)/ready
	GATE_SOAK_SEED=$(SEED) $(RUN)/python -m pytest -s --timeout=0 tests/faults/test_kill_points.py \
		tests/faults/test_races.py tests/faults/test_outage.py tests/faults/test_admin_killed.py \
		tests/property/test_gate_machine.py $(ARGS)

# Four agents and two bots work on one store for half an hour: memory, growth of the files, all invariants.
soak-long: MINUTES ?= 30
soak-long: $(VENV)/ready
	$(RUN)/python -m tests.faults.soak --minutes $(MINUTES) $(ARGS)

check: $(VENV)/ready
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports

format: $(VENV)/ready
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .

# What the gate costs beside bare commits of the same run; ARGS=--quick for a look.
bench: $(VENV)/ready
	@$(RUN)/python -m bench $(ARGS)

# Other gates beside this one, each in an environment of its own in the cache folder.
bench-peers: $(VENV)/ready
	@$(RUN)/python -m bench.peers $(ARGS)

# The stored views of Slack messages and windows, drawn anew: look at the difference before you keep it.
snapshots: $(VENV)/ready
	GATE_RENEW_SNAPSHOTS=1 $(RUN)/python -m pytest -q tests/bot/test_view_snapshots.py
	git diff --stat -- tests/bot/snapshots

# The pictures of the docs, drawn by Chromium from the stored views.
pictures: $(VENV)/ready
	@.ci/chromium
	$(RUN)/python -m docs.pictures

clean:
	rm -rf $(VENV) build dist

$(VENV)/ready: pyproject.toml .ci/setup
	@PYTHON=$(PYTHON) .ci/setup $(VENV)
	@touch $@
