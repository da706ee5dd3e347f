"""`steelyard audit plant`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import output, show, take_paths
from steelyard.cli.progress import Bars
from steelyard.cli.spec import options_of


@click.command()
@options_of(api.AuditPlant)
@output("json", "markdown")
def plant(spec: api.AuditPlant, **out: Any) -> Exit:
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
    from steelyard.artifact import json_text
    from steelyard.audit.plant.report import as_data, document

    with Bars() as bars:
        found = api.audit_plant(replace(spec, progress=bars.trying("problems")))
    show(document(found), take_paths(out), json=lambda: json_text(as_data(found)))
    return Exit.FINE if found.problems else Exit.NO
