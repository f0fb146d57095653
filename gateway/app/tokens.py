"""Development tokens, signed with the key that a gateway makes for itself."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from gateway.app.starting import start_keys
from gateway.minting import mint
from gateway.settings import Mode, Settings, SettingsError

if TYPE_CHECKING:
    from gateway.resources import Resource


def token(
    settings: Settings,
    *,
    tenant: str,
    subject: str,
    scopes: Iterable[str],
    client: str,
    ttl_seconds: int,
    resource: "Resource | None" = None,
) -> str:
    """Return a development token signed with the key in the data directory, made if missing.

    Raises SettingsError in production: there, an authorisation server issues tokens.
    """
    if settings.mode is Mode.PRODUCTION:
        raise SettingsError("production: tokens come from the authorisation server")
    keys_file = start_keys(settings).keys_file
    if keys_file is None:
        raise SettingsError("auth.keys_url: tokens come from the issuer, none can be made here")
    key = msgspec.json.decode(keys_file.read_bytes(), type=dict[str, str])
    return mint(
        key,
        settings.auth,
        tenant=tenant,
        subject=subject,
        scopes=scopes,
        client=client,
        ttl_seconds=ttl_seconds,
        resource=None if resource is None else resource.address(settings.url),
    )
