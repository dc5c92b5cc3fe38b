"""The page for people who program against the API. Plain HTML that runs under a policy of its own."""

import base64
import hashlib
import re
from html import escape
from pathlib import Path

from fastapi import Request
from fastapi.responses import HTMLResponse

from agenticos_app import errors
from agenticos_app.api.openapi import operations_by_tag
from agenticos_app.errors import AppError
from agenticos_app.services import deployment

_PAGE = Path(__file__).with_name("docs.html").read_text()
_STYLE = re.search(r"<style>(.*?)</style>", _PAGE, re.DOTALL)
assert _STYLE is not None
_DIGEST = base64.b64encode(hashlib.sha256(_STYLE[1].encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; frame-ancestors 'none'"


async def read_docs(request: Request) -> HTMLResponse:
    """Show how to call the API, with this deployment's address and limits in the examples."""
    rules = deployment.current()
    values = {
        "ADDRESS": escape(str(request.base_url).rstrip("/")),
        "RUN_LIMIT": str(rules.runs_per_minute),
        "API_LIMIT": str(rules.api_per_minute),
        "ERRORS": "\n".join(_error_rows()),
        "ROUTES": "\n".join(_route_rows(request)),
    }
    page = re.sub(r"{{(\w+)}}", lambda found: values[found[1]], _PAGE)
    return HTMLResponse(page, headers={"content-security-policy": _POLICY})


def _error_rows() -> list[str]:
    kinds = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, AppError)]
    kinds.sort(key=lambda kind: (kind.status, kind.code))
    rows = [
        f"<tr><td>{kind.status}</td><td><code>{kind.code}</code></td><td>{escape(kind.message)}</td></tr>"
        for kind in kinds
        if kind is not AppError
    ]
    return [*rows, "<tr><td>500</td><td><code>internal</code></td><td>Something broke on our side.</td></tr>"]


def _route_rows(request: Request) -> list[str]:
    rows: list[str] = []
    for tag, found in operations_by_tag(request.app.openapi()):
        rows.append(f'<tr><th colspan="2" scope="colgroup">{escape(tag)}</th></tr>')
        rows += [
            f"<tr><td><code>{method} {escape(path)}</code></td><td>{escape(said)}</td></tr>"
            for method, path, said in found
        ]
    return rows
