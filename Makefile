# Everything that one does with ctxadmin. `make` alone lists it.

MAKEFLAGS += --no-print-directory
SHELL := /bin/sh
.DEFAULT_GOAL := help

PORT ?= 8000
# Where the embedded server keeps its database and keys; empty: the person's own data folder.
DATA_DIR ?=
ARGS ?=
MINUTES ?= 30
SEED ?=

ifneq ($(strip $(DATA_DIR)),)
run: export CTXADMIN_DATA_DIR := $(DATA_DIR)
endif

# The person's data folder is for running only.
bench catalogues check check-types check-migrations format: export CTXADMIN_DATA_DIR := .cache/data

environment = "$$(scripts/find_python.sh)" -B -m scripts.environment
python = .venv/bin/python

.PHONY: help
help: ## Show this list
	@echo "ctxadmin: the control plane for the context of LLM agent workflows"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile
	@echo
	@echo "Options of run: PORT=8000 DATA_DIR=folder; of test, bench, lock: ARGS='...';"
	@echo "  of soak: MINUTES=30 SEED=word"

.PHONY: run
run: ## Install what is needed into .venv and serve ctxadmin on PORT
	@scripts/find_python.sh >/dev/null
	@$(environment) embedded
	@exec $(python) manage.py serve --port "$(PORT)"

.PHONY: test
test: tools ## Install what the tests need and run all of them
	@$(python) -m scripts.run_tests $(ARGS)

.PHONY: check
check: ## Check format, lint, types, layers, templates, migrations, built files, licences
	@$(environment) test
	@$(MAKE) $(checks) && echo "==> All checks passed"

checks = check-format check-lint check-types check-layers check-templates check-migrations \
  check-frozen check-built check-licences
.PHONY: $(checks)
check-format:
	$(python) -m ruff format --quiet --check .
check-lint:
	$(python) -m ruff check --quiet .
check-types:
	$(python) -m mypy --no-error-summary .
check-layers:
	.venv/bin/lint-imports --no-logo --no-cache
check-templates:
	$(python) -m djlint --quiet --lint templates
check-migrations:
	$(python) manage.py makemigrations --check --dry-run
check-frozen:
	$(python) -m scripts.frozen_migrations --check
check-built:
	@scripts/check_built.sh
check-licences:
	$(python) -m scripts.licences --check

.PHONY: format
format: ## Bring the code into its form, and write the table of layers
	@$(environment) test
	$(python) -m ruff check --quiet --fix-only .
	$(python) -m ruff format .
	$(python) -m scripts.layers

.PHONY: catalogues
catalogues: ## Put the texts of the code into the catalogues of languages and the glossary
	@$(environment) test
	@$(python) -m scripts.catalogues
	@$(python) -m scripts.glossary

.PHONY: bench
bench: tools ## Measure speed; ARGS=values, databases, lists, copy, savers, http, canvas, desk, applied, fanout, hostile for a part
	@$(python) -m bench $(ARGS)

.PHONY: soak
soak: tools ## Strike real processes with faults for MINUTES=30, from a SEED
	@$(python) -m tests.fault.soak --minutes "$(MINUTES)" $(if $(SEED),--seed "$(SEED)")

.PHONY: lock
lock: ## Pin the requirements again; ARGS=--upgrade for the newest versions
	@$(environment) test
	@$(python) -m scripts.lock $(ARGS)
	@$(environment) test
	@$(python) -m scripts.licences

.PHONY: clean
clean: ## Remove .venv and all caches; data stays
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf frontend/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: tools
tools:
	@scripts/find_python.sh >/dev/null
	@"$$(scripts/find_python.sh)" -B -m scripts.system_packages
	@$(environment) test
	@$(environment) production || echo "Without mysqlclient no test runs on MariaDB"
