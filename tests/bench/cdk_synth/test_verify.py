"""`verify` and `steelyard bench try`: the questions people ask, with the exit codes of docs/scoring.md §3.3."""

from __future__ import annotations

import json
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner, Result

from steelyard.bench.cdk_synth import verify as synthesizer
from steelyard.bench.cdk_synth.verify import CODE_LIMIT, Verdict, encoded, verify, verify_all, verify_app
from steelyard.cli.exit import Exit
from steelyard.cli.main import bench
from steelyard.errors import InputError
from tests.waiting import HANG_S

from .attacks import HONEST


def call(*words: str) -> Result:
    return CliRunner().invoke(bench, ["try", *words], standalone_mode=False)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Verdict]:
    """Verdicts by source, instead of a real synthesizer."""
    verdicts: dict[str, Verdict] = {}

    def answer(codes: list[bytes], **options: Any) -> list[Verdict]:
        return [verdicts[code.decode()] for code in codes]

    monkeypatch.setattr(synthesizer, "verify_all", answer)
    monkeypatch.setattr("steelyard.bench.cdk_synth.synthesizer.prepare.prepared", lambda: tmp_path)
    verdicts["good"] = Verdict(True, None, "", {"S": {}})
    verdicts["bad"] = Verdict(False, "import_error", "app.py line 1\nImportError: x")
    verdicts["ours"] = Verdict(False, "engine_error", "no kernel")
    return verdicts


@pytest.mark.parametrize(
    ("sources", "code"), [(["good"], 0), (["good", "good"], 0), (["good", "bad"], 1), (["bad", "ours"], 2)]
)
def test_exit_codes(said: dict[str, Verdict], tmp_path: Path, sources: list[str], code: int) -> None:
    files = []
    for number, source in enumerate(sources):
        files.append(tmp_path / f"{number}.py")
        files[-1].write_text(source)
    result = call(*map(str, files))
    assert result.return_value == code
    for verdict in (said[source] for source in sources):
        assert (verdict.klass or "pass") in result.output


def test_json_on_stdout_is_json_alone(said: dict[str, Verdict], tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text("bad")
    result = call(str(file), "--json", "-")
    data = json.loads(result.stdout)
    assert result.return_value == Exit.NO
    assert data["apps"][0]["class"] == "import_error" and data["passed"] == 0 and data["total"] == 1


def test_unusable_files_are_one_clear_error(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.py", tmp_path):
        result = call(str(path))
        assert isinstance(result.exception, InputError) and str(path) in str(result.exception)


def test_nothing_and_too_much_are_answered_without_an_synthesizer() -> None:
    assert verify("  \n").klass == "no_code"
    assert verify(b"#" * (CODE_LIMIT + 1)).klass == "resource_limit"
    assert [verdict.klass for verdict in verify_all(["", "\n"])] == ["no_code", "no_code"]


def test_what_is_no_unicode_stays_so() -> None:
    with pytest.raises(UnicodeDecodeError):
        encoded("x = '\ud800'").decode()


@pytest.mark.usefixtures("shared_synthesizer")
def test_blocking_and_awaitable_give_the_same_answer_from_the_real_synthesizer() -> None:
    blocking = verify(HONEST)
    waiting = anyio.run(verify_app, HONEST)
    assert blocking.passed and waiting.passed
    assert blocking.templates == waiting.templates and "Honest" in blocking.templates


def test_a_cancelled_question_is_taken_back_and_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that went on waiting for the verdict would hold up the end of the process."""
    asked: list[Future[Any]] = []

    class Busy:
        def submit(self, code: bytes, timeout_s: float) -> Future[Any]:
            asked.append(Future())
            return asked[-1]

    async def impatient() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(verify_app, "print(1)")
            while not asked:
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()

    before = set(threading.enumerate())
    monkeypatch.setattr(synthesizer, "pool", lambda isolation: Busy())
    anyio.run(impatient)
    assert [future.cancelled() for future in asked] == [True]
    for thread in set(threading.enumerate()) - before:
        thread.join(HANG_S)
        assert not thread.is_alive()


def test_the_process_has_one_pool_for_each_isolation_until_it_is_shut_down() -> None:
    warm = synthesizer.pool("warm")
    try:
        assert synthesizer.pool("warm") is warm and synthesizer.pool("strict") is not warm
    finally:
        synthesizer.shutdown()
    later = synthesizer.pool("warm")  # no kernel starts before the first app
    assert later is not warm
    synthesizer.shutdown()
