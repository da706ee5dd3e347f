"""The panel: one judge, several, or none.

`--judge NAME` (repeatable) overrides `STEELYARD_JUDGE` (comma-separated), which overrides the wing's default. `none`
turns judging off. `auto` is an Anthropic model if `ANTHROPIC_API_KEY` is set, else `claude` if it is on PATH, else
none. A judge is the name of an Inspect model; `quoted:NAME` is NAME asked by the quoting protocol alone, which makes it
another judge to every fingerprint, cache and calibration.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from steelyard import toolchain
from steelyard.errors import InputError, JudgeError, ModelError, SteelyardError, boundary
from steelyard.models.patience import Contact

ANTHROPIC_JUDGE, CLAUDE_CLI_JUDGE = "anthropic/claude-sonnet-5-5", "steelyard/claude-cli"
"""The meanings of `auto`: with an API key, and with a `claude` binary alone."""

QUOTED = "quoted:"
"""Before the name of a judge that is asked by the quoting protocol alone, and not only after two unusable replies."""

_CURE = "name one with --judge, set ANTHROPIC_API_KEY, or put the claude binary on PATH"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a judge."""

    attempt_s: int = 120
    """Seconds for one request."""
    total_s: int = 300
    """Seconds for one reply, retries of refused or failed requests included; never exceeded."""
    retries: int = 3
    """Further requests after a rate limit, a server error or a timeout; the waits between them grow."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The judges, how often each is asked, and whether stored verdicts may be reused."""

    judges: tuple[str, ...]
    """Names of Inspect models; at least one, each once."""
    repeats: int = 1
    """Verdicts per judge and text."""
    cache: bool = True
    patience: Patience = field(default_factory=Patience)
    contact: Contact = field(default_factory=Contact, compare=False, repr=False)
    """Shared by everything graded with this panel, so that a judge that hangs is waited for once."""
    takes_schema: dict[str, bool] = field(default_factory=dict[str, bool], compare=False, repr=False)
    """Judges whose provider once refused a request, and whether a schema was not the reason."""

    @property
    def identity(self) -> str:
        """For a run's fingerprint: the judges in a fixed order, and the repeats when there are several."""
        names = "+".join(sorted(self.judges))
        return names if self.repeats == 1 else f"{names} x{self.repeats}"


def judges_in(identity: str) -> str:
    """A panel's identity without the repeats: asking a judge more often does not make it another judge."""
    names, _, repeats = identity.rpartition(" x")
    return names if repeats.isdecimal() else identity


def model_of(judge: str) -> str:
    """The Inspect model behind a judge."""
    return judge.removeprefix(QUOTED)


def by_protocol(names: Sequence[str], protocol: str) -> tuple[str, ...]:
    """Names as `--judge` gave them, or those of the environment, to be asked by `protocol`."""
    if protocol != "quoted":
        return tuple(names)
    # Behind the prefix, an empty name stands for the default of the wing.
    words = _words(names) or [""]
    return tuple(word if word == "none" or word.startswith(QUOTED) else QUOTED + word for word in words)


def panel(
    names: str | Sequence[str] | None,
    *,
    default: Literal["none", "auto"] = "none",
    require: bool = False,
    repeats: int = 1,
    cache: bool = True,
) -> Panel | None:
    """The panel behind the options, or None without a judge; `JudgeError` if one is required and there is none.

    `names` may also be what an argument of a task is: one text, or None for the judges of the environment.
    """
    if not 1 <= repeats <= 100:
        raise InputError(f"judge repeats must be between 1 and 100, not {repeats}")
    requested = _words([names] if isinstance(names, str) else names or ()) or [default]
    if "none" in requested and len(requested) > 1:
        raise InputError("the judge 'none' cannot be combined with others")
    judges = [judge for word in requested if (judge := _judge(word, default)) is not None]
    if duplicates := sorted({name for name in judges if judges.count(name) > 1}):
        raise InputError(f"duplicate judge {duplicates[0]!r}; use --judge-repeats for several verdicts")
    for name in judges:
        _check(model_of(name), require)
    if judges:
        return Panel(tuple(judges), repeats, cache)
    if require and "auto" in map(model_of, requested):
        raise JudgeError("a judge is required, but none is available", cure=_CURE)
    if require:  # a key or a binary alone would change nothing
        cure = "name one with --judge NAME, or let --judge auto pick one"
        raise JudgeError("a judge is required, but none is named", cure=cure)
    return None


def _judge(word: str, default: str) -> str | None:
    """The judge that a word stands for, or None."""
    model = model_of(word) or default
    found = automatic() if model == "auto" else None if model == "none" else model
    return QUOTED + found if found is not None and word.startswith(QUOTED) else found


def automatic() -> str | None:
    """The judge that `auto` stands for on this machine, or None."""
    if os.environ.get("ANTHROPIC_API_KEY"):
        return ANTHROPIC_JUDGE
    return CLAUDE_CLI_JUDGE if shutil.which("claude") else None


def _words(names: Sequence[str]) -> list[str]:
    """The judges that are named, else those of the environment."""
    for text in (",".join(names), os.environ.get("STEELYARD_JUDGE", "")):
        if words := [word.strip() for word in text.split(",") if word.strip()]:
            return words
    return []


def _check(name: str, require: bool) -> None:
    """Refuse a name of an unknown provider; a missing key or package only matters if a judge is required."""
    from inspect_ai.model import get_model

    provider, _, rest = name.partition("/")
    if not (provider and rest):
        raise InputError(f"{name!r} is not a judge: use PROVIDER/MODEL, auto or none")
    try:
        with boundary(JudgeError, f"the judge {name} cannot be used"):
            if provider == "anthropic":
                toolchain.require("judge", "anthropic")
            # Making the model is what finds an unknown provider, or a key or package that is missing.
            get_model(name)
    except SteelyardError as error:
        # Inspect's words for a provider that it does not know.
        if isinstance(error.__cause__, ValueError) and "not recognized" in str(error.__cause__):
            raise InputError(f"unknown provider {provider!r} in the judge {name!r}") from error
        # Our own words for a model that our provider does not have.
        if isinstance(error, ModelError) and "there is no" in str(error):
            raise InputError(str(error)) from error
        if require and isinstance(error, toolchain.ExtraMissing):
            raise
        if require:
            raise JudgeError(str(error), cure=_CURE) from error
