"""Exit codes (docs/scoring.md §3.3), and the one place where errors become a line on stderr."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from copy import copy
from enum import IntEnum
from textwrap import fill
from typing import Any

import click

from steelyard.errors import SteelyardError, one_line


class Exit(IntEnum):
    """Exit codes of every command."""

    FINE = 0
    """Improved, neutral, scored, reproducible."""
    NO = 1
    """The answer is no: regressed, not reproducible, below threshold, promotion refused."""
    UNANSWERED = 2
    """No answer: bad input, incomparable, nothing ran, unscored, something required is missing."""
    UNDECIDED = 3
    """The evidence does not decide."""
    INTERRUPTED = 130
    """Ctrl-C."""


def width() -> int:
    """`COLUMNS`, else the columns of the terminal, or 80 if there is none."""
    stated = os.environ.get("COLUMNS", "")
    if stated.isdigit() and int(stated) > 0:
        return int(stated)
    try:
        return (os.get_terminal_size(1).columns if sys.stdout.isatty() else 0) or 80
    except OSError:
        return 80


def colour() -> bool:
    """Whether to print colours: stdout is a terminal and `NO_COLOR` is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def bars() -> bool:
    """Whether to draw progress bars: stderr is a terminal and `NO_COLOR` is not set."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")


@contextmanager
def _silent_without_reader() -> Generator[None]:
    """Where the reader of a pipe is gone (`| head`), click would end in 1, which means "no"."""
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(Exit.UNANSWERED) from None


class Lazy(click.Group):
    """A group whose commands are imported when called: name → (module of this package, help line).

    The function is called as the command is, or named behind a colon.
    """

    def __init__(self, *args: Any, lazy: dict[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._lazy)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command; a misspelt one is told with the one that may be meant."""
        name = args[0]
        if name.startswith("-") or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        close = get_close_matches(name, self.list_commands(ctx), 1)
        raise click.UsageError(f"No such command {name!r}.{f' Did you mean {close[0]!r}?' if close else ''}", ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self._lazy and cmd_name not in self.commands:
            module, _, name = self._lazy[cmd_name][0].partition(":")
            found = getattr(importlib.import_module(f"steelyard.cli.{module}"), name or cmd_name)
            self.add_command(explaining_all(found), cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the commands; the help lines come from the table, so that help imports none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(self._lazy.items())])


def explaining_all(command: click.Command) -> click.Command:
    """Give a command with rare options `--help-all`, and name them at the end of its help."""
    hidden = [each for each in command.params if isinstance(each, click.Option) and each.hidden]
    if not hidden:
        return command

    def show_all(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        if not value:
            return
        shown = copy(context.command)
        shown.params, shown.epilog = [copy(each) for each in command.params], None
        for each in shown.params:
            each.hidden = False  # type: ignore[attr-defined]
        click.echo(shown.get_help(context))
        context.exit()

    text = "Explain the other options too, and exit."
    flag = click.Option(["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=show_all, help=text)
    command.params.append(flag)
    names = ", ".join(max(each.opts, key=len) for each in hidden)
    # Wrapped here: click would break a name at its hyphens.
    command.epilog = "\b\n" + fill(f"More, explained by --help-all: {names}.", 76, break_on_hyphens=False)
    return command


class LazyRoot(Lazy):
    """The top group: every error below it ends in one line and the right exit code."""

    debug = False
    """Show tracebacks."""

    @_silent_without_reader()
    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        # As click has it, but without `shutil`, which loads every format of archives.
        return super().make_context(*args, **{"terminal_width": max(min(width(), 80) - 2, 50), **kwargs})

    @_silent_without_reader()
    def invoke(self, ctx: click.Context) -> Any:
        return super().invoke(ctx)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **kwargs: Any) -> Any:
        try:
            self._main(args, *rest, **kwargs)
        except SystemExit as ended:
            sys.exit(ended.code if ended.code == Exit.INTERRUPTED or _printed() else Exit.UNANSWERED)

    def _main(self, args: Sequence[str] | None = None, *rest: Any, **kwargs: Any) -> None:
        kwargs["standalone_mode"] = False
        _open_streams()
        _replace_unencodable()
        words = list(sys.argv[1:] if args is None else args)
        # Accepted anywhere: people append it to the command that failed.
        self.debug = "--debug" in words
        try:
            code = super().main([word for word in words if word != "--debug"], *rest, **kwargs)
        except (click.exceptions.Abort, KeyboardInterrupt):
            _fail("interrupted; run the same command again to continue", Exit.INTERRUPTED)
        except SteelyardError as error:
            self._report(error, error.exit_code)
        except click.ClickException as error:
            if isinstance(error, click.exceptions.NoArgsIsHelpError):
                click.echo(error.format_message(), err=True)
                sys.exit(Exit.UNANSWERED)
            _fail(_misuse(error), Exit.UNANSWERED)
        except Exception as error:  # the last boundary: users never see a traceback without --debug
            self._report(error, Exit.UNANSWERED)
        else:
            sys.exit(code if isinstance(code, int) else Exit.FINE)

    def _report(self, error: Exception, code: int) -> None:
        if self.debug:
            import traceback

            from steelyard.secrets import redact

            # Printed, not raised: Python would exit with 1, which means "no" here.
            click.echo(redact("".join(traceback.format_exception(error))), err=True, nl=False)
        _fail(str(error) if isinstance(error, SteelyardError) else _describe(error), code)


def _open_streams() -> None:
    """Replace a stream that the caller closed (`>&-`) by the null device, so that printing does not fail.

    Its number is taken too: else the next file that is opened would get it, and with it what children print. A result
    that is to go there (`--json /dev/stdout`) is an error all the same.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            from steelyard.artifact import closed_streams

            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
            closed_streams.add(number)
    # Never closed: they are the streams of the process from here on.
    sys.stdout = sys.stdout or _Nowhere()
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


class _Nowhere(io.TextIOBase):
    """The standard output of a process that was started without one; it remembers whether something was lost."""

    lost = False

    def write(self, text: str, /) -> int:
        self.lost = self.lost or bool(text)
        return len(text)

    def writable(self) -> bool:
        return True


def _printed() -> bool:
    """Whether everything that was printed has arrived: nobody has read an answer that could not be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python complains once more at its end
        return False
    return not (isinstance(sys.stdout, _Nowhere) and sys.stdout.lost)


def _replace_unencodable() -> None:
    """Print a question mark for characters that the terminal's encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _describe(error: Exception) -> str:
    from steelyard.secrets import redact

    if isinstance(error, OSError):
        return one_line(redact(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"))
    return one_line(redact(f"unexpected {type(error).__name__}: {error} (run again with --debug for the traceback)"))


def _misuse(error: click.ClickException) -> str:
    """What is wrong with the command line, which may contain a key, and where its options are explained."""
    from steelyard.secrets import redact

    said = one_line(redact(_meant(error) or error.format_message())).removesuffix(".")
    # A file that is not there or may not be read is no misuse of the command.
    unread = isinstance(error, click.BadParameter) and error.param and isinstance(error.param.type, click.Path)
    context = None if unread else getattr(error, "ctx", None)
    said = said[:1].lower() + said[1:]
    return f"{said} ({context.command_path} --help)" if context else said


def _meant(error: click.ClickException) -> str | None:
    """An option that is nearly right, in the words of a command that is; None for other mistakes."""
    if not isinstance(error, click.NoSuchOption) or not error.possibilities:
        return None
    close = " or ".join(map(repr, error.possibilities))
    return f"no such option {error.option_name!r}. Did you mean {close}?"


def _fail(message: str, code: int) -> None:
    click.echo(f"steelyard: {message}", err=True)
    sys.exit(code)
