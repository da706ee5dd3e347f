"""`steelyard audit mark` and `plant`: where the marks and the answer keys of an audit come from."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.options import Paths, note, output, show
from steelyard.cli.progress import Bars
from steelyard.cli.spec import command_of
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.audit.marking_page.server import MarkingServer


@command_of(api.AuditMark)
@click.option("--as", "kind", type=click.Choice(["page", "sheet", "chat"]), default="page", show_default=True,
              help="A page, a blank sheet for an editor, or questions for any chat.")  # fmt: skip
@click.option("--no-open", is_flag=True, help="Print the address, do not open a browser.")
def mark(spec: api.AuditMark, kind: Literal["page", "sheet", "chat"], no_open: bool) -> Exit:
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
    if kind != "page":
        return _written(kind, spec)
    with api.audit_mark(spec) as server:
        note(f"sheet: {server.session.sheet}, {server.session.progress()}")
        click.echo(server.address)
        if not no_open:
            _open(server.address)
        try:
            server.serve_forever()
        finally:
            _note_end(server)
    return Exit.FINE


def _written(kind: Literal["sheet", "chat"], spec: api.AuditMark) -> Exit:
    """Write the blank sheet, or the questions for a chat."""
    if spec.blind:
        raise InputError("--blind is for the page", cure="leave out --as")
    text = api.audit_sheet(spec) if kind == "sheet" else api.audit_ask(spec)
    if spec.sheet is None:
        click.echo(text, nl=False)
    else:
        artifact.write_text(spec.sheet, text)
        note(f"{'sheet' if kind == 'sheet' else 'questions'}: {spec.sheet}")
    return Exit.FINE


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
    again = "" if progress.done == progress.total else "start the same command again to continue; then "
    note(f"{again}score it: {server.score_command}")


@command_of(api.AuditPlant)
@output("json", "markdown")
def plant(spec: api.AuditPlant, out: Paths) -> Exit:
    """Plant bugs into REPO and write a suite with their answer key; every one is proved by a test that fails.

    The agent under audit gets the repository without the tests that tell, or a commit's diff with bugs in it. Tests run
    in the sandbox without a network. Run again to go on after an interruption. Exit 1 if nothing was proved.

    \b
    Example:
      steelyard audit plant ~/src/mylib --out suite --most 30
      steelyard audit plant ~/src/mylib --out suite --as diff
      steelyard audit plant ~/src/mylib --out suite --from-history --most 10
      steelyard audit check --prove suite
    """
    from steelyard.audit.plant.report import as_data, document

    with Bars() as bars:
        found = api.audit_plant(replace(spec, progress=bars.trying("problems")))
    show(document(found), out, lambda: as_data(found))
    return Exit.FINE if found.problems else Exit.NO
