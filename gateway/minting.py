"""Tokens of the development gateway, made as its one bearer check takes them.

Apart from that check, so that making one reads none of what a gateway serves with.
"""

import time
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Final

import jwt

from gateway.settings import Auth
from memory.types import ClientId

_MADE_HERE: Final = "dev-app"
DEVELOPMENT_CLIENT: Final = ClientId(_MADE_HERE)


def mint(
    key: Mapping[str, Any],
    auth: Auth,
    *,
    tenant: str,
    subject: str,
    scopes: Iterable[str],
    client: str = DEVELOPMENT_CLIENT,
    ttl_seconds: int = 3600,
    resource: str | None = None,
) -> str:
    """Return a token signed with a private JWK, as the development gateway accepts it.

    It is for the resource at an address, or else for the first of the configured audiences.
    """
    signer = jwt.PyJWK(dict(key))
    now = int(time.time())
    payload = {
        "iss": auth.issuer,
        "aud": auth.audiences[0] if resource is None else resource,
        "iat": now,
        "exp": now + ttl_seconds,
        "jti": str(uuid.uuid4()),
        auth.tenant_claim: tenant,
        auth.subject_claim: subject,
        auth.client_claim: client,
        auth.scope_claim: " ".join(scopes),
    }
    headers = {"kid": key["kid"]} if "kid" in key else None
    return jwt.encode(payload, signer.key, algorithm=signer.algorithm_name, headers=headers)
