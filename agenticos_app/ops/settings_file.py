"""`.env.example`, made from the settings themselves."""

from pathlib import Path
from typing import Any

from agenticos_app.ops.place import ROOT
from agenticos_app.settings import Settings

EXAMPLE: Path = ROOT / ".env.example"


def example() -> str:
    """Return every setting with its meaning and its default, commented out."""
    blocks = [
        "# All settings with their defaults. None is needed to start. Made by `agenticos settings-example`."
    ]
    for name, field in Settings.model_fields.items():
        text = f"# {field.description}\n" if field.description else ""
        blocks.append(f"{text}# {name.upper()}={_written(field.default)}")
    return "\n\n".join(blocks) + "\n"


def _written(default: Any) -> str:
    return "" if default is None else str(default)
