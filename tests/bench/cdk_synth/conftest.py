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


WARM_ENGINE = {"test_scorer", "test_verify", "test_verify_docs"}
"""Modules that verify apps through the engine of the product, which lives as long as its process."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of one engine run in one worker process: each further process would start an engine of its own."""
    for item in items:
        if "pool" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("cdk-pool"))
        elif item.path.parent.name == "cdk_synth" and item.path.stem in WARM_ENGINE:
            item.add_marker(pytest.mark.xdist_group("engine"))
