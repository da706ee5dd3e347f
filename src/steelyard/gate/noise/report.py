"""A noise record as a document."""

from __future__ import annotations

from steelyard.gate.evidence.noise import Noise, NoisyTask
from steelyard.report.document import Block, Cell, Column, Document, Heading, Paragraph, Table, Whisker, table
from steelyard.report.numbers import UNKNOWN, percent, percent_range, score, things, usd
from steelyard.stats.power import rounds_needed

EFFECTS = (0.01, 0.02, 0.05, 0.1)
"""Mean deltas per task for which the needed rounds are listed."""

_ROWS = 200
"""Tasks listed one by one where a report must stay short."""

VERDICTS = ("improved", "mixed", "neutral", "regressed", "undecided")


def document(noise: Noise, most: int | None = _ROWS) -> Document:
    """The noise record, the flakiest tasks first: all of them, or no more than `most`."""
    varying = sum(task.varies for task in noise.tasks)
    head = (
        f"{varying} of {things(len(noise.tasks), 'task')} vary from run to run. With the same configuration on both "
        f"sides, 95% of comparisons of {things(noise.rounds, 'round')} stay under a net gain of ±{score(noise.floor)}: "
        "a gain below that is noise."
    )
    blocks: list[Block] = [
        Paragraph(head),
        Heading("What each policy says about a change that does nothing", 2),
        false_verdicts(noise),
        Heading("Rounds needed", 2),
        needed(noise),
        Heading("Tasks", 2),
        tasks(noise, most),
        Paragraph(provenance(noise), "muted"),
    ]
    return Document("Noise of the suite", tuple(blocks))


def provenance(noise: Noise) -> str:
    """Where the numbers come from."""
    return (
        f"Fingerprint {noise.fingerprint[:16]}, {noise.created}, seed {noise.seed}, "
        f"{things(noise.resamples, 'resampled comparison')} for the contract rule."
    )


def false_verdicts(noise: Noise) -> Table:
    """Policy × verdict; `improved` and `regressed` are wrong here."""
    columns = ("Policy", *(Column(name.capitalize(), "right") for name in VERDICTS))
    rows = [
        (policy, *(_share(name, shares.get(name)) for name in VERDICTS))
        for policy, shares in noise.false_verdicts.items()
    ]
    return table(columns, rows, "improved and regressed are false here: nothing changed")


def needed(noise: Noise) -> Table:
    """Rounds and money for a few effects."""
    rows: list[tuple[str, ...]] = []
    for effect in EFFECTS:
        rounds = rounds_needed(effect, noise.round_sd) if noise.round_sd else None
        money = None if noise.usd_per_round is None or rounds is None else noise.usd_per_round * rounds
        rows.append((score(effect, 2), UNKNOWN if rounds is None else f"{rounds:,}", usd(money)))
    columns = (Column("Mean delta per task", "right"), Column("Rounds", "right"), Column("Cost", "right"))
    caption = "at 80% power, both sides" if noise.round_sd else "none: nothing varies, so any difference is a change"
    return table(columns, rows, caption)


def tasks(noise: Noise, most: int | None) -> Table:
    """A row per task."""
    shown = sorted(noise.tasks, key=lambda task: (-task.flake_rate, -(task.composite_sd or 0.0), task.task))[:most]
    columns = ("Task", Column("Runs", "right"), Column("Flake rate", "right"), "95%", Column("sd", "right"), "Checks")
    rows = [
        (
            task.task,
            str(task.runs),
            Cell(percent(task.flake_rate, 0), "warn" if task.flake_rate else "plain"),
            Cell(
                percent_range(task.flake_low, task.flake_high),
                whisker=Whisker(task.flake_low, task.flake_rate, task.flake_high),
            ),
            score(task.composite_sd),
            checks(task),
        )
        for task in shown
    ]
    rest = len(noise.tasks) - len(shown)
    return table(columns, rows, f"not shown: {things(rest, 'more task')}" if rest else "")


def checks(task: NoisyTask) -> str:
    """The checks that vary, with their pass rates; or that none does."""
    varying = [f"{name} {percent(rate, 0)}" for name, rate in task.pass_rates.items() if 0 < rate < 1]
    if varying:
        return ", ".join(varying)
    if not task.pass_rates:
        return "not named"
    return "always the same" if any(task.pass_rates.values()) else "always fail"


def _share(verdict: str, value: float | None) -> Cell | str:
    if value is None:
        return UNKNOWN
    wrong = verdict in ("improved", "regressed") and value > 0.05
    return Cell(percent(value), "bad") if wrong else percent(value)
