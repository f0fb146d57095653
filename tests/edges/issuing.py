"""An issuer as the console meets it: it gives tokens for a code, once, to who began."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import jwt

from gateway.settings import Auth
from tests.edges.world import ed25519_jwk, token

CLIENT: Final = "memguard-console"


class Issuing:
    """An issuer with a token endpoint. `claims` and `identity` change what its tokens say."""

    def __init__(self, key: dict[str, Any]) -> None:
        self.key = key
        self.claims: dict[str, Any] = {}
        self.identity: dict[str, Any] = {}
        self.foreign = ed25519_jwk("foreign")
        self.signs_with: dict[str, Any] = key
        self.status = 200
        self.url = ""
        self._codes: dict[str, dict[str, str]] = {}

    def authorised(self, address: str) -> dict[str, str]:
        """Return what the browser brings back after somebody signed in at this address."""
        asked = dict(parse_qsl(urlsplit(address).query))
        code = f"code-{len(self._codes)}"
        self._codes[code] = asked
        return {"code": code, "state": asked["state"], "iss": Auth().issuer}

    def exchanged(self, said: dict[str, str]) -> tuple[int, dict[str, str]]:
        """Return what the token endpoint answers."""
        asked = self._codes.pop(said.get("code", ""), None)
        if asked is None or self.status != 200:
            return (400 if asked is None else self.status), {"error": "invalid_grant"}
        digest = hashlib.sha256(said["code_verifier"].encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        fits = (proof, said["redirect_uri"], said["client_id"], asked["code_challenge_method"]) == (
            asked["code_challenge"],
            asked["redirect_uri"],
            asked["client_id"],
            "S256",
        )
        if not fits:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": Auth().issuer,
            "aud": CLIENT,
            "sub": "rita",
            "nonce": asked["nonce"],
            "iat": now,
            "exp": now + 300,
        } | self.identity
        signer = jwt.PyJWK(self.signs_with)
        headers = {"kid": self.signs_with["kid"]}
        return 200, {
            "access_token": token(self.key, **{"sub": "rita", "azp": CLIENT} | self.claims),
            "id_token": jwt.encode(claims, signer.key, signer.algorithm_name, headers),
            "token_type": "Bearer",
        }

    @contextmanager
    def answering(self) -> Iterator["Issuing"]:
        """Answer at a free port of the loopback address meanwhile."""
        issuing = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                status, answer = issuing.exchanged(
                    dict(parse_qsl(self.rfile.read(length).decode()))
                )
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
