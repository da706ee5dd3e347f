"""Results of other harnesses (docs/scoring.md §3.4): files shaped like what the tools wrote; pytest writes JUnit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from steelyard import api
from steelyard.errors import InputError
from steelyard.gate.model import Arm, Comparison, Cost
from steelyard.gate.read.arm import read_file


def arm(path: Path) -> Arm:
    found = read_file([str(path)])
    assert found is not None
    return found


def written(path: Path, data: Any) -> Path:
    text = data if isinstance(data, str) else json.dumps(data)
    path.write_text(text, "utf-8")
    return path


def counts(found: Arm) -> list[tuple[str, float, float, int]]:
    return [(run.task, run.passed, run.total, run.round) for run in found.runs]


def promptfoo(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"evalId": "eval-1", "results": {"version": 3, "prompts": [], "results": list(rows)}, "config": {}}


def promptfoo_row(place: int, name: str, *passed: bool, **more: Any) -> dict[str, Any]:
    parts = [{"pass": good, "assertion": {"type": "contains", "value": f"word {at}"}} for at, good in enumerate(passed)]
    return {
        "testIdx": place,
        "success": all(passed),
        "failureReason": 0 if all(passed) else 1,
        "provider": {"id": "echo", "label": ""},
        "prompt": {"raw": "Hello", "label": "Hello {{name}}"},
        "testCase": {"vars": {"name": name}},
        "vars": {"name": name},
        "gradingResult": {"pass": all(passed), "componentResults": parts},
        "tokenUsage": {"total": 12},
        "latencyMs": 30,
        **more,
    }


def test_promptfoo_repeats_have_other_numbers_and_are_epochs(tmp_path: Path) -> None:
    """`--repeat 2` numbers the repeats as further tests (seen in 0.123); the variables say which test it is."""
    rows = [promptfoo_row(0, "moon", True, False), promptfoo_row(1, "moon", True, True), promptfoo_row(2, "sun", True)]
    found = arm(written(tmp_path / "a.json", promptfoo(*rows)))
    moon, sun = json.dumps({"name": "moon"}), json.dumps({"name": "sun"})
    assert counts(found) == [(moon, 1, 2, 1), (moon, 2, 2, 2), (sun, 1, 1, 1)]
    assert found.runs[0].checks == {"contains word 0": True, "contains word 1": False}
    assert (found.runs[0].cost.tokens, found.runs[0].cost.wall_clock_ms) == (12, 30)


def test_a_call_that_failed_in_promptfoo_is_a_gap(tmp_path: Path) -> None:
    row = promptfoo_row(0, "moon", False, failureReason=2, error="429 Too Many Requests")
    found = arm(written(tmp_path / "a.json", promptfoo(row)))
    assert [(gap.fault, gap.reason) for gap in found.gaps] == [("provider", "429 Too Many Requests")]


def test_two_prompts_in_one_promptfoo_file_are_refused(tmp_path: Path) -> None:
    other = promptfoo_row(1, "moon", True, prompt={"raw": "Bye", "label": "Bye {{name}}"})
    path = written(tmp_path / "a.json", promptfoo(promptfoo_row(0, "moon", True), other))
    with pytest.raises(InputError, match="2 combinations"):
        arm(path)


SUITE = """
import pytest
def test_good(): pass
@pytest.mark.parametrize("n", [1, 2])
def test_each(n): assert n == LIMIT
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.xfail
def test_expected(): assert False
@pytest.fixture
def broken(): raise RuntimeError
def test_broken(broken): pass
"""


def junit(folder: Path, name: str, limit: int) -> Path:
    written(folder / "test_suite.py", SUITE + f"LIMIT = {limit}\n")
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", "--rootdir", str(folder)]
    command = [sys.executable, "-m", "pytest", *words, f"--junitxml={folder / name}", str(folder / "test_suite.py")]
    subprocess.run(command, cwd=folder, check=False, capture_output=True, timeout=300)
    return folder / name


def test_junit_of_a_real_pytest(tmp_path: Path) -> None:
    found = {run.task: run.passed for run in arm(junit(tmp_path, "a.xml", 1)).runs}
    assert found == {
        "test_suite::test_good": 1,
        "test_suite::test_each[1]": 1,
        "test_suite::test_each[2]": 0,
        "test_suite::test_broken": 0,
    }


def test_junit_in_a_namespace_is_read_alike(tmp_path: Path) -> None:
    cases = '<testcase name="t"><failure/></testcase><testcase name="u"><skipped/></testcase><testcase name="v"/>'
    written(tmp_path / "a.xml", f'<testsuite xmlns="urn:example">{cases}</testsuite>')
    assert {run.task: run.passed for run in arm(tmp_path / "a.xml").runs} == {"t": 0, "v": 1}


def test_a_folder_of_reports_is_repeated_runs_and_gets_a_verdict(tmp_path: Path) -> None:
    case = '<testsuites><testsuite><testcase classname="c" name="t">{}</testcase></testsuite></testsuites>'
    for side, broken in (("a", ""), ("b", "<failure/>")):
        (tmp_path / side).mkdir()
        for number in range(6):
            written(tmp_path / side / f"{number}.xml", case.format(broken))
    assert counts(arm(tmp_path / "a")) == [("c::t", 1, 1, number) for number in range(1, 7)]
    outcome = api.compare(str(tmp_path / "a"), str(tmp_path / "b"), policy="contract").outcome
    assert isinstance(outcome, Comparison)
    assert outcome.verdict == "regressed"


@pytest.mark.parametrize(
    "text", ["<testsuites><testsuite>", '<!DOCTYPE x [<!ENTITY a "b">]><testsuite>&a;</testsuite>']
)
def test_broken_and_hostile_xml_is_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        arm(written(tmp_path / "a.xml", text))
    assert "\n" not in str(caught.value)


def test_what_a_test_printed_is_no_document_type(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><testsuite><testcase classname="c" name="é"><system-out>'
    found = arm(written(tmp_path / "a.xml", f"{text}<![CDATA[<!DOCTYPE html>]]></system-out></testcase></testsuite>"))
    assert [run.task for run in found.runs] == ["c::é"]


def test_pytest_json_report(tmp_path: Path) -> None:
    outcomes = ("passed", "failed", "skipped", "xfailed", "xpassed", "error")
    tests = [{"nodeid": f"t.py::{said}", "outcome": said, "call": {"duration": 0.1}} for said in outcomes]
    report = {"created": 1.0, "duration": 1.0, "exitcode": 1, "root": "/x", "summary": {}, "tests": tests}
    found = arm(written(tmp_path / "a.json", report))
    assert [(run.task, run.passed) for run in found.runs] == [
        ("t.py::passed", 1),
        ("t.py::failed", 0),
        ("t.py::xfailed", 1),
        ("t.py::xpassed", 0),
        ("t.py::error", 0),
    ]
    assert found.runs[0].cost.wall_clock_ms is None


def test_deepeval(tmp_path: Path) -> None:
    def case(name: str, *metrics: dict[str, Any]) -> dict[str, Any]:
        return {"name": name, "input": "How?", "success": True, "metricsData": list(metrics), "runDuration": 0.1}

    good, bad = {"name": "Faithfulness", "success": True}, {"name": "Bias", "success": False}
    broken = {"name": "Bias", "success": None, "error": "no key"}
    data = {"testFile": "t.py", "testCases": [case("one", good, bad), case("test_case_1", good), case("two", broken)]}
    for content in (data, {"testRunData": data}):
        found = arm(written(tmp_path / "a.json", content))
        assert counts(found) == [("one", 1, 2, 1), ("How?", 1, 1, 1)]
        assert [(gap.task, gap.fault) for gap in found.gaps] == [("two", "judge")]


def terminal(task: str, resolved: bool | None, tests: dict[str, str] | None) -> dict[str, Any]:
    return {
        "id": "1",
        "trial_name": f"{task}.1-of-2",
        "task_id": task,
        "is_resolved": resolved,
        "failure_mode": "unset",
        "parser_results": tests,
        "total_input_tokens": 10,
        "total_output_tokens": 5,
        "agent_started_at": "2025-09-05T23:34:12.000000+00:00",
        "agent_ended_at": "2025-09-05T23:34:13.500000+00:00",
    }


def test_terminal_bench_run_and_trial(tmp_path: Path) -> None:
    trials = [terminal("a", True, {"t1": "passed"}), terminal("a", False, None), terminal("b", None, None)]
    found = arm(written(tmp_path / "results.json", {"id": "r", "results": trials, "accuracy": 0.5}))
    assert counts(found) == [("a", 1, 1, 1), ("a", 0, 1, 2)]
    assert (found.runs[0].cost.tokens, found.runs[0].cost.wall_clock_ms) == (15, 1500)
    assert [gap.task for gap in found.gaps] == ["b"]
    (tmp_path / "a").mkdir()
    written(tmp_path / "a" / "results.json", trials[0])
    assert counts(arm(tmp_path)) == counts(found)
    alone = arm(written(tmp_path / "trial.json", terminal("c", False, {"t1": "passed", "t2": "failed"})))
    assert counts(alone) == [("c", 1, 2, 1)]


def test_harbor_trials_in_their_folders(tmp_path: Path) -> None:
    def trial(name: str, **more: Any) -> None:
        (tmp_path / name).mkdir()
        written(tmp_path / name / "result.json", {"id": "1", "task_name": "sort", "trial_name": name, **more})

    used = {"n_input_tokens": 7, "n_output_tokens": 3, "cost_usd": 0.5}
    trial("sort__1", verifier_result={"rewards": {"reward": 1.0}}, agent_result=used)
    trial("sort__2", verifier_result=None, exception_info={"exception_type": "AgentTimeoutError"})
    trial("sort__3", verifier_result=None, exception_info={"exception_type": "DockerError"})
    written(tmp_path / "result.json", {"id": "job", "n_total_trials": 3, "stats": {}})
    found = arm(tmp_path)
    assert counts(found) == [("sort", 1, 1, 1), ("sort", 0, 1, 2)]
    assert (found.runs[0].cost.tokens, found.runs[0].cost.cost_usd) == (10, 0.5)
    assert [(gap.fault, gap.reason) for gap in found.gaps] == [("harness", "DockerError")]


def harbor(folder: Path, name: str, rewards: Any, exception: str | None = None, **more: Any) -> None:
    """A trial as Harbor 0.25 writes it, as far as it is read."""
    (folder / name).mkdir()
    trial = {
        "id": "1",
        "task_name": name.partition("__")[0],
        "trial_name": name,
        "verifier_result": {"rewards": rewards},
        "exception_info": None if exception is None else {"exception_type": exception},
        **more,
    }
    written(folder / name / "result.json", trial)


def test_what_harbor_measured_after_an_exception_counts_only_if_the_agent_caused_it(tmp_path: Path) -> None:
    for number, exception in enumerate(("AgentTimeoutError", "ApiRateLimitError", "VerifierTimeoutError", None)):
        harbor(tmp_path, f"sort__{number}", {"reward": 0.0}, exception)
    found = arm(tmp_path)
    assert counts(found) == [("sort", 0, 1, 1), ("sort", 0, 1, 4)]
    assert [(gap.fault, gap.reason) for gap in found.gaps] == [
        ("provider", "ApiRateLimitError"),
        ("harness", "VerifierTimeoutError"),
    ]


def test_steps_of_a_harbor_trial_count_with_their_costs_and_exceptions(tmp_path: Path) -> None:
    used = {"agent_result": {"n_input_tokens": 7, "n_output_tokens": 3}}
    harbor(tmp_path, "sort__1", {"reward": 1}, step_results=[used, used])
    harbor(tmp_path, "sort__2", {"reward": 1}, step_results=[used, {"exception_info": {"exception_type": "ApiError"}}])
    found = arm(tmp_path)
    assert counts(found) == [("sort", 1, 1, 1)] and found.runs[0].cost.tokens == 20
    assert [gap.reason for gap in found.gaps] == ["ApiError"]


@pytest.mark.parametrize("reward", [-1, 12.0, "1"])
def test_a_reward_of_harbor_that_is_no_share_is_refused(tmp_path: Path, reward: Any) -> None:
    harbor(tmp_path, "sort__1", {"speed": reward})
    with pytest.raises(InputError, match="speed of sort is"):
        arm(tmp_path)


def vally(variant: str, *passed: bool) -> dict[str, Any]:
    details = [{"name": "output-matches", "kind": "code", "passed": good, "score": float(good)} for good in passed]
    metrics = {"tokenUsage": {"totalTokens": 9}, "toolCallCount": 2, "turnCount": 3, "wallTimeMs": 40}
    graded = {"name": "trajectory-grade", "passed": all(passed), "details": details}
    trial = {
        "type": "trial-result",
        "evalName": "migrate",
        "variant": variant,
        "stimulus": "Fix it",
        "status": "success",
    }
    return {**trial, "gradeResult": graded, "trajectory": {"metrics": metrics}}


def test_vally(tmp_path: Path) -> None:
    lines = [json.dumps(vally("baseline", True, False)), json.dumps(vally("baseline", True, True))]
    found = arm(written(tmp_path / "results.jsonl", "\n".join(lines) + "\n"))
    assert counts(found) == [("migrate/Fix it", 1, 2, 1), ("migrate/Fix it", 2, 2, 2)]
    assert (found.runs[0].cost.steps, found.runs[0].cost.tool_calls) == (3, 2)
    mixed = written(tmp_path / "both.jsonl", f"{lines[0]}\n{json.dumps(vally('plugin', True))}\n")
    with pytest.raises(InputError, match="several variants"):
        arm(mixed)


def test_a_file_in_which_every_test_was_skipped_is_refused(tmp_path: Path) -> None:
    text = '<testsuite><testcase name="t"><skipped/></testcase></testsuite>'
    with pytest.raises(InputError, match="no test ran"):
        arm(written(tmp_path / "a.xml", text))


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    text = '{"exitcode": 0, "summary": {}, "tests": [{"nodeid": "a", "outcome": "failed", "outcome": "passed"}]}'
    with pytest.raises(InputError, match="outcome"):
        arm(written(tmp_path / "a.json", text))


def test_a_folder_with_inspect_logs_is_not_taken_for_reports(tmp_path: Path) -> None:
    written(tmp_path / "a.xml", '<testsuite><testcase name="t"/></testsuite>')
    written(tmp_path / "log.eval", "")
    assert read_file([str(tmp_path)]) is None


def test_long_names_that_begin_alike_are_different_tasks(tmp_path: Path) -> None:
    """As epochs of one task, a win of the first would hide that the second was lost."""
    rows = [promptfoo_row(at, "x", bool(at), vars={"context": "c" * 400, "question": str(at)}) for at in (0, 1)]
    found = arm(written(tmp_path / "a.json", promptfoo(*rows)))
    assert len({run.task for run in found.runs}) == 2 and {run.round for run in found.runs} == {1}
    assert all(len(run.task) < 320 for run in found.runs)


def test_numbers_without_a_float_are_unknown(tmp_path: Path) -> None:
    row = promptfoo_row(0, "moon", True, cost=10**400, latencyMs=10**400)
    assert arm(written(tmp_path / "a.json", promptfoo(row))).runs[0].cost == Cost(tokens=12)
    trial = {"task_name": "t", "trial_name": "t__1", "verifier_result": {"rewards": {"reward": 10**400}}}
    with pytest.raises(InputError, match="only 0 to 1 can be compared"):
        arm(written(tmp_path / "result.json", trial))


def test_only_terminal_bench_sums_up_what_lies_below(tmp_path: Path) -> None:
    """A `results.json` of promptfoo says nothing of the reports in folders below it, which were left out."""
    (tmp_path / "units").mkdir()
    written(tmp_path / "results.json", promptfoo(promptfoo_row(0, "moon", True)))
    written(tmp_path / "units" / "report.xml", '<testsuite><testcase name="sun"><failure/></testcase></testsuite>')
    assert [(run.task, run.passed) for run in arm(tmp_path).runs] == [(json.dumps({"name": "moon"}), 1), ("sun", 0)]
