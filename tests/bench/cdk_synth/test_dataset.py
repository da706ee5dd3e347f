"""The forty tasks: complete, original in shape, and true to their references when those are really synthesized."""

import copy
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from steelyard.bench.cdk_synth import embedded
from steelyard.bench.cdk_synth.assembly import resource_count, templates
from steelyard.bench.cdk_synth.dataset import CANARY, edited, load, near_misses, parse_rows, reference
from steelyard.bench.cdk_synth.intent import evaluate, share
from steelyard.bench.cdk_synth.intent.requirement import ResourceClause
from steelyard.bench.cdk_synth.model import CdkItem, Edit
from steelyard.bench.cdk_synth.scorer import intent_metadata
from steelyard.bench.cdk_synth.synthesizer.pool import AppResult, Pool
from steelyard.bench.cdk_synth.verify import Verdict
from steelyard.errors import InputError
from tests.bench.assemblies import lean, synthesized

from . import (
    rewrites,
    spellings,
    subtle,
    subtle_fifth,
    subtle_first,
    subtle_fourth,
    subtle_second,
    subtle_sixth,
    subtle_third,
)

RECORD = Path(__file__).with_name("assemblies.json.xz")
ALTERNATIVES = {path.stem.replace("_", "-"): path for path in Path(__file__).with_name("alternatives").glob("*.py")}
"""Other honest ways to answer a prompt: different constructs, the same infrastructure."""


GUESSES = {kind: code.replace("{name}", "Guess") for kind, code in embedded.GUESSES.items()}
MISSES = {f"{miss.item} {miss.breaks}": miss for miss in near_misses()}


@pytest.fixture(scope="module")
def answers(pool: Pool) -> dict[str, dict]:
    """What the synthesizer makes of references, alternatives, guesses and near misses, by name."""
    apps = {item.id: reference(item.id) for item in load()}
    apps |= {f"{name} otherwise": path.read_text() for name, path in ALTERNATIVES.items()}
    apps |= GUESSES | {name: miss.source for name, miss in MISSES.items()}
    known = synthesized(pool, RECORD, apps.values(), plain)
    return {name: known[source] for name, source in apps.items()}


def plain(source: str, result: AppResult) -> dict[str, Any]:
    """What the intent looks at, and why the app fails."""
    found = {stack: lean(template) for stack, template in templates(result.files).items()}
    return {"error": result.finding and result.finding.klass, "templates": found}


def test_forty_tasks_in_three_difficulties():
    items = load()
    assert [item.id for item in items] == [f"cdk-{number:03}" for number in range(1, 41)]
    assert Counter(item.metadata.difficulty for item in items) == {"beginner": 10, "intermediate": 17, "advanced": 13}


def test_every_prompt_asks_for_the_same_kind_of_answer_and_none_twice():
    prompts = [item.input for item in load()]
    assert all("complete CDK app" in prompt and "`app.py`" in prompt for prompt in prompts)
    assert all("Python" in prompt and "CDK v2" in prompt for prompt in prompts)
    assert len(set(prompts)) == 40
    words = [set(re.findall(r"\w+", prompt.lower())) for prompt in prompts]
    alike = max(len(a & b) / len(a | b) for i, a in enumerate(words) for b in words[:i])
    assert alike < 0.6


def test_metadata_names_what_the_reference_uses():
    for item in load():
        source = reference(item.id)
        assert item.metadata.canary == CANARY and item.metadata.as_of == "2026-11"
        assert 3 <= len(item.intent) <= 7
        for construct in item.metadata.cdk_constructs:
            module, _, _ = construct.rpartition(".")
            assert module in source, (item.id, construct)


def test_the_prompt_holds_neither_the_canary_nor_code():
    for item in load():
        assert CANARY not in item.input and "```" not in item.input and "import " not in item.input


def test_every_reference_is_one_file_that_compiles():
    for item in load():
        source = reference(item.id)
        compile(source, f"{item.id}.py", "exec")
        assert source.rstrip().endswith("app.synth()"), item.id
        assert not re.search(r"from_lookup|from_asset|\benv=", source), item.id


def test_references_are_data_not_modules():
    folder = Path(embedded.__file__).parent / "references"
    assert not (folder / "__init__.py").exists()
    assert {path.stem for path in folder.glob("*.py")} == {item.id.replace("-", "_") for item in load()}


def test_every_task_has_two_near_misses_of_different_requirements():
    broken = Counter((miss.item, miss.breaks) for miss in near_misses())
    assert set(broken.values()) == {1}
    per_item = Counter(item for item, _ in broken)
    assert all(per_item[item.id] >= 2 for item in load())
    for miss in near_misses():
        compile(miss.source, f"{miss.item}-{miss.breaks}.py", "exec")


def test_an_empty_assembly_meets_nothing_but_what_must_be_absent():
    met = {(item.id, finding.id) for item in load() for finding in evaluate(item.intent, {}) if finding.held}
    assert met == {("cdk-006", "no-nat"), ("cdk-034", "no-administrator")}


def test_a_row_says_how_large_its_reference_is(answers: dict[str, dict]):
    counted = {item.id: sum(map(resource_count, answers[item.id]["templates"].values())) for item in load()}
    assert {item.id: item.metadata.resources for item in load()} == counted


def test_a_constant_app_earns_next_to_nothing_strictly(answers: dict[str, dict]):
    """One reference as the answer to every task, and all references in one app: at most 2 of 40, which is 5%."""
    constants = {item.id: answers[item.id]["templates"] for item in load()}
    everything = {f"{name}-{stack}": body for name, app in constants.items() for stack, body in app.items()}
    earned = {name: strictly_met(app) for name, app in {**constants, "everything": everything}.items()}
    assert all(name in earned[name] for name in constants)
    assert {name: met for name, met in earned.items() if len(met) > 2} == {}
    assert earned["everything"] == []


def strictly_met(app: dict[str, Any]) -> list[str]:
    verdict = Verdict(True, None, "", templates=app)
    return [item.id for item in load() if intent_metadata(item.id, verdict)["cdk_intent"] == 1.0]


def test_references_and_alternatives_meet_the_whole_intent_and_guesses_never_synthesize(answers: dict[str, dict]):
    intents = {item.id: item.intent for item in load()}
    for name in answers.keys() - GUESSES.keys() - MISSES.keys():
        assert answers[name]["error"] is None, (name, answers[name]["error"])
        findings = evaluate(intents[name[:7]], answers[name]["templates"])
        assert [(finding.id, finding.detail) for finding in findings if not finding.held] == [], name
        assert share(findings) == 1.0
        strangers = (answers[item.id]["templates"] for item in load() if item.id != name[:7])
        assert all(share(evaluate(intents[name[:7]], templates)) < 1.0 for templates in strangers), name
    assert all(answers[kind]["error"] for kind in GUESSES)


def test_near_misses_synthesize_and_fail_exactly_their_requirement(answers: dict[str, dict]):
    intents = {item.id: item.intent for item in load()}
    wrong: list[object] = []
    for name, miss in MISSES.items():
        findings = evaluate(intents[miss.item], answers[name]["templates"])
        failed = [finding.id for finding in findings if not finding.held]
        if answers[name]["error"] is not None or failed != [miss.breaks]:
            wrong.append((name, failed, answers[name]["error"]))
    assert wrong == []


def test_every_requirement_has_a_near_miss_and_a_variant_of_its_own(answers: dict[str, dict]):
    """A change that breaks it alone, the same behind a condition, and another way to write what was there."""
    changes = rewrites.recorded()
    wrong: list[object] = []
    for item in load():
        assert changes[item.id].keys() == {requirement.id for requirement in item.intent}, item.id
        templates = answers[item.id]["templates"]
        for name, change in changes[item.id].items():
            for kind, expected in (("near_miss", [name]), ("never", [name]), ("variant", [])):
                rewritten = getattr(rewrites, kind)(templates, change)
                failed = [result.id for result in evaluate(item.intent, rewritten or templates) if not result.held]
                if failed != (expected if rewritten is not None else []):
                    wrong.append((item.id, name, kind, failed))
    assert wrong == []
    assert {change.variant for rows in changes.values() for change in rows.values()} == rewrites.VARIANTS.keys()


@pytest.mark.parametrize(
    "change",
    [
        change
        for table in (subtle, subtle_first, subtle_second, subtle_third, subtle_fourth, subtle_fifth, subtle_sixth)
        for change in table.CHANGES
    ],
    ids=lambda change: f"{change.item} {change.kind} {change.path}",
)
def test_what_looks_right_and_what_is(answers: dict[str, dict], change: subtle.Change):
    """The right value at another resource breaks the requirement; the same value in another form does not."""
    item = next(item for item in load() if item.id == change.item)
    made = subtle.changed(answers[item.id]["templates"], change)
    failed = [result.id for result in evaluate(item.intent, made) if not result.held]
    assert failed == (change.breaks or "").split()


@pytest.mark.parametrize("spelling", spellings.SPELLINGS)
def test_references_in_another_spelling_meet_the_whole_intent(answers: dict[str, dict], spelling: str):
    lost: dict[str, list[str]] = {}
    for item in load():
        made = spellings.spelled(answers[item.id]["templates"], spellings.SPELLINGS[spelling])
        lost[item.id] = [result.id for result in evaluate(item.intent, made) if not result.held]
    assert {name: failed for name, failed in lost.items() if failed} == {}


def test_a_value_of_the_wrong_kind_anywhere_in_a_template_ends_in_an_answer(answers: dict[str, dict]):
    choice = random.Random(7)
    for item in load():
        templates = answers[item.id]["templates"]
        there = [place for place in spellings.places(templates) if len(place) > 3]
        for place in choice.sample(there, 12):
            made = spellings.replaced(templates, place, choice.choice(spellings.ODD_VALUES))
            assert len(evaluate(item.intent, made)) == len(item.intent)


def test_filters_of_two_queues_may_not_be_exchanged(answers: dict[str, dict]):
    """Each of the two is right, at the other queue."""
    item = next(item for item in load() if item.id == "cdk-013")
    made = copy.deepcopy(answers[item.id]["templates"])
    resources = next(iter(made.values()))["Resources"].values()
    first, second = [body["Properties"] for body in resources if "FilterPolicy" in body.get("Properties", {})]
    first["FilterPolicy"], second["FilterPolicy"] = second["FilterPolicy"], first["FilterPolicy"]
    failed = [result.id for result in evaluate(item.intent, made) if not result.held]
    assert failed == ["billing-filter", "shipping-filter"]


def test_one_property_each_on_many_resources_is_not_enough(answers: dict[str, dict]):
    """Copies of a named resource, each without the one property that a requirement asks for: no copy has them all."""
    changes = rewrites.recorded()
    split = 0
    for item in load():
        templates = answers[item.id]["templates"]
        places = Counter(
            (change.stack, change.path[1])
            for requirement in item.intent
            if isinstance(requirement.clause, ResourceClause) and requirement.clause.of
            for change in [changes[item.id][requirement.id]]
            if change.change == "removed" and len(change.path) > 2
        )
        for (stack, logical_id), number in places.items():
            if number < 2:
                continue
            copies = rewrites.split(templates, stack, str(logical_id), list(changes[item.id].values()))
            assert share(evaluate(item.intent, copies)) < 1.0, (item.id, logical_id)
            split += 1
    assert split >= 10


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "cdk.jsonl:1: not JSON"),
        ("[]", "not an object"),
        ('{"id": "cdk-1"}', "cdk-1: id"),
        ('{"id": "cdk-001", "input": " ", "metadata": {}}', "cdk-001: input"),
    ],
)
def test_damaged_rows_name_file_line_and_field(line: str, said: str):
    with pytest.raises(InputError, match=re.escape(said)):
        parse_rows("cdk.jsonl", line, CdkItem)


def test_an_unknown_clause_operator_or_key_is_refused():
    row = json.loads(load()[0].model_dump_json())
    for requirement in row["metadata"]["intent"]:
        requirement |= requirement.pop("clause")
    parse_rows("cdk.jsonl", json.dumps(row), CdkItem)
    for damage in ({"resource": "A", "colour": 1}, {"resource": "A", "where": {"B": {"like": 1}}}, {"wish": "A"}):
        row["metadata"]["intent"][0] = {"id": "one", "message": "a requirement", **damage}
        with pytest.raises(InputError, match=r"cdk-001: metadata\.intent"):
            parse_rows("cdk.jsonl", json.dumps(row), CdkItem)


@pytest.mark.parametrize(("source", "times"), [("nothing here", 0), ("old and old", 2)])
def test_an_edit_must_apply_exactly_once(source: str, times: int):
    edit = Edit(item="cdk-001", breaks="versioned", replace=(("old", "new"),))
    assert edited("the old way", edit) == "the new way"
    with pytest.raises(InputError, match=f"occurs {times} times"):
        edited(source, edit)


def test_the_ceiling_answers_with_the_reference_of_the_prompt():
    for item in load():
        answer = embedded.reference(f"You are an expert.\n\n{item.input}\n")
        assert answer is not None and f"```python\n{reference(item.id)}```" in answer
    assert embedded.reference("Write a poem.") is None


def test_the_floor_guesses_in_every_way_and_repeats_itself_by_seed():
    prompt = load()[0].input
    answers = {embedded.guess(prompt, random.Random(seed)) for seed in range(200)}
    assert len(answers) == len(embedded.GUESSES) + 1
    assert embedded.guess(prompt, random.Random(7)) == embedded.guess(prompt, random.Random(7))
    assert embedded.guess("Write a poem.", random.Random(7)) is None


DOCS = Path(__file__).parents[3] / "docs"


def _marked(path: Path, mark: str) -> str:
    return path.read_text().split(f"<!-- {mark} -->\n")[1].split(f"<!-- /{mark} -->")[0]


def test_the_documented_table_is_the_data():
    rows = [line.strip("| ").split(" | ") for line in _marked(DOCS / "datasets/cdk_synth.md", "coverage").splitlines()]
    misses = Counter(miss.item for miss in near_misses())
    expected = [
        [
            item.id,
            item.metadata.difficulty,
            item.metadata.pattern,
            ", ".join(item.metadata.aws_services),
            str(len(item.intent)),
            str(misses[item.id]),
        ]
        for item in load()
    ]
    assert rows[2:-1] == expected
    requirements = sum(len(item.intent) for item in load())
    assert [cell.strip() for cell in rows[-1]][-2:] == [str(requirements), str(misses.total())]


def test_the_documented_closing_is_in_every_prompt():
    closing = _marked(DOCS / "cdk-prompt-contract.md", "closing").strip().removeprefix("> ")
    assert all(item.input.endswith(f" {closing}") for item in load())
