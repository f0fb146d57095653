"""An authorisation server as a Keycloak realm looks from outside: keys at a URL, and tokens."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt

from gateway.settings import Settings
from tests.edges.world import rsa_jwk

URL = Settings().url
"""The gateway that its tokens are for, unless they say otherwise."""


def free_port() -> int:
    """Return a port of the loopback address that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Realm:
    """One realm, which answers while `answering` lasts."""

    def __init__(self, port: int) -> None:
        self.key, self.other = rsa_jwk("realm-sig"), rsa_jwk("realm-enc")
        self.port = port
        self.issuer = f"http://127.0.0.1:{port}/realms/memory"
        self.keys_url = f"{self.issuer}/protocol/openid-connect/certs"

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Publish the keys meanwhile."""
        realm = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                keys = [
                    realm.public(realm.other, "RSA-OAEP", "enc"),
                    realm.public(realm.key, "RS256", "sig"),
                ]
                body = json.dumps({"keys": keys}).encode()
                found = self.path == "/realms/memory/protocol/openid-connect/certs"
                self.send_response(200 if found else 404)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return

        server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    @staticmethod
    def public(key: dict[str, Any], algorithm: str, use: str) -> dict[str, Any]:
        """Return a key as the realm publishes it."""
        shown = {name: key[name] for name in ("kid", "kty", "n", "e")}
        return shown | {"alg": algorithm, "use": use}

    def token(self, **changes: Any) -> str:
        """Return an access token: what Keycloak puts into one, and what our mappers add."""
        now = int(time.time())
        claims = {
            "exp": now + 300,
            "iat": now,
            "jti": "onrtac:8b0a7c52-54a9-4bb2-a3b4-7a2f5d4cf0ae",
            "iss": self.issuer,
            "aud": [f"{URL}/mcp", "account"],
            "sub": "f1f6a0d4-7f3c-4a39-9d0e-ef1b6e3a0a77",
            "typ": "Bearer",
            "azp": "trip-agent",
            "sid": "4f2c1d4a-0a8f-4a17-8a44-7bb3a0d6f7f1",
            "acr": "1",
            "allowed-origins": ["http://127.0.0.1:6274"],
            "realm_access": {"roles": ["offline_access", "default-roles-memory"]},
            "scope": "openid profile memory:read memory:write",
            "preferred_username": "ada",
            "tid": "acme",
        } | changes
        kept = {name: value for name, value in claims.items() if value is not None}
        signer = jwt.PyJWK(self.key)
        return jwt.encode(kept, signer.key, algorithm="RS256", headers={"kid": "realm-sig"})
