"""Task folders: what is accepted, and what is refused with the line that is wrong."""

import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.task_folder import TaskFile, load_suite, load_task, read_suite

Write = Callable[..., Path]

HEAD = "id: t\ntitle: T\nprompt: P\n"
CHECK = "checks: [{kind: file_exists, path: a}]\n"


def test_a_task_is_split_into_what_the_agent_sees_and_what_it_does_not(suite: Callable[..., Path]) -> None:
    task = load_suite(suite()).tasks[0]
    assert set(task.visible) == {"question.txt"}
    assert set(task.protected) == {"tests/check.sh"}
    assert tuple(task.checks) == ("answer", "tests pass")
    assert task.file.timeout_s == 600 and task.file.judge_weight == 0.4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD, "neither checks nor a rubric"),
        (HEAD + CHECK + "surprise: 1\n", "line 5: surprise: unknown key"),
        (
            HEAD + "checks:\n  - {kind: file_exists, path: ../x}\n",
            "line 5: checks.0.path: '../x' must be a relative path",
        ),
        (HEAD + "checks:\n  - {kind: file_exists, path: /etc/passwd}\n", "must be a relative path"),
        (
            HEAD + "checks:\n  - {kind: magic, path: a}\n",
            "line 5: checks.0: kind: magic is not one of command, file_exists,",
        ),
        (
            HEAD + "checks:\n  - {kind: file_matches, path: a, pattern: '('}\n",
            "line 5: checks.0.pattern: '(' is not a regular expression",
        ),
        (HEAD + "checks:\n  - {kind: file_exists, path: a, extra: 1}\n", "checks.0.extra: unknown key"),
        (HEAD + CHECK + "fixture: /etc\n", "must be a relative path"),
        (HEAD + CHECK + "fixture: nowhere\n", "'nowhere' is not a folder inside"),
        (HEAD + CHECK + "protect: [tests]\n", "'tests' is protected, but neither the fixture nor the task's folder"),
        (HEAD + CHECK + "judge_weight: 2\n", "judge_weight"),
        (HEAD + CHECK + "timeout_s: 0\n", "timeout_s"),
        (HEAD + CHECK + "timeout_s: .nan\n", "timeout_s"),
        (HEAD + CHECK + "rubric: ../r.yaml\n", "relative path"),
        (HEAD + CHECK + "rubric: {name: R}\n", "about"),
        (HEAD + HEAD + CHECK, "line 4: duplicate key 'id'"),
        ("id: 'a b'\ntitle: T\nprompt: P\n" + CHECK, "line 1: id"),
        ("title: T\nprompt: P\n" + CHECK, "id: is missing"),
        ("[]", "the document"),
        ("", "empty"),
        ("a: [", "line 1"),
    ],
)
def test_what_is_wrong_is_named(write: Write, text: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        load_task(write("t/task.yaml", text))
    assert said in str(error.value)


def test_tasks_with_one_fixture_have_hidden_tests_of_their_own(write: Write) -> None:
    write("tasks/library/app.py", "")
    write("tasks/defaults.yaml", "fixture: library\n")
    suite = "checks:\n  - {kind: test_suite, path: tests}\n"
    own = write("tasks/t/task.yaml", HEAD + suite)
    write("tasks/t/tests/test_app.py", "import app\n")
    task = load_task(own)
    assert list(task.visible) == ["app.py"]
    assert list(task.protected) == ["tests/test_app.py"]
    before = task.sha
    write("tasks/t/tests/test_app.py", "import app, sys\n")
    assert load_task(own).sha != before


def test_a_protected_path_is_never_looked_up_through_the_name_of_the_fixture(write: Write) -> None:
    # Else the agent would see `tests`, and the task would hide a second copy under another name.
    path = write("t/task.yaml", HEAD + CHECK + "fixture: fixture\nprotect: [fixture/tests]\n")
    write("t/fixture/tests/test_app.py", "import app\n")
    with pytest.raises(InputError, match="neither the fixture nor"):
        load_task(path)


def test_a_fixture_behind_a_link_is_refused(write: Write, tmp_path: Path) -> None:
    path = write("t/task.yaml", HEAD + CHECK + "fixture: fixture\n")
    (tmp_path / "t" / "fixture").symlink_to("/etc")
    with pytest.raises(InputError, match="not a folder inside"):
        load_task(path)


def test_one_bad_task_is_reported_and_the_others_are_read(suite: Callable[..., Path], write: Write) -> None:
    folder = suite("one", "two")
    write("tasks/three/task.yaml", HEAD + "oops: 1\n")
    write("tasks/four/task.yaml", HEAD.replace("id: t", "id: one") + CHECK)
    found = read_suite(folder)
    assert [task.id for task in found.tasks] == ["one", "one", "two"]
    assert "oops" in found.problems[0] and "used by two tasks" in found.problems[1]
    with pytest.raises(InputError, match="steelyard gate check"):
        load_suite(folder)


def test_the_hash_follows_everything_that_shapes_a_score(suite: Callable[..., Path], write: Write) -> None:
    folder = suite()
    before = load_suite(folder).sha
    write("tasks/one/reference/answer.txt", "yes indeed\n")
    assert load_suite(folder).sha == before  # a reference grades nothing
    write("tasks/one/fixture/tests/check.sh", "true\n")
    assert load_suite(folder).sha != before


def test_an_inline_rubric_is_read(write: Write) -> None:
    text = HEAD + "rubric:\n  name: R\n  about: A\n  criteria:\n    - {id: one, question: 'Is it so?', weight: 1}\n"
    rubric = load_task(write("t/task.yaml", text)).rubric
    assert rubric is not None and rubric.criteria[0].id == "one"


def test_the_shipped_schema_is_the_one_in_the_code() -> None:
    shipped = json.loads(resources.files("steelyard").joinpath("schemas", "task.schema.json").read_text("utf-8"))
    made = TaskFile.model_json_schema()
    assert {key: shipped[key] for key in made} == made


@pytest.mark.parametrize(("ids", "extra", "code"), [(("a",), None, 0), ((), "oops: 1\n", 2), (("a",), "oops: 1\n", 2)])
def test_listing_ends_in_2_unless_every_task_can_be_used(
    suite: Callable[..., Path], write: Write, tmp_path: Path, ids: tuple[str, ...], extra: str | None, code: int
) -> None:
    if ids:
        suite(*ids)
    (tmp_path / "tasks").mkdir(exist_ok=True)
    if extra:
        write("tasks/bad/task.yaml", extra)
    found = CliRunner().invoke(main, ["gate", "check", str(tmp_path / "tasks"), "--json", "-"])
    assert found.exit_code == code
    assert len(json.loads(found.output)["tasks"]) == len(ids)
