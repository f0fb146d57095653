"""Signing in at the issuer: OpenID Connect's code flow with PKCE, for a gateway in production.

The steps, and what each is for:

1. a fresh secret goes into a cookie of this browser; state, nonce and the code's verifier are made
   from it, so that nothing has to be kept here and any replica can take the answer;
2. the issuer sends the browser back to one exact address; its state is this browser's, or somebody
   else began this;
3. the code is exchanged with the verifier, so that a code which was overheard is worth nothing;
4. the ID token is the issuer's, for this client, and for this very request (nonce);
5. the access token passes the check of every token, and both are of one subject.
"""

import base64
import hashlib
import hmac
import secrets
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlencode

import httpx2
import msgspec
from msgspec import Meta

from gateway.auth import MAX_TOKEN_CHARS, Verifier
from gateway.console.frame import own_path
from gateway.console.shield import ROOT
from gateway.settings import Settings, SettingsError
from guard.errors import UnauthenticatedError, UnavailableError
from guard.visits import SECRET_BYTES, Ticket
from memory.types import TenantId

BACK: Final = f"{ROOT}/back"
_STATE: Final = b"memguard/away/state"
_NONCE: Final = b"memguard/away/nonce"
_VERIFIER: Final = b"memguard/away/verifier"
_NOBODYS: Final = TenantId("-")
_MOST_BYTES: Final = 131_072
_OK: Final = 200
_BROKEN: Final = 500

_Token = Annotated[str, Meta(min_length=1, max_length=MAX_TOKEN_CHARS)]


class Tokens(msgspec.Struct, frozen=True):
    """What an issuer gives for a code, as far as it matters here."""

    access_token: _Token
    id_token: _Token


class Errand(msgspec.Struct, frozen=True):
    """What a browser takes along to the issuer and back: a secret, and where to go on."""

    ticket: Ticket
    onward: str

    def text(self) -> str:
        """Return what `read` reads."""
        return f"{self.ticket.text()}~{self.onward}"

    @classmethod
    def read(cls, text: str) -> "Errand":
        """Return the errand of a cookie. Raises UnauthenticatedError for what is none."""
        ticket, _, onward = text.partition("~")
        found = Ticket.read(ticket)
        if found is None:
            raise UnauthenticatedError
        return cls(found, own_path(onward))


class Issuer:
    """The issuer of a gateway's tokens, as its console speaks to it."""

    def __init__(self, settings: Settings, verifier: Verifier) -> None:
        console, auth = settings.console, settings.auth
        if console.client_id is None or console.authorize_url is None or console.token_url is None:
            raise SettingsError("console.client_id: nobody to sign in at")
        self._client_id, self._scopes = console.client_id, console.scopes
        self._authorize_url, self._token_url = console.authorize_url, console.token_url
        self._secret = _secret(console.client_secret_file)
        self._auth, self._verifier = auth, verifier
        self._back: Final = f"{settings.url}{BACK}"

    def leave(self, onward: str) -> tuple[str, Errand]:
        """Return the address to sign in at, and what the browser keeps meanwhile."""
        errand = Errand(Ticket(_NOBODYS, secrets.token_bytes(SECRET_BYTES)), onward)
        challenge = hashlib.sha256(errand.ticket.derived(_VERIFIER).encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": self._back,
            "scope": " ".join(self._scopes),
            "state": errand.ticket.derived(_STATE),
            "nonce": errand.ticket.derived(_NONCE),
            "code_challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{self._authorize_url}?{urlencode(asked)}", errand

    async def come_back(self, errand: Errand, code: str, state: str, issuer: str | None) -> str:
        """Return the access token that the issuer gave for this errand.

        Raises UnauthenticatedError for whatever does not fit, UnavailableError without an answer.
        """
        if not hmac.compare_digest(state.encode(), errand.ticket.derived(_STATE).encode()):
            raise UnauthenticatedError
        if issuer is not None and issuer != self._auth.issuer:
            raise UnauthenticatedError  # another issuer's answer (RFC 9207)
        tokens = await self._exchange(code, errand.ticket.derived(_VERIFIER))
        nonce = errand.ticket.derived(_NONCE)
        await self._verifier.same_person(
            tokens.id_token, tokens.access_token, client=self._client_id, nonce=nonce
        )
        return tokens.access_token

    async def _exchange(self, code: str, verifier: str) -> Tokens:
        said = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._back,
            "client_id": self._client_id,
            "code_verifier": verifier,
        }
        if self._secret is not None:
            said["client_secret"] = self._secret
        try:
            async with httpx2.AsyncClient(
                timeout=self._auth.keys_timeout_seconds,
                trust_env=False,
                follow_redirects=False,
                verify=True if self._auth.keys_ca_file is None else str(self._auth.keys_ca_file),
            ) as client:
                answer = await client.post(self._token_url, data=said)
        except httpx2.HTTPError:
            raise UnavailableError("issuer") from None
        if answer.status_code >= _BROKEN:
            raise UnavailableError("issuer")
        if answer.status_code != _OK or len(answer.content) > _MOST_BYTES:
            raise UnauthenticatedError
        try:
            return msgspec.json.decode(answer.content, type=Tokens)
        except (msgspec.ValidationError, msgspec.DecodeError):
            raise UnauthenticatedError from None


def _secret(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"console.client_secret_file: cannot be read: {type(error).__name__}"
        ) from None
