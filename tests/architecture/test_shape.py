"""House rules that a machine can check. Each says why it is one."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import reflex as rx
from fastapi.routing import APIRoute, APIWebSocketRoute
from sqlmodel import SQLModel

import capabilities
import state as states
from agenticos_app import models
from agenticos_app.api.app import build_api
from agenticos_app.api.routers import health
from agenticos_app.models.base import TenantRow
from agenticos_app.wiring import CAPABILITIES

ROOT = Path(__file__).parents[2]
CODE = ("agenticos_app", "components", "state", "capabilities", "integrations")
TENANT_CLASSES = {one.__name__ for one in TenantRow.__subclasses__()}


def sources(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield each file below the folders with what it says."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text())


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call with the last part of what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute):
                yield function.attr, node
            elif isinstance(function, ast.Name):
                yield function.id, node


def attributes(tree: ast.AST) -> set[str]:
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def imported(tree: ast.AST) -> set[str]:
    """Return everything that is imported, with its module."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_every_state_hangs_directly_under_the_root() -> None:
    """A State below another one is loaded and locked with it, and its events carry both."""
    for module in pkgutil.iter_modules(states.__path__, "state."):
        importlib.import_module(module.name)
    defined = {
        node.name
        for _, tree in sources("state")
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name.endswith("State")
    }
    direct = {one.__name__ for one in rx.State.__subclasses__() if one.__module__.startswith("state.")}
    below = {child for one in rx.State.__subclasses__() for child in one.__subclasses__()}
    assert direct == defined
    assert [one for one in below if one.__module__.startswith("state.")] == []


@pytest.mark.req("DOM-ORG-01")
def test_every_table_belongs_to_tenants_or_is_one_of_the_deployments() -> None:
    """A row without its organization is one that the next query shows to everybody."""
    ours = [one for one in vars(models).values() if isinstance(one, type) and issubclass(one, SQLModel)]
    assert {one.__name__ for one in ours} == set(models.__all__)
    of_the_deployment = {one.__name__ for one in ours if not issubclass(one, TenantRow)}
    assert of_the_deployment == {"User", "Organization", "Session", "SetupLink", "AuditEntry"}


@pytest.mark.req("DOM-CONFIG-06")
def test_nothing_commits_but_the_unit_of_work() -> None:
    """Half a request must never be kept."""
    endings = {"commit", "rollback", "begin", "begin_nested"}
    committing = {
        path
        for path, tree in sources(*CODE)
        for called, node in calls(tree)
        if called in endings
        and isinstance(node.func, ast.Attribute)
        and "session" in ast.unparse(node.func.value)
    }
    assert committing == {"agenticos_app/db/work.py"}
    opening = {
        path for path, tree in sources(*CODE) if "sessions" in attributes(tree) and "current" in names(tree)
    }
    assert {path for path in opening if not path.startswith("agenticos_app/db/")} == set()


@pytest.mark.req("DOM-ORG-02")
def test_tenant_tables_are_queried_in_repos_alone_and_always_for_an_organization() -> None:
    """A query that forgets the organization is how one tenant sees another."""
    elsewhere, unscoped = set(), set()
    for path, tree in sources(*CODE):
        for function in [
            node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)
        ]:
            queried = {
                name.id
                for called, node in calls(function)
                if called in ("select", "update", "delete", "get")
                and (called == "get") <= ("session" in ast.unparse(node.func))
                for argument in node.args
                for name in ast.walk(argument)
                if isinstance(name, ast.Name) and name.id in TENANT_CLASSES
            }
            if not queried:
                continue
            if not path.startswith("agenticos_app/repos/"):
                elsewhere.add(f"{path}:{function.name}")
            elif takes_an_actor(function) and "organization_id" not in ast.unparse(function):
                unscoped.add(f"{path}:{function.name}")
    assert elsewhere == set()
    assert unscoped == set()


def takes_an_actor(function: ast.AsyncFunctionDef | ast.FunctionDef) -> bool:
    """Tell whether a function works for somebody: the platform's own takes a `SystemTx`."""
    return any(
        one.annotation is not None and ast.unparse(one.annotation) == "Tx" for one in function.args.args
    )


@pytest.mark.req("DOM-ORG-02")
def test_what_the_platform_queries_without_an_actor_is_named_here() -> None:
    """Sweeps and sign-in see every tenant, so each new one is a decision."""
    found = {
        f"{Path(path).stem}.{function.name}"
        for path, tree in sources("agenticos_app/repos")
        for function in ast.walk(tree)
        if isinstance(function, ast.AsyncFunctionDef)
        and not takes_an_actor(function)
        and TENANT_CLASSES & names(function)
    }
    assert found <= PLATFORMS_OWN, f"unknown: {sorted(found - PLATFORMS_OWN)}"


PLATFORMS_OWN = {
    "accounts.find_session",
    "accounts.memberships_of",
    "ledger.expired",
    "ledger.extend",
    "ledger.forget_booked",
    "conversations.delete_unsent_files",
    "api_keys.find",
    "api_keys.touch",
    "runs.claim_lost",
    "runs.claim_waiting",
    "runs.claimed",
    "runs.hand_over",
    "runs.renew",
    "runs.waiting",
    "secrets.sealed_otherwise",
}


def test_services_leave_queries_to_repos() -> None:
    """One place for rules, one for queries."""
    reading = {
        path
        for path, tree in sources(
            "agenticos_app/services", "agenticos_app/api", "agenticos_app/jobs", "state"
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "session"
        and ast.unparse(node.value) in ("tx", "inner")
    }
    assert reading == set()


def test_every_capability_folder_is_plugged_in() -> None:
    """A folder that no list names is code that nobody can switch on."""
    folders = {one.name for one in pkgutil.iter_modules(capabilities.__path__) if one.ispkg}
    plugged = {
        ast.unparse(node)
        for _, tree in sources("agenticos_app")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "CAPABILITY"
    }
    assert {f"{folder}.CAPABILITY" for folder in folders} == plugged
    assert set(CAPABILITIES) == folders


@pytest.mark.req("DOM-AUTH-19")
def test_refusals_are_ours() -> None:
    """FastAPI's own exception has another envelope."""
    raising = {path for path, tree in sources(*CODE) if "fastapi.HTTPException" in imported(tree)}
    raised = {
        path
        for path, tree in sources(*CODE)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and node.exc is not None and "HTTPException" in ast.unparse(node.exc)
    }
    assert raising | raised == set()


@pytest.mark.req("DOM-RUN-01", "DOM-BUDGET-07")
def test_only_the_runner_asks_models() -> None:
    """A second place that asks one is a door around budgets, approvals and the record."""
    agents = {
        path
        for path, tree in sources(*CODE)
        for name in imported(tree)
        if name.startswith("pydantic_ai.") and name.rpartition(".")[2] in ("Agent", "agent", "direct")
    }
    assert agents == set()
    asking = {
        path
        for path, tree in sources(*CODE)
        if {called for called, _ in calls(tree)} & {"request_stream", "request", "count_tokens"}
        and any(name.startswith("pydantic_ai") for name in imported(tree))
    }
    assert {path for path in asking if not path.startswith("integrations/models/")} == set()
    opening = {
        path
        for path, tree in sources(*CODE)
        if {called for called, _ in calls(tree)} & {"_open_stream", "_open_model"}
    }
    assert opening == {"agenticos_app/runner/requests.py", "integrations/models/fallback.py"}


def routes() -> Iterator[tuple[str, APIRoute | APIWebSocketRoute]]:
    for route in build_api().routes:
        router = getattr(route, "original_router", None)
        for one in [] if router is None else router.routes:
            if isinstance(one, APIRoute | APIWebSocketRoute):
                yield f"{one.endpoint.__module__}.{one.endpoint.__name__}", one


def dependencies(route: APIRoute | APIWebSocketRoute) -> set[str]:
    found, left = set(), list(route.dependant.dependencies)
    while left:
        one = left.pop()
        found.add(getattr(one.call, "__name__", ""))
        left += one.dependencies
    return found


STREAMING = ("agenticos_app.api.stream.", "agenticos_app.api.routers.agents.run_agent")


def test_no_transaction_is_held_while_a_socket_is_open() -> None:
    """A pool of ten would be gone with ten readers."""
    held = {
        name
        for name, route in routes()
        if (isinstance(route, APIWebSocketRoute) or name.startswith(STREAMING))
        and dependencies(route) & {"_tx", "_person_tx", "_system_tx"}
    }
    assert held == set()
    assert sum(name.startswith(STREAMING) for name, _ in routes()) >= 4


@pytest.mark.req("DOM-PERM-12")
def test_a_route_hands_the_decision_on_one_row_to_a_service() -> None:
    """A route that asked for a permission itself would answer 403 where the service answers 404.

    Routes, sockets and event handlers know neither roles nor permissions: they pass the actor's transaction
    and the ids on, and nothing else decides.
    """
    forbidden = {"Permission", "Role", "reach_of", "ROLES", "may", "require", "reach", "is_app_admin"}
    deciding = {
        f"{path}: {found}"
        for path, tree in sources("agenticos_app/api", "state")
        for found in (names(tree) | {name for name, _ in calls(tree)}) & forbidden
    }
    assert deciding == set()
    for name, route in routes():
        ids = [one.name for one in route.dependant.path_params]
        if ids and name.startswith("agenticos_app.api.routers."):
            body = ast.parse(Path(ROOT, *name.split(".")[:-1]).with_suffix(".py").read_text())
            function = next(
                node
                for node in ast.walk(body)
                if isinstance(node, ast.AsyncFunctionDef) and node.name == name.rpartition(".")[2]
            )
            passed = {
                argument.id
                for called, node in calls(function)
                if isinstance(node.func, ast.Attribute)
                for argument in node.args
                if isinstance(argument, ast.Name)
            }
            assert passed & {"tx", "credentials", "actor"}, name
            assert set(ids) <= passed, f"{name} does not pass {ids} on"


@pytest.mark.req("DOM-PERM-09", "DOM-PERM-12")
def test_one_function_decides_about_shareable_rows() -> None:
    """Two places that decide are two answers."""
    deciding = {
        path
        for path, tree in sources(*CODE)
        if {"reaches", "needed_level"} & {name for name, _ in calls(tree)}
    }
    assert deciding == {"agenticos_app/services/access.py"}
    reading_grants = {
        path for path, tree in sources(*CODE) if {"grants", "granted_ids"} & {name for name, _ in calls(tree)}
    }
    assert reading_grants == {"agenticos_app/services/access.py"}


DIGESTS = {
    "sessions.secret_hash", "sessions.previous_secret_hash", "setup_links.token_hash", "files.sha256",
    "api_keys.secret_hash", "idempotent_calls.body_hash",
}  # fmt: skip
"""Columns that hold what something is known by, and not the thing."""
NO_SECRETS = {
    "agent_versions.number", "agents.avatar_key", "files.storage_key", "organizations.avatar_key",
    "secrets.key_version", "users.avatar_key", "users.password_hash", "runs.input_tokens",
    "runs.output_tokens",
    "run_requests.input_tokens", "run_requests.output_tokens", "run_requests.cache_read_tokens",
    "run_requests.cache_write_tokens", "run_requests.secret_id", "messages.input_tokens",
    "messages.output_tokens", "messages.context_tokens", "runs.api_key_id", "api_keys.last_four",
}  # fmt: skip
"""Columns with a name like a secret's that hold another thing."""


@pytest.mark.req("DOM-SECRET-01")
def test_the_vault_alone_holds_sealed_values() -> None:
    """A second way to keep a credential is one that nobody rotates."""
    columns = [column for table in SQLModel.metadata.tables.values() for column in table.columns]
    binary = {f"{one.table.name}.{one.name}" for one in columns if one.type.python_type is bytes}
    assert binary - DIGESTS == {"secrets.sealed"}
    named = re.compile("secret|token|password|passphrase|credential|sealed|cipher|(^|_)key(_|$)|api_?key")
    suspicious = {
        f"{one.table.name}.{one.name}"
        for one in columns
        if named.search(one.name) and not (one.name.endswith("_id") and one.foreign_keys)
    }
    assert suspicious - DIGESTS - NO_SECRETS == {"secrets.sealed"}
    using = {path for path, tree in sources(*CODE) if "sealer" in attributes(tree)}
    assert using == {"agenticos_app/services/secrets.py"}
    ciphers = {
        path
        for path, tree in sources(*CODE)
        if any(name.startswith(("cryptography", "nacl", "Crypto")) for name in imported(tree))
    }
    assert ciphers == {"agenticos_app/security/seal.py"}


@pytest.mark.req("DOM-PERM-01")
def test_nobody_decides_by_the_name_of_a_role() -> None:
    """A role is a set of permissions; what is allowed is asked of the set."""
    roles = {"owner", "admin", "builder", "operator", "member", "viewer"}
    comparing = {
        f"{path}:{node.lineno}"
        for path, tree in sources(
            "agenticos_app/services", "agenticos_app/api", "agenticos_app/jobs", "state"
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
        if (isinstance(side, ast.Constant) and side.value in roles and "role" in ast.unparse(node))
        or ("actor" in ast.unparse(node) and "role" in ast.unparse(node))
    }
    assert comparing == set()


@pytest.mark.req("DOM-PERM-16")
def test_actors_are_made_in_four_places() -> None:
    """Of session rows, of API keys, of the owner that the command line has just made, and nobody."""
    making = {path for path, tree in sources(*CODE) if "Actor" in {name for name, _ in calls(tree)}}
    assert making == {
        "agenticos_app/security/actor.py",
        "agenticos_app/services/api_keys.py",
        "agenticos_app/services/sessions.py",
        "agenticos_app/cli/platform.py",
    }
    without_person = {
        path
        for path, tree in sources(*CODE)
        for called, node in calls(tree)
        if called == "Actor"
        for keyword in node.keywords
        if keyword.arg == "user_id" and isinstance(keyword.value, ast.Constant)
    }
    assert without_person == {"agenticos_app/security/actor.py"}


@pytest.mark.req("DOM-CONFIG-03")
def test_what_an_organization_chooses_is_no_setting() -> None:
    """An owner changes these while the server runs, and each organization has its own."""
    from agenticos_app.settings import Settings

    chosen = (
        "model",
        "provider",
        "openai",
        "anthropic",
        "ollama",
        "parser",
        "chunk",
        "ocr",
        "bot",
        "token",
        "sandbox",
    )
    assert [name for name in Settings.model_fields if any(word in name for word in chosen)] == []
    profile = SQLModel.metadata.tables["model_profiles"].columns
    assert {"organization_id", "provider", "model_name", "base_url", "secret_id"} <= set(profile.keys())
    assert "default_model_profile_id" in SQLModel.metadata.tables["organizations"].columns
    reading = {
        path
        for path, tree in sources(*CODE)
        if {"environ", "getenv"} & attributes(tree) and not path.startswith("agenticos_app/ops/")
    }
    assert reading == set()
    assert health.router.routes, "imported for its routes"
