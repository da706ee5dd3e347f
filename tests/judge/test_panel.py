from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from steelyard.errors import InputError, JudgeError
from steelyard.judge.panel import ANTHROPIC_JUDGE, CLAUDE_CLI_JUDGE, Panel, automatic, by_protocol, panel
from steelyard.toolchain import ExtraMissing


@pytest.fixture
def no_claude(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A PATH with nothing on it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def with_claude(folder: Path) -> None:
    (folder / "claude").write_text("#!/bin/sh\n")
    (folder / "claude").chmod(0o755)


def test_a_named_judge_goes_before_the_environment_and_that_before_the_default(
    monkeypatch: pytest.MonkeyPatch, no_claude: Path
) -> None:
    assert panel([]) is None
    assert panel([], default="auto") is None
    monkeypatch.setenv("STEELYARD_JUDGE", "mockllm/b, mockllm/c")
    assert panel([]) == Panel(("mockllm/b", "mockllm/c"))
    assert panel(["mockllm/a"]) == Panel(("mockllm/a",))
    assert panel(["none"]) is None


def test_auto_prefers_the_key_then_the_binary_then_nobody(monkeypatch: pytest.MonkeyPatch, no_claude: Path) -> None:
    assert automatic() is None
    with_claude(no_claude)
    assert automatic() == CLAUDE_CLI_JUDGE
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-of-some-length")
    assert automatic() == ANTHROPIC_JUDGE
    assert panel(["auto"]) == Panel((ANTHROPIC_JUDGE,))
    # A key alone never makes a panel where the default is none.
    assert panel([]) is None


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["none", "mockllm/a"], "cannot be combined"),
        (["mockllm/a", "mockllm/a"], "duplicate judge"),
        (["nonsense"], "PROVIDER/MODEL"),
        (["nobody/knows"], "unknown provider 'nobody'"),
        (["steelyard/unheard-of"], "there is no model"),
    ],
)
def test_a_name_that_cannot_be_right_is_refused_at_once(names: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        panel(names)


def test_a_required_judge_must_be_there(no_claude: Path) -> None:
    with pytest.raises(JudgeError, match=r"none is available .*ANTHROPIC_API_KEY"):
        panel(["auto"], require=True)
    with pytest.raises(JudgeError, match=r"none is available .*ANTHROPIC_API_KEY"):
        panel([], require=True, default="auto")
    # A key would not help where a judge is only used when named.
    for names in ([], ["none"]):
        with pytest.raises(JudgeError, match=r"none is named .*--judge NAME, or let --judge auto"):
            panel(names, require=True)
    # Named, but without a key: only fatal when required.
    assert panel(["anthropic/some-model"]) is not None
    with pytest.raises(JudgeError, match="cannot be used") as caught:
        panel(["anthropic/some-model"], require=True)
    assert "[bold]" not in str(caught.value)


@pytest.mark.parametrize("repeats", [0, -1, 101])
def test_repeats_have_a_range(repeats: int) -> None:
    with pytest.raises(InputError, match="between 1 and 100"):
        panel(["mockllm/a"], repeats=repeats)


def test_identity_does_not_depend_on_the_order() -> None:
    assert Panel(("b/x", "a/y")).identity == Panel(("a/y", "b/x")).identity == "a/y+b/x"
    assert Panel(("a/y",), repeats=3).identity == "a/y x3"
    assert Panel(("a/y",), cache=False).identity == Panel(("a/y",)).identity


def test_a_judge_whose_extra_is_missing_names_that_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *_: None if name == "anthropic" else find(name))
    with pytest.raises(ExtraMissing, match=r"the extra `judge`.*steelyard\[judge\]"):
        panel(["anthropic/some-model"], require=True)


def test_the_quoting_protocol_makes_another_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_JUDGE", "mockllm/a, mockllm/b")
    found = panel(by_protocol([], "quoted"))
    assert found is not None and found.judges == ("quoted:mockllm/a", "quoted:mockllm/b")
    assert found.identity == "quoted:mockllm/a+quoted:mockllm/b"
    assert panel(by_protocol(["none"], "quoted")) is None
    monkeypatch.delenv("STEELYARD_JUDGE")
    assert panel(by_protocol([], "quoted")) is None
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    for names, default in ((["auto"], "none"), ([], "auto")):
        found = panel(by_protocol(names, "quoted"), default=default)
        assert found is not None and found.judges == (f"quoted:{ANTHROPIC_JUDGE}",)
    assert by_protocol(["mockllm/a"], "single") == ("mockllm/a",)
