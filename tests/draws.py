"""The same draws and the same order in every run of the suite: a commit that passes here passes everywhere.

The product draws what nobody may foresee: which item a judge is tempted with, in which run which test has to fail. In
this process such a draw follows the name of the test and the seed of pytest-randomly, which also decides the order and
is `SEED` if none is given. `pytest --randomly-seed=7` searches with other draws and in another order; what it finds is
a defect. Names that only have to be unique (`token_hex`, `uuid4`) stay as they are.

Hypothesis mixes constants of the modules that happen to be loaded into its examples, so these depended on the tests
before; here it does not, unless it explores.
"""

from __future__ import annotations

import random
import secrets
from typing import Any

import pytest
from hypothesis.internal.conjecture import providers

SEED = 1


@pytest.hookimpl(tryfirst=True)  # before pytest-randomly draws a seed
def pytest_configure(config: pytest.Config) -> None:
    if getattr(config.option, "randomly_seed", None) == "default":
        config.option.randomly_seed = SEED
    # Otherwise it would seed by ids, in which pytest-xdist writes its groups: one process would draw unlike several.
    config.option.randomly_reset_seed = False
    secrets.randbits = random.getrandbits
    if config.getoption("hypothesis_profile", None) != "explore":
        providers._get_local_constants = lambda: providers._local_constants


def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> None:
    """What several tests share is made alike, whichever of them comes first."""
    _seed(request.config, f"{request.node.name} {fixturedef.argname}")


def pytest_runtest_call(item: pytest.Item) -> None:
    _seed(item.config, f"{item.path.name} {item.name}")


def _seed(config: pytest.Config, name: str) -> None:
    random.seed(f"{getattr(config.option, 'randomly_seed', SEED)} {name}")
