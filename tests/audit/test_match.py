"""One-to-one assignment with as many points as possible (docs/scoring.md §2.1)."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.audit.match import assignment, representatives
from steelyard.audit.model import POINTS, Claim

from .material import findings

claims_lists = st.lists(
    st.builds(
        Claim,
        st.sampled_from(["P01", "P02", "P03", "P04"]),
        st.integers(1, 5),
        st.sampled_from(["detected", "partial"]),
    ),
    max_size=12,
)


def marks(claims: list[Claim]) -> dict[str, str]:
    return {problem: claim.mark for problem, claim in assignment(claims).items()}


def brute_force(claims: list[Claim]) -> tuple[float, ...]:
    """The best total, then the lexicographically highest points in the order of the problems."""
    best: dict[tuple[str, int], float] = {}
    for claim in claims:
        pair = (claim.problem, claim.finding)
        best[pair] = max(best.get(pair, 0.0), POINTS[claim.mark])
    names = ["P01", "P02", "P03", "P04"]
    found: list[tuple[float, ...]] = [(0.0, 0.0, 0.0, 0.0, 0.0)]
    for chosen in itertools.product([None, 1, 2, 3, 4, 5], repeat=4):
        used = [each for each in chosen if each is not None]
        if len(set(used)) != len(used):
            continue
        points = [best.get((name, each), -9.0) if each else 0.0 for name, each in zip(names, chosen, strict=True)]
        if min(points) >= 0:
            found.append((sum(points), *points))
    return max(found)


@settings(max_examples=60, deadline=None)
@given(claims_lists)
def test_agrees_with_trying_everything(claims: list[Claim]) -> None:
    found = assignment(claims)
    used = [claim.finding for claim in found.values()]
    assert len(set(used)) == len(used)
    points = [POINTS[found[name].mark] if name in found else 0.0 for name in ("P01", "P02", "P03", "P04")]
    assert (sum(points), *points) == brute_force(claims)


@settings(max_examples=60, deadline=None)
@given(claims_lists, st.randoms(use_true_random=False))
def test_order_changes_nothing(claims: list[Claim], rng: random.Random) -> None:
    shuffled = claims[:]
    rng.shuffle(shuffled)
    assert {name: (claim.finding, claim.mark) for name, claim in assignment(claims).items()} == {
        name: (claim.finding, claim.mark) for name, claim in assignment(shuffled).items()
    }
    renamed = dict(zip(range(1, 6), rng.sample(range(1, 6), 5), strict=True))
    moved = [Claim(claim.problem, renamed[claim.finding], claim.mark) for claim in claims]
    assert marks(moved) == marks(claims)


def test_ties_go_to_the_lower_id() -> None:
    both = [Claim("P02", 1, "partial"), Claim("P01", 1, "partial")]
    assert list(assignment(both)) == ["P01"]
    two = [Claim("P01", 2, "detected"), Claim("P01", 1, "detected")]
    assert assignment(two)["P01"].finding == 1


def test_more_points_beat_the_lower_id() -> None:
    # F1 could serve P01 as partial, but P02 fully: 1.0 is more than 0.5.
    assert marks([Claim("P01", 1, "partial"), Claim("P02", 1, "detected")]) == {"P02": "detected"}


def test_ids_are_numbers() -> None:
    assert list(assignment([Claim("P100", 1, "partial"), Claim("P99", 1, "partial")])) == ["P99"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A) {}", "B) {}"),
        ("I. {}", "IV. {}"),
        ("[C-1] {}", "[L-2] {}"),
        ("[HIGH] {}", "[LOW] {}"),
        ("P01: {}", "P02: {}"),
        ("🔴 **Critical**: {}", "🟢 **Minor**: {}"),
        ("【重大】{}", "【軽微】{}"),
        ("(1) {}", "(2) {}"),
        ("– {}", "・{}"),
        ("問題1:{}", "問題2:{}"),
        ("1. [HIGH] {}", "2. [LOW] {}"),
        ("SEC-01: {}", "{}"),
    ],
)
def test_numbering_makes_no_second_finding(one: str, other: str) -> None:
    text = "The lock is missing."
    assert representatives(findings([one.format(text), other.format(text), "A lock is missing."])) == {1: 1, 2: 1, 3: 3}


def test_repeated_findings_are_one() -> None:
    same = representatives(findings(["1. The lock is missing.", "2) **the lock** is MISSING", "Finding 7: other"]))
    assert same == {1: 1, 2: 1, 3: 3}
    claims = [Claim("P01", 1, "detected"), Claim("P02", 2, "detected")]
    assert marks(claims) == {"P01": "detected", "P02": "detected"}
    assert list(assignment(claims, same)) == ["P01"]


def test_large_and_quick() -> None:
    claims = [Claim(f"P{p:02d}", f, "partial") for p in range(1, 31) for f in range(1, 41)]
    assert len(assignment(claims)) == 30


TEXT = "Codes are logged in plain text and never expire, and the log is world-readable."


def quoted(problem: str, quote: str, finding: int = 1) -> Claim:
    return Claim(problem, finding, "detected", quote)


def test_one_finding_serves_two_problems_by_different_passages() -> None:
    chosen = assignment([quoted("P01", "logged in plain text"), quoted("P02", "never expire")], texts={1: TEXT})
    assert set(chosen) == {"P01", "P02"}


@pytest.mark.parametrize("quote", ["plain text and never expire", "logged in plain text", "", "not in the text"])
def test_no_passage_serves_two_problems(quote: str) -> None:
    chosen = assignment([quoted("P01", "logged in plain text"), quoted("P02", quote)], texts={1: TEXT})
    assert set(chosen) == {"P01"}


def test_passages_of_different_findings_never_meet() -> None:
    claims = [quoted("P01", "never expire"), quoted("P02", "never expire", finding=2)]
    assert set(assignment(claims, texts={1: TEXT, 2: TEXT})) == {"P01", "P02"}


def test_a_quote_in_plain_quotation_marks_is_found_in_typographic_ones() -> None:
    text = "The user’s password is logged. The session’s token never expires."
    claims = [quoted("P01", "The user's password is logged."), quoted("P02", "session's token never expires")]
    assert set(assignment(claims, texts={1: text})) == {"P01", "P02"}


def test_a_passage_over_two_others_does_not_join_them() -> None:
    # P01 quotes all of it, P02 and P03 a part each: 2 points without P01, 1 with it.
    claims = [quoted("P01", TEXT), quoted("P02", "logged in plain text"), quoted("P03", "never expire")]
    assert set(assignment(claims, texts={1: TEXT})) == {"P02", "P03"}
    # With only one of them beside it, the points are equal, and the lower id has them.
    assert set(assignment(claims[:2], texts={1: TEXT})) == {"P01"}
    # A chain: the first and the last do not meet.
    chain = [
        quoted("P01", "Codes are logged in plain"),
        quoted("P02", "plain text and never"),
        quoted("P03", "never expire, and the log"),
    ]
    for order in itertools.permutations(chain):
        assert set(assignment(order, texts={1: TEXT})) == {"P01", "P03"}
