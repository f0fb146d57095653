"""A real browser at the console: Debian's Chromium, driven by Playwright, and watched meanwhile."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from playwright.async_api import (
    Browser,
    ConsoleMessage,
    Page,
    Request,
    async_playwright,
    expect,
)

FOLDER: Final = Path(__file__).parent
SCREENS: Final = FOLDER / "screens"
CHROMIUM: Final = Path("/usr/bin/chromium")
AXE: Final = FOLDER / "node_modules" / "axe-core" / "axe.min.js"
UNTESTED: Final = (
    "NOT TESTED: no Chromium at /usr/bin/chromium, or no axe-core: `make console-checks`"
)
WIDE: Final = (1280, 800)
NARROW: Final = (390, 844)

_STICKING_OUT: Final = """() => {
  const root = document.documentElement, room = root.clientWidth;
  if (root.scrollWidth <= room) return [];
  const named = (one) => `${one.tagName}.${one.className.baseVal ?? one.className}`;
  const told = [];
  const look = (boxes, name) => {
    const right = Math.max(...[...boxes].map((box) => box.width > 0 ? box.right : 0), 0);
    if (right > room) told.push(`${name} ends at ${Math.round(right)}`);
  };
  for (const one of document.querySelectorAll("body *")) {
    look([one.getBoundingClientRect()], named(one));
    for (const text of one.childNodes) {
      // A long word sticks out of its own element, too, which then ends where it should.
      if (text.nodeType !== Node.TEXT_NODE) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      look(range.getClientRects(), `text in ${named(one)}`);
    }
  }
  return [`${root.scrollWidth} wide in ${room}`, ...told];
}"""

# A busy machine takes its time for a page; what is wrong is wrong after twenty seconds, too.
expect.set_options(timeout=20_000)


class Watched:
    """A page of the browser, with all that it asked for and complained about."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.foreign: list[str] = []
        self.complaints: list[str] = []
        page.on("request", self._asked)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:")):
            self.foreign.append(request.url)

    def _said(self, message: ConsoleMessage) -> None:
        # A refusal that a test provokes is told of as a failed load, and is none of ours.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    async def shoot(self, name: str) -> None:
        """Keep a picture of the whole page, to be looked at: where there is a folder for them."""
        if SCREENS.is_dir():
            await self.page.screenshot(path=SCREENS / f"{name}.png", full_page=True)

    async def serious(self) -> list[str]:
        """Return what axe calls serious or critical on this page, and where."""
        await self.page.evaluate(AXE.read_text("utf-8"))
        # What else it found is counted and not described.
        found: dict[str, Any] = await self.page.evaluate("axe.run({resultTypes: ['violations']})")
        return [
            f"{one['id']}: {[node['target'] for node in one['nodes']][:3]}"
            for one in found["violations"]
            if one["impact"] in {"serious", "critical"}
        ]

    async def sticking_out(self) -> list[str]:
        """Return what makes the page scroll to the side: each element that ends too far right.

        Empty when the page fits. Told by name, for a font or a date may do it elsewhere alone.
        """
        return list(await self.page.evaluate(_STICKING_OUT))

    async def pwned(self) -> bool:
        """Return whether a hostile text was run as a script."""
        return bool(await self.page.evaluate("'pwned' in window"))


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Lend the browser."""
    # Chromium refuses its sandbox to root; the tests show it none but our own pages.
    alone = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=alone)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def window(
    browser: Browser,
    url: str,
    *,
    size: tuple[int, int] = WIDE,
    language: str = "en-GB",
    dark: bool = False,
) -> AsyncIterator[Watched]:
    """Lend a window of a browser that nobody has used before."""
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale=language,
        color_scheme="dark" if dark else "light",
        base_url=url,
    )
    try:
        yield Watched(await context.new_page(), url)
    finally:
        await context.close()
