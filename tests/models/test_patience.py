"""How long a model is asked, with the real SDK against a provider on this machine."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator

import anyio
import pytest
from inspect_ai.model import get_model

from steelyard.models import outage
from steelyard.models.fault import Unanswered
from steelyard.models.outage import RUNS
from steelyard.models.patience import RETRIES, TOTAL_S, patience
from steelyard.models.redaction import subject, with_redaction

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


def test_one_fault_concerns_one_call(serve: Serve) -> None:
    provider = serve(Fail(403, "permission_error", "not with this key"), Say("Hello."))
    first, second = asked("once", 2, max_retries=0)
    assert first == "provider: no answer from anthropic/once: 403 Forbidden: not with this key"
    assert second == "Hello." and len(provider.requests) == 2


def test_a_model_that_fails_several_runs_in_a_row_is_left_alone_and_tried_again(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "PAUSE_S", 0.01)
    provider = serve(*[LIMITED] * RUNS, Fail(404, "not_found_error", "no such model"), Say("Hello."))
    *limited, missing, answer = asked("limited", RUNS + 2, max_retries=0)
    assert {*limited} == {
        "provider: no answer from anthropic/limited, also after all retries: 429 Too Many Requests: slow down"
    }
    assert missing.endswith("404 Not Found: no such model") and answer == "Hello."
    assert len(provider.requests) == RUNS + 2


def test_what_came_before_the_deadline_is_told(serve: Serve) -> None:
    for seconds in (1, 10, 100):  # on a busy machine the first response may take longer than that
        serve(Fail(500, "api_error", "out of order"), Hang())
        (said,) = asked(f"slow-{seconds}", 1, attempt_timeout=seconds, max_retries=1)
        if "before that" in said:
            break
    assert said.endswith(f"no response within {seconds} s; before that 500 Internal Server Error: out of order")


def test_silence_ends_with_the_timeout(serve: Serve) -> None:
    provider = serve(Hang())
    (said,) = asked("silent", 1, timeout=1)
    assert said.endswith("no response within 1 s")
    assert len(provider.requests) <= 1  # none if the second was over before the request was out


@pytest.mark.parametrize("page", [Page(), Page(bytes(range(128, 256)), "application/json")])
def test_a_page_for_people_does_not_end_the_run(serve: Serve, page: Page) -> None:
    provider = serve(page, Say("Hello."))
    unreadable, answer = asked(f"page-{page.type[-4:]}", 2, max_retries=0)
    assert "cannot be read" in unreadable and answer == "Hello."
    assert len(provider.requests) == 2


def test_what_is_raised_before_a_response_is_not_laid_to_the_provider(serve: Serve) -> None:
    provider = serve(Say("Hello."))
    model = get_model("anthropic/typed", memoize=False)

    async def generate(*_: object, **__: object) -> None:
        raise TypeError("create() got an unexpected keyword argument")  # an SDK that is too old

    model.api.generate = generate  # type: ignore[method-assign]
    with pytest.raises(TypeError, match="unexpected keyword"):
        anyio.run(with_redaction(model).generate, "Hello?")
    assert provider.requests == []
