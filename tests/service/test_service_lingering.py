"""Connections that are closed while the client is still sending."""

import asyncio

import pytest
import uvicorn
import uvloop
from serving import Conversation
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tonmf.service import lingering
from tonmf.service.lingering import LingeringTransport

SIZE = 5_000_000


@pytest.mark.parametrize("kind", ["application/json", "application/x-ndjson"])
def test_a_client_that_sends_all_before_it_reads_gets_the_refusal(kind, server):
    with Conversation(server, "/v1/score", f"Content-Type: {kind}", size=SIZE) as talk:
        talk.send(b"x" * SIZE)
        assert b"HTTP/1.1 413" in talk.rest()


class Refusing(HttpToolsProtocol):
    """Refuses each request by its head."""

    def on_headers_complete(self):
        super().on_headers_complete()
        self.cycle.transport = LingeringTransport(self.transport, self.cycle)


async def refuse(scope, receive, send):
    await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"no"})


def ended_after(loop, most):
    """The bytes that a client can send that never stops, and whether its connection is forgotten then."""

    async def talk():
        state, running = uvicorn.server.ServerState(), asyncio.get_running_loop()
        config = uvicorn.Config(refuse, ws="none", lifespan="off")
        server = await running.create_server(lambda: Refusing(config, state, {}, running), "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1000000000\r\n\r\n")
            answer = await reader.read()
            assert answer.endswith(b"no")
            sent = 0
            try:
                while sent < most:
                    writer.write(bytes(2**16))
                    await writer.drain()
                    sent += 2**16
                    await asyncio.sleep(0)
                while state.connections:
                    await asyncio.sleep(0.01)
            except ConnectionError:
                pass
            writer.transport.abort()
            while state.connections:
                await asyncio.sleep(0.01)
            return sent

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(asyncio.wait_for(talk(), 60))


loops = pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])


@loops
def test_what_a_client_goes_on_sending_is_discarded_up_to_a_limit(loop, monkeypatch):
    monkeypatch.setattr(lingering, "BYTES", 2**20)
    assert ended_after(loop, 2**30) < 2**28


@loops
def test_a_client_that_does_not_close_is_waited_for_for_a_while(loop, monkeypatch):
    monkeypatch.setattr(lingering, "SECONDS", 0.05)
    assert ended_after(loop, 0) == 0
