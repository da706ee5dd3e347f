"""`steelyard gate check`: are tasks or a configuration in order, before anything is paid for? Does a verdict hold?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import index_option, note, output, show
from steelyard.cli.spec import options_of

if TYPE_CHECKING:
    from steelyard.report.document import Document

    Shown = tuple[Document, Mapping[str, Any], Exit]


@click.command()
@options_of(api.GateCheck, omit=("thresholds",), rare=("settings",))
@index_option
@output("json")
def check(spec: api.GateCheck, json_path: str | None) -> Exit:
    """Check a folder of tasks, a configuration (a folder or git:REF[:PATH]), or a comparison.

    Tasks are listed and validated: exit 2 if one cannot be used. With --prove each must tell right from wrong:
    its reference passes, doing nothing and hostile solutions fail, else exit 1. Of a configuration, the
    artifacts are shown by kind, with exit 1 for parse errors and secrets. Absolute paths, and artifacts that the
    agent (or no agent) loads, are warnings. A comparison is recomputed offline from its logs, under the settings that
    were registered before the first run: exit 0 if it was decided as registered, 1 if not.

    \b
    Example:
      steelyard gate check tasks --prove
      steelyard gate check . --baseline git:main --agent codex
      steelyard gate check logs/gate/comparison.json
    """
    from steelyard.artifact import json_text

    document, data, code = _shown(api.gate_check(replace(spec, notify=note)))
    show(document, {"json": json_path}, json=lambda: json_text(data))
    return code


def _shown(found: Any) -> Shown:
    """What was found as a document and as data, and whether it is in order."""
    from steelyard.gate.config.validation import Inspection
    from steelyard.gate.report import listing
    from steelyard.gate.report.verification import verification, verification_json
    from steelyard.gate.task_folder import Suite
    from steelyard.gate.verify import Verification

    if isinstance(found, Verification):
        return verification(found), verification_json(found), Exit.FINE if found.holds else Exit.NO
    if isinstance(found, Inspection):
        return listing.inspection(found), listing.inspection_json(found), Exit.FINE if found.valid else Exit.NO
    if isinstance(found, Suite):
        usable = found.tasks and not found.problems
        return listing.listing(found), listing.listing_json(found), Exit.FINE if usable else Exit.UNANSWERED
    fine = all(result.fine for result in found)
    return listing.selftests(found), listing.selftests_json(found), Exit.FINE if fine else Exit.NO
