"""Reflex's settings. The client is built once and served by any number of server processes."""

import reflex as rx

from agenticos_app.client_build import SameOriginSocket, ScriptsAfterPaint
from agenticos_app.settings import Settings

_redis = Settings().redis_url

config = rx.Config(
    app_name="agenticos_app",
    telemetry_enabled=False,
    show_built_with_reflex=False,
    frontend_compression_formats=["brotli", "gzip"],
    # No CORS answers at all: agenticos_app/api/guard.py refuses foreign origins before Reflex sees them.
    cors_allowed_origins=[],
    redis_token_expiration=12 * 3600,
    redis_url=_redis.get_secret_value() if _redis else None,
    state_manager_mode="redis" if _redis else "memory",
    plugins=[SameOriginSocket(), ScriptsAfterPaint()],
    disable_plugins=[rx.plugins.SitemapPlugin],
)
