"""Running Inspect, with a Ctrl-C that ends the command.

Inspect swallows an interrupt; here it raises `KeyboardInterrupt`. A disk that fills up is named as such, whatever error
Inspect makes of it. Meanwhile the working folder is none of a repository: Inspect runs `git status` there, which starts
what a `.git/config` names, and loads the next `.env`. Packages of providers that no model needs are not loaded.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from steelyard.location import is_remote, location
from steelyard.logs.disk import full_disk_named, refuse_full_disk
from steelyard.logs.home import ready_home
from steelyard.process.isolated import neutral_folder

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog


def evaluate(task: Task | list[Task], **options: Any) -> list[EvalLog]:
    """Run a task, or several side by side, once with `inspect_ai.eval`; `options` are Inspect's own."""
    from inspect_ai import eval as inspect_eval

    ready_home()
    _leave_unused_providers()
    # Absolute, because the working folder is another one while Inspect runs.
    log_dir = options["log_dir"] = _absolute(options["log_dir"])
    with full_disk_named(log_dir), neutral_folder():
        # Each sample is written as it finishes: whatever ends the run later, finished samples are kept.
        logs = inspect_eval(task, display="none", log_buffer=1, **options)
    return _uninterrupted(logs, log_dir)


def evaluate_set(task: Task | list[Task], **options: Any) -> list[EvalLog]:
    """Run or resume tasks with `inspect_ai.eval_set`; `options` are Inspect's own."""
    from inspect_ai import eval_set
    from inspect_ai._eval.eval_set_manifest import INSPECT_EVAL_SET_CAPTURE
    from inspect_ai._eval.eval_set_selection import INSPECT_EVAL_SET_SELECTION

    ready_home()
    _leave_unused_providers()
    log_dir = options["log_dir"] = _absolute(options["log_dir"])
    for name in (INSPECT_EVAL_SET_CAPTURE, INSPECT_EVAL_SET_SELECTION):  # where another runner drives this one
        if os.environ.get(name):
            os.environ[name] = _absolute(os.environ[name])
    # The summary of an eval set would mix with what a command prints.
    with full_disk_named(log_dir), neutral_folder(), redirect_stdout(io.StringIO()):
        _, logs = eval_set(task, display="none", log_buffer=1, **options)
    return _uninterrupted(logs, log_dir)


class _IfLoaded:
    """True once a module is loaded."""

    def __init__(self, module: str) -> None:
        self._module = module

    # Asked anew for each sample: a provider that is loaded later must be reset too.
    def __bool__(self) -> bool:
        return self._module in sys.modules


def _leave_unused_providers() -> None:
    """Let Inspect reset, for each sample, only what a provider in use keeps about it.

    Otherwise the first sample of every process imports the packages of Anthropic and OpenAI, whichever model is asked:
    more seconds of processor time than loading Inspect takes.
    """
    from inspect_ai.model import _assistant_internal as internal

    for installed, module in (("_HAS_OPENAI", "_openai_responses"), ("_HAS_ANTHROPIC", "_providers.anthropic")):
        # Private names: another version of Inspect may not have them, or may hold something else there.
        if getattr(internal, installed, None) is True:
            setattr(internal, installed, _IfLoaded(f"inspect_ai.model.{module}"))


def _absolute(place: str) -> str:
    return place if is_remote(place) else str(Path(str(location(place))).absolute())


def mode() -> Literal["whole", "capture", "selection"]:
    """Whether an eval set in this process runs whole, only lists its tasks, or runs those that a runner selected."""
    from inspect_ai._eval.eval_set_manifest import eval_set_capture_requested
    from inspect_ai._eval.eval_set_selection import eval_set_selection_requested

    if eval_set_capture_requested() is not None:
        return "capture"
    return "selection" if eval_set_selection_requested() is not None else "whole"


def retries() -> int:
    """Calls of a model that were repeated in this process, after a rate limit or a failure of the provider."""
    from inspect_ai._util.retry import http_retries_count

    return http_retries_count()


def _uninterrupted(logs: Sequence[EvalLog], log_dir: str) -> list[EvalLog]:
    # An interrupted `eval_set` reports success and returns no log; an interrupted `eval` returns a cancelled one.
    if not logs or any(log.status == "cancelled" for log in logs):
        raise KeyboardInterrupt
    refuse_full_disk(log_dir, [log.error.message for log in logs if log.error is not None])
    return list(logs)
