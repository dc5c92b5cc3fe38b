PYTHON ?= python3

.PHONY: run test pins

run:
	@$(PYTHON) -m agenticos_app.ops.setup run -m agenticos_app.cli run

test:
	@.ci/run

pins: ## resolve requirements*.in anew
	@$(PYTHON) -m agenticos_app.ops.setup test
	@.venv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-annotate --no-header requirements.in -o requirements.txt
	@.venv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-annotate --no-header requirements-dev.in -o requirements-dev.txt
