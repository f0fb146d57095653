"""What each tenant may spend: what the registry says of it, and else what the settings say."""

from gateway.rates import Allowance, Quotas, QuotasOf
from gateway.settings import Limits
from guard.ports import Allowed, Registry
from memory.types import TenantId


def granted(limits: Limits, registry: Registry) -> QuotasOf:
    """Return the quotas of tenants; `registry` is asked for every operation.

    However little a tenant is allowed, a full bucket holds the dearest operation: else nothing that
    its subjects did would ever be served.
    """
    dearest = max(limits.write_cost, limits.recall_cost, limits.read_cost, limits.admin_cost)
    usual = Allowed(
        tenant=limits.tenant_units_per_minute,
        origin=limits.origin_units_per_minute,
        subject=limits.subject_units_per_minute,
    )

    def allowance(units: int | None, otherwise: int | None) -> Allowance:
        plain = Allowance.of(units or otherwise or 1, limits.burst_seconds)
        return Allowance(max(dearest, plain.capacity), plain.refill)

    def quotas(allowed: Allowed) -> Quotas:
        return Quotas(
            tenant=allowance(allowed.tenant, usual.tenant),
            origin=allowance(allowed.origin, usual.origin),
            subject=allowance(allowed.subject, usual.subject),
        )

    plain, nothing = quotas(usual), Allowed()

    async def of(tenant: TenantId) -> Quotas:
        found = await registry.tenant(tenant)
        return plain if found is None or found.allowed == nothing else quotas(found.allowed)

    return of
