"""The `memguard` command."""

import sys

from gateway.cli.program import run


def main() -> None:
    """Run the command line and end with its exit code."""
    sys.exit(run())


if __name__ == "__main__":
    main()
