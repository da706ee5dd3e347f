"""Who judges: one judge, several, or nobody.

Law: `--judge NAME` (repeatable) goes before `STEELYARD_JUDGE` (comma-separated), which goes before the wing's default.
`none` switches judging off. `auto` is an Anthropic model when `ANTHROPIC_API_KEY` is set, else `claude` when it is on
PATH, else nobody. A judge is the name of an Inspect model.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from steelyard import toolchain
from steelyard.errors import InputError, JudgeError, ModelError, SteelyardError, boundary

VARIABLE = "STEELYARD_JUDGE"
"""The environment variable that names judges."""

ANTHROPIC_JUDGE = "anthropic/claude-sonnet-5-5"
"""What `auto` means when there is a key."""

CLAUDE_CLI_JUDGE = "steelyard/claude-cli"
"""What `auto` means when there is a `claude` binary and no key."""

MAX_REPEATS = 100

_MARKUP = re.compile(r"\[/?\w+\]")
"""Inspect's own messages are written for a console that colours them."""

_CURE = "name one with --judge, set ANTHROPIC_API_KEY, or put the claude binary on PATH"
_NAME_ONE = "name one with --judge NAME, or let --judge auto pick one"
"""Where nobody was asked for, a key or a binary alone changes nothing."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a judge is waited for."""

    attempt_s: int = 120
    """Seconds for one request."""
    total_s: int = 300
    """Seconds for one reply, retries of refused or failed requests included."""
    retries: int = 3
    """Further requests after a rate limit, a server error or a timeout; the waits between them grow."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Who judges, how often, and whether earlier verdicts may be reused."""

    judges: tuple[str, ...]
    """Names of Inspect models; at least one, each once."""
    repeats: int = 1
    """Verdicts asked of each judge per text."""
    cache: bool = True
    patience: Patience = field(default_factory=Patience)

    @property
    def identity(self) -> str:
        """For a run's fingerprint: the judges in a fixed order, and the repeats when there are several."""
        names = "+".join(sorted(self.judges))
        return names if self.repeats == 1 else f"{names} x{self.repeats}"


def panel(
    names: Sequence[str],
    *,
    default: Literal["none", "auto"] = "none",
    require: bool = False,
    repeats: int = 1,
    cache: bool = True,
) -> Panel | None:
    """The panel for what a person asked, or None for nobody; `JudgeError` when one is required and there is none."""
    if not 1 <= repeats <= MAX_REPEATS:
        raise InputError(f"judge repeats must be between 1 and {MAX_REPEATS}, not {repeats}")
    asked = _words(names) or _words([os.environ.get(VARIABLE, "")]) or [default]
    if "none" in asked and len(asked) > 1:
        raise InputError("the judge 'none' cannot be combined with others")
    chosen = [name for each in asked if (name := automatic() if each == "auto" else each) not in (None, "none")]
    judges = [str(name) for name in chosen]
    twice = sorted({name for name in judges if judges.count(name) > 1})
    if twice:
        raise InputError(f"the judge {twice[0]!r} is named twice; use --judge-repeats for several verdicts")
    for name in judges:
        _check(name, require)
    if not judges:
        if require:
            if "auto" not in asked:
                raise JudgeError("a judge is required and none is named", cure=_NAME_ONE)
            raise JudgeError("a judge is required and none is available", cure=_CURE)
        return None
    return Panel(tuple(judges), repeats, cache)


def automatic() -> str | None:
    """The judge that `auto` stands for on this machine, or None."""
    if os.environ.get("ANTHROPIC_API_KEY"):
        return ANTHROPIC_JUDGE
    return CLAUDE_CLI_JUDGE if shutil.which("claude") else None


def _words(names: Sequence[str]) -> list[str]:
    return [word.strip() for name in names for word in name.split(",") if word.strip()]


def _check(name: str, require: bool) -> None:
    """A name that no provider answers to is a mistake; a missing key or package only matters when required."""
    from inspect_ai.model import get_model

    provider, _, rest = name.partition("/")
    if not (provider and rest):
        raise InputError(f"{name!r} is no judge: a judge is PROVIDER/MODEL, auto or none")
    try:
        with boundary(JudgeError, f"the judge {name} cannot be used"):
            if provider == "anthropic":
                toolchain.require("judge", "anthropic")
            get_model(name)
    except SteelyardError as error:
        if isinstance(error.__cause__, ValueError) and "not recognized" in str(error.__cause__):
            raise InputError(f"the judge {name!r} is of an unknown provider {provider!r}") from error
        if isinstance(error, ModelError) and "there is no" in str(error):
            raise InputError(str(error)) from error
        if require and isinstance(error, toolchain.ExtraMissing):
            raise
        if require:
            raise JudgeError(_MARKUP.sub("", str(error)), cure=_CURE) from error
