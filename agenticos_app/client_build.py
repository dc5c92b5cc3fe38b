"""What happens to the built client before it is compressed."""

import re
from pathlib import Path

from reflex_base.plugins import Plugin

_PRELOADED = '<link rel="modulepreload"'


class SameOriginSocket(Plugin):
    """Make the client talk to the origin it was loaded from.

    Reflex bakes scheme, host and port into one small chunk at build time; the page of a server
    on any other port would never connect.
    """

    def post_build(self, **context: object) -> None:
        """Replace the baked addresses by the page's own origin."""
        (chunk,) = Path(str(context["static_dir"])).glob("assets/reflex-env-*.js")
        source = chunk.read_text()
        for scheme, origin in (("http", "location.origin"), ("ws", "location.origin.replace('http','ws')")):
            address = rf"""[`"']{scheme}://[^/`"']+(/[^`"']*)[`"']"""
            source = re.sub(address, rf"`${{{origin}}}\1`", source)
        chunk.write_text(source)


class ScriptsAfterPaint(Plugin):
    """Let the prerendered page and its style sheet come before the scripts that bring it to life.

    Browsers give preloaded modules the priority of scripts that block; on a slow line the readable page
    then waits for all of them.
    """

    def post_build(self, **context: object) -> None:
        """Give the preloaded modules of every page a low priority."""
        for page in Path(str(context["static_dir"])).rglob("*.html"):
            source = page.read_text()
            page.write_text(
                source.replace('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"')
            )
