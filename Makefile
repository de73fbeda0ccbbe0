# `make` alone lists the targets.

MAKEFLAGS += --no-print-directory
SHELL := /bin/sh
.DEFAULT_GOAL := help

PORT ?= 8000
# Folder of the embedded server's database and keys; empty: the data folder of the user.
DATA_DIR ?=
ARGS ?=
MINUTES ?= 30
SEED ?=

ifneq ($(strip $(DATA_DIR)),)
run: export CTXADMIN_DATA_DIR := $(DATA_DIR)
endif

# Only run uses the data folder of the user.
bench catalogues check check-clients check-types check-migrations format: export CTXADMIN_DATA_DIR := .cache/data

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
run: ## Install the requirements into .venv and serve ctxadmin on PORT
	@scripts/find_python.sh >/dev/null
	@$(environment) embedded
	@exec $(python) manage.py serve --port "$(PORT)"

.PHONY: test
test: tools ## Install what the tests need and run all tests
	@$(python) -m scripts.run_tests $(ARGS)

.PHONY: check
check: ## Check format, lint, types, layers, templates, migrations, built files, licenses, clients, words
	@$(environment) test
	@$(MAKE) --jobs=2 --output-sync=target $(checks) && echo "==> All checks passed"

# Two at a time: check-types takes as long as all others. check-licences reads what check-built
# builds again, so it comes long before.
checks = check-types check-licences check-format check-lint check-layers check-templates \
  check-migrations check-frozen check-words check-clients check-built
.PHONY: $(checks)
check-format:
	$(python) -m ruff format --quiet --check .
check-lint:
	$(python) -m ruff check --quiet .
check-types:
	$(python) -m mypy --no-error-summary .
	cd sdk/python && ../../$(python) -m mypy --no-error-summary --strict --config-file= --exclude '/(langchain|langgraph|mcp|openai_agents|pydantic_ai)/' src
	@$(environment) engines || echo "The libraries of engines could not be installed."
	@$(python) -m scripts.check_engines
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
check-clients:
	@$(environment) clients || echo "The generators of clients could not be installed."
	@$(python) -m scripts.check_clients
check-words:
	$(python) -m scripts.vocabulary

.PHONY: format
format: ## Format the code
	@$(environment) test
	$(python) -m ruff check --quiet --fix-only .
	$(python) -m ruff format .
	$(python) -m scripts.layers

.PHONY: catalogues
catalogues: ## Update the translation catalogs and the glossary from the code
	@$(environment) test
	@$(python) -m scripts.catalogues
	@$(python) -m scripts.glossary

.PHONY: bench
bench: tools ## Measure speed; a part with ARGS=values, databases, lists, search, copy, savers, langgraph, http, canvas, desk, applied, fanout, tokens, policies, hostile
	@$(python) -m bench $(ARGS)

.PHONY: soak
soak: tools ## Inject faults into real processes for MINUTES=30, from a SEED
	@$(python) -m tests.fault.soak --minutes "$(MINUTES)" $(if $(SEED),--seed "$(SEED)")

.PHONY: lock
lock: ## Pin the requirements again; ARGS=--upgrade for the latest versions
	@$(environment) test
	@$(python) -m scripts.lock $(ARGS)
	@$(environment) test
	@$(python) -m scripts.licences

.PHONY: clean
clean: ## Remove .venv and all caches, but no data
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf frontend/node_modules sdk/typescript/node_modules sdk/typescript/dist
	rm -f sdk/typescript/src/contract.ts
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: tools
tools:
	@scripts/find_python.sh >/dev/null
	@"$$(scripts/find_python.sh)" -B -m scripts.system_packages
	@$(environment) test
	@$(environment) production || echo "Tests on MariaDB are skipped, because mysqlclient could not be installed."
	@$(environment) clients || echo "The test of a generated client is skipped, because its generator could not be installed."
	@$(environment) engines || echo "The tests with engines are skipped, because their libraries could not be installed."
