"""How many writes an origin made lately, counted in this process."""

from bisect import bisect_right, insort
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Final

from memory.types import TenantId


class WindowRates:
    """Fulfils `guard.ports.Rates` with exact times; forgets a key once its window is empty."""

    def __init__(self, window_seconds: float) -> None:
        if window_seconds <= 0:
            raise ValueError("a window has a length")
        self._window: Final = timedelta(seconds=window_seconds)
        # Least recently noted key first, so that idle ones are found without a search.
        self._times: Final[OrderedDict[tuple[TenantId, str], list[datetime]]] = OrderedDict()

    async def note(self, tenant: TenantId, key: str, at: datetime) -> int:
        """Record one write and return how many fall within the window, this one included."""
        start = at - self._window
        self._forget_idle(start)
        times = self._times.setdefault((tenant, key), [])
        self._times.move_to_end((tenant, key))
        insort(times, at)
        # Times arrive almost in order; a late one is counted in the window that ends with it.
        count = bisect_right(times, at) - bisect_right(times, start)
        del times[: bisect_right(times, times[-1] - self._window)]
        return count

    def _forget_idle(self, start: datetime) -> None:
        while self._times:
            oldest = next(iter(self._times))
            if self._times[oldest][-1] > start:
                return
            del self._times[oldest]
