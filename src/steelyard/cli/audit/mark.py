"""`steelyard audit mark`: the page for marking by hand."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import api, artifact
from steelyard.cli.audit.options import FILE, key_option, perspective_option, run_option
from steelyard.cli.exit import Exit
from steelyard.cli.options import Place, note, rare
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.audit.marking_page.server import MarkingServer
    from steelyard.location import Location


@click.command()
@click.argument("what", nargs=-1, metavar="RUN...|LOG|SUITE", type=Place())
@key_option
@run_option
@perspective_option
@click.option("--document", type=FILE, metavar="FILE", help="The audited document, to look things up.")
@click.option("--as", "kind", type=click.Choice(["page", "sheet", "chat"]), default="page", show_default=True,
              help="A page, a blank sheet for an editor, or questions for any chat.")  # fmt: skip
@click.option("--set", "set_name", metavar="NAME", help="Which recorded runs of the SUITE.")
@click.option("-o", "--sheet", type=FILE, metavar="FILE", help="The sheet, or the file that --as writes.")
@rare("--by", "marked_by", default="", metavar="NAME", help="Who marks; it is written into the sheet.")
@rare("--blind", is_flag=True, help="Show what the words propose only after your mark.")
@rare("--port", type=click.IntRange(0, 65535), default=0, help="Default: any free port.")
@click.option("--no-open", is_flag=True, help="Print the address, do not open a browser.")
def mark(what: tuple[Location, ...], runs: tuple[Path, ...], kind: str, no_open: bool, **options: Any) -> Exit:
    """Mark runs by hand on a page of this machine: ○ △ × by keyboard, saved in the sheet after every key.

    --as sheet writes the blank sheet for an editor instead, --as chat the questions to paste into any chat;
    `audit score` reads them back with --marks and --verdict.

    RUN files need their --key; a LOG or a SUITE names it. Start the same command again to continue where you stopped.
    Exit 0 after "done" on the page, 130 after Ctrl-C; either way every mark is in the sheet.

    \b
    Example:
      steelyard audit mark run1.md run2.md --key key.md --perspective scope.md \\
        --document doc.md
      steelyard audit mark my-suite --set careful -o sheet.yaml
      steelyard audit mark run1.md --key key.md --as chat -o questions.txt
    """
    source = _source((*what, *runs), options["key"] is not None)
    if kind != "page":
        if options["blind"]:
            raise InputError("--blind is for the page", cure="leave out --as")
        return _written(kind, source, options)
    with api.audit_mark(**source, **options) as server:
        note(f"sheet: {server.session.sheet}, {server.session.progress()}")
        click.echo(server.address)
        if not no_open:
            _open(server.address)
        try:
            server.serve_forever()
        finally:
            _note_end(server)
    return Exit.FINE


def _written(kind: str, source: dict[str, Any], options: dict[str, Any]) -> Exit:
    """Write the blank sheet, or the questions for a chat."""
    if "suite" in source:
        raise InputError("a suite is marked on the page", cure="leave out --as, or name run files with their --key")
    files = {name: options[name] for name in ("key", "perspective")}
    if kind == "sheet":
        text = api.audit_sheet(**source, **files)
    else:
        text = api.audit_ask(**source, **files, document=options["document"])
    target: Path | None = options["sheet"]
    if target is None:
        click.echo(text, nl=False)
    else:
        artifact.write_text(target, text)
        note(f"{'sheet' if kind == 'sheet' else 'questions'}: {target}")
    return Exit.FINE


def _source(what: tuple[Location, ...], keyed: bool) -> dict[str, Any]:
    """What is marked, by its name: a folder is a suite; JSON with a key is a scanner's output, without one a log."""
    only = what[0] if len(what) == 1 else None
    if only is not None and ((isinstance(only, Path) and only.is_dir()) or only.name == "suite.yaml"):
        return {"suite": only}
    if only is not None and (only.suffix == ".eval" or (only.suffix == ".json" and not keyed)):
        return {"log": only}
    return {"runs": what}


def _open(address: str) -> None:
    """Open a browser if there is a screen: without one Python would start a text browser in this terminal."""
    import webbrowser

    if sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(address)
    else:
        note("open this address in a browser of this machine, or through `ssh -L PORT:127.0.0.1:PORT`")


def _note_end(server: MarkingServer) -> None:
    progress = server.session.progress()
    note(f"sheet: {server.session.sheet}, {progress}")
    if progress.done == progress.total:
        note(f"score it: {server.score_command}")
    else:
        note(f"start the same command again to continue; then score it: {server.score_command}")
