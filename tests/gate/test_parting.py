"""Where the transcripts of two sides part: what is done counts, not what is said beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser, ModelOutput
from inspect_ai.scorer import includes
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall

from steelyard import api
from steelyard.gate.model import Comparison
from steelyard.gate.read.parting import closest, first_difference
from steelyard.gate.read.views import steps
from steelyard.gate.report.document import document
from steelyard.gate.report.evidence import STATUS_TONE
from steelyard.gate.report.runs import RUNS_STYLE, task_runs
from steelyard.gate.steps import Parting, RunView, Step
from steelyard.report.document import Table


def run(*does: str, says: str = "", score: float = 1.0, name: str = "round 1") -> RunView:
    return RunView(name, score, tuple(Step(each, says) for each in does))


@pytest.mark.parametrize(
    ("before", "after", "parting"),
    [
        (run("read a", "edit a"), run("read a", "edit b"), (2, "edit a", "edit b")),
        (run("read a"), run("read a", "edit b"), (2, "(ended)", "edit b")),
        (run("read a", "", says="Let me look."), run("read a", "", says="I look."), (2, "Let me look.", "I look.")),
        (run("read a", "", says="x"), run("read a", "edit b", says="y"), (2, "x", "edit b")),
        (run("same\nold line"), run("same\nnew line"), (1, "old line", "new line")),
    ],
    ids=["another call", "one ends", "only words differ", "speaks where the other acts", "from the line that differs"],
)
def test_two_runs_part_at_the_first_step_that_differs(
    before: RunView, after: RunView, parting: tuple[int, str, str]
) -> None:
    assert first_difference(before, after) == Parting(*parting, ("round 1", "round 1"))
    assert first_difference(before, before) is None


def test_the_run_that_held_and_the_run_that_fell_go_together_longest() -> None:
    before = [
        run("look", "plan", "edit", name="round 1"),
        run("look", "guess", score=0.0, name="round 2"),
        run("think", "edit", name="round 3"),
    ]
    after = [
        run("look", "plan", "guess", score=0.0, name="round 1"),
        run("look", "plan", "edit", name="round 2"),
        run("other", score=0.0, name="round 3"),
    ]
    pair = closest(before, after)
    assert pair is not None and (pair.baseline.name, pair.candidate.name) == ("round 1", "round 1")
    assert pair.parting == Parting(3, "edit", "guess", ("round 1", "round 1"))
    assert closest([], after) is None


def test_what_a_client_remarks_on_a_call_is_no_part_of_it() -> None:
    def made(remark: str, said: str) -> list[Step]:
        call = ToolCall("1", "Bash", {"command": "ls -la", "description": remark})
        return list(
            steps(
                [
                    ChatMessageUser(content="Do it."),
                    ChatMessageAssistant(content=said, tool_calls=[call]),
                    ChatMessageTool(content="a.py", tool_call_id="1"),
                    ChatMessageAssistant(content="Done."),
                ]
            )
        )

    one, other = made("Look around", "Let me look."), made("List files", "First, the files.")
    assert [step.does for step in one] == [step.does for step in other] == ["Bash ls -la", ""]
    assert one[0].printed == "a.py" and one[0].says != other[0].says


@solver
def scripted(last: str, answer: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        fell = state.sample_id == "a"
        for word in ("first", last if fell else "second"):
            calls = [ToolCall(word, "note", {"text": word})]
            state.messages.append(ChatMessageAssistant(content=f"Epoch {state.epoch}.", tool_calls=calls))
            state.messages.append(ChatMessageTool(content="noted", tool_call_id=word))
        state.output = ModelOutput.from_content("mockllm", answer if fell else "yes")
        return state

    return solve


def logs_of(folder: Path, last: str, answer: str) -> None:
    """A real evaluation of eight samples in eight epochs: two notes, then an answer."""
    samples = [Sample(id=name, input=f"Say yes, {name}.", target="yes") for name in "abcdefgh"]
    task = Task(dataset=samples, solver=scripted(last, answer), scorer=includes(), epochs=8, name="words")
    eval(task, model="mockllm/model", log_dir=str(folder), display="none")


def test_logs_of_inspect_part_at_the_call_that_differs_in_whatever_epoch(tmp_path: Path) -> None:
    logs_of(tmp_path / "old", "second", "yes")
    logs_of(tmp_path / "new", "other", "no")
    weighed = api.compare([tmp_path / "old"], [tmp_path / "new"], interleaved=True)
    # Nothing varies but the sample that fell for good, so the mean has no error; its check is shown to be worse.
    assert isinstance(weighed.outcome, Comparison) and weighed.outcome.verdict == "regressed"
    assert [*weighed.partings] == ["a"]
    parting = weighed.partings["a"]
    assert (parting.step, parting.baseline, parting.candidate) == (2, "note second", "note other")
    page = api.gate_report(weighed, "html")
    assert "Shown: epoch" in page and "here they part" in page and "Every run: 8 of the baseline" in page


def test_of_runs_without_steps_those_are_shown_that_ended_best_and_worst() -> None:
    before = [run(name="round 1"), run(score=0.0, name="round 2")]
    after = [run(score=0.0, name="round 1"), run(name="round 2")]
    pair = closest(before, after)
    assert pair is not None and pair.parting is None
    assert (pair.baseline.name, pair.candidate.name) == ("round 1", "round 1")
    page = task_runs(before, after, None)
    assert "The logs do not show" in page and "did the same" not in page


def test_on_a_phone_each_result_has_the_name_of_its_side() -> None:
    one, other = (RunView("round 1", 1.0, (Step("read a", ""),), "", (("c", good, "m", ""),)) for good in (True, False))
    page = task_runs([one], [other], None)
    for name in ("Baseline, round 1: 1 of 1 check", "Candidate, round 1: 0 of 1 check"):
        assert f'<h4 class="own">{name}</h4><div' in page
    assert ".pair h4.own{display:block}" in RUNS_STYLE


def test_an_answer_that_a_solver_wrote_itself_is_a_step(tmp_path: Path) -> None:
    @solver
    def silent(text: str) -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.output = ModelOutput.from_content("mockllm/model", text)
            return state

        return solve

    for name in ("yes", "no"):
        task = Task([Sample(id="a", input="?", target="yes")], solver=silent(name), scorer=includes(), name="quiz")
        eval(task, model="mockllm/model", log_dir=str(tmp_path / name), display="none", epochs=2)
    weighed = api.compare([str(tmp_path / "yes")], [str(tmp_path / "no")])
    assert api.gate_report(weighed, "html").count("here they part") == 2  # once a side


def test_a_gain_that_may_be_chance_is_not_green(tmp_path: Path) -> None:
    # One task is 0 against 1 in all six rounds, the other moves by one round of six.
    for name, sure, weak in (("old", 0, 3), ("new", 1, 4)):
        runs = [{"task": "sure", "passed": sure, "total": 1} for _ in range(6)]
        runs += [{"task": "weak", "passed": int(number < weak), "total": 1} for number in range(6)]
        (tmp_path / f"{name}.json").write_text(json.dumps({"scores": runs}))
    weighed = api.compare([tmp_path / "old.json"], [tmp_path / "new.json"], policy="evidence")
    table = next(block for block in document(weighed).blocks if isinstance(block, Table))
    tones = {str(row[0]): row[3].tone for row in table.rows}
    assert isinstance(weighed.outcome, Comparison) and weighed.outcome.evidence is not None
    assert tones == {task.task: STATUS_TONE[task.status] for task in weighed.outcome.evidence.tasks}
    assert tones["weak"] == "plain"
