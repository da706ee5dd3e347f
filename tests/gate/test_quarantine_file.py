"""The quarantine in steelyard.yaml: edits keep everything else, and the baseline's side decides what counts."""

import json
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import QuarantineEntry
from steelyard.gate.quarantine.entries import QUARANTINE
from steelyard.gate.quarantine.file import add_entry, listed, read_entries, remove_entries

ENTRY = QuarantineEntry("slug", "flaky: network", "ada", date(2026, 3, 11), "tests pass")

ITEM = """\
- task: slug
  check: tests pass
  reason: 'flaky: network'
  owner: ada
  until: '2026-03-11'
"""


def item(spaces: int) -> str:
    return "".join(f"{' ' * spaces}{line}\n" for line in ITEM.splitlines())


FILES = [
    # name, before, after
    ("a new file", "", f"gate:\n  quarantine:\n{item(4)}"),
    ("a file without gate", "# mine\n{}\n", None),
    (
        "a gate without the list",
        "gate:  # ours\n    tasks: t  # where\n    epochs: 3\n\n# the end\n",
        f"gate:  # ours\n    tasks: t  # where\n    epochs: 3\n    quarantine:\n{item(6)}\n# the end\n",
    ),
    (
        "a nested last key",
        "gate:\n  tasks: t\n  thresholds:\n    min_composite_gain: 0.02\n",
        f"gate:\n  tasks: t\n  thresholds:\n    min_composite_gain: 0.02\n  quarantine:\n{item(4)}",
    ),
    (
        "a list in the middle",
        "gate:\n  quarantine:\n  # first\n  - {task: a}  # why\n  # last\n  tasks: t\n",
        f"gate:\n  quarantine:\n  # first\n  - {{task: a}}  # why\n{item(2)}  # last\n  tasks: t\n",
    ),
    (
        "an empty list",
        "gate:\n  quarantine: []  # none\n  tasks: t\n",
        f"gate:\n  quarantine:  # none\n{item(4)}  tasks: t\n",
    ),
    ("no newline at the end", "gate:\n  tasks: t", f"gate:\n  tasks: t\n  quarantine:\n{item(4)}"),
    ("a list on one line", "gate:\n  quarantine: [{task: a}]\n", None),
    ("a gate on one line", "gate: {tasks: t}\n", None),
]


@pytest.mark.parametrize(("name", "before", "after"), FILES, ids=[row[0] for row in FILES])
def test_an_entry_is_added_without_touching_the_rest(tmp_path: Path, name: str, before: str, after: str | None) -> None:
    path = tmp_path / "steelyard.yaml"
    if before:
        path.write_text(before)
    if after is None:
        with pytest.raises(InputError, match="cannot be edited without damage"):
            add_entry(path, ENTRY, QUARANTINE)
        assert path.read_text() == before
    else:
        add_entry(path, ENTRY, QUARANTINE)
        assert path.read_text() == after
        assert read_entries(QUARANTINE, path).entries[-1] == ENTRY


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    path = tmp_path / "steelyard.yaml"
    path.write_bytes(b"gate:\r\n  tasks: t\r\n")
    add_entry(path, ENTRY, QUARANTINE)
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") == 8
    remove_entries(path, [0], QUARANTINE)
    assert path.read_bytes() == b"gate:\r\n  tasks: t\r\n  quarantine: []\r\n"


def test_an_entry_is_not_added_twice(tmp_path: Path) -> None:
    path = tmp_path / "steelyard.yaml"
    add_entry(path, ENTRY, QUARANTINE)
    before = path.read_text()
    with pytest.raises(InputError, match="an entry for slug/tests pass"):
        add_entry(path, ENTRY, QUARANTINE)
    assert path.read_text() == before


def test_hostile_words_stay_words(tmp_path: Path) -> None:
    path = tmp_path / "steelyard.yaml"
    hostile = QuarantineEntry("t", "x: {y}\n- task: other #", "*ref & !tag", date(2026, 3, 11))
    add_entry(path, hostile, QUARANTINE)
    kept = read_entries(QUARANTINE, path).entries
    assert [(entry.task, entry.owner) for entry in kept] == [("t", "*ref & !tag")]
    assert kept[0].reason == "x: {y}\n- task: other #"


def test_removing_keeps_comments_and_order(tmp_path: Path) -> None:
    path = tmp_path / "steelyard.yaml"
    path.write_text(
        "gate:\n  quarantine:\n    # about a\n    - task: a\n      reason: |\n        # looks like a comment\n"
        "        two lines\n    # about b\n    - {task: b}\n    - task: c\n  tasks: t\n"
    )
    remove_entries(path, [0], QUARANTINE)
    assert path.read_text() == (
        "gate:\n  quarantine:\n    # about a\n    # about b\n    - {task: b}\n    - task: c\n  tasks: t\n"
    )
    assert [entry.task for entry in listed(path, QUARANTINE)] == ["b", "c"]
    remove_entries(path, [0, 1], QUARANTINE)
    assert listed(path, QUARANTINE) == []
    assert "tasks: t" in path.read_text()


def test_a_broken_file_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "steelyard.yaml"
    path.write_text("gate:\n  quarantin: []\n")
    with pytest.raises(InputError, match=r"line 2: gate\.quarantin: unknown key"):
        add_entry(path, ENTRY, QUARANTINE)
    assert path.read_text() == "gate:\n  quarantin: []\n"


def repository(folder: Path, text: str | None) -> Path:
    folder.mkdir()
    commands = [["init", "-q", "-b", "main"], ["config", "user.email", "a@example.org"], ["config", "user.name", "Ada"]]
    for words in commands:
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    (folder / "CLAUDE.md").write_text("rules\n")
    if text is not None:
        (folder / "steelyard.yaml").write_text(text)
    subprocess.run(["git", "-C", str(folder), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(folder), "commit", "-qm", "first"], check=True)
    return folder


def test_the_baseline_decides_when_it_is_a_git_ref(tmp_path: Path) -> None:
    settings = "gate:\n  tasks: t\n  future_key: 1\n  quarantine:\n" + item(4)
    repo = repository(tmp_path / "repo", settings)
    path = repo / "steelyard.yaml"
    path.write_text("gate:\n  tasks: t\n")
    assert read_entries(QUARANTINE, path).entries == ()
    assert read_entries(QUARANTINE, path, baseline="git:main:agent", repo=repo).entries == (ENTRY,)
    assert read_entries(QUARANTINE, path, baseline="old", repo=repo).entries == ()


@pytest.mark.parametrize("there", [None, "gate:\n  tasks: t\n"])
def test_a_change_cannot_quarantine_what_it_breaks(tmp_path: Path, there: str | None) -> None:
    repo = repository(tmp_path / "repo", there)
    path = repo / "steelyard.yaml"
    path.write_text("gate:\n  quarantine:\n" + item(4))
    entries, notes, differing = read_entries(QUARANTINE, path, baseline="git:main", repo=repo)
    assert entries == ()
    assert notes == ()
    assert differing == ("quarantine of slug/tests pass is not part of 'main', the baseline, so it does not hold",)


def test_an_unknown_ref_is_an_error(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", None)
    with pytest.raises(InputError, match="has no commit 'nowhere'"):
        read_entries(QUARANTINE, repo / "steelyard.yaml", baseline="git:nowhere", repo=repo)


def test_incomplete_entries_are_lines_and_unknown_keys_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "steelyard.yaml"
    path.write_text("gate:\n  quarantine:\n    - {task: a}\n    -\n")
    with pytest.raises(InputError, match="line 4"):
        read_entries(QUARANTINE, path)
    path.write_text("gate:\n  quarantine:\n    - {task: a}\n")
    assert "and no owner and no" in read_entries(QUARANTINE, path).notes[0]
    path.write_text("gate:\n  quarantine:\n    - {task: a, unti: 2026-01-01}\n")
    with pytest.raises(InputError, match="line 3: unti: unknown key"):
        read_entries(QUARANTINE, path)


def steelyard(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["gate", *words])
    return done.exit_code, done.output


def test_the_command_adds_lists_and_ends_entries(tmp_path: Path, suite: Callable[..., Path]) -> None:
    suite("one", "two")
    path = tmp_path / "steelyard.yaml"
    path.write_text("# ours\ngate:\n  tasks: tasks\n")
    where = ("--settings", str(path))
    words = ("--reason", "flaky", "--owner", "ada", *where)
    assert steelyard("quarantine", "one", "--check", "tests pass", *words)[0] == 0
    for refused, line in [
        (("one", "--check", "tests pass"), "already has an entry for one/tests pass"),
        (("three",), "there is no task 'three'"),
        (("one", "--check", "nope"), "the task has no such check"),
        (("two", "--until", "2001-01-01"), "2001-01-01 is in the past"),
        (("two", "--until", "2999-01-01"), "more than 30 days ahead"),
    ]:
        code, text = steelyard("quarantine", *refused, *words)
        assert (code, line in text, text.count("\n")) == (2, True, 1), text
    code, text = steelyard("quarantine", "--json", "-", *where)
    (entry,) = json.loads(text)["quarantine"]
    assert (code, entry["task"], entry["check"], entry["active"], entry["problem"]) == (
        0,
        "one",
        "tests pass",
        True,
        None,
    )
    assert steelyard("quarantine", "--end", *where) == (0, "")
    assert steelyard("quarantine", "one", "--end", *where) == (0, "one/tests pass counts again\n")
    assert path.read_text() == "# ours\ngate:\n  tasks: tasks\n  quarantine: []\n"
    assert steelyard("quarantine", "one", "--end", *where)[0] == 2


def test_what_expired_is_listed_with_its_reason_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "steelyard.yaml"
    path.write_text("gate:\n  quarantine:\n    - {task: a, reason: r, owner: o, until: 2001-01-01}\n    - {task: b}\n")
    code, text = steelyard("quarantine", "--settings", str(path))
    assert code == 0
    assert "expired on 2001-01-01" in " ".join(text.split())
    assert steelyard("quarantine", "--end", "--settings", str(path)) == (0, "a counts again\n")
    assert [entry.task for entry in listed(path, QUARANTINE)] == ["b"]


def test_compare_sets_aside_what_the_settings_say(tmp_path: Path) -> None:
    scores = [{"task": f"t{number}", "passed": 2, "total": 2} for number in range(5)]
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps({"label": "before", "scores": scores}))
    after.write_text(json.dumps({"label": "after", "scores": [{**scores[0], "passed": 1}, *scores[1:]]}))
    settings = tmp_path / "steelyard.yaml"
    settings.write_text("gate: {}\n")
    words = ("compare", str(before), str(after), "--settings", str(settings))
    assert steelyard(*words)[0] == 1
    settings.unlink()
    api.quarantine("t0", reason="flaky", owner="ada", settings=settings)
    code, text = steelyard(*words)
    assert code == 0, text
    assert "Quarantined, not counted" in text


def test_a_run_takes_the_quarantine_of_its_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = repository(tmp_path / "repo", "gate:\n  quarantine:\n" + item(4))
    (repo / "steelyard.yaml").write_text("gate: {tasks: t, candidate: ., agent: command, agent_command: [sh]}\n")
    monkeypatch.chdir(repo)
    assert api.GateRun(baseline="git:main").resolved().quarantine == (ENTRY,)
