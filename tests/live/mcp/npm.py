"""The clients that npm brings, pinned in `package-lock.json`; `make mcp-clients` installs them."""

import asyncio
import os
import platform
import re
import shutil
import subprocess
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
MODULES: Final = FOLDER / "node_modules"
INSPECTOR: Final = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
REMOTE: Final = "mcp-remote/dist/proxy.js"
CONFORMANCE: Final = "@modelcontextprotocol/conformance/dist/index.js"
UNTESTED: Final = "NOT TESTED: the MCP clients of npm are not here, see `make mcp-clients`"

_OLDEST: Final = (22, 19)
_MACHINES: Final = {"x86_64": "x64", "aarch64": "arm64"}
_SECONDS: Final = 90.0


class Npm:
    """Runs installed packages with a Node that is new enough, in a home of their own."""

    def __init__(self, node: str, home: Path) -> None:
        self.node = node
        self.environment: Mapping[str, str] = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "MCP_CATALOG_PATH": str(home / "catalog.json"),
            "MCP_REMOTE_CONFIG_DIR": str(home / "remote"),
        }

    def words(self, package: str, *words: str) -> list[str]:
        """Return the command line that runs a package."""
        return [self.node, str(MODULES / package), *words]

    async def run(self, package: str, *words: str) -> tuple[int, str]:
        """Run a package; return its exit code and what it wrote, without colours."""
        process = await asyncio.create_subprocess_exec(
            *self.words(package, *words), stdout=PIPE, stderr=PIPE, env=self.environment
        )
        try:
            async with asyncio.timeout(_SECONDS):
                out, errors = await process.communicate()
        except TimeoutError:
            process.kill()
            raise
        assert process.returncode is not None
        written = re.sub(r"\x1b\[\d*m", "", out.decode())
        return process.returncode, written or errors.decode()


def find_node() -> str | None:
    """Return a Node that is new enough: that which came with the clients, or the machine's."""
    if not (MODULES / CONFORMANCE).exists():
        return None
    machine = _MACHINES.get(platform.machine(), "none")
    own = MODULES / f"node-linux-{machine}" / "bin" / "node"
    if own.exists():
        return str(own)
    node = shutil.which("node")
    if node is None:
        return None
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603
    numbers = tuple(int(one) for one in re.findall(r"\d+", told)[:2])
    return node if numbers >= _OLDEST else None
