"""The deployment's rules that services follow, and its key; handed over by the composition root."""

from dataclasses import dataclass
from decimal import Decimal

from agenticos_app.contracts.storage import FileStorage
from agenticos_app.security.seal import Sealer


@dataclass(frozen=True, kw_only=True, slots=True)
class Deployment:
    """What the settings decide for services."""

    sealer: Sealer
    storage: FileStorage
    sign_up_policy: str = "open"
    sign_up_domains: tuple[str, ...] = ()
    default_org_monthly_budget_usd: Decimal | None = Decimal(100)
    auth_per_minute: int = 10
    api_per_minute: int = 600
    runs_per_minute: int = 30
    runs_waiting: int = 64
    upload_limit_bytes: int = 10 * 1024 * 1024


_deployment: Deployment | None = None


def use(deployment: Deployment | None) -> None:
    """Make `deployment` the one this process follows."""
    global _deployment
    _deployment = deployment


def current() -> Deployment:
    """Return the deployment's rules."""
    assert _deployment is not None, "start the platform first"
    return _deployment
