"""The real command-line clients in tests, of agents and of GitHub: which run, in which version, and if not, why. Never
in silence.

A test that uses the fixture `client` runs for every agent whose pinned client is in the cache. `make test` keeps to one
test of each client; those marked `clients` run with `make clients`, which sets STEELYARD_CLIENTS.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from typing import Any

import pytest

from steelyard.toolchain import clients

EVERYTHING = "STEELYARD_CLIENTS"
"""Variable that turns the tests marked `clients` on."""
BRIDGED = ("claude-code", "codex", "gemini-cli", "opencode")
"""Agents that the common tests run with."""
USUAL = ("claude-code", "codex")
"""Those of them that run with `make test`."""
_HELD_BACK = pytest.StashKey[int]()


def installed(agent: str) -> str:
    """The version of the agent's client; skips the test if it is not in the cache."""
    if clients.client_program(agent) is None:
        pytest.skip(f"the client of {agent} is not installed: steelyard setup --agent {agent}")
    return clients.check_client(agent)


@pytest.fixture(
    params=[agent if agent in USUAL else pytest.param(agent, marks=pytest.mark.clients) for agent in BRIDGED]
)
def client(request: pytest.FixtureRequest, record_property: Any) -> str:
    """An agent whose real client is in the cache."""
    agent = str(request.param)
    record_property("client", (agent, installed(agent)))
    return agent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get(EVERYTHING):
        return
    held_back = [item for item in items if item.get_closest_marker("clients")]
    config.stash[_HELD_BACK] = len(held_back)
    if held_back:
        config.hook.pytest_deselected(items=held_back)
        items[:] = [item for item in items if item not in held_back]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """One line per client, in every run of pytest."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.stats.get(outcome, ())]
    ran = Counter(value for report in reports if report.when == "call" for name, value in report.user_properties
                  if name == "client")  # fmt: skip
    versions = {agent: (version, number) for (agent, version), number in ran.items()}
    terminalreporter.section("real clients")
    known = {agent: (clients.client_program(agent), f"steelyard setup --agent {agent}") for agent in clients.CLIENTS}
    for name, (program, cure) in {**known, "gh": (shutil.which("gh"), "apt-get install gh")}.items():
        if name in versions:
            version, number = versions[name]
            terminalreporter.line(f"{name}: {version} ran in {number} tests")
        elif program is None:
            terminalreporter.line(f"{name}: did not run; not installed ({cure})")
        else:
            terminalreporter.line(f"{name}: did not run; installed, but no test of this run uses it")
    if held_back := config.stash.get(_HELD_BACK, 0):
        terminalreporter.line(f"{held_back} further tests of the clients run with `make clients`")
