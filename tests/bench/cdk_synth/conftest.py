"""One real engine for all tests of a process: starting a worker costs more than most apps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from steelyard.bench.cdk_synth.engine.pool import Pool


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    """A pool with a single slot: what one app leaves behind, the next one would meet."""
    made = Pool(workers=1)
    yield made
    made.close()
