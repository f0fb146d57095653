"""What every test may use, and the count of requirements still planned."""

import pytest

from tests.requirements import PLANNED, REQUIREMENTS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many requirements are not in force yet."""
    planned = sum(status is PLANNED for status, _ in REQUIREMENTS.values())
    terminalreporter.write_line(
        f"requirements: {len(REQUIREMENTS) - planned} in force, {planned} planned"
    )
