"""The types that make up a board, and the categories of the official one (docs/scoring.md §1.1).

    overall = 0.34·practice_exam + 0.33·architecture_design + 0.33·cdk_synth

`suite` lists the categories and checks that the weights sum to exactly 1.0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from steelyard.bench.category import Category
from steelyard.bench.model_facts import ModelFacts
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.outcome import exact
from steelyard.rows import Tabular
from steelyard.stamp import Fingerprint
from steelyard.stats.interval import Interval

CATEGORIES: Mapping[str, Category] = OFFICIAL.categories
"""Key → category of the official suite, in the order of the board."""

STRICT_WITHIN = 0.05
"""How far the strict score may lie below the overall score without a mark."""

OVERALL = "overall"
"""The key of the weighted sum, where a category key may be used."""

MIN_COVERAGE = 0.95
"""Below this, through no fault of the model, no number is published."""

CEILING = "steelyard/ceiling"
"""The subject whose answers are the references."""

FLOOR = "steelyard/floor"
"""The subject that guesses."""

BASELINES = frozenset({CEILING, FLOOR})
"""Subjects that are marked as baselines and get no rank."""

STAND_INS = "steelyard/partial-"
"""How the names of embedded subjects begin that take a rank and are not language models."""

Declared: TypeAlias = Literal["equivalent", "likely", "unclear", "definite"]
"""The declared reading of a difference, in the words of the published methodology."""

Measured: TypeAlias = Literal["distinct", "equivalent", "unresolved"]
"""The measured reading of a difference."""


HEURISTIC_SCORER = "architecture_scorer"
"""The scorer that estimates without a model, by its registered name."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a subject spent on a category; None is unknown, never 0."""

    input_tokens: int | None = None
    """Without those that the provider had cached."""
    output_tokens: int | None = None
    cost_usd: float | None = None
    seconds: float | None = None
    """Wall time during which at least one run was under way."""
    cache_read_tokens: int = 0
    """Input that the provider had cached."""
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """What an item is about, as its sample says."""

    title: str
    """A few words on one line."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """`domain`, `difficulty` or `subtype` → the values of this item, where it has any."""


@dataclass(frozen=True, slots=True)
class GroupScore:
    """A subject on the items of one domain, difficulty or subtype."""

    score: float
    """Mean over the items of the group that were scored."""
    items: int
    interval: Interval | None
    """Of `score`; wide, because a group has few items."""


@dataclass(frozen=True, slots=True)
class CategoryResult:
    """One subject in one category that was run."""

    score: float | None
    """Mean over scored items; None when our own failures would have shaped it."""
    scored: int
    """Runs with a number."""
    expected: int
    """Runs of a full evaluation: items × epochs."""
    complete: bool
    """A full run: not limited, status success, every expected run scored."""
    scorer: str
    """`name@version`, or the name alone when the log does not say."""
    items: Mapping[str, float]
    """Item id → mean over its scored epochs."""
    interval: Interval | None
    epochs: int = 1
    lost: int = 0
    """Runs without a number, those that an eval which ended in an error never got to included."""
    unscored: Mapping[str, int] = field(default_factory=dict[str, int])
    """Fault → recorded runs without a number."""
    failures: Mapping[str, int] = field(default_factory=dict[str, int])
    """Class of failure → runs, where the scorer names one."""
    unreadable: float | None = None
    """Share of scored runs whose answer is not in the form that was asked for; None if the category asks for none."""
    strict: float | None = None
    """The strict score (docs/scoring.md §1.2); None if it is withheld, or if a log does not say what it needs."""
    intent: float | None = None
    """Mean share of an item's requirements that hold, over scored runs; None where the scorer does not measure it."""
    facts: Mapping[str, ItemFacts] = field(default_factory=dict[str, ItemFacts])
    """Item id → what it is about."""
    breakdowns: Mapping[str, Mapping[str, GroupScore]] = field(default_factory=dict[str, Mapping[str, GroupScore]])
    """`domain`, `difficulty` or `subtype` → group → score; empty when the score is withheld."""
    latency: Mapping[str, float] = field(default_factory=dict[str, float])
    """Item id → seconds of a run, scoring included and waiting excluded, on average over its epochs."""
    usage: Usage = Usage()
    logs: tuple[str, ...] = ()
    fingerprint: Fingerprint | None = None
    """What must be equal before this may be compared; None when the log has none."""
    judge_agreement: Mapping[str, Any] | None = None
    """How far several verdicts on an answer agree (`judge.judgement.concord`); None without several."""
    judge_unusable: Mapping[str, int] | None = None
    """How many gradings had no usable reply (`judge.judgement.unusable`); None if none of them."""
    remarks: tuple[str, ...] = ()
    """Why it is not a full run, in words."""

    @property
    def judge(self) -> str | None:
        """Who judged, when somebody did."""
        return self.fingerprint.judge if self.fingerprint else None

    @property
    def started(self) -> bool:
        """Whether there is anything to show: a number, or runs that we lost. Otherwise the category was not run."""
        return bool(self.items) or self.lost > 0

    @property
    def heuristic(self) -> bool:
        """Whether the scores were computed from the words of the answers, without a model that understands them."""
        return self.scorer.partition("@")[0] == HEURISTIC_SCORER

    @property
    def coverage(self) -> float:
        """Scored runs / expected runs, in [0, 1]."""
        return min(self.scored / self.expected, 1.0) if self.expected else 0.0


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One subject on the board."""

    model: str
    """The name shown: a label, or the model's name with what tells it apart from its namesakes."""
    results: Mapping[str, CategoryResult]
    """Category key → result, for the categories that were run."""
    overall: float | None
    strict: float | None
    """The weighted sum of the strict scores; None if a category that was run has none."""
    interval: Interval | None
    """Of `overall`; None unless the row is complete."""
    baseline: bool
    complete: bool
    missing: tuple[str, ...]
    """Categories never run; each counts 0.0 in `overall`."""
    incomparable: tuple[str, ...] = ()
    """`category: field` where this row differs from the rest of the board."""
    rank: int | None = None
    """1 is best; None for baselines and for rows that are incomplete or not comparable."""
    rank_interval: tuple[int, int] | None = None
    chance_first: float | None = None
    tie_group: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Model name, arguments and generation config as recorded in the log."""
    about: ModelFacts | None = None
    """What a file says of the model, where there is one."""

    @property
    def cost_usd(self) -> float | None:
        """Of the runs that count: at the stated price if there is one, else as they recorded it; None if unknown."""
        price = self.about.price if self.about else None
        used = [result.usage for result in self.results.values()]
        costs = [price.of(usage) if price else usage.cost_usd for usage in used]
        known = [cost for cost in costs if cost is not None]
        # Unknown is not 0: with a part missing, the model would look cheap.
        return math.fsum(known) if costs and len(known) == len(costs) else None

    @property
    def parted(self) -> bool:
        """Whether the strict score is so far below the overall score that a reader must be told."""
        if self.overall is None or self.strict is None:
            return False
        return exact(self.overall - self.strict) > STRICT_WITHIN

    @property
    def stand_in(self) -> bool:
        """Whether the row is ranked and yet not a language model: an embedded subject of known skill."""
        return str(self.details.get("model", "")).startswith(STAND_INS)


class Pair(NamedTuple):
    """Two ranked subjects, first − second, in one category or overall."""

    category: str
    first: str
    second: str
    delta: float
    low: float | None
    high: float | None
    p: float | None
    """Not adjusted."""
    p_holm: float | None
    declared: Declared | None
    """By the size of the difference alone; None where the suite declares no such words."""
    measured: Measured
    detectable: float | None
    """The smallest true difference that a comparison like this one sees in 80% of cases."""
    needed: int | None
    """Items that would resolve it, when it is unresolved."""
    separates_at: int | None = None
    """Items that would show the difference seen with 80% power, or one of the declared margin where the scores are
    equal; None when it is distinct, or when no item tells the two apart."""


@dataclass(frozen=True, slots=True)
class Separation:
    """What a board cannot tell about its best rows (`analysis.separation`)."""

    top: tuple[str, ...]
    """The best rows: the tie group of the best, or the best two."""
    saturated: bool
    """Whether all of them are within the declared margin of the maximum."""
    saturated_categories: tuple[str, ...]
    """Keys of the categories in which they all are."""
    inseparable: tuple[Pair, ...]
    """The best row with each of the others that is not measurably different from it."""
    items: int
    """Items they were compared on."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A log that does not count, and why."""

    path: str
    kind: str
    """`corrupt`, `foreign`, `duplicate`, `conflicting`, `superseded`, `other scorer`, …"""
    reason: str


@dataclass(frozen=True, slots=True)
class Spec:
    """How a board is to be made."""

    min_coverage: float = MIN_COVERAGE
    pool: bool = False
    """Average all complete logs of equal fingerprint instead of taking the newest."""
    scorer: str | None = None
    """`heuristic`, `judge` or a scorer's name: which scores count where a category has several."""
    diagrams: str | None = None
    """`image` or `text`: which diagram mode counts where both were run."""
    seed: int = 20260107
    """Of the rank bootstrap."""
    suite: Suite = OFFICIAL
    """Whose categories make up the board; logs of other suites do not count."""
    sort: str = OVERALL
    """What tables for people are sorted by (`analysis.front.sortable`)."""


@dataclass(frozen=True, slots=True)
class Board(Tabular):
    """The leaderboard, before anybody decides how it looks."""

    rows: tuple[BoardRow, ...]
    """Best first; unranked rows stand where their score puts them, withheld ones last."""
    pairs: tuple[Pair, ...]
    ignored: tuple[Ignored, ...]
    spec: Spec
    generated_at: str
    """ISO 8601, UTC."""
    run_id: str
    notes: tuple[str, ...] = ()
    separation: Separation | None = None
    """What it cannot tell about its best rows; None with fewer than two ranked rows."""

    @property
    def suite(self) -> Suite:
        """Whose board it is."""
        return self.spec.suite

    def records(self) -> list[dict[str, Any]]:
        """The standings, one line per subject, best first."""
        return [_record(row, self.suite) for row in self.rows]

    @property
    def withheld(self) -> tuple[tuple[str, str], ...]:
        """(model, category) whose number our own failures would have shaped."""
        return tuple(
            (row.model, key) for row in self.rows for key, result in row.results.items() if result.score is None
        )


def _record(row: BoardRow, suite: Suite) -> dict[str, Any]:
    about = row.about or ModelFacts()
    return {
        "model": row.model,
        "rank": row.rank,
        "tie_group": row.tie_group,
        "overall": row.overall,
        "overall_low": row.interval.low if row.interval else None,
        "overall_high": row.interval.high if row.interval else None,
        **({"strict": row.strict} if suite.strict else {}),
        "complete": row.complete,
        "baseline": row.baseline,
        "cost_usd": row.cost_usd,
        **about.model_dump(exclude={"price"}),
        **{key: result.score if (result := row.results.get(key)) else None for key in suite.categories},
    }


def items_hashes(board: Board) -> dict[str, str]:
    """Category key → hash of its items, where all comparable rows were asked the same ones and say so.

    Logs of other tasks name their dataset and have no hash. Of items of your own it is a full sha256: 64 bits would
    let whoever wrote them prepare two sets with one hash.
    """
    hashes: dict[str, set[str]] = {}
    for row in board.rows:
        for key, result in row.results.items():
            if not row.incomparable and result.fingerprint is not None and result.fingerprint.dataset:
                hashes.setdefault(key, set()).add(result.fingerprint.dataset)
    # If rows were asked different items, no single hash is true of the board.
    known = {key: found.pop() for key, found in hashes.items() if len(found) == 1}
    digests = {key: board.suite.categories[key].digest for key in known}
    return {key: digests[key] or found for key, found in known.items() if digests[key] or board.suite.shipped}


def facts_of(board: Board, category: str) -> dict[str, ItemFacts]:
    """Item id → facts, of all items of a category that some row was scored on, sorted by id."""
    facts: dict[str, ItemFacts] = {}
    for row in board.rows:
        if (result := row.results.get(category)) is not None:
            facts |= {item: fact for item, fact in result.facts.items() if item not in facts}
    return dict(sorted(facts.items()))
