"""Inspect's own conformance suite for sandbox providers, run against bubblewrap.

What does not apply, with the reason, stands in `NOT_APPLICABLE`; everything else must pass.
"""

from __future__ import annotations

import anyio
import pytest
from inspect_ai.util._sandbox import self_check

from steelyard.sandbox.bubblewrap import BubblewrapSandbox

NOT_APPLICABLE = {
    "test_exec_as_user": "a sandbox has exactly one user; asking for another is refused",
}

CHECKS = sorted(set(self_check.__all__) - set(NOT_APPLICABLE))


@pytest.mark.parametrize("name", CHECKS)
def test_inspect_conformance(name: str) -> None:
    async def run() -> None:
        sandboxes = await BubblewrapSandbox.sample_init("check", None, {})
        try:
            await getattr(self_check, name)(sandboxes["default"])
        finally:
            await BubblewrapSandbox.sample_cleanup("check", None, sandboxes, False)

    anyio.run(run)


def test_the_list_of_exceptions_names_real_checks() -> None:
    assert set(NOT_APPLICABLE) < set(self_check.__all__)
