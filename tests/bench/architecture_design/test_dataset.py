"""The architecture tasks: what is promised about their number, spread, labels and completeness."""

import json
import random
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from steelyard.bench import jsonl
from steelyard.bench.architecture_design import dataset, embedded
from steelyard.bench.architecture_design.dataset import load, references
from steelyard.bench.architecture_design.model import (
    CANARY,
    CreationSubtype,
    DesignItem,
    InterpretationSubtype,
    Options,
    TruthPair,
)
from steelyard.bench.architecture_design.task import fact_questions
from steelyard.bench.jsonl import DatasetError, parse_rows

FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILES = (dataset.ITEMS, dataset.FACTS, dataset.OPTIONS, dataset.REFERENCES, dataset.PAIRS)


def _raw(name: str) -> str:
    return files("steelyard.bench.architecture_design").joinpath(name).read_text(encoding="utf-8")


def _fences(answer: str) -> dict[str, str]:
    return {tag: content for tag, content in FENCE.findall(answer) if tag != "facts"}


def test_spread_over_subtypes_difficulties_and_formats() -> None:
    items = load()
    assert [item.id for item in items] == [f"ad-{number:03d}" for number in range(1, 29)]
    subtypes = Counter(item.metadata.subtype for item in items)
    assert set(subtypes) == set(get_args(InterpretationSubtype)) | set(get_args(CreationSubtype))
    assert min(subtypes.values()) >= 3
    difficulties = Counter(item.metadata.difficulty for item in items)
    assert set(difficulties) == {"easy", "medium", "hard"}
    assert min(difficulties.values()) >= 8
    formats = Counter(item.metadata.output_format for item in items)
    assert formats == {"mermaid": 5, "plantuml": 3, "json": 2, None: 18}


@pytest.mark.parametrize("name", FILES)
def test_every_row_carries_the_canary(name: str) -> None:
    assert all(CANARY in line for line in _raw(name).splitlines())


def test_tasks_differ_in_text_and_diagram() -> None:
    items = load()
    assert len({item.input for item in items}) == 28
    pictures = [item.metadata.diagram for item in items if item.metadata.diagram]
    assert len(set(pictures)) == len(pictures) == 18


def test_expected_elements_fit_the_subtype() -> None:
    for item in load():
        expected = item.expected
        assert 2 <= len(expected.components) <= 10, item.id
        assert expected.flows or item.metadata.subtype == "cost_optimization", item.id
        assert expected.findings or item.metadata.subtype == "service_identification", item.id
        if item.metadata.subtype in ("security_assessment", "scalability_analysis", "cost_optimization"):
            assert sum(finding.remedy is not None for finding in expected.findings) >= 4, item.id


def test_a_signal_group_is_not_satisfied_by_ordinary_prose() -> None:
    """The generic talk of the floor understands no finding: it never has a phrase of each group in one sentence."""
    for item in load():
        for finding in item.expected.findings:
            for sentence in embedded.GENERIC:
                hit = [any(_occurs(phrase, sentence) for phrase in group) for group in finding.signals]
                assert not all(hit), (item.id, finding.id, sentence)


def _occurs(phrase: str, text: str) -> bool:
    return re.search(r"(?<!\w)" + re.escape(phrase), text.lower()) is not None


def test_references_are_full_answers() -> None:
    for item in load():
        answer = references()[item.id]
        prose = FENCE.sub("", answer)
        assert 230 <= len(prose.split()) <= 600, item.id
        missing = [part.name for part in item.expected.components if part.name.lower() not in prose.lower()]
        assert not missing, (item.id, missing)


def test_references_hold_every_finding_and_remedy_in_one_passage() -> None:
    for item in load():
        prose = FENCE.sub("", references()[item.id])
        passages = [part for part in re.split(r"\n\s*\n|\n(?=[-*\d])", prose) if part.strip()]
        for finding in item.expected.findings:
            groups = [finding.signals] + ([finding.remedy.signals] if finding.remedy else [])
            for signals in groups:
                held = any(all(any(_occurs(p, part) for p in group) for group in signals) for part in passages)
                assert held, (item.id, finding.id, signals)


def test_references_show_role_signals_of_every_component() -> None:
    for item in load():
        prose = FENCE.sub("", references()[item.id])
        for component in item.expected.components:
            for group in component.signals:
                assert any(_occurs(phrase, prose) for phrase in group), (item.id, component.name, group)


def test_references_contain_the_diagram_that_was_asked_for() -> None:
    for item in load():
        form = item.metadata.output_format
        fences = _fences(references()[item.id])
        assert set(fences) == ({form} if form else set()), item.id
        if form:
            missing = [name for name in item.metadata.expected_components if name not in fences[form]]
            assert not missing, (item.id, missing)
            assert f"`{form}`" in item.input, item.id


def test_json_references_are_closed_graphs() -> None:
    for item in load():
        if item.metadata.output_format != "json":
            continue
        graph = json.loads(_fences(references()[item.id])["json"])
        assert set(graph) == {"components", "connections"}
        ids = [part["id"] for part in graph["components"]]
        assert len(set(ids)) == len(ids)
        assert all(set(part) == {"id", "service", "role"} for part in graph["components"])
        assert all(set(link) == {"from", "to", "label"} for link in graph["connections"])
        assert {end for link in graph["connections"] for end in (link["from"], link["to"])} == set(ids)


def test_no_reference_leaks_into_a_task() -> None:
    """Eight words in a row of a reference never stand in a task or in its diagram's text."""
    for item in load():
        shown = item.input + (dataset.diagram_text(item.metadata.diagram) if item.metadata.diagram else "")
        words = re.findall(r"\w+", shown.lower())
        runs = {tuple(words[start : start + 8]) for start in range(len(words) - 7)}
        answer = re.findall(r"\w+", FENCE.sub("", references()[item.id]).lower())
        assert not any(tuple(answer[start : start + 8]) in runs for start in range(len(answer) - 7)), item.id


def test_every_task_has_eight_to_twelve_facts_that_no_guess_gets_right() -> None:
    for item in load():
        assert 8 <= len(item.facts) <= 12, item.id
        assert len({fact.name for fact in item.facts}) == len(item.facts), item.id
        # True or false, and an option of two, would be right half of the time: there the other value is a trap.
        for fact in item.facts:
            choices = 2 if fact.kind == "truth" else len(fact.options) if fact.kind == "option" else 99
            assert choices > 2 or fact.traps, (item.id, fact.name)
        assert sum(fact.kind == "truth" for fact in item.facts) <= len(item.facts) / 2, item.id


def test_the_place_of_an_option_does_not_give_it_away() -> None:
    """The right one is not the first that is shown more often than chance has it: 1/n of lists of n, and 3 sd."""
    first, chance, variance = 0, 0.0, 0.0
    for item in load():
        shown = fact_questions(item.facts)
        lists = dict(re.findall(r"^(List \d+): (.*)$", shown, re.MULTILINE))
        for fact in item.facts:
            form = re.search(rf"^- `{fact.name}` \(one of:? (.*?)\): ", shown, re.MULTILINE)
            if fact.kind == "option" and form is not None:
                options = lists.get(form[1].capitalize(), form[1]).split("; ")
                assert sorted(options) == sorted(fact.options)
                first += options[0] == fact.answer
                chance, variance = chance + 1 / len(options), variance + (len(options) - 1) / len(options) ** 2
    assert first <= chance + 3 * variance**0.5


def test_most_options_are_chosen_from_lists_that_several_tasks_share() -> None:
    """So that what is asked after a task does not tell what its architecture is made of."""
    lists = {row.options for row in parse_rows("options", _raw(dataset.OPTIONS), Options)}
    chosen = [(item.id, fact) for item in load() for fact in item.facts if fact.kind == "option"]
    shared = [fact for _, fact in chosen if fact.options in lists]
    assert len(shared) >= 0.7 * len(chosen)
    for options in lists:
        assert len({item_id for item_id, fact in chosen if fact.options == options}) >= 1
        assert len(options) >= 5


def test_most_elements_rest_on_a_fact() -> None:
    parts = [part for item in load() for part in (*item.expected.components, *item.expected.findings)]
    assert sum(part.fact is not None for part in parts) >= 0.5 * len(parts)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"difficulty": "extreme"}, r"items:1: ad-001: metadata\.difficulty"),
        ({"surprise": 1}, r"items:1: ad-001: metadata\.surprise"),
        ({"diagram": None}, r"items:1: ad-001: metadata: .*interpretation task has a diagram"),
        ({"output_format": "mermaid"}, r"items:1: ad-001: metadata: .*expected_components"),
        ({"canary": "other"}, r"items:1: ad-001: metadata\.canary"),
    ],
)
def test_a_damaged_row_is_named_with_id_and_field(change: dict[str, object], message: str) -> None:
    row = json.loads(_raw(dataset.ITEMS).splitlines()[0])
    row["metadata"] |= change
    with pytest.raises(DatasetError, match=message):
        parse_rows("items", json.dumps(row), DesignItem)


def test_text_that_is_not_json_and_a_pair_out_of_range_are_refused() -> None:
    with pytest.raises(DatasetError, match="items:2: not JSON"):
        parse_rows("items", f"{_raw(dataset.ITEMS).splitlines()[0]}\n{{broken\n", DesignItem)
    with pytest.raises(DatasetError, match="items:1: not JSON"):
        parse_rows("items", "\n{broken\n", DesignItem)
    row = json.loads(_raw(dataset.PAIRS).splitlines()[0])
    row["false"] = "some"
    with pytest.raises(DatasetError, match=r"rows:1: ad-001: false"):
        parse_rows("rows", json.dumps(row), TruthPair)


def test_a_file_that_is_not_utf_8_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "read_bytes", lambda package, path: b"ok\xff")
    with pytest.raises(DatasetError, match=r"architecture_interpretation\.jsonl: not UTF-8 at byte 2"):
        load.__wrapped__()


def test_unknown_component_in_a_flow_is_refused() -> None:
    row = json.loads(_raw(dataset.ITEMS).splitlines()[0])
    row["metadata"]["expected"]["flows"][0]["path"].append("Outposts")
    with pytest.raises(DatasetError, match="unknown components: Outposts"):
        parse_rows("items", json.dumps(row), DesignItem)


def test_missing_and_surplus_rows_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {name: _raw(name).splitlines() for name in FILES}
    monkeypatch.setattr(dataset, "read_text", lambda _, path: "\n".join(lines[path]) if path in lines else "text")
    for name, change, message in (
        (dataset.REFERENCES, lambda rows: rows[1:], r"references\.jsonl: missing: ad-001"),
        (dataset.FACTS, lambda rows: rows[1:], r"facts\.jsonl: missing: ad-001"),
        (
            dataset.FACTS,
            lambda rows: [rows[0].replace('"answer": "CloudFront"', '"answer": "RSD"'), *rows[1:]],
            "entrance",
        ),
        (
            dataset.FACTS,
            lambda rows: [rows[0].replace('"dns_carries"', '"dns"'), *rows[1:]],
            "unknown fact: dns_carries",
        ),
        (dataset.OPTIONS, lambda rows: rows[1:], r"ad-001: there is no list of options 'service'"),
        (dataset.PAIRS, lambda rows: rows[1:], r"pairs\.jsonl: missing: ad-001 a"),
        (dataset.PAIRS, lambda rows: [*rows, rows[0]], r"pairs\.jsonl:\d+: duplicate id ad-001 a"),
        (dataset.ITEMS, lambda rows: rows[1:], r"facts\.jsonl: does not belong to any task: ad-001"),
    ):
        whole = lines[name]
        lines[name] = change(whole)
        with pytest.raises(DatasetError, match=message):
            load.__wrapped__()
        lines[name] = whole


def test_the_ceiling_finds_its_reference_in_a_prompt() -> None:
    for item in load():
        assert embedded.reference(f"You are an architect.\n\n{item.input}\n\nAnswer in prose.") == references()[item.id]
    assert embedded.reference("What is the capital of France?") is None


def test_the_floor_is_seeded_and_names_no_component() -> None:
    for item in load():
        said = embedded.guess(item.input, random.Random(7))
        assert said is not None
        assert said == embedded.guess(item.input, random.Random(7))
        talk = FENCE.sub("", said)
        assert not [part.name for part in item.expected.components if _occurs(part.name.lower(), talk)]
    assert embedded.guess("What is the capital of France?", random.Random(7)) is None


def test_the_page_tells_the_coverage_version_and_canary() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "datasets" / "architecture_design.md").read_text("utf-8")
    assert f"version {dataset.DATASET_VERSION}" in page
    assert CANARY in page
    table = page.partition("<!-- coverage -->\n")[2].partition("<!-- /coverage -->")[0].splitlines()[2:]
    assert table == [_coverage(subtype) for subtype in dict.fromkeys(item.metadata.subtype for item in load())]


def _coverage(subtype: str) -> str:
    items = [item for item in load() if item.metadata.subtype == subtype]
    levels = Counter(item.metadata.difficulty for item in items)
    formats = Counter(item.metadata.output_format for item in items if item.metadata.output_format)
    shown = ", ".join(f"{number} {form}" for form, number in formats.items()) or "–"
    facts = sum(len(item.facts) for item in items)
    return (
        f"| {subtype} | {levels['easy']} | {levels['medium']} | {levels['hard']} | {shown} | {facts} | {len(items)} |"
    )
