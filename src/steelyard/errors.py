"""What can go wrong, said in one line.

One subclass per boundary. A `SteelyardError` carries the cause and, where there is one, the cure; the command line
prints both on one line and ends in `exit_code` (2 unless the answer itself is "no"; docs/scoring.md §3.3).
`boundary()` is the only place in the house with a broad `except`: it turns foreign exceptions into ours.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, cast

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$")
_SECRET_SHAPE = re.compile(r"\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16})\b")
_MIN_SECRET_LENGTH = 8
"""Shorter values are words or flags; blanking them would mangle ordinary text."""


class SteelyardError(Exception):
    """Something a person can understand and, with `cure`, mend."""

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, cure: str | None = None) -> None:
        # Redacted before it is cut: half a key is no longer recognised as one.
        super().__init__(one_line(redact(message)))
        self.cure = cure
        """What to do about it, as a command or a short sentence."""

    def __str__(self) -> str:
        message = str(self.args[0])
        return f"{message} ({self.cure})" if self.cure else message


class InputError(SteelyardError):
    """A file, option or value that a person or a program handed us cannot be used."""


class LogError(SteelyardError):
    """An eval log is unreadable, or is not what it was said to be."""


class IncomparableError(SteelyardError):
    """Two results may not be compared; the message names the field that differs."""


class ModelError(SteelyardError):
    """A model is unknown, or could not be started."""


class JudgeError(SteelyardError):
    """A judge is required and there is none, or it cannot be used at all."""


class SandboxError(SteelyardError):
    """No sandbox, or the sandbox itself broke."""


class AgentError(SteelyardError):
    """An agent is not available on this machine."""


class ToolchainError(SteelyardError):
    """An extra, a tool or the cache that `steelyard setup` fills is missing or damaged."""


class ArtifactError(SteelyardError):
    """A file of ours could not be written or read."""


class Refused(SteelyardError):
    """The answer is no: a promotion that was not earned, a threshold that was not met."""

    exit_code: ClassVar[int] = 1


def one_line(text: object, limit: int = 600) -> str:
    """`text` on one line, at most `limit` characters."""
    folded = " ".join(str(text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"


def redact(text: str) -> str:
    """`text` without the values of environment variables that hold keys, and without anything shaped like one."""
    for name, value in _secrets():
        text = text.replace(value, f"[{name}]")
    return _SECRET_SHAPE.sub("[redacted]", text)


def redacted(value: Any) -> Any:
    """`value` with all text in it redacted, however deep in lists and mappings."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redacted(each) for key, each in cast(dict[Any, Any], value).items()}
    if isinstance(value, (list, tuple)):
        return type(value)(redacted(each) for each in cast(list[Any], value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value


def scrub(error: BaseException) -> None:
    """Redact an exception, and those behind it, in place: its arguments and whatever text it carries."""
    seen: set[int] = set()
    behind: BaseException | None = error
    while behind is not None and id(behind) not in seen:
        seen.add(id(behind))
        behind.args = redacted(behind.args)
        for name, value in list(vars(behind).items()):
            if isinstance(value, (str, dict, list)):
                with suppress(AttributeError, TypeError):  # a field that cannot be written holds no message of ours
                    setattr(behind, name, redacted(value))
        behind = behind.__cause__ or behind.__context__


def refuse_secret(name: str, value: object) -> None:
    """Raise when an argument that will be written down holds a secret: logs are copied, published and kept."""
    text = str(value)
    variable = next((each for each, secret in _secrets() if secret in text), None)
    if variable is None and not _SECRET_SHAPE.search(text):
        return
    what = f"the secret in {variable}" if variable else "what looks like a key"
    known = f"{variable} is read from the environment" if variable else "providers read keys from the environment"
    raise InputError(f"{name} holds {what}, and would stand in every log", cure=f"leave it out: {known}")


def _secrets() -> list[tuple[str, str]]:
    """Environment variables that hold keys, the longest value first, so that none hides inside another."""
    found = [
        (name, value)
        for name, value in os.environ.items()
        if len(value) >= _MIN_SECRET_LENGTH and _SECRET_NAME.search(name.upper())
    ]
    return sorted(found, key=lambda pair: -len(pair[1]))


@contextmanager
def boundary(kind: type[SteelyardError], doing: str, *, cure: str | None = None) -> Generator[None]:
    """Turn any foreign exception of the block into a `kind` that says what was being done."""
    try:
        yield
    except SteelyardError:
        raise
    except Exception as error:
        detail = one_line(redact(str(error))) or type(error).__name__
        raise kind(f"{doing}: {detail}", cure=cure) from error
