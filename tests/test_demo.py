"""The demo on a small slice: what it writes, and that a second start repeats nothing."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from steelyard import demo
from steelyard.bench.run.plan import RunSpec
from steelyard.cli.demo import demo as command
from steelyard.toolchain import ExtraMissing


def test_the_plan_is_the_whole_bench_for_the_baselines_and_a_marked_slice_for_the_model() -> None:
    whole, exam, rest = demo.bench_runs(Path("logs"))
    assert whole.models == ("steelyard/ceiling", "steelyard/floor") and whole.limit is None
    assert len(whole.categories) == 3
    assert (exam.models, exam.categories, exam.limit) == (("steelyard/smollm2",), ("practice_exam",), None)
    assert rest.categories == ("architecture_design", "cdk_synth") and rest.limit == demo.SLICE


def test_it_writes_pages_that_link_to_each_other_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slice_of_it = RunSpec(
        models=("steelyard/ceiling",), categories=("practice_exam",), log_dir=tmp_path / "logs" / "bench", limit=2
    )
    monkeypatch.setattr(demo, "bench_runs", lambda log_dir: (slice_of_it,))
    first = demo.demo(tmp_path, lambda *_: None, lambda _: None)
    assert first.problems == () and first.page == tmp_path / "index.html"
    links = re.findall(r'href="([^"#]+)"', first.page.read_text("utf-8"))
    assert {"board/index.html", "audit.html", "gate.html"} <= set(links)
    assert all((tmp_path / link).exists() for link in links)
    assert (tmp_path / "leaderboard.json").exists()
    made = sorted(path.name for path in (tmp_path / "logs").rglob("*.eval"))
    second = demo.demo(tmp_path, lambda *_: None, lambda _: None)
    assert sorted(path.name for path in (tmp_path / "logs").rglob("*.eval")) == made
    assert second.board.rows == first.board.rows


@pytest.mark.parametrize(("module", "extra"), [("xllamacpp", "local"), ("aws_cdk", "cdk"), ("altair", "site")])
def test_what_is_missing_is_said_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, extra: str
) -> None:
    """One cure for all of it: whoever lacks one extra mostly lacks the others too."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == module else find(name, *rest))
    with pytest.raises(ExtraMissing, match=f"the extra `{extra}`") as raised:
        demo.demo(tmp_path, lambda *_: None, lambda _: None)
    assert "steelyard[all]" in (raised.value.cure or "")
    assert not list(tmp_path.rglob("*.eval"))


def test_the_command_is_documented() -> None:
    assert command.help is not None and "No key" in command.help
