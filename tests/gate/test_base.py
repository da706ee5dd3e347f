"""A change cannot loosen the gate that judges it: settings and tasks come from the base, and every report says so."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard import api
from steelyard.errors import InputError
from steelyard.gate.agents import find_agent
from steelyard.gate.model import Comparison, Thresholds
from steelyard.gate.report.ci import github_commands
from steelyard.gate.report.document import document
from steelyard.gate.report.page import page
from steelyard.gate.run.plan import RunSpec, load_arms, plan
from steelyard.git import git
from steelyard.report import markdown, terminal

Write = Callable[..., Path]
STRICT = "gate:\n  tasks: tasks\n  agent: command\n  agent_command: [sh]\n  baseline: git:main:old\n  candidate: new\n"
LOOSE = """
gate:
  tasks: easy
  agent: command
  agent_command: [sh]
  baseline: weak
  candidate: old
  policy: evidence
  question: safe
  margin: 0.9
  epochs: 3
  telemetry: trusted
  thresholds: {regression_composite_drop: 1.0, objective_drop_is_regression: false}
  quarantine: [{task: one, reason: r, owner: o, until: "2999-01-01"}]
"""


@pytest.fixture
def repo(tmp_path: Path, suite: Callable[..., Path], write: Write, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository on a branch `change`, which goes into `main`; both have the same strict settings and one task."""
    suite("one", "two")
    write("old/RULES", "old\n")
    write("new/RULES", "new\n")
    write("steelyard.yaml", STRICT)
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "one"], ["switch", "-qc", "change"]):
        git(tmp_path, *words)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def committer(monkeypatch: pytest.MonkeyPatch) -> None:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "a")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "a@example.com")


def chosen(**given: Any) -> RunSpec:
    """The run that `gate run` would start with these options."""
    return api.GateRun(**{"judge": "none", "log_dir": "logs", **given}).resolved()


def test_with_a_base_every_setting_is_the_one_there(repo: Path, write: Write) -> None:
    write("steelyard.yaml", LOOSE)
    spec = chosen(base="main")
    assert (spec.baseline, Path(spec.candidate).name, spec.tasks.name) == ("git:main:old", "new", "tasks")
    assert spec.thresholds == Thresholds() and spec.policy.name == "auto" and spec.quarantine == ()
    assert spec.epochs == 1 and spec.agent.telemetry == "claimed"
    said = " ".join(spec.differing)
    for key in ("tasks", "baseline", "candidate", "policy", "margin", "epochs", "telemetry", "thresholds.regression"):
        assert f"{key}" in said
    assert "in main: 0.05 counts" in str(spec.differing)
    assert any("quarantine of one" in line for line in spec.differing)


def test_two_refs_are_judged_by_the_settings_of_the_baseline(repo: Path, write: Write) -> None:
    write("steelyard.yaml", LOOSE)
    spec = chosen(baseline="git:main:old", candidate="git:change:new")
    assert spec.base == "main" and spec.thresholds == Thresholds() and spec.policy.name == "auto"


def test_a_base_without_settings_has_the_defaults_of_what_decides(repo: Path, write: Write) -> None:
    git(repo, "switch", "-q", "main")
    git(repo, "rm", "-q", "steelyard.yaml")
    git(repo, "commit", "-qm", "none")
    git(repo, "switch", "-q", "change")
    write("steelyard.yaml", LOOSE)
    spec = chosen(base="main", tasks=Path("tasks"))
    assert spec.thresholds == Thresholds() and spec.policy.name == "auto" and spec.quarantine == ()
    assert spec.agent.name == "command" and spec.agent.telemetry == "claimed"
    assert "in main: claimed counts" in str(spec.differing)
    assert "agent is command here" in str(spec.differing)
    assert "1 in main: 3 counts" in str(spec.differing)


def test_without_a_base_the_difference_to_the_baseline_is_only_said(repo: Path, write: Write) -> None:
    write("steelyard.yaml", LOOSE)
    spec = chosen(baseline="git:main:old", candidate="new")
    assert spec.thresholds.regression_composite_drop == 1.0 and spec.base is None
    assert "0.05 in main: 1.0 counts" in str(spec.differing)
    assert chosen(baseline="old", candidate="new").differing == ()


def test_settings_outside_the_repository_are_not_part_of_the_change(repo: Path, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside") / "steelyard.yaml"
    outside.write_text(LOOSE)
    spec = chosen(base="main", settings=outside, candidate="new", baseline="git:main:old", tasks=Path("tasks"))
    assert spec.thresholds.regression_composite_drop == 1.0
    # A quarantine is always the one of the baseline's side (docs/scoring.md §3.6).
    assert spec.differing == ("quarantine of one is not part of 'main', the baseline, so it does not hold",)


@pytest.mark.parametrize("target", ["loose.yaml", "../loose.yaml"])
def test_settings_that_become_a_link_are_still_those_of_the_base(
    repo: Path, write: Write, target: str, tmp_path_factory: Any
) -> None:
    write("steelyard.yaml", STRICT + "  thresholds: {min_composite_gain: 0.3}\n  policy: evidence\n")
    git(repo, "commit", "-qam", "strict")
    git(repo, "branch", "-qf", "main", "change")
    write("loose.yaml", LOOSE)
    (repo.parent / "loose.yaml").write_text(LOOSE)
    write("easy/one/task.yaml", "id: one\ntitle: T\nprompt: P\nchecks: [{kind: file_absent, path: a}]\n")
    (repo / "steelyard.yaml").unlink()
    (repo / "steelyard.yaml").symlink_to(target)
    spec = chosen(base="main")
    assert spec.tasks.name == "tasks" and spec.policy.name == "evidence" and spec.quarantine == ()
    assert spec.thresholds == Thresholds(min_composite_gain=0.3)
    write("comparison.json", "{}")
    assert api.GatePromote("comparison.json").request().thresholds == Thresholds(min_composite_gain=0.3)


def test_tasks_that_become_a_link_are_still_those_of_the_base(repo: Path, write: Write) -> None:
    sha = load_arms(chosen(base="main"))["candidate"].suite.sha
    write("easy/one/task.yaml", "id: one\ntitle: T\nprompt: P\nchecks: [{kind: file_absent, path: a}]\n")
    write("weak/RULES", "weak\n")
    for name, target in (("tasks", "easy"), ("old", "weak")):
        (repo / name).rename(repo / f"{name}-before")
        (repo / name).symlink_to(target)
    assert load_arms(chosen(base="main"))["candidate"].suite.sha == sha
    assert chosen(base="main", baseline="old").baseline == "git:main:old"


def test_links_of_the_base_lead_where_they_lead_there(repo: Path, write: Write) -> None:
    sha = load_arms(chosen(base="main"))["candidate"].suite.sha
    for name in ("tasks", "steelyard.yaml"):
        (repo / "conf").mkdir(exist_ok=True)
        (repo / name).rename(repo / "conf" / name)
        (repo / name).symlink_to(f"conf/{name}")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "links")
    git(repo, "branch", "-qf", "main", "change")
    write("conf/tasks/one/fixture/tests/check.sh", "exit 0\n")
    write("conf/steelyard.yaml", LOOSE)
    spec = chosen(base="main")
    assert spec.thresholds == Thresholds() and load_arms(spec)["candidate"].suite.sha == sha


def test_tasks_in_a_submodule_are_those_that_the_base_names(repo: Path, tmp_path_factory: Any) -> None:
    shared = tmp_path_factory.mktemp("shared")
    (repo / "tasks").rename(shared / "tasks")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "tasks"]):
        git(shared, *words)
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(shared), "shared")
    (repo / "steelyard.yaml").write_text(STRICT.replace("tasks: tasks", "tasks: shared/tasks"))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "submodule")
    git(repo, "branch", "-qf", "main", "change")
    sha = load_arms(chosen(base="main"))["candidate"].suite.sha
    (repo / "shared" / "tasks" / "one" / "fixture" / "tests" / "check.sh").write_text("exit 0\n")
    git(repo / "shared", "commit", "-qam", "easier")
    git(repo, "commit", "-qam", "easier")
    assert load_arms(chosen(base="main"))["candidate"].suite.sha == sha
    git(repo, "submodule", "deinit", "-f", "shared")
    with pytest.raises(InputError, match="shared is a submodule"):
        load_arms(chosen(base="main"))


def test_a_folder_that_the_change_deletes_does_not_become_one_of_the_current_folder(repo: Path, write: Write) -> None:
    (repo / "conf").mkdir()
    for name in ("tasks", "steelyard.yaml", "new"):
        (repo / name).rename(repo / "conf" / name)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "moved")
    git(repo, "branch", "-qf", "main", "change")
    (repo / "conf" / "tasks").rename(repo / "tasks")
    (repo / "tasks/one/fixture/tests/check.sh").write_text("exit 0\n")
    spec = chosen(base="main", settings=Path("conf/steelyard.yaml"))
    assert spec.tasks == Path("conf/tasks")


def test_a_change_of_nothing_but_a_submodule_is_not_called_the_same(repo: Path, write: Write) -> None:
    write("CLAUDE.md", "rules\n")
    git(repo, "add", "-A")
    for branch, commit in (("main", "1" * 40), ("change", "2" * 40)):
        git(repo, "update-index", "--add", "--cacheinfo", f"160000,{commit},.claude/skills/sub")
        git(repo, "commit", "-qm", branch)
        if branch == "main":
            git(repo, "branch", "-qf", "main", "HEAD")
    with pytest.raises(InputError, match=r"only the submodule \.claude/skills/sub differs"):
        api.gate_run(chosen(baseline="git:main", candidate="git:change"))


def test_a_change_is_not_judged_by_an_agent_of_its_own(repo: Path, write: Write) -> None:
    write("agent.sh", "exit 0\n")
    line = "main has no agent.sh: the agent runs the one here"
    assert line in plan(chosen(base="main", agent_command="sh agent.sh")).spec.differing
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "agent")
    git(repo, "branch", "-qf", "main", "change")
    write("agent.sh", "exit 0\r\n")
    assert line not in plan(chosen(base="main", agent_command="sh agent.sh")).spec.differing
    write("agent.sh", "echo yes > answer.txt\n")
    with pytest.raises(InputError, match=r"agent\.sh is not the one of main"):
        plan(chosen(base="main", agent_command="sh agent.sh"))


def test_prices_of_the_settings_are_those_of_the_base(repo: Path, write: Write) -> None:
    write("conf/prices.yaml", "anthropic/x: {input: 3, output: 15}\n")
    write(
        "conf/steelyard.yaml",
        "gate: {tasks: ../tasks, baseline: ../old, candidate: ../new, agent: command, prices: prices.yaml}\n",
    )
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "prices")
    git(repo, "branch", "-qf", "main", "change")
    options = {"base": "main", "settings": Path("conf/steelyard.yaml"), "agent_command": "true"}
    assert plan(chosen(**options)).spec.prices == Path("conf/prices.yaml")
    write("conf/prices.yaml", "anthropic/x: {input: 0, output: 0}\n")
    with pytest.raises(InputError, match=r"conf/prices\.yaml is not the one"):
        plan(chosen(**options))


def test_a_folder_that_the_agent_runs_is_the_one_of_the_base(repo: Path, write: Write) -> None:
    command = "python3 bot"
    write("bot/__main__.py", "import answer\n")
    write("bot/answer.py", "print('no')\n")
    assert "main has no bot" in str(plan(chosen(base="main", agent_command=command)).spec.differing)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "agent")
    git(repo, "branch", "-qf", "main", "change")
    write("bot/__pycache__/answer.pyc", "made by running it, not by the change")
    assert plan(chosen(base="main", agent_command=command)).spec.differing == ()
    write("bot/answer.py", "open('answer.txt', 'w').write('yes')\n")
    with pytest.raises(InputError, match="bot is not the one"):
        plan(chosen(base="main", agent_command=command))
    git(repo, "checkout", "-q", "main", "--", "bot")
    write("bot/json.py", "found before the real one\n")
    git(repo, "add", "bot/json.py")
    with pytest.raises(InputError, match="bot is not the one"):
        plan(chosen(base="main", agent_command=command))


def test_a_file_that_becomes_a_folder_is_another_program(repo: Path, write: Write) -> None:
    write("bot", "exit 0\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "agent")
    git(repo, "branch", "-qf", "main", "change")
    (repo / "bot").unlink()
    write("bot/__main__.py", "open('answer.txt', 'w').write('yes')\n")
    with pytest.raises(InputError, match="bot is not the one"):
        plan(chosen(base="main", agent_command="python3 bot"))


def test_a_file_with_the_name_of_a_program_does_not_replace_it(repo: Path, write: Write) -> None:
    write("sh", "#!/bin/sh\necho yes > answer.txt\n", 0o755)
    git(repo, "add", "-A")
    spec = plan(chosen(base="main")).spec
    assert spec.agent.command == ("sh",) and spec.differing == ()
    assert find_agent(spec.agent).binds == {}


def test_a_file_with_the_name_of_an_argument_is_refused(repo: Path, write: Write) -> None:
    write("steelyard.yaml", STRICT.replace("[sh]", "[sh, -c, strict]"))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "agent")
    git(repo, "branch", "-qf", "main", "change")
    write("strict", "made by a step before the gate\n")
    assert chosen(base="main").agent.command == ("sh", "-c", "strict")
    git(repo, "add", "-A")
    with pytest.raises(InputError, match="strict is new"):
        chosen(base="main")


def test_a_script_in_the_command_may_be_longer_than_any_name_of_a_file(repo: Path, write: Write) -> None:
    script = "true; " * 200
    write("steelyard.yaml", STRICT.replace("[sh]", f"[sh, -c, {script!r}]"))
    git(repo, "commit", "-qam", "agent")
    git(repo, "branch", "-qf", "main", "change")
    spec = plan(chosen(base="main")).spec
    assert spec.agent.command == ("sh", "-c", script) and spec.differing == ()
    assert find_agent(spec.agent).binds == {}


def test_a_tool_of_the_repository_is_the_one_of_the_base(repo: Path, write: Write) -> None:
    write("steelyard.yaml", STRICT + f"  tools: [{repo}/lint]\n")
    write("lint/bin/lint", "#!/bin/sh\nexit 1\n", 0o755)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "tool")
    git(repo, "branch", "-qf", "main", "change")
    assert plan(chosen(base="main")).spec.differing == ()
    write("lint/bin/lint", "#!/bin/sh\nexit 0\n", 0o755)
    with pytest.raises(InputError, match=r"the tool .*lint is not"):
        plan(chosen(base="main"))


def test_the_baseline_is_the_one_of_the_base(repo: Path, write: Write) -> None:
    write("fresh/RULES", "only here\n")
    assert chosen(base="main", baseline="old").baseline == "git:main:old"
    assert chosen(base="main", baseline="fresh").baseline == "fresh"
    assert chosen(baseline="old").baseline == "old"


def test_options_of_the_command_still_win(repo: Path) -> None:
    assert chosen(base="main", thresholds=("min_composite_gain=0.2",)).thresholds.min_composite_gain == 0.2


def test_a_base_that_does_not_exist_is_an_error(repo: Path) -> None:
    with pytest.raises(InputError, match="has no commit '--all'") as refused:
        chosen(base="--all")
    assert refused.value.cure == "name a branch, a tag or a commit"
    with pytest.raises(InputError, match="has no commit 'nowhere'"):
        chosen(base="nowhere")


@pytest.mark.parametrize("keeper", ["store", "ledger"])
def test_a_file_that_should_keep_runs_is_refused_before_any_run(repo: Path, write: Write, keeper: str) -> None:
    write("kept", "not a folder\n")
    with pytest.raises(InputError, match="kept is a file"):
        chosen(**{keeper: "kept"})
    with (repo / "steelyard.yaml").open("a") as settings:
        settings.write(f"  {keeper}: kept\n")
    with pytest.raises(InputError, match="kept is a file"):
        chosen()


def test_the_tasks_of_the_base_run(repo: Path, write: Write) -> None:
    sha = load_arms(chosen(base="main"))["candidate"].suite.sha
    write("tasks/one/fixture/tests/check.sh", "exit 0\n")
    (repo / "tasks/two/task.yaml").unlink()
    write("tasks/three/task.yaml", "id: three\ntitle: T\nprompt: P\nchecks: [{kind: file_absent, path: a}]\n")
    planned = plan(chosen(base="main"))
    assert planned.arms["candidate"].suite.sha == sha
    line = "tasks differ from main, whose tasks run: changed one, added three, removed two"
    assert line in planned.spec.differing
    assert {task.id for task in load_arms(chosen())["candidate"].suite.tasks} == {"one", "three"}


def test_an_unusable_task_of_the_base_is_named_by_its_ref(repo: Path, write: Write) -> None:
    write("tasks/one/task.yaml", "oops: 1\n")
    git(repo, "commit", "-qam", "broken")
    with pytest.raises(InputError, match=r"change:tasks/one/task\.yaml"):
        load_arms(chosen(base="change"))


def test_a_change_that_loosens_everything_still_regresses(repo: Path, write: Write) -> None:
    agent = write("agent.sh", "grep -q old RULES && echo yes > answer.txt; exit 0\n")
    write("steelyard.yaml", STRICT.replace("[sh]", f"[sh, {agent}]"))
    git(repo, "commit", "-qam", "two")
    git(repo, "branch", "-qf", "main", "change")
    write("steelyard.yaml", LOOSE.replace("[sh]", f"[sh, {agent}]"))
    write("tasks/one/fixture/tests/check.sh", "exit 0\n")
    weighed = api.gate_run(chosen(base="main"))
    assert isinstance(weighed.outcome, Comparison) and weighed.outcome.verdict == "regressed"
    assert any(line.startswith("tasks differ from main") for line in weighed.differing)
    results = json.loads(api.gate_report(weighed, "sarif"))["runs"][0]["results"]
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results]
    assert uris[: len(weighed.differing)] == ["steelyard.yaml"] * len(weighed.differing)
    assert {*uris[len(weighed.differing) :]} == {"new/RULES"}


def test_every_report_begins_with_what_differs(write: Write) -> None:
    scores = [{"task": "a", "passed": 1, "total": 2}]
    file = write("a.json", json.dumps({"scores": scores}))
    weighed = api.compare([file], [file], thresholds="regression_composite_drop=0.5")
    line = "regression_composite_drop is 0.5 (default 0.05)"
    assert weighed.differing == (line,)
    verdict = "Neutral: net gain"
    for text in (
        terminal.render(document(weighed), width=120, colour=False),
        markdown.render(document(weighed)).replace("\\", ""),
        page(weighed, lambda side, tasks: {}),
    ):
        assert 0 <= text.index("regression_composite_drop") < text.index(verdict)
    assert list(json.loads(api.gate_report(weighed, "json")))[:2] == ["schema_version", "differing"]
    junit = api.gate_report(weighed, "junit")
    assert junit.index(line) < junit.index(verdict)
    assert json.loads(api.gate_report(weighed, "sarif"))["runs"][0]["results"][0]["message"]["text"] == line
    assert line in github_commands(weighed).splitlines()[0]
    assert api.compare([file], [file]).differing == ()
