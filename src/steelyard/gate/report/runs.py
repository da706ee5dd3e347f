"""All runs of a task on the gate's page: the two that go together longest side by side, step by step, then the rest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from steelyard.gate.read.parting import Pair, closest
from steelyard.gate.steps import RunView, Step
from steelyard.report import html
from steelyard.report.document import Block, Cell, Code, Details, Paragraph, table
from steelyard.report.numbers import score, things

RUNS_STYLE = """.pair{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.6rem 1rem;align-items:stretch}
.pair>*{min-width:0}.pair h4{margin:.4rem 0}.pair h4.own{display:none}
.pair pre{max-height:24rem;overflow:auto;margin:.3rem 0}
.step{border:1px solid var(--line);border-radius:.5rem;padding:.4rem .7rem;background:var(--card)}
.step b{font-size:.82rem;color:var(--soft)}.step.none{border-style:dashed;color:var(--soft)}
.parts{border-color:var(--warn);box-shadow:inset .25rem 0 0 var(--warn)}.parts b{color:var(--warn)}
@media(max-width:40rem){.pair{grid-template-columns:minmax(0,1fr)}.pair>h4{display:none}
.pair h4.own{display:block}}
"""

_BESIDE = 6_000
"""Characters of the transcript of a run that is not one of the two shown."""

_SIDES = ("Baseline", "Candidate")


def task_runs(before: Sequence[RunView], after: Sequence[RunView], check: str | None) -> str:
    """Markup of all runs of one task; `check` is the one that moved most, if it is named."""
    pair = closest(before, after, check)
    chosen = (None, None) if pair is None else (pair.baseline, pair.candidate)
    lists = zip(_SIDES, (before, after), chosen, strict=True)
    columns = "".join(f"<section><h4>{side}</h4>{_all(runs, shown)}</section>" for side, runs, shown in lists)
    browse = f"<details><summary>Every run: {len(before)} of the baseline, {len(after)} of the candidate</summary>"
    return f'{"" if pair is None else _together(pair)}{browse}<div class="pair">{columns}</div></details>\n'


def _together(pair: Pair) -> str:
    """The two runs that are shown, with a word on why, in line from the step where they part."""
    runs = (pair.baseline, pair.candidate)
    names = [f"{side}, {html.escape(_named(run))}" for side, run in zip(_SIDES, runs, strict=True)]
    heads = "".join(f"<h4>{name}</h4>" for name in names)
    # On a phone the columns are below each other, and each result needs its name.
    results = "".join(
        f'<div><h4 class="own">{name}</h4>{html.fragment(_results(run))}</div>'
        for name, run in zip(names, runs, strict=True)
    )
    return (
        f"{html.fragment([Paragraph(_why(pair))])}{_common(pair)}"
        f'<div class="pair">{heads}{_steps(pair)}{results}</div>\n'
    )


def _why(pair: Pair) -> str:
    which = f"Shown: {pair.baseline.name} of the baseline and {pair.candidate.name} of the candidate"
    if not pair.baseline.steps or not pair.candidate.steps:
        return f"{which}. The logs do not show what they did."
    if pair.parting is None:
        return f"{which}. Step by step they did the same."
    together = pair.parting.step - 1
    same = f"The first {things(together, 'step')} are the same" if together > 1 else "The first step is the same"
    begin = f"{same}, then they part." if together else "They part at the first step."
    return f"{which}: of the runs that ended best and worst, these two go together longest. {begin}"


def _common(pair: Pair) -> str:
    """The steps before the parting, folded."""
    end = len(pair.candidate.steps) if pair.parting is None else pair.parting.step - 1
    if not end:
        return ""
    inner = "".join(_step(number, step) for number, step in enumerate(pair.candidate.steps[:end], 1))
    return f"<details><summary>{things(end, 'step')} in common</summary>{inner}</details>"


def _steps(pair: Pair) -> str:
    """The steps from the parting on, those of one number beside each other."""
    if pair.parting is None:
        return ""
    first = pair.parting.step
    both = zip_longest(pair.baseline.steps[first - 1 :], pair.candidate.steps[first - 1 :])
    return "".join(
        _step(number, step, side.lower(), parts=number == first)
        for number, steps in enumerate(both, first)
        for side, step in zip(_SIDES, steps, strict=True)
    )


def _step(number: int, step: Step | None, side: str = "", *, parts: bool = False) -> str:
    mark = " parts" if parts else ""
    name = f"{number}, {side}" if side else str(number)
    if step is None:
        return f'<div class="step none{mark}"><b>{name}</b> had ended before</div>'
    name += ": here they part" if parts else ""
    said = f"<p>{html.escape(step.says)}</p>" if step.says else ""
    did = html.fragment([Code(step.does)]) if step.does else ""
    printed = html.fragment([Details("What it printed", (Code(step.printed),))]) if step.printed else ""
    return f'<div class="step{mark}"><b>{name}</b>{said}{did}{printed}</div>'


def _all(runs: Sequence[RunView], shown: RunView | None) -> str:
    if not runs:
        return html.fragment([Paragraph("No run of this task.", "muted")])
    return "".join(_folded(run, shown=run is shown) for run in runs)


def _folded(run: RunView, *, shown: bool) -> str:
    """One run behind its name."""
    word = " – shown above" if shown else ""
    blocks: list[Block] = [] if shown else [*_results(run), Code(_transcript(run) or "(no transcript)")]
    inner = html.fragment(blocks) if blocks else ""
    return f"<details><summary>{html.escape(_named(run))}{word}</summary>{inner}</details>"


def _transcript(run: RunView) -> str:
    parts = [f"{number}. {step.says}\n→ {step.does}" if step.does else f"{number}. {step.says}"
             for number, step in enumerate(run.steps, 1)]  # fmt: skip
    text = "\n\n".join(parts)
    return text if len(text) <= _BESIDE else f"{text[:_BESIDE]}\n[cut: {len(text):,} characters]"


def _named(run: RunView) -> str:
    if run.outputs:
        passed = sum(output[1] for output in run.outputs)
        return f"{run.name}: {passed} of {things(len(run.outputs), 'check')}"
    return run.name if run.score is None else f"{run.name}: score {score(run.score)}"


def _results(run: RunView) -> list[Block]:
    """What the checks say, and what was changed."""
    rows = [(name, _result(passed), message) for name, passed, message, _ in run.outputs]
    blocks: list[Block] = [table(("Check", "Result", "Message"), rows)] if rows else []
    blocks += [
        Details(f"Output of {name}", (Code(output),))
        for name, passed, _, output in run.outputs
        if output and not passed
    ]
    return [*blocks, Details("What it changed", (Code(run.diff, "diff"),))] if run.diff else blocks


def _result(passed: bool) -> Cell:
    return Cell("passed", "good") if passed else Cell("failed", "bad")
