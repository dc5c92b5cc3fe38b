"""The deployment's settings: environment variables and `.env`, read once by the composition roots."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from agenticos_app.kernel.scopes import Scope


def _none_when_empty(value: object) -> object:
    return None if value == "" else value


def _separated(value: object) -> object:
    return [one.strip() for one in value.split(",") if one.strip()] if isinstance(value, str) else value


OptionalText = Annotated[str | None, BeforeValidator(_none_when_empty)]
OptionalSecret = Annotated[SecretStr | None, BeforeValidator(_none_when_empty)]
OptionalMoney = Annotated[Decimal | None, BeforeValidator(_none_when_empty)]
Scopes = Annotated[frozenset[Scope], NoDecode, BeforeValidator(_separated)]


class Settings(BaseSettings):
    """All of it. A wrong value stops the start with the name of the variable."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", frozen=True)

    agenticos_home: Path = Field(
        default=Path(".agenticos"), description="Folder of the embedded database, files and keys."
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on; 0.0.0.0 for all interfaces.")
    port: int = Field(default=8000, ge=1, le=65535, description="The one port of pages, API and sockets.")
    server_processes: int = Field(
        default=1, ge=1, le=64, description="Server processes; more than one needs REDIS_URL."
    )
    public_url: OptionalText = Field(
        default=None,
        description="Address people type, when it differs (proxy); makes cookies Secure with https.",
    )
    trusted_proxies: str = Field(
        default="", description="Addresses (comma separated) whose X-Forwarded-For and -Proto are believed."
    )
    database_url: OptionalSecret = Field(
        default=None, description="PostgreSQL 15 or newer; empty: the embedded one under AGENTICOS_HOME."
    )
    database_pool: int = Field(default=10, ge=2, le=200, description="Connections of one process.")
    redis_url: OptionalSecret = Field(
        default=None, description="Redis 7 or newer; empty: in this process, which must then be the only one."
    )
    secret_key: OptionalSecret = Field(
        default=None,
        description="32 bytes, base64: the deployment's key; empty: made once under AGENTICOS_HOME.",
    )
    vault_master_key: OptionalSecret = Field(
        default=None, description="32 bytes, base64: seals stored secrets; empty: SECRET_KEY does."
    )
    vault_old_master_keys: OptionalSecret = Field(
        default=None,
        description="Earlier VAULT_MASTER_KEYs (comma separated), until `agenticos vault-rewrap` is done.",
    )
    sign_up_policy: Literal["open", "invite_only", "closed"] = Field(
        default="open", description="Who may create an account after the owner."
    )
    sign_up_domains: str = Field(
        default="", description="E-mail domains (comma separated) that may sign up; empty: all."
    )
    rate_limit_auth_per_minute: int = Field(
        default=10, ge=1, description="Tries on sign-in and sign-up per address and per client."
    )
    rate_limit_api_per_minute: int = Field(
        default=600, ge=1, description="API requests of one caller: a key, else a session."
    )
    rate_limit_run_per_minute: int = Field(
        default=30, ge=1, description="Runs that one caller starts over the API: a key, else a person."
    )
    default_org_monthly_budget_usd: OptionalMoney = Field(
        default=Decimal(100), ge=0, description="Cap of a new organization in US dollars; empty: none."
    )
    run_slots: int = Field(default=48, ge=1, description="Runs that one process executes at once.")
    run_waiting: int = Field(
        default=64, ge=0, description="Runs that may wait for a slot, per process; more are answered 503."
    )
    granted_scopes: Scopes = Field(
        default=",".join(Scope),  # pyright: ignore[reportAssignmentType]  # read as from the environment
        validate_default=True,
        description="Classes of abilities (comma separated) that agents may have; one left out, none has.",
    )
    upload_limit_mb: int = Field(default=10, ge=1, le=1024, description="Largest attached file.")
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["text", "json"] = "text"
