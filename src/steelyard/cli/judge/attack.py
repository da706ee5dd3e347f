"""`steelyard judge attack`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.judge.options import FORMATS, progress, show
from steelyard.cli.options import output
from steelyard.cli.spec import options_of


@click.command()
@options_of(api.JudgeAttack)
@output(*FORMATS, shown=("json",))
def attack(spec: api.JudgeAttack, **out: Any) -> int:
    """Run every known attack against a judge: what got through, what was refused, what was unscored.

    Exits with 0 if nothing got through, 1 if something did, 2 if the judge gave no verdict at all.
    These judges need no network: steelyard/smollm2 and the scripted ones (scripted/yes, scripted/copier, …).

    \b
    Example:
      steelyard judge attack --judge scripted/yes
      steelyard judge attack --judge auto --json attack.json
    """
    from steelyard.judge.attack.report import attack_document
    from steelyard.judge.attack.result import as_json

    result = api.attack(replace(spec, progress=progress))
    show(out, lambda _: attack_document(result), lambda: artifact.json_text(as_json(result), schema="attack"))
    return Exit.NO if result.count("got through") else Exit.FINE if result.judged else Exit.UNANSWERED
