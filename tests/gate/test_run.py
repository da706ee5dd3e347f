"""Whole gate runs: real agents in real sandboxes, honest, failing and hostile."""

import base64
import codecs
import contextlib
import dataclasses
import io
import json
import os
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironment

from steelyard import api
from steelyard.cli.main import main
from steelyard.errors import IncomparableError, InputError, LogError, Refused
from steelyard.gate import trial
from steelyard.gate.agents import AgentSpec
from steelyard.gate.agents.attempt import Attempt, Job
from steelyard.gate.agents.command import CommandAgent
from steelyard.gate.evidence.policy import CONTRACT
from steelyard.gate.example import run_example
from steelyard.gate.model import Comparison, NoVerdict, Weighed
from steelyard.gate.promote import PromotionRequest, plan_promotion
from steelyard.gate.read.views import read_views
from steelyard.gate.report import FORMATS
from steelyard.gate.report.document import document
from steelyard.gate.run import Stopped, gate_run
from steelyard.gate.run.plan import RunSpec, load_arms, plan
from steelyard.logs.read import read_logs, read_samples
from steelyard.report import terminal
from steelyard.rows import LogRow
from tests.waiting import until

Make = Callable[..., RunSpec]

SOLVE = "echo yes > answer.txt"
ONLY_NEW = f"grep -q new $STEELYARD_CONFIG/RULES && {SOLVE}; exit 0"
ONLY_OLD = f"grep -q old $STEELYARD_CONFIG/RULES && {SOLVE}; exit 0"


def verdict(weighed: Weighed) -> str:
    assert isinstance(weighed.outcome, Comparison), weighed.outcome
    return weighed.outcome.verdict


def rows_of(spec: RunSpec, arm: str) -> list[LogRow]:
    """The logs of an arm."""
    return [row for row in read_logs([spec.log_dir]).rows if row.stamp and row.stamp.unit == arm]


def diffs(spec: RunSpec, arm: str) -> str:
    """What the agent changed in the first sample of an arm."""
    (sample,) = read_samples(rows_of(spec, arm)[0].path)
    return str(((sample.scores or {})["gate"].metadata or {})["diff"])


@pytest.mark.parametrize(
    ("candidate", "expected"), [("better", "improved"), ("neutral", "neutral"), ("risky", "regressed")]
)
@pytest.mark.slow
def test_the_shipped_example(tmp_path: Path, candidate: str, expected: str) -> None:
    shown = run_example(tmp_path, candidate)
    outcome = shown.weighed.outcome
    assert isinstance(outcome, Comparison) and outcome.verdict == expected
    # slug 2/4 → 4/4 and total 2/3 → 3/3, and for risky port 3/3 → 2/3 and tidy 4/4 → 3/4
    gains = {"better": 0.833333, "neutral": 0.0, "risky": 0.25}
    assert outcome.net_gain == gains[candidate]
    assert (tmp_path / "comparison.json").is_file()


@pytest.mark.parametrize(("script", "expected"), [(ONLY_NEW, "improved"), (SOLVE, "neutral"), (ONLY_OLD, "regressed")])
def test_the_configuration_makes_the_difference(gate_spec: Make, script: str, expected: str) -> None:
    spec = gate_spec(script)
    assert verdict(gate_run(spec)) == expected
    assert verdict(api.compare([spec.log_dir])) == expected
    assert verdict(api.compare([spec.log_dir], [spec.log_dir])) == expected


def test_an_agent_error_is_a_failed_run_and_never_a_cheap_one(gate_spec: Make, suite: Callable[..., Path]) -> None:
    # The candidate does the work, claims to be cheap, and then fails: all its checks fail and its cost is unknown.
    script = f"{SOLVE}; if grep -q new $STEELYARD_CONFIG/RULES; then exit 3; fi"
    weighed = gate_run(gate_spec(script, tasks=suite()))
    assert verdict(weighed) == "regressed"
    (task,) = weighed.outcome.tasks  # type: ignore[union-attr]
    assert task.candidate is not None
    assert task.candidate.passed == 0 and task.candidate.cost.wall_clock_ms is None and task.adjustment == 0
    assert any("exit code 3" in note for note in weighed.warnings)


def test_an_agent_that_always_fails_gives_no_verdict(gate_spec: Make) -> None:
    weighed = gate_run(gate_spec("exit 1"))
    assert isinstance(weighed.outcome, NoVerdict) and "every run of both sides failed" in weighed.outcome.reasons[0]


def test_one_timeout_never_ends_the_others(
    gate_spec: Make, suite: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = suite("one", "slow")
    slow = tasks / "slow" / "task.yaml"
    slow.write_text(slow.read_text().replace("into answer", "slowly into answer"))
    script = f"{SOLVE}; if grep -q slowly $STEELYARD_PROMPT && grep -q new $STEELYARD_CONFIG/RULES; then sleep 6000; fi"
    attempt = CommandAgent.attempt

    async def limited(agent: CommandAgent, state: TaskState, box: SandboxEnvironment, job: Job) -> Attempt:
        """The run that never ends has a second; the others have all the time they need."""
        endless = "slowly" in job.prompt and job.config["RULES"].data == b"new\n"
        return await attempt(agent, state, box, dataclasses.replace(job, timeout_s=1) if endless else job)

    monkeypatch.setattr(CommandAgent, "attempt", limited)
    weighed = gate_run(gate_spec(script, tasks=tasks))
    assert verdict(weighed) == "regressed"
    assert {each.task: each.candidate.passed for each in weighed.outcome.tasks} == {"one": 2, "slow": 0}  # type: ignore[union-attr]


SPY = """
{ echo HOME:; ls -A ~; echo WORK:; find . -type f | sort; echo CONFIG:; cat $STEELYARD_CONFIG/*; echo ENV:; env | sort
  echo HOST:; ls -d /root/* /etc/passwd /home/* 2>/dev/null; cat /proc/net/dev | wc -l; } > observed.txt
(setsid sh -c 'until [ -e /tmp/left.tar ]; do sleep 0.01; done; echo later > late.txt; sleep NAP' >/dev/null 2>&1 &)
ln -s /etc/hostname outside; mkfifo pipe; mkdir tests; echo 'exit 0' > tests/check.sh; echo no > answer.txt
mkdir -p .git/hooks; echo x > .git/hooks/pre-commit
"""


def test_a_hostile_agent_sees_nothing_and_changes_nothing(gate_spec: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-the-host-12345678")
    monkeypatch.setenv("HOST_MARK", "leaked")
    nap = 10_000_000 + os.getpid()  # no other process sleeps so long, nor one of another copy of these tests
    spec = gate_spec(SPY.replace("NAP", str(nap)))
    assert verdict(gate_run(spec)) == "neutral"  # both arms fail the same check
    seen = diffs(spec, "candidate")
    work = seen.split("WORK:")[1].split("CONFIG:")[0]
    assert "tests" not in work and "task.yaml" not in work and "question.txt" in work
    assert seen.split("HOME:")[1].split("WORK:")[0].strip("+\n ") == ""
    assert "+new" in seen.split("CONFIG:")[1] and "+old" not in seen.split("CONFIG:")[1].split("ENV:")[0]
    assert "sk-ant" not in seen and "leaked" not in seen
    assert "late.txt" not in seen
    row = rows_of(spec, "candidate")[0]
    score = row.runs[0].scores["gate"]
    assert score.metadata["results"] == "00"  # its own tests/check.sh was thrown away
    assert any("outside" in each for each in score.metadata["dropped"])
    assert any("pipe" in each for each in score.metadata["dropped"])
    assert until(lambda: not any(f"sleep {nap}" in command for command in processes()))  # a killed one takes a moment


def processes() -> list[str]:
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
            except OSError:
                continue
    return found


def test_an_agent_that_leaves_too_much_behind_fails(gate_spec: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.tree.MAX_FILES", 50)
    flood = f"{SOLVE}; if grep -q new $STEELYARD_CONFIG/RULES; then for i in $(seq 60); do echo > f$i; done; fi"
    weighed = gate_run(gate_spec(flood))
    assert verdict(weighed) == "regressed"
    assert any("too large" in note for note in weighed.warnings)


CLAIM = f"""{SOLVE} ; rm answer.txt
if grep -q new $STEELYARD_CONFIG/RULES; then n=0; else n=1000; fi
echo "{{\\"tokens\\": $n, \\"steps\\": $n, \\"tool_calls\\": $n}}" > $STEELYARD_TELEMETRY
"""


def test_an_agents_own_claims_about_its_cost_do_not_count(gate_spec: Make) -> None:
    # Equal results, and a candidate that claims to have cost nothing. Trusted claims would make it +0.075.
    spec = gate_spec(CLAIM)
    weighed = gate_run(spec)
    assert verdict(weighed) == "neutral"
    (task,) = weighed.outcome.tasks  # type: ignore[union-attr]
    assert set(task.metrics) <= {"wall_clock_ms"}  # and that only where a run took a second
    assert task.candidate is not None
    assert (task.baseline.claims.tokens, task.candidate.claims.tokens) == (1000, 0)
    trusting = dataclasses.replace(
        spec, agent=dataclasses.replace(spec.agent, telemetry="trusted"), log_dir=spec.log_dir / "t"
    )
    (trusted,) = gate_run(trusting).outcome.tasks  # type: ignore[union-attr]
    assert trusted.metrics[:3] == ("tokens", "tool_calls", "steps")
    # 0.1·(1 − 0) from the three claims alone, 0.1·(1 − (0 + 0 + 0 + ~1)/4) where the wall clock counts too.
    assert trusted.adjustment == pytest.approx(0.1 if len(trusted.metrics) == 3 else 0.075, abs=0.02)


def test_spoiled_claims_cost_the_claims_and_not_the_run(gate_spec: Make) -> None:
    spec = gate_spec(f'{SOLVE}; echo "{{" > $STEELYARD_TELEMETRY')
    weighed = gate_run(spec)
    assert verdict(weighed) == "neutral"
    assert weighed.outcome.tasks[0].baseline.claims.tokens is None  # type: ignore[union-attr]
    assert (
        "its claims about cost are dropped"
        in next(iter(read_samples(rows_of(spec, "baseline")[0].path))).messages[-1].text
    )


def test_unscored_runs_give_no_verdict_and_are_finished_on_the_next_start(
    gate_spec: Make, suite: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"""{ONLY_NEW.removesuffix("; exit 0")}
if [ "$MODE" = broken ] && grep -q new $STEELYARD_CONFIG/RULES
then echo '{{"tokens": -1}}' > $STEELYARD_TELEMETRY; fi
exit 0
"""
    made = gate_spec(script, tasks=suite("one"))
    spec = dataclasses.replace(made, agent=dataclasses.replace(made.agent, environment=("MODE",), telemetry="trusted"))
    monkeypatch.setenv("MODE", "broken")
    broken = gate_run(spec).outcome
    assert isinstance(broken, NoVerdict)
    assert "unscored because of the harness" in broken.reasons[0] and "run the same" in broken.cures[0]
    monkeypatch.setenv("MODE", "fine")
    planned = plan(spec)
    assert [unit.tasks for unit in planned.units] == [{"candidate": ("one",)}]
    assert verdict(gate_run(spec)) == "improved"
    assert plan(spec).runs == 0


@pytest.mark.slow
def test_rounds_are_shuffled_by_a_recorded_seed_and_nothing_runs_twice(
    gate_spec: Make, suite: Callable[..., Path]
) -> None:
    spec = gate_spec(SOLVE, tasks=suite("one", "two"), epochs=2)
    units = [unit for seed in range(12) for unit in plan(dataclasses.replace(spec, seed=seed)).units]
    assert {tuple(unit.tasks) for unit in units} == {("baseline", "candidate"), ("candidate", "baseline")}
    assert {tasks for unit in units for tasks in unit.tasks.values()} == {("one", "two"), ("two", "one")}
    gate_run(spec)
    rows = read_logs([spec.log_dir]).rows
    assert sorted((row.stamp.unit, row.stamp.extra["round"], row.stamp.extra["seed"]) for row in rows if row.stamp) == [
        ("baseline", 1, 1),
        ("baseline", 2, 1),
        ("candidate", 1, 1),
        ("candidate", 2, 1),
    ]
    told: list[str] = []
    gate_run(spec, told.append)
    assert told == ["8 runs are already done; 0 to go"]
    # Rounds decide here, so their number was fixed beforehand; under `contract` they may be added.
    with pytest.raises(InputError, match="rounds was 2 and is 3"):
        plan(dataclasses.replace(spec, epochs=3))
    by_contract = dataclasses.replace(spec, policy=CONTRACT, log_dir=spec.log_dir / "contract")
    gate_run(by_contract)
    more = plan(dataclasses.replace(by_contract, epochs=3))
    assert [(unit.round.number, len(unit.tasks)) for unit in more.units] == [(3, 2)]


def test_a_log_folder_of_something_else_is_not_mixed_in(gate_spec: Make, write: Callable[..., Path]) -> None:
    spec = gate_spec(SOLVE)
    gate_run(spec)
    write("new/RULES", "newer\n")
    with pytest.raises(InputError, match="config differs"):
        plan(spec)
    write("tasks/one/fixture/question.txt", "Really?\n")
    with pytest.raises(InputError, match="dataset differs"):
        plan(spec)


def test_an_earlier_baseline_is_reused_when_its_fingerprint_is_equal(
    gate_spec: Make, write: Callable[..., Path]
) -> None:
    spec = gate_spec(ONLY_NEW)
    gate_run(spec)
    later = dataclasses.replace(
        spec, baseline=None, baseline_log=str(spec.log_dir), log_dir=spec.log_dir.parent / "later"
    )
    assert [list(unit.tasks) for unit in plan(later).units] == [["candidate"]]
    weighed = gate_run(later)
    assert verdict(weighed) == "improved" and weighed.baseline.historical
    assert any("historical" in note for note in weighed.warnings)
    write("tasks/one/fixture/question.txt", "Really?\n")
    with pytest.raises(IncomparableError, match="dataset"):
        plan(later)


def test_a_budget_stops_new_work_and_refuses_unknown_costs(gate_spec: Make) -> None:
    paid = f"{SOLVE}; echo '{{\"cost_usd\": 2}}' > $STEELYARD_TELEMETRY"
    spec = gate_spec(paid, budget_usd=1.0, epochs=3)
    with pytest.raises(Stopped, match=r"budget of \$1.00 is spent"):
        gate_run(spec)
    assert len(read_logs([spec.log_dir]).rows) == 2  # both arms of one round
    # $4 are spent, and a round costs $4: a second one would end at $8.
    with pytest.raises(Stopped, match=r"a round of \$4.00 \(\$4.00 spent\)"):
        gate_run(dataclasses.replace(spec, budget_usd=7.0))
    unknown = gate_spec(SOLVE, budget_usd=1.0, epochs=2, log_dir=spec.log_dir / "unknown")
    with pytest.raises(InputError, match="cost of 2 runs"):
        gate_run(unknown)


def test_a_key_the_agent_may_use_never_enters_the_log(gate_spec: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_API_KEY", "very-private-value-4711")
    monkeypatch.setenv("DB_URL", "postgres://u:4711-whatever-its-name@host/db")
    made = gate_spec(f'{SOLVE}; echo "my key is $AGENT_API_KEY" "$DB_URL"; echo "$AGENT_API_KEY" "$DB_URL" > key.txt')
    spec = dataclasses.replace(made, agent=dataclasses.replace(made.agent, environment=("AGENT_API_KEY", "DB_URL")))
    gate_run(spec)
    for path in spec.log_dir.rglob("*.eval"):
        with zipfile.ZipFile(str(path)) as archive:
            for name in archive.namelist():
                member = archive.read(name)
                # Longer than any number that a log may contain by chance.
                assert b"value-4711" not in member and b"4711-whatever" not in member, name


def test_a_configuration_with_a_key_in_it_is_named_and_never_promoted(gate_spec: Make, tmp_path: Path) -> None:
    spec = gate_spec(ONLY_NEW)
    (tmp_path / "new" / "CLAUDE.md").write_text("rules\nuse AKIAABCDEFGHIJKLMNOP\n")
    lines: list[str] = []
    weighed = gate_run(spec, lines.append)
    problem = "the candidate is not valid: CLAUDE.md:2 contains a secret (rule aws-access-token)"
    assert f"! {problem}" in lines and problem in weighed.warnings
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    with pytest.raises(Refused, match=r"CLAUDE\.md:2 contains a secret \(rule aws-access-token\)"):
        plan_promotion(PromotionRequest(spec.log_dir / "comparison.json", tmp_path))


def test_a_configuration_that_holds_the_answer_is_refused(gate_spec: Make, tmp_path: Path) -> None:
    spec = gate_spec("exit 0")
    (tmp_path / "new" / "answer.txt").write_text("yes")
    with pytest.raises(InputError, match=r"contains answer\.txt"):
        gate_run(spec)
    assert not spec.log_dir.exists()


TOLD = """
id: told
title: T
prompt: Write solve() into src/app.py.
fixture: fixture
reference: reference
protect: [tests]
checks: [{kind: file_contains, path: src/app.py, text: "return 4"}]
"""
SOLUTION = "def solve() -> int:\n    return sum(number for number in range(4) if number != 2)\n"
HIDDEN = "from app import solve\n\nassert solve() == 4, 'the sum of all numbers but two'\n"


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("src/app.py", "x", r"src/app\.py, which belongs to the task told"),
        ("src", "x", "src, which is in the way of a path of the task told"),
        ("src", Path(".claude"), "src, which is in the way"),
        ("src/app.py/new.py", "x", "which is in the way"),
        ("tests", "x", "tests, which is in the way"),
        (".claude/skills/s/run.py", SOLUTION, r"in \.claude/skills/s/run\.py the text of src/app\.py"),
        (
            "web/CLAUDE.md",
            f"Write:\n```\n{SOLUTION.replace(chr(10), chr(13) + chr(10) + '  ')}```\n",
            "the text of src/app",
        ),
        ("AGENTS.md", HIDDEN, r"in AGENTS\.md the text of tests/test_app\.py"),
        ("notes.md", "> " + SOLUTION.replace("\n", "\n> "), "the text of src/app"),
        ("fix.diff", "+" + SOLUTION.replace("\n", "\n+"), "the text of src/app"),
        (".claude/settings.json", json.dumps({"hint": SOLUTION}), "the text of src/app"),
        ("CLAUDE.md", f"In src/app.py, {SOLUTION.splitlines()[1].strip()}", "the text of src/app"),
        ("SRC/App.py", "x", r"SRC/App\.py, which belongs to the task told"),
        ("CLAUDE.md", f"Decode {base64.b64encode(SOLUTION.encode()).decode()}", "the text of src/app"),
        ("CLAUDE.md", SOLUTION.encode().hex(" "), "the text of src/app"),
        ("CLAUDE.md", codecs.encode(SOLUTION, "rot13"), "the text of src/app"),
        ("CLAUDE.md", SOLUTION[::-1], "the text of src/app"),
        ("CLAUDE.md", "".join(f"&#{ord(mark)};" for mark in SOLUTION), "the text of src/app"),
        ("CLAUDE.md", " ".join(SOLUTION.upper()), "the text of src/app"),
        ("a.md b.md", HIDDEN, r"in \w\.md the text of tests/test_app\.py"),
        ("CLAUDE.md", "def solve() -> int:\n    return sum(number for number in numbers)", None),
        ("CLAUDE.md", "Put solve() into src/app.py, and look at tests.\n", None),
        ("tests/CLAUDE.md", "rules", None),
    ],
)
def test_an_answer_is_found_wherever_a_configuration_holds_it(
    gate_spec: Make, write: Callable[..., Path], tmp_path: Path, path: str, content: str | Path, said: str | None
) -> None:
    spec = gate_spec("exit 0")
    write("tasks/told/task.yaml", TOLD)
    write("tasks/told/fixture/src/app.py", "def solve() -> int:\n    return 0\n")
    write("tasks/told/fixture/tests/test_app.py", HIDDEN)
    write("tasks/told/reference/src/app.py", SOLUTION)
    if isinstance(content, Path):
        write("new/.claude/app.py", "x")
        (tmp_path / "new" / path).symlink_to(content)
    else:
        names = path.split()
        for number, name in enumerate(names):
            part = slice(len(content) * number // len(names), len(content) * (number + 1) // len(names))
            write(f"new/{name}", content[part])
    with pytest.raises(InputError, match=said) if said else contextlib.nullcontext():
        load_arms(spec)


def test_a_damaged_archive_in_a_configuration_holds_no_answer(
    gate_spec: Make, write: Callable[..., Path], tmp_path: Path
) -> None:
    spec, data = gate_spec("exit 0"), io.BytesIO()
    write("tasks/told/task.yaml", TOLD)
    write("tasks/told/fixture/tests/test_app.py", HIDDEN)
    write("tasks/told/reference/src/app.py", SOLUTION)
    with zipfile.ZipFile(data, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a", bytes(range(256)))
    damaged = bytearray(data.getvalue())
    damaged[50:60] = b"\xff" * 10
    (tmp_path / "new" / "a.zip").write_bytes(damaged)
    assert "a.zip" in load_arms(spec)["candidate"].config.tree


def test_the_same_configuration_on_both_sides_is_not_run(gate_spec: Make, tmp_path: Path) -> None:
    spec = gate_spec(SOLVE)
    (tmp_path / "new" / "RULES").write_text("old\n")
    words = ["gate", "run", "--tasks", str(spec.tasks), "--baseline", str(spec.baseline), "--candidate", spec.candidate]
    words += ["--agent", "command", "--agent-command", f"sh '{tmp_path / 'agent.sh'}'", "--log-dir", str(spec.log_dir)]
    files = {name: tmp_path / f"report.{name}" for name in ("json", "markdown", "junit", "sarif", "html")}
    result = CliRunner().invoke(main, [*words, *(word for name in files for word in (f"--{name}", str(files[name])))])
    assert result.exit_code == 0 and not spec.log_dir.exists(), result.output
    text = {name: file.read_text("utf-8") for name, file in files.items()}
    assert all("the same configuration" in text[name] for name in ("json", "markdown", "junit", "html"))
    said = json.loads(text["json"])
    assert (said["verdict"], said["should_promote"], said["tasks"]) == (None, False, [])
    assert said["summary"].startswith("Unchanged: nothing to compare") and said["no_verdict"]["reasons"]
    assert 'errors="0" skipped="1"' in text["junit"] and json.loads(text["sarif"])["runs"][0]["results"] == []
    shown = CliRunner().invoke(main, [*words, "--github"])
    assert shown.exit_code == 0 and "Gate: unchanged" in shown.output and "::notice title=Gate" in shown.output
    refused = CliRunner().invoke(main, ["gate", "promote", str(files["json"])])
    assert refused.exit_code in (1, 2) and "Traceback" not in refused.output


def test_the_command_line_runs_reports_and_shows_a_plan(gate_spec: Make, tmp_path: Path) -> None:
    spec = gate_spec(ONLY_OLD)
    command = f"sh '{tmp_path / 'agent.sh'}'"
    words = ["gate", "run", "--tasks", str(spec.tasks), "--baseline", str(spec.baseline), "--candidate", spec.candidate]
    words += ["--agent", "command", "--agent-command", command, "--log-dir", str(spec.log_dir), "--judge", "none"]
    dry = CliRunner().invoke(main, [*words, "--dry-run"])
    assert dry.exit_code == 0 and "2 runs to do" in dry.output and not spec.log_dir.exists()
    page = tmp_path / "page.html"
    found = CliRunner().invoke(main, [*words, "--html", str(page), "--json", "-"])
    assert found.exit_code == 1
    assert json.loads(found.stdout)["verdict"] == "regressed"
    assert "+yes" in page.read_text() and "Baseline" in page.read_text()


def test_an_interrupted_eval_ends_the_run(gate_spec: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    # Inspect answers Ctrl-C with a cancelled log on disk and an empty list.
    monkeypatch.setattr("inspect_ai.eval_set", lambda *_, **__: (True, []))
    with pytest.raises(KeyboardInterrupt):
        gate_run(gate_spec(SOLVE))


def test_a_round_that_breaks_ends_the_run(gate_spec: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    def broken(*_: object, **__: object) -> tuple[bool, list[object]]:
        started.append(1)
        error, header = SimpleNamespace(message="Too many open files"), SimpleNamespace(metadata={})
        return False, [SimpleNamespace(status="error", error=error, eval=header)]

    monkeypatch.setattr("inspect_ai.eval_set", broken)
    with pytest.raises(LogError, match="ended early: Too many open files"):
        gate_run(gate_spec(SOLVE))
    assert len(started) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--tasks", "nowhere", "--baseline", "a", "--candidate", "b", "--agent", "command", "--agent-command", "true"],
        ["--tasks", ".", "--baseline", ".", "--candidate", ".", "--agent", "command", "--agent-command", "true"],
        ["--baseline", "a", "--candidate", "b", "--agent", "command"],
        ["--tasks", "nowhere", "--baseline", "a", "--candidate", "b", "--agent", "magic"],
    ],
)
def test_nothing_that_did_not_run_ends_in_0(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["gate", "run", *words, "--judge", "none"]).exit_code == 2


def test_a_run_that_did_nothing_is_visible_as_such(gate_spec: Make) -> None:
    weighed = gate_run(gate_spec("grep -q new RULES && echo yes > answer.txt; true"))
    line = "1 of 1 baseline runs: the agent changed nothing and said nothing (one)"
    assert not any("candidate runs: the agent" in line for line in weighed.warnings)
    views = {name: FORMATS[name](weighed, read_views) for name in ("markdown", "html", "json")}
    views["terminal"] = terminal.render(document(weighed), width=200, colour=False)
    assert {name for name, text in views.items() if line in text} == {*views}


@pytest.mark.parametrize(
    ("kept", "diff", "idle"),
    [
        ({"model_calls": 0, "answer": "done"}, "+yes", "never called a model"),
        ({"model_calls": 1, "answer": " "}, "", "changed nothing and said nothing"),
        ({"model_calls": 1, "answer": "done"}, "", None),
        ({"model_calls": None, "error": "it broke"}, "", None),  # nobody counted; a failed run is a failed run
    ],
)
def test_what_counts_as_doing_nothing(kept: dict[str, object], diff: str, idle: str | None) -> None:
    assert trial._idle(kept, diff) == idle


STAND_IN = """#!/bin/sh
[ "$1" = "--version" ] && { echo "9.9 stand-in"; exit 0; }
cat > /dev/null
[ -n "$BREAK" ] && { echo "$BREAK"; exit 1; }
echo yes > answer.txt
echo "$HOME $(ls -A ~ | wc -l) $ANTHROPIC_API_KEY" > seen.txt
echo '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash"}]}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":2,"total_cost_usd":0.5,' \\
 '"usage":{"input_tokens":7,"output_tokens":3}}'
"""


@pytest.mark.parametrize(
    ("broken", "outcome"),
    [
        ("", "scored"),
        ('{"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"x"}', "unscored"),
        # words in an answer are not a status
        ('{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529 rate limit"}', "failed"),
        ('{"type":"result","subtype":"error_max_turns","is_error":false}', "failed"),
    ],
)
def test_claude_code_runs_in_a_clean_room(
    gate_spec: Make,
    write: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    broken: str,
    outcome: str,
) -> None:
    write("bin/claude", STAND_IN, 0o755)
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))  # a pinned client there would be preferred
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-only-for-the-agent-0815")
    monkeypatch.setenv("BREAK", broken)
    spec = gate_spec("", agent=AgentSpec("claude-code", environment=("BREAK",), direct=True, telemetry="trusted"))
    weighed = gate_run(spec)
    if outcome == "unscored":
        assert isinstance(weighed.outcome, NoVerdict) and "because of the provider" in weighed.outcome.reasons[0]
    elif outcome == "failed":
        assert isinstance(weighed.outcome, NoVerdict) and "every run of both sides failed" in weighed.outcome.reasons[0]
    else:
        (task,) = weighed.outcome.tasks  # type: ignore[union-attr]
        assert task.candidate is not None
        assert (task.candidate.cost.tokens, task.candidate.cost.tool_calls, task.candidate.cost.steps) == (10, 1, 2)
        assert task.candidate.cost.cost_usd == 0.5 and task.candidate.passed == 2
        assert "+/home/sandbox 0 [" in diffs(spec, "candidate")  # an empty home, and the key is not in the log
        assert weighed.candidate.environment["agent"] == "9.9 stand-in"
        assert read_logs([spec.log_dir]).rows[0].stamp.fingerprint.parameters["network"] == "host"  # type: ignore[union-attr]
