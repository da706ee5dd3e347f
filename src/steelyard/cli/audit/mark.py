"""`steelyard audit mark`: the page for marking by hand."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Literal

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.options import note
from steelyard.cli.spec import options_of
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.audit.marking_page.server import MarkingServer


@click.command()
@options_of(api.AuditMark)
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
    if progress.done == progress.total:
        note(f"score it: {server.score_command}")
    else:
        note(f"start the same command again to continue; then score it: {server.score_command}")
