"""What earns nothing from the lexical marker, and what it must not hold against an honest finding."""

from __future__ import annotations

import random

import pytest

from steelyard.audit.example import suite_folder
from steelyard.audit.files import read_key, read_text
from steelyard.audit.marking.lexical import lexical_marks, own_claims
from steelyard.audit.marking.order import BRACKETS, disorder, disordered_brackets, shuffled
from steelyard.audit.model import EMPTY_KEY, RunResult
from steelyard.audit.score import weighed
from steelyard.text import unmixed

from .material import recorded, run_of

FOLDER = suite_folder("code-review") / "lockers"
KEY = read_key(FOLDER / "key.md")
DOCUMENT = read_text(FOLDER / "document.md", "document")
HONEST = [run for run in recorded() if run.where.startswith("code-review/careful")]


def scored(lines: list[str]) -> RunResult:
    output = run_of("## Findings\n\n" + "\n".join(f"- {' '.join(line.split())}" for line in lines))
    return weighed(KEY.problems, output, lexical_marks(KEY, output, document=DOCUMENT))


def reported() -> list[str]:
    return [" ".join(finding.text.split()) for finding in HONEST[0].output.findings]


def mixed(text: str) -> str:
    words = text.split()
    random.Random(7).shuffle(words)
    return " ".join(words)


def broken_up(text: str, every: int) -> str:
    """A text with one more word after every few, so that hardly any letters in a row are those of the key."""
    words = text.split()
    parts = (" ".join(words[place : place + every]) for place in range(0, len(words), every))
    return " really ".join(parts)


ATTEMPTS = {
    **{
        f"key with a word after every {every}": [
            broken_up(f"{problem.title}. {problem.description} {problem.criteria.detected}", every)
            for problem in KEY.problems
        ]
        for every in (3, 4, 5)
    },
    "negated findings": [f"It is not the case that {text}" for text in reported()],
    "negated key": [f"It is not true that {problem.description}" for problem in KEY.problems],
    "denied": [f"There is no problem with {problem.title}: {problem.description}" for problem in KEY.problems],
    "asked": [f"Could it be that {text.rstrip('.').replace('.', ',')}?" for text in reported()],
    "document with a phrase around": [
        f"I noticed a problem here: {line.strip('- ')} This should be reconsidered by the team."
        for line in DOCUMENT.splitlines()
        if len(line) > 40
    ],
    "titles alone": [problem.title for problem in KEY.problems],
    "shuffled findings": [mixed(text) for text in reported()],
    "shuffled key": [mixed(f"{problem.title} {problem.description}") for problem in KEY.problems],
    "denied below a title": [f"Not a problem\n\nIt is not the case that {text}" for text in reported()],
    "denied by nobody": [f"No reviewer should believe that {text}" for text in reported()],
    "denied at the end": [f"{text} ということはない。" for text in reported()],
    "asked sentence by sentence": [text.replace(".", "?") for text in reported()],
    "titles with empty words": [
        f"{problem.category}: {problem.title}. This is a serious problem and should be fixed by the team."
        for problem in KEY.problems
    ],
    "look-alike Greek letters": [
        f"{problem.description} {problem.criteria.detected}".translate(str.maketrans("oav", "οαν"))
        for problem in KEY.problems
    ],
    "short lines of the document": [
        f"There is a risk in {line.strip('-# ')} and it needs work." for line in DOCUMENT.splitlines() if line.strip()
    ],
    "look-alike letters": [
        problem.description.translate(str.maketrans("aeopcxyi", "аеорсхуі")) for problem in KEY.problems
    ],
    "the document": DOCUMENT.splitlines(),
}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_earns_at_most_half_a_point(name: str) -> None:
    assert scored(ATTEMPTS[name]).score <= 0.5


def test_the_same_findings_unharmed_earn_their_points() -> None:
    assert scored(reported()).score >= 5


def test_honest_findings_are_not_accused() -> None:
    flags = [flag for run in recorded() for flag in lexical_marks(run.key, run.output).flags]
    assert flags == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The cache has no limit. Is that intended?", "The cache has no limit."),
        ("There is no rate limit on login.", "There is no rate limit on login."),
        ("It is not the case that the cache grows. It grows by the hour.", ""),
        ("The export does not have any limit.", "The export does not have any limit."),
        ("There is no risk assessment.", "There is no risk assessment."),
        ("パスワードの有効期限が定義されていない。問題はないでしょうか。", "パスワードの有効期限が定義されていない。"),
    ],
)
def test_only_claims_are_evidence(text: str, kept: str) -> None:
    assert own_claims(text, EMPTY_KEY) == kept


def test_look_alikes_are_folded_and_other_scripts_kept() -> None:
    assert unmixed("раsswоrd rеset") == ("password reset", 2)
    assert unmixed("Ꮲassword, ⲣassword, ᏔINDOW, IАМ") == ("Password, password, WINDOW, IAM", 4)
    assert unmixed("ΑΒΓ сестра ᏣᎳᎩ") == ("ΑΒΓ сестра ᏣᎳᎩ", 0)
    assert unmixed("пароль утекает") == ("пароль утекает", 0)
    assert unmixed("delay of 5 μs, angle α") == ("delay of 5 μs, angle α", 0)
    assert unmixed("認証トークン") == ("認証トークン", 0)


def test_short_findings_that_say_more_than_a_title_are_kept() -> None:
    text = "The export file is never closed, so its handle stays open until the process ends"
    assert scored([text]).score == 1.0


def test_clauses_moved_about_are_seen_by_their_brackets() -> None:
    text = "認証 (ログイン 画面) の 設計 が 不足 「有効 期限」 が 未定義 (7.2 節)。" * 3
    assert disordered_brackets(text)[0] == 0
    assert disordered_brackets("1) 認証 2) 監査")[0] == 0
    wrong, total = disordered_brackets(mixed(text))
    assert shuffled(wrong, total, BRACKETS)


def test_order_is_seen_in_small_words() -> None:
    text = "The key of the cache is read from the store, and it can be changed by the owner of a session."
    assert disorder(text)[0] == 0
    assert shuffled(*disorder("of the is a from key can the cache by of the read store and be to the of session a in"))
