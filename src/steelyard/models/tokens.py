"""Tokens by what they cost, so that a client that reads its context from a cache does not look like one that sends it
anew with every call.

    weighed = total − (1 − r) · cache reads − (1 − w) · cache writes

r and w are the prices of a cached token over that of fresh input. Where no price says so, r = 0.1, which is what
Anthropic, OpenAI and Google charge for their present models, and w = 1.
"""

from __future__ import annotations

CACHE_READ = 0.1
"""What a token counts that was read from a cache, if its price is unknown."""
CACHE_WRITE = 1.0
"""The same for a token that was written to one."""


def weighed(
    total: float, reads: float | None, writes: float | None = None, r: float = CACHE_READ, w: float = CACHE_WRITE
) -> float:
    """All tokens of some calls, in tokens of fresh input."""
    return total - (1 - r) * (reads or 0) - (1 - w) * (writes or 0)
