"""A short name for a device, from the user agent it sends."""

from typing import NamedTuple


class Device(NamedTuple):
    """What a session list shows."""

    name: str
    type: str
    """computer, phone, tablet or script"""


_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPad", "iPadOS", "tablet"),
    ("iPhone", "iOS", "phone"),
    ("Android", "Android", "phone"),
    ("Windows", "Windows", "computer"),
    ("Mac OS X", "macOS", "computer"),
    ("CrOS", "ChromeOS", "computer"),
    ("Linux", "Linux", "computer"),
)


def device_of(user_agent: str) -> Device:
    """Return what the user agent tells; a script when it names no browser."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "")
    if not browser:
        return Device(user_agent.split("/")[0].strip()[:60] or "?", "script")
    for mark, system, kind in _SYSTEMS:
        if mark in user_agent:
            is_tablet = system == "Android" and "Mobile" not in user_agent
            return Device(f"{browser}, {system}", "tablet" if is_tablet else kind)
    return Device(browser, "computer")
