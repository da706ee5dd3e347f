"""How Hypothesis runs in this suite, and a fixture for tests that may use a judge.

- No deadline and no health check for slow examples: both measure the machine, and a busy one is not a defect.
- Derandomized: the same commit gives the same answer on every machine. `--hypothesis-profile=explore` searches with
  fresh seeds and ten times as many examples; whatever it finds becomes an `@example`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SLOW_MACHINE = [HealthCheck.too_slow]

settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=SLOW_MACHINE)
settings.register_profile("explore", deadline=None, max_examples=1000, suppress_health_check=SLOW_MACHINE)
settings.load_profile("suite")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a fresh cache; verdicts, keys and judges of the machine or of other tests are out of reach."""
    from steelyard.judge.grade import open_cache

    folder = tmp_path / "cache"
    monkeypatch.setenv("STEELYARD_CACHE", str(folder))
    for name in ("STEELYARD_JUDGE", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    yield folder
    open_cache(str(folder / "judge")).close()
