"""Small operations on text that people read."""


def clipped(text: str, limit: int) -> str:
    """Return the text on one line, cut to `limit` characters with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def slug_of(name: str) -> str:
    """Return `name` as lower-case ASCII words joined by hyphens; may be empty."""
    words = "".join(char if char.isascii() and char.isalnum() else " " for char in name.lower()).split()
    return "-".join(words)[:56].strip("-")
