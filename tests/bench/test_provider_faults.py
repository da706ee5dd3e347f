"""`bench run` against a provider that fails: what came is said, it is called the provider's, and nothing of it is 0."""

from __future__ import annotations

import json
from contextvars import copy_context
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai.log import list_eval_logs, read_eval_log

from steelyard.cli.main import main
from steelyard.outcome import PROVIDER_FAULT

from ..provider import JSON, Cut, Fail, Page, Provider, Reply, Say

# A call that is cancelled leaves its socket to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

REPLIES: list[tuple[Reply, str]] = [
    (Fail(500, "api_error", "it broke"), "500 Internal Server Error: it broke"),
    (Page(b'{"type":', "application/json"), "what the provider sent cannot be read (status 200, application/json"),
    (Page(b"", "application/json"), "what the provider sent cannot be read (status 200, 0 bytes"),
    (Page(), "what the provider sent cannot be read (status 200, text/html"),
    (Cut(clean=True), "the answer breaks off"),
    (Say(""), "no_response"),
    (Say("", "refusal"), "refusal"),
    (Say("ANSWER: A"), ""),
]
"""What comes, and what is said of it: the first five in the error of the run, the next two as the reason of a 0."""


def test_each_fault_is_named_and_the_providers_and_what_the_model_said_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions: dict[str, int] = {}

    def answer(path: str, body: JSON) -> Reply:
        question = json.dumps(body["messages"])
        return REPLIES[questions.setdefault(question, len(questions))][0]

    provider = Provider(answer)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
    words = ["bench", "run", "--model", "anthropic/claude-faults", "--category", "practice_exam", "-G", "max_retries=1"]
    try:
        # Inspect leaves the last run's settings in the context, for whatever is asked next.
        invoke = partial(copy_context().run, CliRunner().invoke)
        done = invoke(main, [*words, "--limit", str(len(REPLIES)), "--log-dir", str(tmp_path)])
    finally:
        provider.close()
    assert done.exit_code == 2 and "unscored: provider 5" in " ".join(done.output.split())
    (info,) = list_eval_logs(str(tmp_path))
    samples = read_eval_log(info).samples or []
    errors = [sample.error.message for sample in samples if sample.error is not None]
    assert all(error.startswith(f"{PROVIDER_FAULT}no answer from anthropic/claude-faults") for error in errors)
    said = [said for _, said in REPLIES[:5]]
    assert [sum(words in error for error in errors) for words in said] == [1] * 5, errors
    scores = [(sample.scores or {})["choice"] for sample in samples if sample.error is None]
    reasons = [str((score.metadata or {}).get("reason", "")) for score in scores]
    assert sorted(reasons) == sorted(said for _, said in REPLIES[5:])
