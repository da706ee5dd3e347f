"""`steelyard bench verify`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import bars, deliver, output
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.bench.cdk_synth.verify import Verdict


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--isolation", type=click.Choice(["warm", "strict"]), default="warm", show_default=True,
              help="strict: a fresh worker for every app.")  # fmt: skip
@output("json")
def verify(files: tuple[Path, ...], isolation: Any, json_path: str | None) -> Exit:
    """Check CDK apps written in Python: does each FILE synthesize, as `cdk synth` would say?

    Each FILE runs alone as app.py in an empty folder, in a sandbox without network. Exit 0 when all pass, 1 when one
    fails, 2 when a file cannot be read or the engine cannot answer.

    Example: steelyard bench verify app.py --json -
    """
    verdicts = _verdicts([_read(file) for file in files], isolation)
    names = [str(file) for file in files]
    deliver({"json": json_path}, {"json": lambda: _json(names, verdicts)}, lambda: _text(names, verdicts))
    if any(verdict.engine_error for verdict in verdicts):
        return Exit.UNANSWERED
    return Exit.FINE if all(verdict.passed for verdict in verdicts) else Exit.NO


def _verdicts(codes: Sequence[bytes], isolation: Any) -> list[Verdict]:
    from steelyard.bench.cdk_synth.engine.prepare import prepared
    from steelyard.bench.cdk_synth.verify import verify_all

    prepared()  # what is missing is said before the bar begins
    if not bars() or len(codes) == 1:
        return verify_all(codes, isolation=isolation)
    with click.progressbar(length=len(codes), label="verifying", file=sys.stderr) as bar:
        return verify_all(codes, isolation=isolation, done=lambda number: bar.update(1))


def _read(file: Path) -> bytes:
    from steelyard.bench.cdk_synth.verify import CODE_LIMIT

    try:
        if not file.is_file():
            raise InputError(f"{file} is not a file")
        if file.stat().st_size > CODE_LIMIT:
            raise InputError(f"{file} is larger than {CODE_LIMIT // 1_000_000} MB")
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from error


def _text(names: list[str], verdicts: Sequence[Verdict]) -> str:
    lines: list[str] = []
    for name, verdict in zip(names, verdicts, strict=True):
        lines.append(f"{name}: {'pass' if verdict.passed else verdict.klass}")
        lines += [f"    {line}" for line in verdict.message.splitlines()]
    return "\n".join(lines) + "\n"


def _json(names: list[str], verdicts: Sequence[Verdict]) -> str:
    from steelyard import artifact

    rows = [_row(name, verdict) for name, verdict in zip(names, verdicts, strict=True)]
    passed = sum(verdict.passed for verdict in verdicts)
    return artifact.json_text({"schema_version": "1.0", "passed": passed, "total": len(rows), "apps": rows})


def _row(name: str, verdict: Verdict) -> dict[str, Any]:
    return {
        "file": name,
        "passed": verdict.passed,
        "class": verdict.klass,
        "message": verdict.message,
        "stacks": sorted(verdict.templates),
        "seconds": round(verdict.seconds, 3),
        "confirmed": verdict.confirmed,
    }
