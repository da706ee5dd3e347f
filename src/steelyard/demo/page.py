"""The demo's front page: each result as a picture, one sentence on what was weighed, and a link to the full report.

Pictures are HTML and small SVGs that stretch with the page, so they fit a phone. Signs say what colours say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.audit.model import SYMBOLS
from steelyard.bench.model import CATEGORIES
from steelyard.bench.report.document import range_text, tie_name
from steelyard.bench.report.page.marks import badges, card, whisker
from steelyard.demo.plan import SMOLLM2
from steelyard.gate.model import Comparison
from steelyard.gate.report.document import headline
from steelyard.report import html, numbers
from steelyard.report.html import escape

if TYPE_CHECKING:
    from steelyard.audit.model import Cell, Problem, Result, RunResult
    from steelyard.bench.model import Board, BoardRow, CategoryResult
    from steelyard.gate.model import TaskDelta, Weighed

_SIGN = {"improved": "▲", "neutral": "=", "mixed": "▲▼", "regressed": "▼"}
_TONE = {"improved": "good", "neutral": "soft", "mixed": "bad", "regressed": "bad"}
_ONWARD = {
    "gate.html": "The gate in full, with both transcripts side by side",
    "audit.html": "The audit in full, with the evidence behind each mark",
    "board/index.html": "The leaderboard in full, down to each item",
}
_COLOURS = "Green is shown to be better, red to be worse or a hard regression, grey may be chance."
_STYLE = """
.verdict { display: inline-block; font-size: 1.15rem; font-weight: 650; padding: .15rem .8rem; border-radius: .5rem;
  border: 2px solid currentColor; margin: .3rem 0; }
.verdict.good { color: var(--good); } .verdict.bad { color: var(--bad); } .verdict.soft { color: var(--soft); }
.panel { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1.1rem;
  margin: .8rem 0; }
.panel h3 { margin: 0 0 .5rem; font-size: .95rem; }
.lane { display: grid; grid-template-columns: minmax(9rem, 20rem) minmax(0, 1fr) 7rem; gap: .2rem 1rem;
  align-items: center; padding: .4rem 0; border-bottom: 1px solid var(--line); }
.lane.head { border-bottom: 0; padding: 0; color: var(--soft); font-size: .8rem; }
.lane:last-of-type { border-bottom: 0; }
.lane .who { overflow-wrap: anywhere; }
.lane .amount { text-align: right; font-variant-numeric: tabular-nums; font-weight: 600; white-space: nowrap; }
.lane .amount small, .lane .who small { display: block; color: var(--soft); font-weight: 400; }
.lane svg { display: block; width: 100%; height: 1.25rem; margin: 0; }
.lane svg.whisker { width: 100%; height: 1.1rem; margin: 0; }
.lane .none { color: var(--soft); font-size: .88rem; }
.scale { display: flex; justify-content: space-between; }
.bars .zero { fill: var(--soft); } .bars .gain { fill: var(--good); } .bars .loss { fill: var(--bad); }
.bars .soft { fill: var(--soft); }
.gain { color: var(--good); } .loss { color: var(--bad); }
table.marks { width: 100%; }
table.marks th[scope="row"] { font-weight: 500; }
table.marks td.mark { text-align: center; font-size: 1.15rem; font-weight: 700; min-width: 3.2rem; }
td.mark.detected, .key.detected { background: color-mix(in srgb, var(--good) 20%, transparent); color: var(--good); }
td.mark.partial, .key.partial { background: color-mix(in srgb, var(--warn) 20%, transparent); color: var(--warn); }
td.mark.missed, .key.missed { background: color-mix(in srgb, var(--bad) 14%, transparent); color: var(--bad); }
.key { display: inline-block; padding: 0 .5rem; border-radius: .3rem; font-weight: 700; }
table.marks tfoot td, table.marks tfoot th { border-top: 2px solid var(--line); border-bottom: 0; font-weight: 600; }
table.marks tfoot td { text-align: center; white-space: nowrap; }
.onward { margin: .4rem 0 0; }
@media (max-width: 40rem) {
  .panel { padding: .7rem .8rem; }
  .lane { grid-template-columns: minmax(0, 1fr) auto; }
  .lane > :nth-child(2) { grid-column: 1 / -1; grid-row: 2; }
  table.marks td.mark { min-width: 2.6rem; }
  table.marks .severity { display: none; }
}
"""


def front_page(board: Board | None, audit: Result, gate: Weighed | None) -> str:
    """The whole page; it says so if the bench is still running (no board) or there is no sandbox (no gate)."""
    title = "Steelyard: what one command weighed"
    cards = [_gate_card(gate), _audit_card(audit), _board_card(board)]
    body = (
        '<header><p class="kicker">Steelyard · demo</p><h1>What one command weighed</h1>'
        '<p class="lead">Three questions, three answers. Everything here ran on this machine, without a network and '
        f'without an API key.</p><div class="cards">{"".join(cards)}</div></header>\n<main id="main">\n'
        f"{_gate(gate)}\n{_audit(audit)}\n{_board(board)}\n</main>"
    )
    return html.page(title, body, style=html.asset("board.css") + _STYLE, description=title)


def _gate_card(gate: Weighed | None) -> str:
    if gate is None:
        return card("May this change ship?", numbers.UNKNOWN, "no sandbox on this machine")
    outcome = gate.outcome
    if not isinstance(outcome, Comparison):
        return card("May this change ship?", "no verdict", outcome.reasons[0])
    note = f"net gain {numbers.signed(outcome.net_gain)} over {numbers.things(len(outcome.tasks), 'task')}"
    return card("May this change ship?", outcome.verdict, note)


def _audit_card(audit: Result) -> str:
    cells = len(audit.problems) * len(audit.runs)
    note = f"of {cells} marks: {numbers.things(len(audit.problems), 'problem')} × {len(audit.runs)} runs"
    return card("Did it find what is there?", f"{audit.count('detected')} detected", note)


def _board_card(board: Board | None) -> str:
    best = next((row for row in board.rows if row.rank == 1), None) if board else None
    if best is None:
        return card("Who is best?", numbers.UNKNOWN, "nothing ranked yet" if board else "the bench is still running")
    return card("Who is best?", numbers.percent(best.overall), f"{best.model}, rank 1")


def _gate(gate: Weighed | None) -> str:
    weighed = (
        "Weighed: the same small coding tasks, run in sandboxes under the old and the new configuration of one agent; "
        "a task's score is the share of its checks that pass."
    )
    if gate is None:
        return _section("May this change ship?", weighed, "<p>Left out: this machine has no sandbox.</p>", "")
    outcome = gate.outcome
    if not isinstance(outcome, Comparison):
        return _section("May this change ship?", weighed, f"<p>{escape(headline(outcome))}</p>", "gate.html")
    verdict = (
        f'<p class="verdict {_TONE[outcome.verdict]}">{_SIGN[outcome.verdict]} {escape(outcome.verdict)}</p>'
        f"<p>{escape(headline(outcome))}</p>"
    )
    lanes = "".join(_delta(task, _tone(outcome, task.task)) for task in outcome.tasks)
    head = (
        '<div class="lane head" aria-hidden="true"><span></span><span class="scale"><span>−1 worse</span><span>0</span>'
        "<span>better +1</span></span><span></span></div>"
    )
    panel = f'<div class="panel"><h3>Change of each task</h3>{head}{lanes}<p class="soft">{_COLOURS}</p></div>'
    return _section("May this change ship?", weighed, verdict + panel, "gate.html")


def _tone(outcome: Comparison, task: str) -> str:
    """The colour of a task's change, as on the gate's own page: green is shown to be better, grey may be chance."""
    if any(regression.task == task for regression in outcome.regressions):
        return "loss"
    shown = {each.task: each.status for each in outcome.evidence.tasks} if outcome.evidence else {}
    return {"better": "gain", "worse": "loss"}.get(shown.get(task, "ok"), "soft")


def _delta(task: TaskDelta, tone: str) -> str:
    after = task.candidate.composite if task.candidate else None
    arrow = "▲ " if (task.delta or 0) > 0 else "▼ " if (task.delta or 0) < 0 else ""
    return (
        f'<div class="lane"><span class="who">{escape(task.task)}</span>{_bar(task.delta or 0.0, tone)}'
        f'<span class="amount"><span class="{tone}">{arrow}{numbers.signed(task.delta)}</span>'
        f"<small>{numbers.score(task.baseline.composite)} → {numbers.score(after)}</small></span></div>"
    )


def _bar(delta: float, tone: str) -> str:
    """A difference in [−1, 1] as a bar from the middle; the number is shown next to it."""
    width = 50 * min(abs(delta), 1.0)
    left = 50 - width if delta < 0 else 50
    fill = f'<rect class="{tone}" x="{left:.2f}" y="2" width="{width:.2f}" height="6"/>'
    return (
        '<svg class="bars" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="rail" y="4.5" width="100" height="1"/>'
        f'{fill if width else ""}<rect class="zero" x="49.85" width=".3" height="10"/></svg>'
    )


def _audit(audit: Result) -> str:
    weighed = (
        f"Weighed: {numbers.things(len(audit.runs), 'recorded run')} of an agent that reviewed one document "
        f"({audit.document or audit.name}), against an answer key of "
        f"{numbers.things(len(audit.problems), 'planted problem')}; marked by {audit.marker}."
    )
    heads = "".join(f'<th scope="col" class="center">Run {number}</th>' for number in range(1, len(audit.runs) + 1))
    rows = "".join(_problem(problem, audit.runs) for problem in audit.problems)
    scores = "".join(f"<td>{numbers.points(run.score)}</td>" for run in audit.runs)
    spread = f"mean {numbers.points(audit.mean)}" + (f", SD {numbers.points(audit.sd)}" if audit.sd is not None else "")
    legend = " ".join(
        f'<span class="key {mark}">{sign} {mark} {audit.count(mark)}</span>' for mark, sign in SYMBOLS.items()
    )
    grid = (
        f'<p>{legend}</p><div class="scroll" tabindex="0" role="region" aria-label="Marks"><table class="marks">'
        f'<thead><tr><th scope="col">Planted problem</th><th scope="col" class="severity">Severity</th>{heads}</tr>'
        f'</thead><tbody>{rows}</tbody><tfoot><tr><th scope="row">Points ({spread})</th><td class="severity"></td>'
        f"{scores}</tr></tfoot></table></div>"
        f'<p class="soft">{escape(_points(audit))}</p>'
    )
    return _section("Did it find what we know is there?", weighed, grid, "audit.html")


def _points(audit: Result) -> str:
    bonus = sum(run.counted("bonus") for run in audit.runs)
    penalty = sum(run.counted("penalty") for run in audit.runs)
    return (
        "A detected problem is worth 1 point, a partial one 0.5. Outside the key: "
        f"{numbers.things(bonus, 'bonus', 'bonuses')} (+0.5 each) and "
        f"{numbers.things(penalty, 'penalty', 'penalties')} (−0.5 each). Stability between runs: {audit.stability}."
    )


def _problem(problem: Problem, runs: tuple[RunResult, ...]) -> str:
    cells = (next(cell for cell in run.cells if cell.problem == problem.id) for run in runs)
    return (
        f'<tr><th scope="row">{escape(problem.id)} {escape(problem.title)}</th>'
        f'<td class="severity soft">{escape(problem.severity)}</td>{"".join(map(_mark, cells))}</tr>'
    )


def _mark(cell: Cell) -> str:
    return f'<td class="mark {cell.mark}" title="{cell.mark}" aria-label="{cell.mark}">{SYMBOLS[cell.mark]}</td>'


def _board(board: Board | None) -> str:
    items = " + ".join(f"{category.sample_count} {category.name}" for category in CATEGORIES.values())
    weighed = (
        f"Weighed: SA Bench ({items}), answered by embedded subjects: partial-N gives the reference to N% of the items "
        "and withholds the rest. They are not language models; they show how ranks and ties look without an API key."
    )
    if board is None:
        return _section("Who is best?", weighed, "<p>The bench is still running; this page will be replaced.</p>", "")
    head = (
        '<div class="lane head" aria-hidden="true"><span></span><span class="scale"><span>0%</span><span>50%</span>'
        "<span>100%</span></span><span></span></div>"
    )
    lanes = "".join(_row(row) for row in board.rows)
    legend = (
        "Mark: overall score. Band: 95% interval. Rows that share a letter cannot be told apart from the best of them. "
        "The baselines ceiling (all references) and floor (guesses) are the ends of the scale and take no rank."
    )
    panel = f'<div class="panel"><h3>Overall score</h3>{head}{lanes}<p class="soft">{escape(legend)}</p></div>'
    return _section("Who is best?", weighed, panel, "board/index.html")


def _row(row: BoardRow) -> str:
    place = f"<strong>{row.rank}</strong> " if row.rank else ""
    tie = f' <span class="tie" title="tie group">{tie_name(row.tie_group)}</span>' if row.tie_group else ""
    who = f'<span class="who">{place}<bdi>{escape(row.model)}</bdi>{tie}{badges(row)}</span>'
    if not row.complete:
        scored = ", ".join(f"{result.scored} of {result.expected} {key}" for key, result in _named(row))
        kind = "A real language model on a slice" if row.details.get("model") == SMOLLM2 else "Not finished"
        return (
            f'<div class="lane">{who}<span class="none">{kind}: {escape(scored)}. Too few items to place it.</span>'
            '<span class="amount"><small>no rank</small></span></div>'
        )
    return (
        f'<div class="lane">{who}{whisker(row.overall, row.interval, muted=row.rank is None)}'
        f'<span class="amount">{numbers.percent(row.overall)}<small>{range_text(row.interval)}</small></span></div>'
    )


def _named(row: BoardRow) -> list[tuple[str, CategoryResult]]:
    return [(CATEGORIES[key].name, result) for key, result in row.results.items()]


def _section(title: str, weighed: str, body: str, link: str) -> str:
    name = html.slug(title)
    onward = f'<p class="onward">{html.anchor(link, _ONWARD[link])}</p>' if link else ""
    return (
        f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(title)}</h2><p class="soft">{escape(weighed)}</p>'
        f"\n{body}\n{onward}</section>"
    )
