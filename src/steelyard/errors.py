"""Errors that are reported in one line, without the secrets that stand in their causes.

There is one subclass per boundary. A `SteelyardError` has a cause and, if there is one, a cure; the command line prints
both on one line and exits with `exit_code` (2 unless the answer itself is "no"; docs/scoring.md §3.3). `boundary()` is
the only place with a broad `except`: it turns exceptions of other libraries into ours.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import ClassVar

# Nothing here is compiled or searched for secrets before there is an error: `--help` does without both.
_STYLE = r"\[/?(?:bold|dim|italic|underline|red|green|blue|yellow|cyan|magenta|white)(?: [a-z ]+)?\]|\[/\]"
"""Terminal markup in the messages of Inspect."""
_GAVE_UP = r"RetryError\(<Future at 0x[0-9a-f]+ state=finished raised (\w+)>\)"
"""How Inspect words that retries did not help; the address differs every time, so equal causes would look different."""


class SteelyardError(Exception):
    """An error that a user can understand and, with `cure`, fix."""

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, cure: str | None = None) -> None:
        from steelyard.secrets import redact

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
    """`text` on one line, at most `limit` characters; retries in vain are named by the error that remained."""
    folded = re.sub(_GAVE_UP, r"\1, also after all retries", " ".join(str(text).split()))
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"


def command(*words: object) -> str:
    """A command for a cure, as a shell takes it: names in it may be anything, and people paste what they are shown."""
    import shlex

    return shlex.join(map(str, words))


def plain(message: str) -> str:
    """A message of Inspect without its terminal markup and without `ERROR:` before it."""
    return re.sub(_STYLE, "", message).removeprefix("ERROR: ")


def refuse_secret(name: str, value: object) -> None:
    """Raise if an argument contains a secret.

    Arguments are written to logs, which are copied, published and kept. Inspect leaves a model's `api_key` out of them,
    but it would still be in the shell's history, in lists of processes and in the job files of engines.
    """
    from steelyard.secrets import secret_in

    what = secret_in(name, value)
    if what is not None:
        cure = "leave it out: providers read keys and addresses from the environment, such as OPENAI_BASE_URL"
        raise InputError(
            f"the argument {name} contains {what}, which logs, job files or the shell would keep", cure=cure
        )


def _said(error: Exception, doing: str) -> str:
    """What an exception says, without numbers that mean something to a program only."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 text: byte {error.start + 1} is {error.object[error.start]:#04x}"
    if type(error).__module__ == "builtins" and isinstance(error, OSError) and error.strerror:
        # A file that is open has a number here instead of a name.
        name = error.filename if isinstance(error.filename, str) else ""
        return error.strerror if not name or name in doing else f"{error.strerror}: {name}"
    return str(error)


@contextmanager
def boundary(kind: type[SteelyardError], doing: str, *, cure: str | None = None) -> Generator[None]:
    """Turn any exception of the block that is not ours into a `kind` that says what was being done."""
    try:
        yield
    except SteelyardError:
        raise
    except Exception as error:
        from steelyard.secrets import redact

        detail = one_line(redact(plain(_said(error, doing)))) or type(error).__name__
        raise kind(f"{doing}: {detail}", cure=cure) from error
