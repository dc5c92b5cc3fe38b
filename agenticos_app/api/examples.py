"""Examples of the API's description: of shapes, of single values, of what a refusal's details hold."""

from collections.abc import Mapping
from types import MappingProxyType

_RUN = "0193a5c2-7c1e-7b44-9d52-3f2a9a1c0b77"

EXAMPLES: Mapping[str, object] = MappingProxyType(
    {
        "Ask": {"prompt": "What is 17 times 23?"},
        "AskTest": {"prompt": "What is 17 times 23?", "tested": "draft"},
        "ChartCard": {
            "kind": "chart",
            "type": "bar",
            "title": "Most visitors come on Tuesdays",
            "x_label": "",
            "y_label": "Visitors",
            "x_values": ["Mon", "Tue"],
            "series": [{"name": "Visitors", "values": [12, 18]}],
        },
        "RunResult": {
            "run_id": _RUN,
            "conversation_id": None,
            "status": "completed",
            "output_usd": "15",
            "output": "17 times 23 is 391.",
            "error": None,
            "input_tokens": 612,
            "output_tokens": 24,
            "cost_usd": "0.0041",
            "cost_is_partial": False,
        },
        "AgentSpec": {
            "format": 2,
            "instructions": "You answer questions about deliveries. Customers are in {{region}}.",
            "variables": [{"name": "region", "description": "Where they are", "default": "Europe"}],
            "model_profile_id": _RUN,
            "model_settings": {"temperature": 0.2},
            "capabilities": [{"id": "attachments"}, {"id": "clock", "config": {"timezone": "Europe/Warsaw"}}],
            "monthly_budget_micros": 5_000_000,
        },
        "ModelSettings": {"temperature": 0.2},
        "Variable": {"name": "region", "description": "Where they are", "default": "Europe"},
        "AgentCreate": {"name": "Claims Desk", "visibility": "org"},
        "EnvironmentCreate": {"name": "staging", "tracks_latest": True},
        "EnvironmentChange": {"name": "staging", "tracks_latest": False},
        "DraftImport": {"revision": 3, "document": "spec_version: 2\ninstructions: Be brief.\n"},
        "AgentImport": {
            "name": "Claims Desk",
            "document": "spec_version: 2\ninstructions: Be brief.\n",
        },
        "CapabilityAsk": {"capability_id": "clock", "reason": "Deadlines depend on the day."},
        "AgentChange": {"categories": ["support"], "tags": ["claims", "refunds"]},
        "ApiKeyCreate": {
            "name": "Nightly report",
            "permissions": ["agents:view", "agents:run"],
            "expires_at": "2030-01-31T00:00:00Z",
        },
        "SecretCreate": {
            "name": "Our Anthropic key",
            "purpose": "anthropic",
            "value": {"kind": "api_key", "api_key": "example-key"},
        },
        "SecretRotate": {"value": {"kind": "api_key", "api_key": "another-example-key"}},
        "ModelCreate": {
            "name": "Our Claude",
            "provider": "anthropic",
            "model_name": "claude-sonnet-4-5",
            "secret_id": _RUN,
        },
        "ModelChange": {"params": {"temperature": 0.2}},
        "ModelDraft": {
            "provider": "ollama",
            "model_name": "qwen3:8b",
            "base_url": "http://localhost:11434/v1",
        },
        "Params": {"temperature": 0.2, "max_tokens": 4000},
        "SignIn": {"email": "ada@example.org", "password": "correct horse battery"},
        "Permission": "agents:run",
        "Problem": {
            "error": {
                "code": "not_found",
                "message": "There is nothing under this address that you can open.",
                "details": {},
            }
        },
    }
)

VALUES: Mapping[str, object] = MappingProxyType(
    {
        "agent_name": "Assistant",
        "api_key": "Nightly report",
        "base_url": "http://localhost:11434/v1",
        "cost_usd": "0.0041",
        "email": "ada@example.org",
        "full_name": "Ada Example",
        "ip_address": "203.0.113.7",
        "input_usd": "3",
        "key_hint": "x7Qa",
        "key_name": "Our Anthropic key",
        "kind": "text",
        "last_four": "x7Qa",
        "last_used_ip": "203.0.113.7",
        "media_type": "text/plain; charset=utf-8",
        "message": "missing",
        "model_label": "Practice model",
        "model_name": "claude-sonnet-4-5",
        "name": "Assistant",
        "next_cursor": "",
        "organization_name": "Harbor Supply",
        "organization_slug": "harbor-supply",
        "output_usd": "15",
        "output": "17 times 23 is 391.",
        "owner": "Ada Example",
        "password": "correct horse battery",
        "person": "Ada Example",
        "prefix": "aos_4mT9sKq2LbXz",
        "prompt": "What is 17 times 23?",
        "slug": "harbor-supply",
        "surface": "api",
        "title": "What is 17 times 23?",
        "token": "aos_4mT9sKq2LbXz...",
        "version": 3,
    }
)
"""By the name of the property."""

DETAILS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "invalid_input": {"fields": [{"field": "prompt", "message": "missing"}]},
        "invalid_key": {"reason": "expired"},
        "forbidden": {"permission": "agents:run"},
        "not_publishable": {
            "fields": [{"field": "model_profile_id", "message": "model_missing"}],
            "problems": [
                {
                    "at": "model_profile_id",
                    "code": "model_missing",
                    "details": dict[str, str](),
                    "text": "Choose a model for the agent.",
                }
            ],
        },
        "bad_document": {"field": "spec_version", "problem": "newer"},
        "conflict": {"reason": "run_in_progress"},
        "key_unavailable": {"reason": "unset"},
        "RATE_LIMIT_EXCEEDED": {"retry_after_seconds": 21, "limit": 30},
        "overloaded": {"retry_after_seconds": 2},
        "too_large": {"limit_bytes": 11_534_336},
        "unsupported_type": {"expected": "application/json"},
        "external_failure": {"service": "database"},
    }
)
"""By the code of the refusal."""
