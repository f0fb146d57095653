"""An embeddings endpoint on the loopback address: real HTTP, hashed vectors, faults on order."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import msgspec

from guard import fakes

DIMENSIONS: Final = 64
MODEL: Final = "tiny-embed-1"


class Asked(msgspec.Struct, frozen=True):
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Reply(msgspec.Struct, frozen=True):
    """What to answer instead of vectors. A status of 0 hangs up without a word."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = msgspec.field(default_factory=dict)


Answer = Callable[[Asked], Reply]


class EndpointDouble:
    """Answers with `answers` in turn, then as a sound endpoint; remembers what it was asked."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self.answers: list[Answer] = []
        self.always: Answer = sound
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def answer(self, asked: Asked) -> Reply:
        """Return the reply to one request."""
        self.asked.append(asked)
        self.entered.set()
        self.gate.wait(30)
        return (self.answers.pop(0) if self.answers else self.always)(asked)


def vectors(texts: list[str], dimensions: int = DIMENSIONS) -> list[list[float]]:
    """Return hashed vectors, three times as long as a unit."""
    return [(fakes._vector(text, "main", dimensions) * 3).tolist() for text in texts]


def sound(asked: Asked) -> Reply:
    """Answer as the interface says, but last text first: the index tells, not the place."""
    texts = asked.body["input"]
    data = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in enumerate(vectors(texts))
    ]
    whole = {"object": "list", "data": data[::-1], "model": MODEL, "usage": {"total_tokens": 1}}
    return Reply(body=json.dumps(whole).encode())


def status(code: int, **headers: str) -> Answer:
    """Return an answer that is nothing but a status."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _asked: Reply(code, b'{"error": {"message": "no"}}', named)


def holding(*embeddings: object, start: int = 0) -> Answer:
    """Return an answer with these embeddings, whatever was asked."""
    data = [{"index": start + place, "embedding": one} for place, one in enumerate(embeddings)]
    return lambda _asked: Reply(body=json.dumps({"data": data}).encode())


@contextmanager
def endpoint(tls: ssl.SSLContext | None = None) -> Iterator[EndpointDouble]:
    """Serve a double while the block runs."""
    double = EndpointDouble()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(length))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = double.answer(Asked(self.path, headers, body))
            if reply.status == 0:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Say nothing: clients that hang up or refuse a certificate are what this is for."""

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    scheme = "http" if tls is None else "https"
    double.url = f"{scheme}://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield double
    finally:
        double.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()
