"""Compares a judge with labels. Pure.

Law, per item of the rubric, over the labelled responses (control answers apart):
  mean error = mean(judge − label), mean absolute error likewise, over the responses that got a verdict;
  within = responses with |judge − label| ≤ 0.15 / all responses (one without a verdict is not within);
  kappa = quadratic weights over the five bands, with its 90% interval (`steelyard.stats.agreement`);
  consistency = over responses and judges, the share whose repeats all fall into one band, and the mean standard
  deviation over repeats; judges of a jury are never compared with each other.
A judge is calibrated when, for every item, within ≥ 0.80 and the lower end of kappa's interval ≥ 0.60. Its kappa is the
lowest of its items'. An undefined kappa is below every floor. Comparisons are made on six decimals.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from steelyard.judge.calibration.labels import Label
from steelyard.judge.judgement import Judgement, NoVerdict, Reply, decoys, mean_verdict, unusable
from steelyard.judge.rubric import BANDS, band
from steelyard.judge.text import legible
from steelyard.outcome import exact
from steelyard.rows import Tabular
from steelyard.stats.agreement import Kappa, kappa

TOLERANCE = 0.15
"""How far a grade may lie from its label."""
WITHIN_FLOOR = 0.80
"""The share of grades that must lie within the tolerance."""
KAPPA_FLOOR = 0.60
"""What the lower end of kappa's 90% interval must reach."""
RECOMMENDED = 100
"""Responses below which the interval of kappa is too wide to be useful."""


@dataclass(frozen=True, slots=True)
class Marked:
    """One labelled response, and what the judge says about it."""

    label: Label
    reply: Reply

    @property
    def scores(self) -> Mapping[str, float] | None:
        """Mean over judges and repeats per item; None without a verdict."""
        return mean_verdict(self.reply).scores if isinstance(self.reply, Judgement) else None

    @property
    def reason(self) -> str | None:
        """Why there is no verdict."""
        return self.reply.reason if isinstance(self.reply, NoVerdict) else None

    def repeats(self, item: str) -> list[list[float]]:
        """Each judge's verdicts on an item, of judges with several."""
        judges = dict.fromkeys(call.judge for call in self.reply.calls)
        own = [reply.verdicts for judge in judges if isinstance(reply := self.reply.by(judge), Judgement)]
        return [[verdict.scores[item] for verdict in verdicts] for verdicts in own if len(verdicts) > 1]


@dataclass(frozen=True, slots=True)
class Errors:
    """Judge minus label over some responses."""

    n: int
    scored: int
    mean: float | None
    absolute: float | None
    within: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge and the labels on one item of the rubric."""

    item: str
    errors: Errors
    kappa: Kappa | None
    tiers: Mapping[str, Errors]
    same_band: float | None
    """Share of responses whose repeats agree on the band; None without repeats."""
    repeat_sd: float | None
    """Likewise, their mean standard deviation."""

    @property
    def passed(self) -> bool:
        """Within the tolerance often enough, and above the floor of kappa."""
        low = self.kappa.low if self.kappa is not None else -math.inf
        return exact(self.errors.within) >= WITHIN_FLOOR and exact(low) >= KAPPA_FLOOR


@dataclass(frozen=True, slots=True)
class Quoted:
    """The same responses graded again by the quoting protocol."""

    n: int
    """Grades that were compared: response × item."""
    same: int
    """Those that fall into the same band."""
    difference: float
    """Mean of quoted − single."""


@dataclass(frozen=True, slots=True)
class Calibration(Tabular):
    """How a judge did."""

    LINES = "items"

    items: tuple[Agreement, ...]
    marked: tuple[Marked, ...]
    controls: tuple[Marked, ...]
    quoted: Quoted | None = None
    """None if there is nothing to compare."""

    @property
    def scored(self) -> int:
        """Responses with a verdict."""
        return sum(response.scores is not None for response in self.marked)

    @property
    def answered(self) -> bool:
        """Whether the judge gave any verdict; a text without a letter or digit is graded without it."""
        return any(response.scores is not None and legible(response.label.response) for response in self.marked)

    @property
    def tripped(self) -> tuple[int, int]:
        """Honest responses of which a reply took a decoy, and honest responses that were shown any."""
        honest = [decoys(row.reply.calls) for row in self.marked if row.label.kind == "response"]
        shown = [row for row in honest if row["shown"]]
        return sum(row["taken"] > 0 for row in shown), len(shown)

    @property
    def unusable(self) -> dict[str, int] | None:
        """As `judgement.unusable` counts them."""
        return unusable(row.reply.metadata() for row in (*self.marked, *self.controls))

    @property
    def passed(self) -> bool:
        """Every item passed."""
        return bool(self.items) and all(item.passed for item in self.items)

    @property
    def kappa(self) -> Kappa | None:
        """The lowest of the items; None when one is undefined."""
        known = [item.kappa for item in self.items if item.kappa is not None]
        return min(known, key=lambda kappa: kappa.value) if known and len(known) == len(self.items) else None


def measure(marked: Sequence[Marked]) -> Calibration:
    """The calibration over a set of graded responses."""
    measured = tuple(response for response in marked if response.label.kind != "canary")
    names = measured[0].label.labels if measured else ()
    controls = tuple(response for response in marked if response.label.kind == "canary")
    return Calibration(tuple(_agreement(name, measured) for name in names), measured, controls)


def quoted_agreement(single: Sequence[Marked], quoted: Sequence[Marked]) -> Quoted | None:
    """How far grades by quoting agree with those of one call on the same responses, in this order."""
    pairs = [
        (one.scores[item], other.scores[item])
        for one, other in zip(single, quoted, strict=True)
        if one.scores is not None and other.scores is not None
        for item in one.scores
    ]
    if not pairs:
        return None
    same = sum(band(one) == band(other) for one, other in pairs)
    return Quoted(len(pairs), same, statistics.fmean(other - one for one, other in pairs))


def control_holds(control: Marked) -> bool:
    """Whether every item of a control answer is within tolerance of its known grade."""
    scores = control.scores
    return scores is not None and all(_near(scores[name], value) for name, value in control.label.labels.items())


def _agreement(name: str, rows: Sequence[Marked]) -> Agreement:
    pairs = [(row.scores[name], row.label.labels[name]) for row in rows if row.scores is not None]
    judged, labelled = [band(score) for score, _ in pairs], [band(label) for _, label in pairs]
    tiers = list(dict.fromkeys(row.label.tier for row in rows))
    # Only a judge's own verdicts: two judges that differ are not one judge that wavers.
    repeats = [values for row in rows for values in row.repeats(name)]
    return Agreement(
        item=name,
        errors=_errors(name, rows),
        kappa=kappa(judged, labelled, categories=len(BANDS), weights="quadratic"),
        tiers={tier: _errors(name, [row for row in rows if row.label.tier == tier]) for tier in tiers},
        same_band=_mean(float(len({band(value) for value in values}) == 1) for values in repeats),
        repeat_sd=_mean(statistics.stdev(values) for values in repeats),
    )


def _errors(name: str, rows: Sequence[Marked]) -> Errors:
    pairs = [(row.scores[name], row.label.labels[name]) for row in rows if row.scores is not None]
    differences = [judged - labelled for judged, labelled in pairs]
    near = sum(_near(judged, labelled) for judged, labelled in pairs)
    return Errors(len(rows), len(pairs), _mean(differences), _mean(map(abs, differences)), near / max(len(rows), 1))


def _near(judged: float, labelled: float) -> bool:
    # 0.65 − 0.5 is a little more than 0.15 in floating point.
    return exact(abs(judged - labelled)) <= TOLERANCE


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return statistics.fmean(numbers) if numbers else None
