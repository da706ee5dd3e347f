"""The usual A/B of Inspect logs: what is under test may differ and is named, what measures must be equal (§3.5)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval

from steelyard import api
from steelyard.cli.main import main
from steelyard.gate.model import Comparison, NoVerdict

TASKS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import generate, solver, system_message

QUESTIONS = {"a": "the river", "b": "the mountain", "c": "the town", "d": "the bridge", "e": "the road", "f": "lake"}


def samples(text="{q}", changed=None):
    rows = {**QUESTIONS, **({"c": changed} if changed else {})}
    return [Sample(id=name, input=text.format(q=f"Name {q}."), target="yes") for name, q in rows.items()]


@solver
def answer(hidden=None):
    async def solve(state, generate):
        words = " ".join(message.text for message in state.messages)
        right = "carefully" in words or hidden_word() or state.sample_id in "ab"
        state.output = ModelOutput.from_content("mockllm/model", "yes" if right else "no")
        return state
    return solve


def hidden_word():
    return False


@task
def quiz(prompt: str = "Answer.", place: str = "end", changed: str = "", limit: int = 20):
    solvers = [system_message(prompt), answer()]
    return Task(dataset=samples(changed=changed), solver=solvers, scorer=match(location=place), message_limit=limit)


@task
def baked(prompt: str = "Answer.", changed: str = ""):
    return Task(dataset=samples(prompt + " {q} Now.", changed), solver=answer(), scorer=match())


@task
def closed(style: str = "plain", tone: str = "calm"):
    return Task(dataset=samples(), solver=answer(), scorer=match())


@task
def numbered(tries: int = 1, prompt: str = "Answer.", first: int = 0):
    return Task(dataset=samples()[first:], solver=[system_message(prompt), answer(hidden=tries)], scorer=match())
"""

OLD, NEW = "Answer.", "Answer carefully."
Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run one of the tasks as `inspect eval` does; the folder of its log."""
    (tmp_path / "tasks.py").write_text(TASKS)
    folders = iter(range(100))

    def start(task: str, model: str = "mockllm/model", epochs: int = 3, options: Any = None, **arguments: Any) -> str:
        folder = tmp_path / f"logs-{next(folders)}"
        inspect_eval(
            f"{tmp_path / 'tasks.py'}@{task}",
            model=model,
            task_args=arguments,
            log_dir=str(folder),
            epochs=epochs,
            display="none",
            **(options or {}),
        )
        return str(folder)

    return start


def compare(before: str, after: str, **options: Any) -> Comparison:
    outcome = api.compare([before], [after], **options).outcome
    assert isinstance(outcome, Comparison), outcome
    return outcome


def refusal(before: str, after: str, **options: Any) -> NoVerdict:
    outcome = api.compare([before], [after], **options).outcome
    assert isinstance(outcome, NoVerdict), outcome
    return outcome


def test_a_prompt_that_reaches_the_solver_is_named_in_the_headline(run: Run) -> None:
    before, after = run("quiz", prompt=OLD), run("quiz", prompt=NEW)
    outcome = compare(before, after)
    assert outcome.under_test == ("prompt: Answer. → Answer carefully.",)
    assert outcome.net_gain == 4.0 and outcome.evidence is not None
    # Nothing says how they were run, so the baseline is historical, with the allowance for drift.
    design = outcome.evidence.design
    assert (design.baseline, design.drift) == ("historical", 0.03)
    stated = compare(before, after, interleaved=True)
    assert stated.evidence is not None and stated.evidence.design.baseline == "fresh"
    result = CliRunner().invoke(main, ["gate", "compare", before, after])
    headline = " ".join(result.output.split())
    assert "prompt: Answer. → Answer carefully. " in headline


def test_a_prompt_that_is_written_into_every_input_is_too(run: Run) -> None:
    outcome = compare(run("baked", prompt=OLD), run("baked", prompt=NEW))
    assert outcome.under_test == ("prompt: Answer. → Answer carefully.",)


def test_a_changed_dataset_is_refused_by_naming_the_sample(run: Run) -> None:
    for task in ("quiz", "baked"):
        refused = refusal(run(task, prompt=OLD), run(task, prompt=NEW, changed="the sea"), vary=("prompt", "changed"))
        assert refused.reasons == ("the input of sample c differs",)


def test_an_argument_that_leaves_no_trace_needs_a_word(run: Run) -> None:
    before, after = run("closed", style="plain"), run("closed", style="terse")
    refused = refusal(before, after)
    assert refused.reasons == (
        'style is "plain" and "terse", and the logs do not show whether it changes what is tested',
    )
    assert refused.cures == ("--vary style, if that is what is under test",)
    assert compare(before, after, vary=["style"]).under_test == ("style: plain → terse",)
    result = CliRunner().invoke(main, ["gate", "compare", before, after, "--vary", "style"])
    assert "style: plain → terse" in result.output
    # Of two arguments, one word covers one.
    assert "tone is" in refusal(before, run("closed", style="terse", tone="loud"), vary=["style"]).reasons[0]


def test_a_number_that_reaches_the_solver_is_named_beside_a_prompt(run: Run) -> None:
    before, after = run("numbered", tries=1, prompt=OLD), run("numbered", tries=3, prompt=NEW)
    assert compare(before, after).under_test == ("prompt: Answer. → Answer carefully.", "tries: 1 → 3")


def test_an_argument_that_drops_questions_is_not_under_test_by_itself(run: Run) -> None:
    refused = refusal(run("numbered"), run("numbered", first=1))
    assert refused.reasons == ("first is 0 and 1, and the logs do not show whether it changes what is tested",)


def test_a_misspelt_argument_is_not_ignored(run: Run) -> None:
    refused = refusal(run("quiz", prompt=OLD), run("quiz", prompt=NEW), vary=["promt"])
    assert refused.reasons == ("--vary promt: the logs have no such task argument",)
    assert "prompt" in refused.cures[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"place": "any"}, 'scorer.location is "end" and "any"'),
        ({"limit": 30}, "message_limit is 20 and 30"),
        ({"epochs": 2}, "epochs is 3 and 2"),
    ],
)
def test_what_measures_must_be_equal_whatever_is_under_test(run: Run, change: dict[str, Any], said: str) -> None:
    refused = refusal(run("quiz", prompt=OLD), run("quiz", prompt=NEW, **change), vary=["prompt", "place", "limit"])
    assert any(said in reason for reason in refused.reasons)


def test_two_models_and_their_settings_are_under_test(run: Run) -> None:
    before = run("quiz", options={"temperature": 0.1})
    after = run("quiz", model="mockllm/other", options={"temperature": 0.7})
    assert compare(before, after).under_test == ("temperature: 0.1 → 0.7", "model: mockllm/model → mockllm/other")
