"""How a command ends (docs/scoring.md §3.3), and the one place where errors become a line on stderr."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import click

from steelyard.errors import SteelyardError, one_line, redact


class Exit(IntEnum):
    """Exit codes of every command."""

    FINE = 0
    """Improved, neutral, scored, reproducible."""
    NO = 1
    """The answer is no: regressed, not reproducible, below threshold, promotion refused."""
    UNANSWERED = 2
    """Could not answer: bad input, incomparable, nothing ran, unscored, something required is missing."""
    UNDECIDED = 3
    """Reserved: looked, and evidence does not decide."""
    INTERRUPTED = 130
    """Ctrl-C."""


class Root(click.Group):
    """The top group: whatever happens below it ends in one line and the right exit code."""

    debug = False
    """Show tracebacks."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **kwargs: Any) -> Any:
        kwargs["standalone_mode"] = False
        _open_streams()
        _speak_any_alphabet()
        given = list(sys.argv[1:] if args is None else args)
        # Wherever it stands on the line: people add it to the end of the command that failed.
        self.debug = "--debug" in given
        try:
            code = super().main([word for word in given if word != "--debug"], *rest, **kwargs)
        except click.exceptions.Abort:
            _fail("interrupted; run the same command again to continue", Exit.INTERRUPTED)
        except KeyboardInterrupt:
            _fail("interrupted; run the same command again to continue", Exit.INTERRUPTED)
        except SteelyardError as error:
            self._report(error, error.exit_code)
        except click.ClickException as error:
            told = io.StringIO()
            error.show(file=told)  # it quotes what was typed, and people type keys
            click.echo(redact(told.getvalue()), err=True, nl=False)
            sys.exit(Exit.UNANSWERED)
        except BrokenPipeError:
            # The reader left (`| head`) before the answer was out: say nothing more, and do not call it fine.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.exit(Exit.UNANSWERED)
        except Exception as error:  # the last boundary: a traceback is never an answer
            self._report(error, Exit.UNANSWERED)
        else:
            sys.exit(code if isinstance(code, int) else Exit.FINE)

    def _report(self, error: Exception, code: int) -> None:
        if self.debug:
            import traceback

            # Shown, not raised: Python would end in 1, which says "no" where nothing was answered.
            click.echo(redact("".join(traceback.format_exception(error))), err=True, nl=False)
        _fail(str(error) if isinstance(error, SteelyardError) else _describe(error), code)


class Lazy(click.Group):
    """A group whose commands are imported when they are called: `{"bench": "steelyard.cli.bench:bench"}`."""

    def __init__(self, *args: Any, lazy: dict[str, tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self._lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self._lazy and cmd_name not in self.commands:
            import importlib

            module, _, name = self._lazy[cmd_name][0].partition(":")
            self.add_command(getattr(importlib.import_module(module), name), cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Help lines of lazy commands stand in the table, so that showing help imports none of them."""
        rows = [(name, self._help_line(ctx, name)) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def _help_line(self, ctx: click.Context, name: str) -> str:
        if name in self._lazy:
            return self._lazy[name][1]
        command = self.get_command(ctx, name)
        return command.get_short_help_str(limit=70) if command else ""


class LazyRoot(Lazy, Root):
    """The root group, lazy."""


def _open_streams() -> None:
    """Whoever closed a stream (`>&-`) does not want to read it: it leads nowhere, and the command goes on."""
    # Opened for good: they are the process's own streams from here on.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


def _speak_any_alphabet() -> None:
    """A terminal or pipe that knows few letters gets a question mark for the others, not an error in the middle."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _describe(error: Exception) -> str:
    if isinstance(error, OSError):
        return one_line(redact(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"))
    return one_line(redact(f"unexpected {type(error).__name__}: {error} (run again with --debug for the traceback)"))


def _fail(message: str, code: int) -> None:
    click.echo(f"steelyard: {message}", err=True)
    sys.exit(code)
