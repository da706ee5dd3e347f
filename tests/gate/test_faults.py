"""Whose fault a broken run is: real clients and SDKs, a provider that fails in all ways (docs/gate/agents.md)."""

import gc
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog

from steelyard.gate.agents import AgentSpec, find_agent, headless
from steelyard.gate.agents.calls import _RECORDER as recording
from steelyard.gate.config import load_config
from steelyard.gate.task_folder import load_suite
from steelyard.gate.tasks import ArmSpec, Round, arm_task
from steelyard.gate.workspace import read_task_file, run_unlogged
from steelyard.models import outage
from steelyard.models.redaction import subject
from tests.provider import Cut, Fail, Hang, Page, Provider, Reply, Reset, Say, Use, closed_port

ANSWERS: dict[str, Reply] = {
    "status-401": Fail(401, "authentication_error"),
    "status-403": Fail(403, "permission_error"),
    "bad-model": Fail(404, "model_not_found"),
    "status-408": Fail(408, "timeout_error"),
    "status-429": Fail(429, "rate_limit_error"),
    "retry-after": Fail(429, "rate_limit_error", headers={"retry-after": "1"}),
    "quota": Fail(429, "insufficient_quota"),
    "status-500": Fail(500, "api_error"),
    "status-502": Fail(502, "api_error"),
    "status-503": Fail(503, "api_error"),
    "status-529": Fail(529, "overloaded_error"),
    "proxy-page": Page(b"<html><h1>Bad gateway</h1></html>", status=502),
    "login-page": Page(),
    "malformed": Page(b'{"type":', "application/json"),
    "empty-body": Page(b"", "application/json"),
    "no-message": Page(b"{}", "application/json"),
    "mid-stream": Cut(),
    "cut-off": Cut(clean=True),
    "unknown-stop": Say("Hm.", "martian"),
    "reset": Reset(),
    "hang": Hang(),
    "status-400": Fail(400, "invalid_request_error"),
    "refusal": Say("I will not.", "refusal"),
    "max-tokens": Say("So far", "max_tokens"),
    "no-op": Say(""),
    "talk": Say("429 rate limit, 401 unauthorized: connection refused."),
}
STATUSES = {401: "Unauthorized", 403: "Forbidden", 408: "Request Timeout", 429: "Too Many Requests",
            500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable"}  # fmt: skip
NAMED = {f"status-{status}": f"{status} {phrase}" for status, phrase in STATUSES.items()} | {
    "bad-model": "404 Not Found",
    "retry-after": "429 Too Many Requests",
    "quota": "429 Too Many Requests",
    "status-529": "status 529",
    "proxy-page": "502 Bad Gateway",
    "login-page": "cannot be read",
    "malformed": "cannot be read",
    "cut-off": "the answer breaks off",
    "unknown-stop": "the stop reason 'martian' is unknown",
    "hang": "the provider has not answered",
    "dns": "Name or service not known",
    "refused": "Connect call failed",
}
"""How the reason of a run names these faults, whichever client and API met them."""
ENDS = {"status-401", "status-403", "bad-model", "quota", "status-400", "refusal", "max-tokens", "no-op", "talk"}
"""What ends a run at once; any other fault is outwaited by the client or Inspect, until the task's time is up."""
PATIENCE_S = 8
"""Seconds after a client has met such a fault until the task's time is up."""
DIRECT_PATIENCE_S = 20
"""The same for a client that calls its provider itself, and takes its time to say so."""
MODELS = {
    "claude-code": "anthropic/claude-sonnet-5-5",
    "codex": "openai/gpt-5",
    "gemini-cli": "google/gemini-3-pro",
    "opencode": "anthropic/claude-sonnet-5-5",
}
"""Any model can drive any client through the bridge; alone, a client calls its own provider."""
ADDRESS = {"claude-code": "ANTHROPIC_BASE_URL", "codex": "OPENAI_BASE_URL"}
"""Clients that are tried without the bridge too."""
REPORTED = ("status-401", "status-403", "bad-model", "status-429", "quota", "status-500", "status-529", "mid-stream",
            "hang", "refusal", "max-tokens", "no-op", "talk")  # fmt: skip
"""What is tried then: faults that a client itself reports as such. It hides others from us."""
WAYS = [("bridged", client) for client in MODELS] + [("direct", client) for client in ADDRESS]


def documented(column: str) -> dict[str, str]:
    """Fault → the cell in a column of the table in docs/gate/agents.md."""
    text = (Path(__file__).parents[2] / "docs" / "gate" / "agents.md").read_text("utf-8")
    lines = text[text.index("| fault | what happens |") :].split("\n\n")[0].splitlines()
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): row[header.index(column)] for row in rows}


@pytest.mark.parametrize("agent", MODELS)
def test_the_table_of_faults_names_each_that_is_tried(agent: str) -> None:
    found = documented(agent)
    assert {*found} == {*ANSWERS, "dns", "refused"}
    assert list(found.values()).count("provider") >= 20 and {*found.values()} == {"agent", "provider"}


def answer(path: str, body: dict[str, Any]) -> Reply:
    """The fault that the prompt names."""
    sent = json.dumps(body)
    return next((reply for name, reply in ANSWERS.items() if f"Fault {name}." in sent), Say("Unknown fault."))


def blamed(log: EvalLog) -> dict[str, tuple[str, str]]:
    """Task → who is to blame, `agent` if the run is scored, and the cause in words."""
    assert log.status == "success" and log.samples, log.error
    scores = {str(sample.id): (sample.scores or {})["gate"] for sample in log.samples}
    return {
        name: (str((score.metadata or {}).get("fault", "agent")), str(score.explanation))
        for name, score in scores.items()
    }


async def met(box: Any, *, hanging: bool) -> bool:
    """Whether the client has come as far as the fault: a call of it has ended or, if it calls by itself, it prints."""
    calls = recording.get()
    if calls is None:
        return bool(await read_task_file(box, "output.jsonl"))
    return any(hanging or call.ended is not None for call in calls.calls)


async def run_until_the_fault(box: Any, words: list[str], *, timeout_s: float, **options: Any) -> Any:
    """Run a client whose time is up some time after it has met a patient fault, however slowly it starts."""
    work = partial(run_unlogged, box, words, timeout_s=timeout_s, **options)
    if any(f"Fault {name}." in options["input"] for name in ENDS):
        return await work()

    async def over() -> None:
        while not await met(box, hanging="Fault hang." in options["input"]):
            await anyio.sleep(0.5)
        await anyio.sleep(PATIENCE_S if recording.get() is not None else DIRECT_PATIENCE_S)

    done = await headless.unless(over, work)
    if done is None:
        raise TimeoutError
    return done


@pytest.mark.clients
# A call that is cancelled leaves its socket to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
# Google's client warns of itself, and of what the test sends it.
@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:martian is not a valid FinishReason:UserWarning")
@pytest.mark.parametrize(("way", "client"), WAYS, indirect=["client"])
def test_every_fault_lands_on_its_owner(
    client: str, way: str, suite: Callable[..., Path], write: Callable[..., Path], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    direct = way == "direct"
    write("config/AGENTS.md", "Be brief.")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setattr(headless, "run_unlogged", run_until_the_fault)

    monkeypatch.setattr(outage, "RUNS", 1_000)  # here most runs fail, each for a reason of its own

    def run(address: str, *names: str) -> dict[str, tuple[str, str]]:
        shutil.rmtree(tmp_path / "tasks", ignore_errors=True)
        for name in names:
            folder = suite(name)
            task = folder / name / "task.yaml"
            task.write_text(task.read_text().replace("Write yes into answer.txt.", f"Fault {name}."))
        name = MODELS[client]
        url = f"{address}/v1" if name.startswith("openai/") else address
        if direct:
            monkeypatch.setenv(ADDRESS[client], url)
        spec = AgentSpec(client, model=name.split("/")[1] if direct else name, direct=direct)
        arm = ArmSpec("candidate", load_suite(tmp_path / "tasks"), load_config(str(tmp_path / "config")),
                      find_agent(spec), spec)  # fmt: skip
        model = None if direct else subject(name, {"base_url": url, "api_key": "sk-none", "memoize": False})
        (log,) = evaluate(arm_task(arm, Round()), model=model, log_dir=str(tmp_path / "logs"), display="none",
                          max_samples=4)  # fmt: skip
        return blamed(log)

    provider = Provider(answer)
    try:
        found = run(provider.url, *(REPORTED if direct else ANSWERS))
    finally:
        provider.close()
    held, port = closed_port()
    with held:
        found |= run("http://nowhere.invalid", "dns") | run(f"http://127.0.0.1:{port}", "refused")
    for _ in range(5):  # here, where the warnings about such sockets are ignored, and not when pytest ends
        gc.collect()
    for name, (owner, why) in found.items():
        print(f"{owner:9} {name:14} {why}")
    assert {name: owner for name, (owner, _) in found.items()} == {name: documented(client)[name] for name in found}
    if not direct:
        assert [name for name, said in NAMED.items() if said not in found[name][1]] == []


@pytest.fixture
def reasons(
    suite: Callable[..., Path], write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, str]]:
    """Replies by task → why each run is unscored; runs are made one after the other, and each call once."""

    def run(**replies: Reply) -> dict[str, str]:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
        write("config/AGENTS.md", "Be brief.")
        for name in replies:
            task = suite(name) / name / "task.yaml"
            task.write_text(task.read_text().replace("Write yes into answer.txt.", f"Fault {name}."))
        provider = Provider(lambda path, body: next(replies[name] for name in replies if f"Fault {name}." in str(body)))
        spec = AgentSpec("model", model="anthropic/none")
        folder = load_suite(tmp_path / "tasks")
        arm = ArmSpec("candidate", folder, load_config(str(tmp_path / "config")), find_agent(spec), spec)
        model = subject("anthropic/none", {"base_url": provider.url}, {"max_retries": 0})
        try:
            (log,) = evaluate(arm_task(arm, Round()), model=model, log_dir=str(tmp_path / "logs"), display="none",
                              max_samples=1)  # fmt: skip
        finally:
            provider.close()
        found = {str(sample.id): (sample.scores or {})["gate"] for sample in log.samples or []}
        return {name: str(score.explanation) for name, score in found.items() if score.reason == "provider"}

    return run


DONE = Use("submit", {"answer": "Done."})


def test_one_refusal_leaves_one_run_unscored(reasons: Callable[..., dict[str, str]]) -> None:
    refused = Fail(403, "permission_error", "not with this key")
    assert reasons(a=refused, b=DONE, c=DONE) == {"a": "403 Forbidden: not with this key"}


def test_each_run_names_its_own_cause_and_a_model_that_answers_again_is_used(
    reasons: Callable[..., dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "PAUSE_S", 0.01)
    missing, limited = Fail(404, "not_found_error", "no such model"), Fail(429, "rate_limit_error", "slow down")
    found = reasons(a=missing, b=missing, c=missing, d=limited, e=DONE, f=DONE)
    assert [*found] == ["a", "b", "c", "d"]
    assert {found[name] for name in "abc"} == {"404 Not Found: no such model"}
    assert found["d"] == "429 Too Many Requests: slow down"


def test_an_answer_that_breaks_off_is_not_scored(reasons: Callable[..., dict[str, str]]) -> None:
    found = reasons(a=Cut(clean=True), b=Say("Hm.", "martian"), c=DONE)
    assert found == {
        "a": "the answer breaks off: the stream ended without its last event",
        "b": "the stop reason 'martian' is unknown",
    }


def test_a_run_that_the_provider_broke_says_what_came(
    reasons: Callable[..., dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "RUNS", 1_000)  # each for a reason of its own
    tried = ("status-500", "status-529", "retry-after", "proxy-page", "login-page", "malformed")
    found = reasons(**{name: ANSWERS[name] for name in tried}, reset=Reset(), answered=DONE)
    assert [*found] == sorted([*tried, "reset"])
    assert [name for name in tried if NAMED[name] not in found[name]] == [] and "reset by peer" in found["reset"]
