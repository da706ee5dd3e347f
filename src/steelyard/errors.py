"""Errors that are reported in one line, and the redaction of secrets in them.

There is one subclass per boundary. A `SteelyardError` has a cause and, if there is one, a cure; the command line prints
both on one line and exits with `exit_code` (2 unless the answer itself is "no"; docs/scoring.md §3.3). `boundary()` is
the only place with a broad `except`: it turns exceptions of other libraries into ours.
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
"""Shorter values are words or flags; redacting them would garble ordinary text."""


class SteelyardError(Exception):
    """An error that a user can understand and, with `cure`, fix."""

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, cure: str | None = None) -> None:
        # Redact before cutting: half a key is no longer recognised.
        super().__init__(one_line(redact(message)))
        self.cure = cure
        """How to fix it: a command or a short sentence."""

    def __str__(self) -> str:
        message = str(self.args[0])
        return f"{message} ({self.cure})" if self.cure else message


class InputError(SteelyardError):
    """A file, option or value given by a user or a program cannot be used."""


class LogError(SteelyardError):
    """An eval log cannot be read or written, or is not the expected one."""


class IncomparableError(SteelyardError):
    """Two results cannot be compared; the message names the field that differs."""


class ModelError(SteelyardError):
    """A model is unknown or could not be started."""


class JudgeError(SteelyardError):
    """A judge is required and missing, or cannot be used at all."""


class SandboxError(SteelyardError):
    """There is no sandbox, or the sandbox itself failed."""


class AgentError(SteelyardError):
    """An agent is not available on this machine."""


class ToolchainError(SteelyardError):
    """An extra, a tool or the cache filled by `steelyard setup` is missing or damaged."""


class ArtifactError(SteelyardError):
    """A file of Steelyard could not be written or read."""


class Refused(SteelyardError):
    """The answer is no: a promotion is refused, a threshold is not met."""

    exit_code: ClassVar[int] = 1


def one_line(text: object, limit: int = 600) -> str:
    """`text` on one line, at most `limit` characters."""
    folded = " ".join(str(text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"


def redact(text: str) -> str:
    """`text` without the values of environment variables that hold keys, and without anything that looks like a key."""
    for name, value in _secrets():
        text = text.replace(value, f"[{name}]")
    return _SECRET_SHAPE.sub("[redacted]", text)


def redacted(value: Any) -> Any:
    """`value` with all strings in it redacted, at any depth of lists and mappings."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redacted(member) for key, member in cast(dict[Any, Any], value).items()}
    if isinstance(value, (list, tuple)):
        return type(value)(redacted(member) for member in cast(list[Any], value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value


def scrub(error: BaseException) -> None:
    """Redact an exception and its causes in place: arguments and attributes."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        current.args = redacted(current.args)
        for name, value in list(vars(current).items()):
            if isinstance(value, (str, dict, list)):
                with suppress(AttributeError, TypeError):  # a read-only attribute
                    setattr(current, name, redacted(value))
        current = current.__cause__ or current.__context__


def refuse_secret(name: str, value: object) -> None:
    """Raise if an argument that is written to logs contains a secret: logs are copied, published and kept."""
    text = str(value)
    variable = next((holder for holder, secret in _secrets() if secret in text), None)
    if variable is None and not _SECRET_SHAPE.search(text):
        return
    what = f"the secret in {variable}" if variable else "something that looks like a key"
    known = f"{variable} is read from the environment" if variable else "providers read keys from the environment"
    raise InputError(f"{name} contains {what}, and would be written to every log", cure=f"leave it out: {known}")


def _secrets() -> list[tuple[str, str]]:
    """Environment variables that hold keys, longest value first, because one may contain another."""
    secrets = [
        (name, value)
        for name, value in os.environ.items()
        if len(value) >= _MIN_SECRET_LENGTH and _SECRET_NAME.search(name.upper())
    ]
    return sorted(secrets, key=lambda pair: -len(pair[1]))


@contextmanager
def boundary(kind: type[SteelyardError], doing: str, *, cure: str | None = None) -> Generator[None]:
    """Turn any exception of the block that is not ours into a `kind` that says what was being done."""
    try:
        yield
    except SteelyardError:
        raise
    except Exception as error:
        detail = one_line(redact(str(error))) or type(error).__name__
        raise kind(f"{doing}: {detail}", cure=cure) from error
