"""Runs with a rubric: the judge's share, its absence, and grading again without the agent; and the model agent."""

import dataclasses
import json
import re
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from steelyard import api, artifact
from steelyard.cli.main import main
from steelyard.gate.agents import AgentSpec
from steelyard.gate.compare import should_promote
from steelyard.gate.model import Comparison, NoVerdict
from steelyard.gate.report.data import as_json
from steelyard.gate.report.document import document
from steelyard.gate.rescore import rescore_log
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.task_folder import load_suite
from steelyard.judge import Rubric, question
from steelyard.judge.calibration.labels import Label, single
from steelyard.judge.calibration.record import record, save
from steelyard.judge.calibration.run import calibrate
from steelyard.judge.panel import Panel
from steelyard.logs.read import read_logs, read_samples

from ..codes import grades, with_code
from ..provider import Fail, Hang, Page, Provider, Reply
from ..waiting import HANG_S

QUESTION = "Does it say yes"
RUBRIC = "rubric: {name: Tone, about: Whether it says yes, criteria: [{id: yes_said, question: Does it say yes}]}"
SOLVE = "echo 'yes, this is done' > answer.txt"
USAGE = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
ASKED: list[str] = []


@modelapi(name="gatetest")
def gatetest() -> type[ModelAPI]:
    return Stand


class Stand(ModelAPI):
    """`gatetest/judge` quotes and approves, `mute` says nothing, `verse` rhymes, `agent` writes the answer."""

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None, **args: Any) -> None:
        super().__init__(model_name, base_url, api_key, [], GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        made = self.reply(input)
        made.usage = USAGE
        return made

    def reply(self, messages: list[ChatMessage]) -> ModelOutput:
        if self.model_name == "mute":
            raise ConnectionError("I would rather not.")
        if self.model_name == "verse":
            return ModelOutput.from_content("gatetest", "The night is deep.")
        if self.model_name == "agent":
            done = [message for message in messages if message.role == "tool"]
            command = "echo 'yes, this is done' > answer.txt && cat RULES"
            calls = [("bash", {"command": command}), ("editor", {"command": "create", "path": "note.txt", "text": "n"})]
            name, arguments = calls[len(done)] if len(done) < 2 else ("submit", {"answer": "done"})
            return ModelOutput.for_tool_call("gatetest", name, arguments)
        text = "\n".join(message.text for message in messages)
        ASKED.append(text)
        said = float("+yes, this is done" in text)
        verdict = with_code(grades({QUESTION: said}), messages[-1].text, messages[0].text)
        return ModelOutput.from_content("gatetest", verdict)


def judged(*names: str) -> Panel:
    return Panel(tuple(names), cache=False)


def log_of(spec: RunSpec, arm: str) -> str:
    [path] = [row.path for row in read_logs([spec.log_dir]).rows if row.stamp and row.stamp.unit == arm]
    return path


def test_the_judge_takes_part_and_never_learns_the_arm(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]
) -> None:
    ASKED.clear()
    script = f"grep -q new $STEELYARD_CONFIG/RULES && {SOLVE}; echo yes >> answer.txt"
    spec = gate_spec(script, tasks=suite(more=RUBRIC), panel=judged("gatetest/judge"))
    outcome = gate_run(spec).outcome
    assert isinstance(outcome, Comparison)
    (task,) = outcome.tasks
    assert task.candidate is not None
    assert task.judge == "used" and (task.baseline.judge, task.candidate.judge) == (0.0, 1.0)
    # both pass 2/2 checks: (0.6 + 0.4·0) → (0.6 + 0.4·1)
    assert outcome.verdict == "improved" and outcome.net_gain == pytest.approx(0.4, abs=0.02)
    assert len(ASKED) == 2
    assert not any(re.search(r"candidate|baseline|RULES", text) for text in ASKED)


def test_labels_on_record_correct_the_means_of_both_arms(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path], own_cache: Path
) -> None:
    tasks, panel = suite(more=RUBRIC), judged("gatetest/judge")
    rubric = load_suite(tasks).tasks[0].rubric
    assert rubric is not None
    labels = tuple(
        Label(id=f"{said}{place}", response=f"{said}, this is done {place}", labels={"yes_said": float(said == "+yes")})
        for said in ("+yes", "-no")
        for place in range(10)
    )
    measured = anyio.run(calibrate, labels, single(rubric), panel, lambda done, total: None)
    save(record(measured, labels, single(rubric), panel))
    script = f"grep -q new $STEELYARD_CONFIG/RULES && {SOLVE}; echo yes >> answer.txt"
    weighed = gate_run(gate_spec(script, tasks=tasks, panel=panel, epochs=2))
    correction = weighed.judge_correction
    assert correction is not None and correction.candidate.labels == 20
    assert (correction.baseline.raw, correction.candidate.raw, correction.same) == (0.0, 1.0, True)
    # λ = 1/(1 + 20/2) = .0909, so θ = .0909·1 + .5·(1 − .0909) = .545
    assert correction.candidate.value == pytest.approx(0.545, abs=1e-3)
    assert weighed.candidate.judge_standing == "calibrated (κ 1.00)"


def test_rubrics_of_other_tasks_may_be_decoys(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: dict[str, set[str]] = {}

    def seen(rubric: Rubric, **how: Any) -> Any:
        offered[rubric.name] = {other.name for other in how["others"]}
        return question(rubric, **how)

    monkeypatch.setattr("steelyard.gate.scorer.question", seen)
    suite("harbour", more=RUBRIC.replace("Tone", "Harbour"))
    spec = gate_spec(SOLVE, tasks=suite("one", more=RUBRIC), panel=judged("gatetest/judge"))
    gate_run(spec)
    assert offered == {"Tone": {"Harbour"}, "Harbour": {"Tone"}}
    offered.clear()
    rescore_log(log_of(spec, "candidate"), judged("gatetest/judge"), everything=True)
    assert offered == {"Tone": {"Harbour"}, "Harbour": {"Tone"}}


def test_a_silent_judge_is_dropped_from_both_arms_and_can_be_asked_again(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]
) -> None:
    script = f"grep -q new $STEELYARD_CONFIG/RULES && {SOLVE}; exit 0"
    spec = gate_spec(script, tasks=suite(more=RUBRIC), panel=judged("gatetest/mute"))
    outcome = gate_run(spec).outcome
    assert isinstance(outcome, Comparison) and outcome.verdict == "improved"
    assert outcome.tasks[0].judge == "dropped" and len(outcome.ambiguities) == 1
    assert not should_promote(outcome)
    required = gate_run(dataclasses.replace(spec, require_judge=True)).outcome
    assert isinstance(required, NoVerdict) and "a judge is required" in required.reasons[0]
    for arm in ("baseline", "candidate"):
        done = rescore_log(log_of(spec, arm), judged("gatetest/judge"), everything=False)
        assert (done.graded, done.open) == (1, 0)
    again = api.compare([spec.log_dir]).outcome
    assert isinstance(again, Comparison) and again.tasks[0].judge == "used" and should_promote(again)


def test_what_a_failed_judge_took_stays_in_the_log(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]
) -> None:
    spec = gate_spec(SOLVE, tasks=suite(more=RUBRIC), panel=judged("gatetest/mute"))
    gate_run(spec)
    (sample,) = read_samples(log_of(spec, "candidate"))
    kept = (sample.scores or {})["gate_judge"].metadata or {}
    assert kept["fault"] == "judge"
    # one request that nobody answered: what it took is unknown
    assert (kept["tokens"], kept["cost_usd"]) == (None, None)
    assert kept["judgement"]["judge_calls"][0]["attempts"] == 1


def test_a_jury_shows_how_far_it_agrees(gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]) -> None:
    panel = Panel(("gatetest/judge",), repeats=2, cache=False)
    weighed = gate_run(gate_spec(SOLVE, tasks=suite(more=RUBRIC), panel=panel))
    found = weighed.candidate.judge_agreement
    assert found is not None and (found["verdicts"], found["texts"], found["spread"]) == (2, 1, 0.0)
    assert "2 verdicts per text" in str(document(weighed))
    data = as_json(weighed)
    artifact.validate(data, "gate")
    assert data["candidate"]["judge_agreement"] == found


def test_a_judge_without_a_usable_reply_is_said_aloud_and_promotes_nothing(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]
) -> None:
    script = f"grep -q new $STEELYARD_CONFIG/RULES && {SOLVE}; exit 0"
    weighed = gate_run(gate_spec(script, tasks=suite(more=RUBRIC), panel=judged("gatetest/verse")))
    outcome = weighed.outcome
    assert isinstance(outcome, Comparison) and outcome.verdict == "improved"  # by its checks
    assert outcome.tasks[0].judge == "used" and not should_promote(outcome)
    data = as_json(weighed)
    artifact.validate(data, "gate")
    assert data["candidate"]["judge_unusable"] == {"unusable": 1, "gradings": 1}
    assert len(data["ambiguities"]) == 2 and "1 of 1 gradings" in str(document(weighed))


def test_tasks_without_a_rubric_are_nothing_to_grade_again(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]
) -> None:
    suite("plain")
    spec = gate_spec(SOLVE, tasks=suite("graded", more=RUBRIC), panel=judged("gatetest/mute"))
    gate_run(spec)
    for everything in (False, True):
        for arm in ("baseline", "candidate"):
            done = rescore_log(log_of(spec, arm), judged("gatetest/judge"), everything=everything)
            # one of the two tasks has a rubric; the other can never have a verdict and is not open
            assert (done.graded, done.scored, done.open, done.finished) == (1, 1, 0, True)


def test_a_folder_is_graded_log_by_log(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path], tmp_path: Path
) -> None:
    plain = gate_spec(SOLVE, tasks=suite("plain"), log_dir=tmp_path / "plain")
    gate_run(plain)
    spec = gate_spec(SOLVE, tasks=suite("graded", more=RUBRIC), panel=judged("gatetest/mute"))
    gate_run(spec)
    logs = [log_of(spec, arm) for arm in ("baseline", "candidate")]
    bare = spec.log_dir / "1.eval"
    bare.write_bytes(Path(log_of(plain, "candidate")).read_bytes())
    ask = ["rescore", "--judge", "gatetest/judge", "--no-judge-cache"]
    found = CliRunner().invoke(main, [*ask, str(spec.log_dir)])
    assert found.exit_code == 0, found.output
    assert found.stdout.splitlines() == [f"{log}: 1 graded, 1 scored, 0 open" for log in sorted(logs)]
    assert f"skipped: {bare}: no task has a rubric" in found.stderr
    alone = CliRunner().invoke(main, [*ask, str(bare)])
    assert alone.exit_code == 2 and "no task has a rubric" in alone.stderr


def test_a_judge_on_one_side_only_is_incomparable(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]
) -> None:
    spec = gate_spec(SOLVE, tasks=suite(more=RUBRIC), panel=judged("gatetest/mute"))
    gate_run(spec)
    rescore_log(log_of(spec, "candidate"), judged("gatetest/judge"), everything=True)
    outcome = api.compare([spec.log_dir]).outcome
    assert isinstance(outcome, NoVerdict) and outcome.reasons[0].startswith("unequal fingerprints: judge is")


def test_the_model_agent_works_with_shell_and_editor_in_the_sandbox(gate_spec: Callable[..., RunSpec]) -> None:
    spec = gate_spec("", agent=AgentSpec("model", model="gatetest/agent"))
    outcome = gate_run(spec).outcome
    assert isinstance(outcome, Comparison) and outcome.verdict == "neutral"
    cost = outcome.tasks[0].candidate.cost  # type: ignore[union-attr]
    # bash, editor, submit: three steps of 15 tokens, and submit is a tool call only until Inspect takes it out
    assert (cost.tokens, cost.steps) == (45, 3)
    (sample,) = read_samples(log_of(spec, "candidate"))
    assert any(message.role == "tool" and "new" in message.text for message in sample.messages)
    assert "+n" in str(((sample.scores or {})["gate"].metadata or {})["diff"])


@pytest.mark.parametrize(("most", "failed"), [(7, True), (8, False)])
def test_the_model_agent_has_failed_after_so_many_messages(
    most: int, failed: bool, gate_spec: Callable[..., RunSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    # System message, prompt, and three calls with their results (shell, editor, submit): 8 messages.
    monkeypatch.setattr("steelyard.gate.agents.model._MESSAGES", most)
    spec = gate_spec("", agent=AgentSpec("model", model="gatetest/agent"))
    gate_run(spec)
    (sample,) = read_samples(log_of(spec, "candidate"))
    score = (sample.scores or {})["gate"]
    assert (score.value == 0.0, f"did not finish within {most} messages" in str(score.explanation)) == (failed, failed)


# A call that is cancelled leaves its socket to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("reply", [Fail(429, headers={"retry-after": "1"}), Hang(), Page()])
def test_a_provider_that_never_answers_the_model_agent_leaves_its_runs_unscored(
    reply: Reply, gate_spec: Callable[..., RunSpec], suite: Callable[..., Path], write: Callable[..., Path],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    provider = Provider(lambda path, body: reply)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
    # Inspect would reuse a client of the same name, with its address.
    agent = AgentSpec("model", model=f"anthropic/gate-{type(reply).__name__}")
    import_module("anthropic")  # takes seconds on a busy machine, which are not the task's
    write("new/AGENTS.md", "I am the candidate.")
    with closing(provider):
        for timeout_s in (10, 60, HANG_S):
            spec = gate_spec("", tasks=suite(timeout_s=timeout_s), agent=agent, log_dir=tmp_path / str(timeout_s))
            outcome = gate_run(spec).outcome
            if any("I am the candidate." in json.dumps(request["body"]) for request in provider.requests):
                break  # else the time was over before the model was asked, and more of it is needed
    assert isinstance(outcome, NoVerdict)
    (sample,) = read_samples(log_of(spec, "candidate"))
    assert ((sample.scores or {})["gate"].metadata or {})["fault"] == "provider"
