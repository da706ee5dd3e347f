"""How long a model is asked, with the real SDK against a provider on this machine."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator

import anyio
import pytest

from steelyard.models.patience import RETRIES, TOTAL_S, Unanswered, patience
from steelyard.models.redaction import subject

from ..provider import Fail, Hang, Page, Provider, Reply, Say

LIMITED = Fail(429, "rate_limit_error", "slow down")
BOUNDS = {"max_retries": RETRIES, "timeout": TOTAL_S}

# A call that is cancelled leaves its socket to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

Serve = Callable[..., Provider]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Generator[Serve]:
    opened: list[Provider] = []

    def make(*replies: Reply) -> Provider:
        """Gives the replies in order, and the last one for ever."""
        left = list(replies)
        opened.append(Provider(lambda path, body: left.pop(0) if len(left) > 1 else left[0]))
        monkeypatch.setenv("ANTHROPIC_BASE_URL", opened[-1].url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
        return opened[-1]

    yield make
    for provider in opened:
        provider.close()
    gc.collect()  # here, not in a test that does not expect it


def asked(name: str, times: int, **config: object) -> list[str]:
    """What comes of several calls of the same model in one run, one after the other."""

    async def ask() -> list[str]:
        # The SDK repeats requests too; here only Inspect shall.
        model = subject(f"anthropic/{name}", {"max_retries": 0}, config)
        said: list[str] = []
        for _ in range(times):
            try:
                said.append((await model.generate("Hello?")).completion)
            except Unanswered as error:
                said.append(repr(error))
        return said

    return anyio.run(ask)


@pytest.mark.parametrize(
    ("model", "given", "open_"),
    [
        ("openai/x", {}, {**BOUNDS, "attempt_timeout": TOTAL_S}),
        ("openai/x", {"max_retries": 50}, {"attempt_timeout": TOTAL_S}),
        ("openai/x", {"timeout": 7200}, {"attempt_timeout": 7200}),
        ("openai/x", {"timeout": 6, "max_retries": 1}, {"attempt_timeout": 6}),
        ("openai/x", {"attempt_timeout": 9}, BOUNDS),
        ("openai/x", {"batch": True}, {"max_retries": RETRIES}),
        ("steelyard/claude-cli", {}, BOUNDS),
        ("steelyard/smollm2", {}, {}),
        ("hf/x", {}, {}),
    ],
)
def test_every_call_of_a_remote_model_is_bounded(model: str, given: dict[str, object], open_: dict[str, int]) -> None:
    assert patience(model, given) == open_


def test_a_model_that_let_a_whole_call_fail_is_not_asked_again_in_the_same_run(serve: Serve) -> None:
    provider = serve(LIMITED)
    first, second = asked("limited", 2, max_retries=0)
    assert first == second and "no answer from anthropic/limited, also after all retries" in first
    assert "429" in first and len(provider.requests) == 1
    assert asked("limited", 1, max_retries=0) == [first] and len(provider.requests) == 2  # a new run asks afresh


def test_silence_ends_with_the_timeout(serve: Serve) -> None:
    provider = serve(Hang())
    (said,) = asked("silent", 1, timeout=1)
    assert said.endswith("nothing usable came within 1 s")
    assert len(provider.requests) <= 1  # none if the second was over before the request was out


@pytest.mark.parametrize("page", [Page(), Page(bytes(range(128, 256)), "application/json")])
def test_a_failure_that_asking_again_cannot_mend_does_not_end_the_run(serve: Serve, page: Page) -> None:
    provider = serve(page, Say("Hello."))
    unreadable, answer = asked(f"page-{page.type[-4:]}", 2, max_retries=0)
    assert "what the provider sent cannot be read" in unreadable and answer == "Hello."
    assert len(provider.requests) == 2
