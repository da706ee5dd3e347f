"""A failure is left out only where the part that it names does not work."""

from __future__ import annotations

import pytest

from tests import lacking

FAILURE = "SandboxError: bubblewrap is not installed (apt-get install bubblewrap)"


@pytest.mark.parametrize(
    ("works", "failure", "expected"),
    [(False, FAILURE, "bubblewrap"), (True, FAILURE, None), (False, "assert 1 == 2", None)],
)
def test_a_failure_is_left_out_only_where_its_cause_is_lacking(
    monkeypatch: pytest.MonkeyPatch, works: bool, failure: str, expected: str | None
) -> None:
    monkeypatch.setattr(lacking, "_works", lambda name: works)
    assert lacking.lacking(failure) == expected
