"""mermaid's own parser in its sandbox, and whose fault it is when there is no verdict."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from steelyard.bench.architecture_design.dataset import load, references
from steelyard.bench.architecture_design.diagram import candidates, mermaid
from steelyard.bench.architecture_design.diagram.drawing import Drawing
from steelyard.bench.architecture_design.diagram.mermaid import KNOWN, Parser
from steelyard.errors import SandboxError, ToolchainError
from steelyard.sandbox.choose import Trial
from steelyard.sandbox.line_server import NoReply

ENDLESS = "flowchart LR\n" + "subgraph " * 40_000
"""The real parser needs ten seconds for half of it on a fast machine, and the time grows with the square."""


@pytest.fixture(scope="module")
def real() -> Iterator[Parser]:
    parser = Parser(mermaid.sandboxed)
    yield parser
    parser.close()


class FakeNode:
    """A process that does to each text what `behave` says: a drawing, a complaint, or an exception."""

    def __init__(self, behave: Callable[[str], Drawing | str]) -> None:
        self.behave, self.alive = behave, True

    def ask(self, text: str, cpu_s: float = 0.0) -> Drawing | str:
        assert self.alive
        return self.behave(text)

    def close(self) -> None:
        self.alive = False


def fake(behave: Callable[[str], Drawing | str]) -> Parser:
    return Parser(lambda: FakeNode(behave))  # type: ignore[arg-type,return-value]


def test_real_verdicts_of_one_long_lived_process(real: Parser) -> None:
    assert isinstance(real.read(KNOWN), Drawing)
    started = real.starts
    assert isinstance(real.read("sequenceDiagram\n A->>B: hi"), Drawing)
    complaint = real.read("flowchart LR\n a[S3 --> b")
    assert isinstance(complaint, str) and "Parse error on line" in complaint  # the parser's own words
    assert "No diagram type" in str(real.read("this is no diagram"))
    assert real.starts == started


def test_one_diagram_cannot_change_the_verdict_on_the_next(real: Parser) -> None:
    real.read('%%{init: {"maxEdges": 0, "maxTextSize": 1, "securityLevel": "loose"}}%%\nflowchart LR\n a --> b')
    real.read("---\nconfig:\n  maxEdges: 0\n  maxTextSize: 1\n---\nflowchart LR\n a --> b")
    assert isinstance(real.read(KNOWN), Drawing)


def test_every_mermaid_reference_is_accepted_by_the_real_parser(real: Parser) -> None:
    items = [item for item in load() if item.metadata.output_format == "mermaid"]
    assert len(items) == 5
    for item in items:
        (block,) = candidates(references()[item.id], "mermaid")
        assert isinstance(real.read(block.content), Drawing), item.id


def test_a_diagram_that_hangs_the_real_parser_is_its_own_fault() -> None:
    parser = Parser(mermaid.sandboxed, cpu_s=0.5)
    try:
        complaint = parser.read(ENDLESS)
        assert isinstance(complaint, str) and "twice" in complaint and "0.5 s of processor time" in complaint
        assert isinstance(parser.read("flowchart LR\n a --> b"), Drawing)  # and the next answer is not hurt
    finally:
        parser.close()


@pytest.mark.usefixtures("sandboxed")
def test_threads_take_turns(real: Parser) -> None:
    verdicts: list[Any] = []
    texts = ["flowchart LR\n a --> b", "flowchart LR\n a[ --> b"] * 4
    threads = [threading.Thread(target=lambda text=text: verdicts.append((text, real.read(text)))) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(verdicts) == 8
    assert all(isinstance(complaint, Drawing) == ("[" not in text) for text, complaint in verdicts)


def test_a_crash_that_does_not_come_back_is_forgiven() -> None:
    crashes = iter([True, False])

    def behave(text: str) -> Drawing | str:
        if text != KNOWN and next(crashes):
            raise NoReply("the parser ended")
        return Drawing()

    parser = fake(behave)
    assert isinstance(parser.read("x"), Drawing)
    assert parser.starts == 2


def test_a_diagram_that_crashes_the_parser_twice_is_charged() -> None:
    def behave(text: str) -> Drawing | str:
        if text != KNOWN:
            raise NoReply("the parser ended")
        return Drawing()

    parser = fake(behave)
    assert "the parser ended" in str(parser.read("x"))
    assert parser.starts == 3  # the third one proves that the parser still works


@pytest.mark.parametrize("answer", [NoReply("the parser ended"), "Parse error"])
def test_a_parser_that_fails_on_a_clean_diagram_is_our_fault(answer: str | NoReply) -> None:
    def behave(text: str) -> Drawing | str:
        if isinstance(answer, NoReply):
            raise answer
        return answer

    with pytest.raises(ToolchainError, match="mermaid's parser"):
        fake(behave).read("x")


def test_missing_tools_are_our_fault_and_name_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    with pytest.raises(ToolchainError, match="steelyard setup"):
        Parser(mermaid.sandboxed).read(KNOWN)


def test_a_program_that_cannot_be_started_is_our_fault() -> None:
    with pytest.raises(ToolchainError, match="cannot start"):
        mermaid.Process(["/nonexistent/node"])


def test_a_closed_parser_starts_again(real: Parser) -> None:
    before = real.starts
    real.close()
    assert isinstance(real.read(KNOWN), Drawing)
    assert real.starts == before + 1


def test_a_sandbox_that_does_not_start_is_named_and_not_mermaid(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(text: str) -> Drawing | str:
        raise NoReply("the parser ended")

    monkeypatch.setattr(mermaid, "try_bubblewrap", lambda: Trial(False, "no namespaces", "allow user namespaces"))
    with pytest.raises(SandboxError, match="no namespaces") as raised:
        fake(silent).read(KNOWN)
    assert raised.value.cure == "allow user namespaces"
