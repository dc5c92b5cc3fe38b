"""Connections to model servers: one pool for each credential, closed when that changes or rests."""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, field

import httpx2
from pydantic_ai.models import Model

from agenticos_app.contracts.models import Credential, ModelAccess
from integrations.models.transport import Transport

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 120
"""The longest silence between two pieces of an answer."""
IDLE_S = 600
KEPT_MODELS = 64

_Key = tuple[str, str, str | Credential | None]


@dataclass(slots=True)
class Client:
    """What is open for one credential."""

    credential: Credential | None
    transport: Transport
    http: httpx2.AsyncClient
    used_at: float = 0.0
    models: OrderedDict[ModelAccess, Model] = field(default_factory=OrderedDict[ModelAccess, Model])


class Pool:
    """The clients of this process, the one used last at the end."""

    def __init__(self) -> None:
        self._clients: OrderedDict[_Key, Client] = OrderedDict()
        self._retired: list[Transport] = []
        self._closing: set[asyncio.Task[None]] = set()

    def client(self, access: ModelAccess) -> Client:
        """Return the client for an access.

        A credential that replaced another under the same secret gets a client of its own; the old one's
        connections close when the answers on them have ended, and so do those that nobody used for a while.
        """
        now = time.monotonic()
        while self._clients:
            oldest = next(iter(self._clients.values()))
            if now - oldest.used_at < IDLE_S:
                break
            self._retire(self._clients.popitem(last=False)[1])
        key: _Key = (access.provider, access.base_url, access.secret_id or access.credential)
        client = self._clients.get(key)
        if client is not None and client.credential != access.credential:
            self._retire(client)
            client = None
        if client is None:
            client = _opened(access.credential)
        self._clients[key] = client
        self._clients.move_to_end(key)
        client.used_at = now
        return client

    async def close(self) -> None:
        """Close all connections. Answers that are being read end with an error."""
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.http.aclose()
        await asyncio.gather(*self._closing)
        for transport in self._retired:
            await transport.aclose()
        self._retired.clear()

    def _retire(self, client: Client) -> None:
        self._retired = [each for each in self._retired if each.is_open] + [client.transport]
        task = asyncio.get_running_loop().create_task(client.transport.retire())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def _opened(credential: Credential | None) -> Client:
    transport = Transport()
    timeout = httpx2.Timeout(
        connect=CONNECT_TIMEOUT_S,
        read=READ_TIMEOUT_S,
        write=READ_TIMEOUT_S,
        pool=CONNECT_TIMEOUT_S * 2,
    )
    http = httpx2.AsyncClient(transport=transport, timeout=timeout)
    return Client(credential=credential, transport=transport, http=http)
