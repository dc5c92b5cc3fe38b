"""Who may not ask, and what every answer carries."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from agenticos_app.api.guard import Guard, Rules, content_policy

LIMIT = 1000


async def _seen(request: Request) -> Response:
    client = request.client.host if request.client else ""
    seen = {"scheme": request.url.scheme, "client": client, "cookie": request.headers.get("cookie", "")}
    return JSONResponse({**seen, "forwarded": request.headers.get("x-forwarded-for", "")})


async def _body(request: Request) -> Response:
    return JSONResponse({"size": len(await request.body())})


async def _page(request: Request) -> Response:
    return HTMLResponse(f"<p>{request.url.path}</p>")


async def _asset(_request: Request) -> Response:
    return Response("1", media_type="text/javascript")


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text(socket.url.scheme)
    await socket.close()


@pytest.fixture
def client_folder(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "main-abc.js").write_text("1")
    (tmp_path / "index.html").write_text("<script>one()</script><script src='/x.js'></script>")
    (tmp_path / "chat").mkdir()
    (tmp_path / "chat" / "index.html").write_text('<script type="module">two()</script>')
    return tmp_path


def _guarded(client_folder: Path, **rules: Any) -> Guard:
    app = Starlette(
        routes=[
            Route("/api/v1/seen", _seen, methods=["GET", "POST"]),
            Route("/api/v1/body", _body, methods=["POST"]),
            Route("/assets/main-abc.js", _asset),
            Route("/chat/", _page),
            Route("/", _page),
            WebSocketRoute("/_event", _socket),
        ]
    )
    return Guard(app, Rules(client=client_folder, body_limit_bytes=LIMIT, **rules))


@pytest.fixture
def client(client_folder: Path) -> TestClient:
    return TestClient(_guarded(client_folder), base_url="http://console.test")


@pytest.mark.parametrize("path", ["/", "/chat", "/api/v1/seen", "/assets/main-abc.js"])
@pytest.mark.parametrize(
    "origin", ["http://evil.test", "http://console.test.evil.test", "null", "http://console.test:81"]
)
def test_another_sites_page_is_refused(client: TestClient, path: str, origin: str) -> None:
    answer = client.get(path, headers={"origin": origin, "cookie": "session=1"})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "foreign_origin"
    assert set(answer.json()["error"]) == {"code", "message", "details"}
    assert "access-control-allow-origin" not in answer.headers


def test_a_form_of_another_site_without_origin_is_refused(client: TestClient) -> None:
    assert client.post("/api/v1/seen", headers={"sec-fetch-site": "cross-site"}).status_code == 403


@pytest.mark.parametrize(
    "headers", [{}, {"origin": "http://console.test"}, {"origin": "http://CONSOLE.test"}]
)
def test_our_own_pages_and_scripts_pass(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/api/v1/seen", headers=headers).status_code == 200


def test_a_key_passes_from_everywhere_but_without_the_persons_cookie(client: TestClient) -> None:
    headers = {"origin": "http://evil.test", "authorization": "Bearer key", "cookie": "session=1"}
    answer = client.get("/api/v1/seen", headers=headers)
    assert answer.status_code == 200
    assert answer.json()["cookie"] == ""


def test_the_public_address_is_our_own_behind_a_proxy_that_renames_the_host(client_folder: Path) -> None:
    guarded = TestClient(
        _guarded(client_folder, public_url="https://agents.example.org"), base_url="http://backend"
    )
    answer = guarded.get("/api/v1/seen", headers={"origin": "https://agents.example.org"})
    assert answer.status_code == 200
    assert answer.headers["strict-transport-security"]


def test_a_foreign_socket_is_closed_before_it_opens(client: TestClient) -> None:
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        client.websocket_connect("ws://console.test/_event", headers={"origin": "http://evil.test"}),
    ):
        pass
    assert closed.value.code == 1008
    with client.websocket_connect(
        "ws://console.test/_event", headers={"origin": "http://console.test"}
    ) as socket:
        assert socket.receive_text() == "ws"


def test_pages_carry_the_policy_and_are_asked_for_again(client: TestClient, client_folder: Path) -> None:
    answer = client.get("/chat")
    assert answer.status_code == 200
    assert answer.history == []
    assert answer.text == "<p>/chat/</p>"
    policy = answer.headers["content-security-policy"]
    assert policy == content_policy(client_folder)
    assert policy.count("'sha256-") == 2
    assert "unsafe-eval" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "noindex" in answer.headers["x-robots-tag"]
    assert "strict-transport-security" not in answer.headers


def test_answers_of_the_api_are_not_kept_nor_run(client: TestClient) -> None:
    answer = client.get("/api/v1/seen")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_hashed_files_are_kept_for_ever_and_missing_ones_not_at_all(client: TestClient) -> None:
    assert "immutable" in client.get("/assets/main-abc.js").headers["cache-control"]
    gone = client.get("/assets/main-old.js")
    assert gone.status_code == 404
    assert gone.headers["cache-control"] == "no-store"


def test_a_large_body_is_refused_by_its_declared_size(client: TestClient) -> None:
    assert client.post("/api/v1/body", content=b"x" * LIMIT).json() == {"size": LIMIT}
    answer = client.post("/api/v1/body", content=b"x" * (LIMIT + 1))
    assert answer.status_code == 413
    assert answer.json()["error"] == {
        "code": "too_large",
        "message": "This is larger than the limit.",
        "details": {"limit_bytes": LIMIT},
    }


async def test_a_large_body_is_refused_while_it_arrives(client_folder: Path) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b"x" * 100

    transport = httpx.ASGITransport(_guarded(client_folder))
    async with httpx.AsyncClient(transport=transport, base_url="http://console.test") as http:
        answer = await http.post("/api/v1/body", content=chunks())
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"


FORWARDED = {"x-forwarded-for": "203.0.113.9, 198.51.100.7, 10.0.0.2", "x-forwarded-proto": "https"}


@pytest.mark.parametrize(
    ("proxies", "client_address", "scheme"),
    [
        ((), "10.0.0.1", "http"),
        (("192.0.2.0/24",), "10.0.0.1", "http"),
        (("10.0.0.1",), "10.0.0.2", "https"),
        (("10.0.0.0/8",), "198.51.100.7", "https"),
        (("0.0.0.0/0",), "203.0.113.9", "https"),
    ],
)
def test_only_our_proxies_are_believed(
    client_folder: Path, proxies: tuple[str, ...], client_address: str, scheme: str
) -> None:
    guarded = _guarded(client_folder, trusted_proxies=proxies)
    http = TestClient(guarded, base_url="http://console.test", client=("10.0.0.1", 5000))
    seen = http.get("/api/v1/seen", headers=FORWARDED).json()
    assert (seen["client"], seen["scheme"], seen["forwarded"]) == (client_address, scheme, "")


def test_a_socket_behind_a_proxy_is_a_secure_one(client_folder: Path) -> None:
    guarded = _guarded(client_folder, trusted_proxies=("10.0.0.1",))
    http = TestClient(guarded, base_url="http://console.test", client=("10.0.0.1", 5000))
    with http.websocket_connect("ws://console.test/_event", headers=FORWARDED) as socket:
        assert socket.receive_text() == "wss"
