"""How Hypothesis runs in this suite.

- No deadline and no health check for slow examples: both measure the machine, and a busy one is not a defect.
- Derandomized: the same commit gives the same answer on every machine. `--hypothesis-profile=explore` searches with
  fresh seeds and ten times as many examples; whatever it finds becomes an `@example`.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

SLOW_MACHINE = [HealthCheck.too_slow]

settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=SLOW_MACHINE)
settings.register_profile("explore", deadline=None, max_examples=1000, suppress_health_check=SLOW_MACHINE)
settings.load_profile("suite")
