"""A budget that is kept between two calls, with a real SDK against a provider on this machine."""

import dataclasses
import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ModelUsage

from steelyard.errors import InputError
from steelyard.gate.agents import AgentSpec
from steelyard.gate.model import Comparison, NoVerdict
from steelyard.gate.purse import BudgetSpent, pay, purse, require_money
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec
from steelyard.logs.read import read_logs
from steelyard.models.prices import priced, register_prices, usage_usd, weighed_tokens
from tests.provider import Provider, Reply, Use

# A call that is cancelled leaves its socket to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

Make = Callable[..., RunSpec]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Generator[Provider]:
    def answer(path: str, body: dict[str, Any]) -> Reply:
        if "tool_result" in json.dumps(body):
            return Use("submit", {"answer": "Done."})
        return Use("bash", {"command": "echo yes > answer.txt"})

    opened = Provider(answer)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", opened.url)
    yield opened
    opened.close()


def test_a_budget_is_kept_between_two_calls_and_nothing_is_lost(
    provider: Provider, gate_spec: Make, suite: Callable[..., Path], tmp_path: Path
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("anthropic/purse: {input: 100000, output: 0}\n")  # a call of 10 tokens costs $1
    suite("one")
    spec = gate_spec(
        "", tasks=suite("two"), agent=AgentSpec("model", model="anthropic/purse"), budget_usd=3.0, prices=prices,
        max_samples=2,
    )  # fmt: skip
    stopped = gate_run(spec)
    # Two calls a run, two runs at a time: after the third call one more may be in flight, and no run but the first two
    # can have had both of its calls.
    assert len(provider.requests) in (3, 4)
    assert isinstance(stopped.outcome, NoVerdict)
    runs = [run for row in read_logs([spec.log_dir]).rows for run in row.runs]
    reasons = [str(run.scores["gate"].outcome) for run in runs]
    assert sum("the budget of $3.00 is spent" in reason for reason in reasons) in (2, 3) and len(runs) == 4
    before = len(provider.requests)
    finished = gate_run(dataclasses.replace(spec, budget_usd=100.0))
    assert isinstance(finished.outcome, Comparison) and len(provider.requests) - before <= 6


def test_of_two_budgets_that_are_alike_the_inner_one_ends() -> None:
    with purse(5.0):
        with purse(5.0):
            pass
        pay(5.0)
        with pytest.raises(BudgetSpent):
            require_money()


def test_a_budget_without_prices_is_refused_before_the_first_call(provider: Provider, gate_spec: Make) -> None:
    spec = gate_spec("", agent=AgentSpec("model", model="anthropic/unpriced"), budget_usd=3.0)
    with pytest.raises(InputError, match="that of anthropic/unpriced is unknown"):
        gate_run(spec)
    assert not provider.requests and not list(Path(str(spec.log_dir)).glob("*.eval"))


def test_cached_tokens_have_prices_of_their_own(tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    listed = {"input": 3, "output": 15, "input_cache_read": 0.3, "input_cache_write": 3.75}
    prices.write_text(json.dumps({"anthropic/cached": listed}))
    register_prices(prices)
    usage = ModelUsage(input_tokens=20_000, output_tokens=1_000, total_tokens=270_000,
                       input_tokens_cache_read=240_000, input_tokens_cache_write=9_000)  # fmt: skip
    # (20,000 · 3 + 1,000 · 15 + 240,000 · 0.3 + 9,000 · 3.75) / 1,000,000 = 0.06 + 0.015 + 0.072 + 0.03375
    assert usage_usd("anthropic/cached", usage) == pytest.approx(0.18075)
    assert usage_usd("anthropic/nobody", usage) is None


@pytest.mark.parametrize(
    ("prices", "tokens"),
    [
        # 270,000 in all, of which 240,000 were read from the cache and 9,000 written to it
        ({"input": 3, "output": 15, "input_cache_read": 0.6, "input_cache_write": 6}, 270_000 - 0.8 * 240_000 + 9_000),
        ({"input": 3, "output": 15}, 270_000 - 0.9 * 240_000),
        (None, 270_000 - 0.9 * 240_000),
        ({"input": 0, "output": 0}, 270_000 - 0.9 * 240_000),
    ],
)
def test_a_cache_read_does_not_count_like_fresh_input(
    prices: dict[str, float] | None, tokens: float, tmp_path: Path
) -> None:
    model = f"anthropic/weighed-{tokens}-{prices is None}-{(prices or {}).get('input')}"
    if prices is not None:
        (tmp_path / "prices.json").write_text(json.dumps({model: prices}))
        register_prices(tmp_path / "prices.json")
    usage = ModelUsage(input_tokens=20_000, output_tokens=1_000, total_tokens=270_000,
                       input_tokens_cache_read=240_000, input_tokens_cache_write=9_000)  # fmt: skip
    assert weighed_tokens(model, usage) == pytest.approx(tokens)


def test_the_extra_for_prices_knows_the_models_of_the_clients() -> None:
    assert priced("anthropic/claude-sonnet-4-5") and priced("openai/gpt-5") and priced("google/gemini-2.5-pro")
    million = ModelUsage(input_tokens_cache_read=1_000_000)
    fresh = ModelUsage(input_tokens=1_000_000)
    for model in ("anthropic/claude-sonnet-4-5", "openai/gpt-5", "google/gemini-2.5-pro"):
        read, whole = usage_usd(model, million), usage_usd(model, fresh)
        assert read is not None and whole is not None and 0 < read < whole / 2
