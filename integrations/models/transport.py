"""The road to model servers: aiohttp's connections under the client library that the provider SDKs expect.

A streamed answer costs a fifth less processor time this way than over the library's own transport.
"""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import lru_cache, partial
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx2
from aiohttp.client_exceptions import InvalidURL, NonHttpUrlClientError
from yarl import URL

from integrations.models.gathering import gathered

POOL_LIMIT = 1000
KEEPALIVE_S = 30
ANSWER_LIMIT_BYTES = 64 * 1024 * 1024
"""The longest answer that is read; a longer one ends with an error."""

# Most specific first: aiohttp's time-outs are connection errors too.
ERRORS: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
    (aiohttp.SocketTimeoutError, httpx2.ReadTimeout),
    (aiohttp.ServerTimeoutError, httpx2.ConnectTimeout),
    (aiohttp.ClientProxyConnectionError, httpx2.ProxyError),
    (aiohttp.ClientHttpProxyError, httpx2.ProxyError),
    (aiohttp.ClientConnectorError, httpx2.ConnectError),
    (aiohttp.ServerDisconnectedError, httpx2.RemoteProtocolError),
    (aiohttp.ClientPayloadError, httpx2.RemoteProtocolError),
    (NonHttpUrlClientError, httpx2.UnsupportedProtocol),
    (InvalidURL, httpx2.UnsupportedProtocol),
    (aiohttp.ClientConnectionError, httpx2.ReadError),
    (aiohttp.ClientError, httpx2.RemoteProtocolError),
)


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except aiohttp.ClientError as error:
        raise next(ours for theirs, ours in ERRORS if isinstance(error, theirs))(str(error)) from error


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """Return the process's TLS context: making one takes as long as a whole run."""
    return ssl.create_default_context()


class Transport(httpx2.AsyncBaseTransport):
    """One connection pool. Keeps no cookies, follows no redirect, repeats nothing.

    A proxy is used when the machine is set up for one.
    """

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[tuple[str, str], str | None] = {}
        self._in_use = 0
        self._answers: set[aiohttp.ClientResponse] = set()
        self._retired = False

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=POOL_LIMIT, keepalive_timeout=KEEPALIVE_S, ssl=_tls()),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session

    def _proxy(self, url: httpx2.URL) -> str | None:
        key = (url.scheme, url.host)
        if key not in self._proxies:
            proxies = getproxies()
            found = proxies.get(url.scheme) or proxies.get("all")
            self._proxies[key] = None if found is None or proxy_bypass(url.host) else found
        return self._proxies[key]

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request; the body of the answer is read as it arrives."""
        timeout = request.extensions.get("timeout", {})
        self._in_use += 1
        try:
            with _translated():
                response = await self._opened().request(
                    request.method,
                    URL(str(request.url), encoded=True),  # as it is: signatures cover it
                    headers=request.headers.multi_items(),
                    data=await request.aread() or None,
                    allow_redirects=False,
                    proxy=self._proxy(request.url),
                    timeout=aiohttp.ClientTimeout(
                        connect=timeout.get("pool"),
                        sock_connect=timeout.get("connect"),
                        sock_read=timeout.get("read"),
                    ),
                )
        except BaseException:
            await self._given_back()
            raise
        self._answers.add(response)
        body = _Body(response, partial(self._given_back, response))
        return httpx2.Response(response.status, headers=response.raw_headers, stream=body, request=request)

    async def _given_back(self, response: aiohttp.ClientResponse | None = None) -> None:
        self._in_use -= 1
        if response is not None:
            self._answers.discard(response)
        if self._retired and not self._in_use:
            await self.aclose()

    @property
    def is_open(self) -> bool:
        """Whether there are connections to close."""
        return self._session is not None

    async def retire(self) -> None:
        """Close all connections once the answers that are being read have ended."""
        self._retired = True
        if not self._in_use:
            await self.aclose()

    async def aclose(self) -> None:
        """Close all connections. Answers that are being read end with an error."""
        for response in self._answers:
            response.close()
        if self._session is not None:
            await self._session.close()
            self._session = None


class _Body(httpx2.AsyncByteStream):
    def __init__(self, response: aiohttp.ClientResponse, given_back: Callable[[], Awaitable[None]]) -> None:
        self._response = response
        self._given_back: Callable[[], Awaitable[None]] | None = given_back

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = self._response.content.readany
        is_stream = self._response.content_type == "text/event-stream"
        came = 0
        with _translated():
            async for data in gathered(read) if is_stream else self._response.content.iter_any():
                came += len(data)
                if came > ANSWER_LIMIT_BYTES:
                    raise httpx2.ReadError("The answer is longer than it may be.")
                yield data

    async def aclose(self) -> None:
        """Give the connection back when the answer was read to its end, else close it."""
        self._response.release()
        if self._given_back is not None:
            given_back, self._given_back = self._given_back, None
            await given_back()
