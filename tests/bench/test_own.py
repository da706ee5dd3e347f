"""Items of your own: a folder becomes a suite, all mistakes in it are named at once, and no board mixes it (§1.8)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.bench.architecture_design.facts import fenced
from steelyard.bench.architecture_design.score import adjusted, reading
from steelyard.bench.model import FLOOR
from steelyard.bench.own.facts import fact_score
from steelyard.bench.own.model import ArchitectureItem, TextItem
from steelyard.bench.own.read import OwnItemsError, read_bench
from steelyard.bench.own.skeleton import write_skeleton
from steelyard.bench.own.task import own_architecture
from steelyard.cli.main import main
from steelyard.errors import IncomparableError, InputError, LogError
from steelyard.judge import Question, Rubric, Verdict, question

from .architecture_design.labelled import wrong_value

BENCH = "name: mine\ncategories:\n  quiz:\n    kind: exam\n    items: quiz.jsonl\n"
QUESTION: dict[str, Any] = {"id": "q1", "input": "Which one?", "choices": ["this", "that"], "target": "A"}


def folder(path: Path, bench: str = BENCH, **files: str) -> Path:
    path.mkdir(exist_ok=True)
    (path / "bench.yaml").write_text(bench, "utf-8")
    for name, text in {"quiz": json.dumps(QUESTION), **files}.items():
        (path / f"{name}.jsonl").write_text(text, "utf-8")
    return path


def problems(path: Path) -> tuple[str, ...]:
    with pytest.raises(OwnItemsError) as caught:
        read_bench(path)
    return caught.value.problems


@pytest.fixture(name="bench", scope="module")
def _bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("own") / "my-bench"
    api.bench_new(path)
    return path


@pytest.fixture(name="logs", scope="module")
def _logs(bench: Path) -> Path:
    logs = bench.parent / "logs"
    done = api.bench(["steelyard/ceiling", "steelyard/partial-50"], logs, dataset=bench)
    assert done.problems == ()
    return logs


def test_a_skeleton_runs_at_once_and_the_ceiling_earns_full_marks(bench: Path, logs: Path) -> None:
    board = api.leaderboard([logs], dataset=bench)
    by_name = {row.model: row for row in board.rows}
    assert by_name["steelyard/ceiling"].overall == 1.0
    assert by_name["steelyard/partial-50"].rank == 1
    assert (board.suite.name, board.suite.official) == ("own:my-bench", False)
    assert "between runs" not in api.bench_report(board, "markdown"), "nobody has measured that for it"
    data = json.loads(api.bench_report(board, "json"))
    assert data["_metadata"]["suite"] == "own:my-bench"
    assert {key: entry["weight"] for key, entry in data["_metadata"]["categories"].items()} == {
        "questions": 0.5,
        "explanations": 0.5,
    }


def test_its_logs_never_reach_the_official_board(logs: Path) -> None:
    with pytest.raises(LogError, match=r"the bench my-bench.*add --items"):
        api.leaderboard([logs])


def test_logs_of_edited_items_do_not_count(bench: Path, logs: Path, tmp_path: Path) -> None:
    edited = tmp_path / "my-bench"
    api.bench_new(edited)
    text = (edited / "exam.jsonl").read_text("utf-8")
    (edited / "exam.jsonl").write_text(text.replace("40 TB", "41 TB"), "utf-8")
    board = api.leaderboard([logs], dataset=edited)
    assert {entry.kind for entry in board.ignored} == {"other items"} and len(board.ignored) == 2
    assert all("questions" in row.missing for row in board.rows)


def test_the_self_test_checks_references(bench: Path, tmp_path: Path) -> None:
    assert api.bench_selftest(["questions"], dataset=bench).findings == ()
    broken = tmp_path / "my-bench"
    api.bench_new(broken, ["text"])
    text = (broken / "text.yaml").read_text("utf-8")
    (broken / "text.yaml").write_text(text.split("  reference:")[0] + "  reference: I do not know.\n", "utf-8")
    [defect] = api.bench_selftest(dataset=broken).findings
    assert (defect.what, "its reference scores" in defect.why) == ("text-001", True)


def test_nothing_is_overwritten(bench: Path, tmp_path: Path) -> None:
    before = (bench / "bench.yaml").read_bytes()
    with pytest.raises(InputError, match=r"already has bench\.yaml"):
        api.bench_new(bench, ["cdk"])
    assert (bench / "bench.yaml").read_bytes() == before and not (bench / "cdk.yaml").exists()
    with pytest.raises(InputError, match="'poem' is not one of exam"):
        api.bench_new(tmp_path / "x", ["poem"])
    assert not (tmp_path / "x").exists()


def test_every_bad_line_is_named_at_once(tmp_path: Path) -> None:
    rows = [
        json.dumps(QUESTION),
        '{"id": "q2", "id": "q3"}',
        json.dumps({**QUESTION, "id": "q4", "target": "C"}),
        "not json",
        json.dumps({**QUESTION, "id": "q5", "input": "Another?", "colour": "red"}),
        json.dumps({**QUESTION, "input": "A third?"}),
        json.dumps({**QUESTION, "id": "q\u200b6"}),
    ]
    lines = problems(folder(tmp_path / "b", quiz="\n".join(rows)))
    assert [line.split(":")[0] for line in lines] == [f"quiz.jsonl, line {n}" for n in (2, 3, 4, 5, 6, 7)]
    assert "duplicate key 'id'" in lines[0]
    assert "q4: target" in lines[1]
    assert "colour: unknown key" in lines[3]
    assert "duplicate id q1" in lines[4]


def test_a_path_with_brackets_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "my-bench"
    api.bench_new(path, ["cdk"])
    read_bench(path)
    text = (path / "cdk.yaml").read_text("utf-8")
    marked = text.replace(
        "  intent:", "  intent:\n    - {id: x, message: all rules, resource: T, properties: {'R[*].Id': 1}}"
    )
    (path / "cdk.yaml").write_text(marked, "utf-8")
    [problem] = problems(path)
    line = marked.split("\n").index(next(line for line in marked.split("\n") if "R[*]" in line)) + 1
    assert problem.startswith(f"cdk.yaml, line {line}: ")
    assert "'R[*].Id' is not a path" in problem


def test_a_requirement_without_its_clause_names_the_keys_to_choose_from(tmp_path: Path) -> None:
    path = tmp_path / "my-bench"
    api.bench_new(path, ["cdk"])
    text = (path / "cdk.yaml").read_text("utf-8")
    (path / "cdk.yaml").write_text(text.replace("      resource: AWS::S3::Bucket\n", "", 1), "utf-8")
    [problem] = problems(path)
    assert problem.endswith("intent.0: needs one of the keys resource, absent, relation, stacks, any_of, all_of")


def test_the_command_line_prints_one_line_per_problem(tmp_path: Path) -> None:
    path = folder(tmp_path / "b", quiz="not json\n{}\n")
    result = CliRunner().invoke(main, ["bench", "run", "--model", "steelyard/floor", "--items", str(path)])
    assert result.exit_code == 2
    assert [line.split(":")[0].strip() for line in result.stderr.splitlines()[1:]] == [
        "quiz.jsonl, line 1",
        "quiz.jsonl, line 2",
    ]


@pytest.mark.parametrize(
    ("bench", "words"),
    [
        ("name: x\nname: y\n", "line 2: duplicate key 'name'"),
        ("name: !!python/object:os.system x\n", "line 1: the tag"),
        ("name: &a x\ntitle: *a\n", "line 2: anchors and aliases are not allowed"),
        (BENCH.replace("exam", "poem"), "kind: must"),
        (BENCH.replace("quiz.jsonl", "../quiz.jsonl"), "must be a path inside the folder"),
        (BENCH.replace("quiz.jsonl", "/etc/passwd"), "must be a path inside the folder"),
        (BENCH.replace("quiz.jsonl", "gone.jsonl"), "bench.yaml, line 5: gone.jsonl: cannot be read"),
        (BENCH + "    weight: 0.9\n", "the weights add up to 0.9, not 1"),
        (BENCH + "    rubric: r.yaml\n", "only texts have one"),
        (BENCH.replace("  quiz:", "  rank:"), "line 3: the key rank is reserved"),
        (BENCH.replace("  quiz:", "  practice_exam:"), "line 3: the key practice_exam is reserved"),
        (BENCH.replace("mine", "My Bench"), "name: must match"),
        ("", "the file is empty"),
    ],
)
def test_a_bench_file_is_checked(tmp_path: Path, bench: str, words: str) -> None:
    assert words in " ".join(problems(folder(tmp_path / "b", bench)))


def test_hostile_files_are_refused(tmp_path: Path) -> None:
    path = folder(tmp_path / "b")
    quiz = path / "quiz.jsonl"
    quiz.write_bytes(json.dumps(QUESTION).encode("utf-16"))
    assert problems(path) == ("quiz.jsonl, line 1: not UTF-8 at byte 0",)
    quiz.write_bytes(json.dumps(QUESTION).encode() + b"\n\xe9")
    assert problems(path)[0].startswith("quiz.jsonl, line 2: not UTF-8 at byte ")
    quiz.write_text('{"id": \n')
    assert problems(path) == ("quiz.jsonl, line 1: the line is not valid JSON: Expecting value at column 8",)
    quiz.write_text("[" * 100_000)
    assert problems(path) == ("quiz.jsonl, line 1: nested too deeply",)
    quiz.write_text(json.dumps({**QUESTION, "target": 0}))
    assert problems(path)[0].endswith(": target: must be text")
    quiz.write_bytes(b" " * 8_000_001)
    assert "larger than 8 MB" in problems(path)[0]
    quiz.write_text(json.dumps({**QUESTION, "input": "a\0b"}))
    assert "NUL" in problems(path)[0]
    quiz.write_text(json.dumps({**QUESTION, "input": "\ud800"}))
    assert "unicode string" in problems(path)[0]
    quiz.write_text('{"id": ' + "[" * 3000 + "]" * 3000 + "}")
    assert "line 1" in problems(path)[0]
    quiz.write_text('{"id": "q1", "input": NaN}')
    assert "NaN is not a JSON number" in problems(path)[0]
    quiz.unlink()
    os.mkfifo(quiz)
    assert problems(path) == ("bench.yaml, line 5: quiz.jsonl: is not a file",)
    for target, words in (("/dev/zero", "is a link out"), ("/etc/hostname", "is a link out"), ("quiz.jsonl", "link")):
        quiz.unlink()
        quiz.symlink_to(target)
        assert words in problems(path)[0]
    with pytest.raises(InputError, match="does not exist"):
        read_bench(tmp_path / "nowhere")
    with pytest.raises(InputError, match="bench new"):
        read_bench(path / "bench.yaml")


def test_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    path = folder(tmp_path / "b")
    (path / "quiz.jsonl").rename(path / "real.jsonl")
    (path / "quiz.jsonl").symlink_to("real.jsonl")
    assert len(read_bench(path).categories["quiz"].items) == 1


def test_ids_and_prompts_are_unique_in_the_whole_bench(tmp_path: Path) -> None:
    bench = BENCH + "  more:\n    kind: exam\n    items: more.jsonl\n"
    same_id, same_prompt = ({**QUESTION, "input": "Who?"}, {**QUESTION, "id": "q2"})
    path = folder(tmp_path / "b", bench, more=f"{json.dumps(same_id)}\n{json.dumps(same_prompt)}")
    assert problems(path) == (
        "more.jsonl, line 1: q1: the id is also used in quiz.jsonl",
        "more.jsonl, line 2: q2: has the same prompt as q1",
    )


def text_item(**changes: Any) -> TextItem:
    facts = [{"id": "dlq", "statement": "It goes to a dead-letter queue.", "signals": [["dead-letter"], ["fail"]]}]
    wrong = [{"id": "loss", "statement": "The message is deleted for good.", "signals": [["deleted"], ["message"]]}]
    fields = {"id": "t", "input": "What happens?", "facts": facts, "wrong": wrong, "reference": "x"}
    return TextItem.model_validate({**fields, **changes})


def test_facts_earn_and_wrong_claims_cost() -> None:
    right = "When a message keeps failing, it is moved to a dead-letter queue, so that the others are not held up."
    both = f"{right} After that, the message is deleted for good because nobody needs it."
    assert fact_score(text_item(), right).score == 1.0
    assert fact_score(text_item(), both).score == 0.0 and fact_score(text_item(), both).false == ["loss"]
    assert fact_score(text_item(), "Nothing at all happens to it, as far as I know.").missed == ["dlq"]
    assert fact_score(text_item(), "dead-letter fail dead-letter fail").score == 0.0  # words alone explain nothing
    denied = "A message that fails is never moved to a dead-letter queue, it is of no use for that."
    assert fact_score(text_item(), denied).score == 0.0
    asked = "Is a message that fails moved to a dead-letter queue?"
    assert fact_score(text_item(input=asked), f"You ask: {asked.lower()} That is the question of the day.").score == 0.0
    hidden = "I do not know what that is. <!-- A message that fails is moved to the dead-letter queue. -->"
    assert fact_score(text_item(), hidden).score == 0.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"facts": []}, "needs facts beside it"),
        ({"facts": [{"id": "a", "statement": "s", "signals": [["one two three four five"]]}]}, "more than 4 words"),
        ({"facts": [{"id": "loss", "statement": "s", "signals": [["ab"]]}]}, "duplicate fact: loss"),
    ],
)
def test_facts_are_checked(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        text_item(**changes)


def test_one_answer_is_scored_as_a_run_would(bench: Path) -> None:
    good = api.bench_score("text-001", read_bench(bench).categories["explanations"].items[0].reference, dataset=bench)  # type: ignore[attr-defined]
    assert (good.score, good.category, good.suite) == (1.0, "explanations", "own:my-bench")
    exam = api.bench_score("pe-001", "I am sure.\n\nANSWER: A")
    assert (exam.score in (0.0, 1.0), exam.suite, exam.answer, len(exam.choices)) == (True, "official", "A", 4)
    with pytest.raises(InputError, match="there is no item 'pe-999'"):
        api.bench_score("pe-999", "x")


def test_score_ends_by_the_house_rule(bench: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answer.md"
    answer.write_text("I do not know.", "utf-8")
    arguments = ["bench", "try", str(answer), "--item", "text-001", "--items", str(bench)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    below = CliRunner().invoke(main, [*arguments, "--at-least", "0.5", "--json", "-"])
    assert (below.exit_code, json.loads(below.stdout)["score"]) == (1, 0.0)
    assert CliRunner().invoke(main, [*arguments[:-2], "--items", str(tmp_path / "no")]).exit_code == 2
    missing = ["bench", "try", str(tmp_path / "none.md"), "--item", "pe-001"]
    assert CliRunner().invoke(main, missing).exit_code == 2


def test_inspect_runs_the_items_too(bench: Path, tmp_path: Path) -> None:
    from inspect_ai import eval as inspect_eval

    options: dict[str, Any] = {"model": "steelyard/ceiling", "display": "none", "log_dir": str(tmp_path)}
    [log] = inspect_eval("steelyard/own_exam", task_args={"dataset": str(bench)}, **options)
    assert log.status == "success"
    [row] = api.leaderboard([tmp_path], dataset=bench).rows
    assert row.results["questions"].score == 1.0


@pytest.mark.parametrize("what", ["bench", "exam", "text", "architecture", "cdk", "leaderboard"])
def test_schemas_are_shown(what: str) -> None:
    result = CliRunner().invoke(main, ["bench", "check", "--schema", what])
    assert result.exit_code == 0 and json.loads(result.stdout)["type"] == "object"


def test_a_suite_and_a_folder_exclude_each_other(bench: Path) -> None:
    with pytest.raises(InputError, match="give one of them"):
        api.leaderboard([bench], suite="hard", dataset=bench)


RUBRIC = """name: explanation
about: An explanation for a colleague.
criteria:
  - {id: clear, question: "Is it clear?"}
  - {id: right, question: "Is it right?"}
"""


def test_a_judge_grades_texts_by_the_rubric_of_their_category(tmp_path: Path) -> None:
    import steelyard.judge.attack.scripted

    assert steelyard.judge.attack.scripted  # importing it registers the judge used here
    path = tmp_path / "my-bench"
    api.bench_new(path, ["text"])
    (path / "rubric.yaml").write_text(RUBRIC, "utf-8")
    with (path / "bench.yaml").open("a") as file:
        file.write("    rubric: rubric.yaml\n")
    suite = api.bench_suite(dataset=path)
    assert list(suite.categories["explanations"].choices) == ["facts", "judge"]
    answer = "A queue, at least."
    judged = api.bench_score("text-001", answer, dataset=path, scorer="judge", judges=["scripted/generous"])
    assert (judged.scorer, judged.score, judged.details["clear"]) == ("own_judge_scorer", 1.0, 1.0)
    assert api.bench_score("text-001", answer, dataset=path).score == 0.0  # by its facts
    (path / "rubric.yaml").write_text(RUBRIC.replace("name:", "nom:"), "utf-8")
    assert "rubric.yaml, line 1" in " ".join(problems(path))


HARBOUR = """name: harbour
about: A note on ships in a harbour.
criteria:
  - {id: berth, question: "Does it say at which berth of the harbour the ships are moored?"}
  - {id: pilot, question: "Does it name the pilot who brings ships into the harbour?"}
"""


def test_rubrics_of_other_categories_are_drawn_as_decoys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import steelyard.judge.attack.scripted

    assert steelyard.judge.attack.scripted
    path = tmp_path / "my-bench"
    api.bench_new(path, ["text"])
    (path / "rubric.yaml").write_text(RUBRIC, "utf-8")
    (path / "harbour.yaml").write_text(HARBOUR, "utf-8")
    (path / "ships.yaml").write_text(
        (path / "text.yaml").read_text("utf-8").replace("text-", "ship-").replace("Orders arrive", "Ships arrive"),
        "utf-8",
    )
    first = (path / "bench.yaml").read_text("utf-8").replace("weight: 1\n", "weight: 0.5\n    rubric: rubric.yaml\n")
    second = "  harbour: {kind: text, items: ships.yaml, weight: 0.5, rubric: harbour.yaml}\n"
    (path / "bench.yaml").write_text(first + second, "utf-8")
    asked: list[Question[Verdict]] = []

    def seen(rubric: Rubric, **how: Any) -> Question[Verdict]:
        asked.append(question(rubric, **how))
        return asked[-1]

    monkeypatch.setattr("steelyard.bench.own.scorer.question", seen)
    api.bench_score("text-001", "A queue, at least.", dataset=path, scorer="judge", judges=["scripted/honest"])
    calls = [asked[0].single("A queue, at least.", Random(seed)).user for seed in range(30)]
    drawn = [text for text in calls if "at which berth of the harbour" in text]
    assert 0 < len(drawn) < len(calls)  # one of several that may be drawn


def test_runs_of_own_items_are_graded_again(bench: Path, logs: Path) -> None:
    from steelyard.bench.rescore import rescore_log
    from steelyard.logs.read import find_logs

    path = next(path for path in find_logs([logs]) if "own-text" in path)
    done = rescore_log(path, None, everything=True)
    assert (done.graded, done.open) == (1, 0)


def test_boards_of_own_items_are_compared_and_reproduced(bench: Path, logs: Path, tmp_path: Path) -> None:
    published = tmp_path / "board.json"
    published.write_text(api.bench_report(api.leaderboard([logs], dataset=bench), "json"), "utf-8")
    assert api.reproduce(published, [logs], dataset=bench).verdict == "within"
    assert {move.reading for move in api.bench_drift(published, logs, dataset=bench)} == {"steady"}
    assert len(api.bench_items([logs], dataset=bench)) == 3
    difference = api.bench_diff("steelyard/partial-50", "steelyard/ceiling", [logs], dataset=bench)
    assert difference.compared == {"questions": 2, "explanations": 1}
    with pytest.raises(IncomparableError, match="add --items"):
        api.bench_drift(published, published)


TEXTBOOK = """
The architecture has three serious weaknesses. First, all of it is in one Availability Zone: if this zone fails,
the shop is down until the zone is back, because the Application Load Balancer has no healthy instance left to send
requests to. I would run the EC2 instances in an Auto Scaling group across zones. Second, the RDS database has no
standby, so it is a single point of failure: if its host fails, no order can be written. Multi-AZ keeps a standby
in a second zone. Third, there are no backups, so data that somebody deletes is lost for good and cannot be
restored. Switch on automated backups with point-in-time recovery, and rehearse a restore.
"""
ALL_FALSE = """
The architecture is highly available, because the Application Load Balancer spreads requests over two EC2 instances
and both are in the same zone, which makes them fast; if the zone has an outage, nothing fails. The RDS database
needs no standby, as its host can never be lost. Backups are not needed either, because data that is deleted can be
restored from the instances. I would use a larger instance for the database and leave the rest as it is. Multi-AZ
would only cost money.
"""


@pytest.fixture
def shop(tmp_path: Path) -> Any:
    """The shipped example of an architecture."""
    write_skeleton(tmp_path / "shop", ("architecture",))
    (data,) = read_bench(tmp_path / "shop").categories.values()
    (item,) = data.items
    assert isinstance(item, ArchitectureItem)
    return item


def test_the_shipped_architecture_tells_a_textbook_answer_from_a_false_one(shop: Any) -> None:
    def score(prose: str, facts: dict[str, Any]) -> float:
        found = reading(shop, f"{prose}\n{fenced(facts)}", shop.input)
        return adjusted(found.raw(None), found.prose, None).score

    right = {fact.name: fact.answer for fact in shop.facts}
    assert score(shop.reference, right) >= 0.97
    assert score(TEXTBOOK, right) > 0.8
    assert score(ALL_FALSE, {fact.name: wrong_value(fact) for fact in shop.facts}) < 0.2
    assert score(TEXTBOOK, {}) < 0.2  # without facts


def test_facts_are_asked_after_the_prompt_of_an_architecture(shop: Any, tmp_path: Path) -> None:

    (sample,) = own_architecture(str(tmp_path / "shop")).dataset
    text = str(sample.input)
    assert text.startswith(shop.input) and all(fact.ask in text and fact.why not in text for fact in shop.facts)
    assert "facts" not in (sample.metadata or {})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: restorable", "name: zones_lost", "duplicate: zones_lost"),
        ("fact: restorable", "fact: nowhere", "unknown fact: nowhere"),
        ("answer: database\n", "answer: cache\n", "does not fit a fact of the kind option"),
    ],
)
def test_facts_that_do_not_fit_are_named(shop: Any, tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "shop" / "architecture.yaml"
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(OwnItemsError, match=message):
        read_bench(tmp_path / "shop")


def test_a_private_split_shows_scores_ids_and_the_hash_of_its_items_and_no_text_of_theirs(tmp_path: Path) -> None:
    secret = {**QUESTION, "title": "Zanzibar title", "input": "Zanzibar question?", "domain": "Zanzibar domain"}
    private = BENCH.replace("name: mine\n", "name: mine\nprivate: true\n")
    bench = folder(tmp_path / "private", private, quiz=json.dumps(secret))
    assert api.bench([FLOOR], tmp_path / "logs", dataset=bench).problems == ()
    board = api.leaderboard([tmp_path / "logs"], dataset=bench, page=tmp_path / "page")
    digest = json.loads(api.bench_report(board, "json"))["_metadata"]["categories"]["quiz"]["items_hash"]
    assert len(digest) == 64
    shown = [path.read_text("utf-8") for path in (tmp_path / "page").rglob("*") if path.is_file()]
    shown += [api.bench_report(board, name) for name in ("json", "csv", "markdown")]
    assert shown and not any("Zanzibar" in text for text in shown)
    assert digest in api.bench_report(board, "markdown")
    with pytest.raises(InputError, match="private"):
        api.leaderboard([tmp_path / "logs"], dataset=bench, page=tmp_path / "other", transcripts=True)
    with pytest.raises(InputError, match="private"):
        api.bench_submit([tmp_path / "logs"], tmp_path / "s.zip", dataset=bench)


def test_the_hash_of_a_private_split_changes_with_its_items(tmp_path: Path) -> None:
    one, other = folder(tmp_path / "a"), folder(tmp_path / "b", quiz=json.dumps({**QUESTION, "target": "B"}))
    assert read_bench(one).categories["quiz"].digest != read_bench(other).categories["quiz"].digest
