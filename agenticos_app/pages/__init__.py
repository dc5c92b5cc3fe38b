"""One module per page: a route, what it loads, a frame and a few components."""

from importlib import import_module
from pkgutil import iter_modules


def everything() -> None:
    """Import every page, which registers its route."""
    for module in iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
