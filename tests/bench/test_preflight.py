"""What is missing on this machine is said before the first call, with its cure, and nothing is spent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai.dataset import Sample

from steelyard import toolchain
from steelyard.bench import run as running
from steelyard.bench import selftest
from steelyard.bench.architecture_design.diagram import mermaid
from steelyard.bench.run.plan import RunSpec
from steelyard.bench.run.preflight import check, preflight
from steelyard.bench.run.task import make_task
from steelyard.cli.boards import _unscored
from steelyard.cli.main import main
from steelyard.errors import InputError, SandboxError, ToolchainError
from steelyard.sandbox import choose


def task(*formats: str | None) -> Task:
    samples = [Sample(id=str(n), input="q", metadata={"output_format": each}) for n, each in enumerate(formats)]
    return Task(dataset=samples)


def spec(**more: Any) -> RunSpec:
    return RunSpec(**{"models": ("steelyard/floor",), **more})


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A machine on which `steelyard setup` was never run."""
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    mermaid.parser.cache_clear()
    yield tmp_path
    mermaid.parser.cache_clear()


def test_mermaid_is_tried_when_an_item_within_the_limit_wants_it(bare: Path) -> None:
    with pytest.raises(ToolchainError, match="run `steelyard setup`"):
        preflight(spec(), {"architecture_design": task(None, "mermaid")})
    preflight(spec(limit=1), {"architecture_design": task(None, "mermaid")})


def test_a_damaged_model_is_named_before_it_is_loaded(bare: Path) -> None:
    toolchain.model_home().parent.mkdir(parents=True)
    toolchain.model_home().write_bytes(b"GGUF, cut off")
    for chosen in ({"models": ("steelyard/smollm2",)}, {"model_roles": {"grader": "steelyard/smollm2"}}):
        with pytest.raises(ToolchainError, match=r"damaged.*steelyard setup"):
            preflight(spec(**chosen), {})
    preflight(spec(), {})


def test_no_sandbox_means_no_cdk(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = choose.Trial(False, "bubblewrap is not installed", "apt-get install bubblewrap")
    monkeypatch.setattr(choose, "try_bubblewrap", lambda: trial)
    with pytest.raises(SandboxError, match=r"not installed.*apt-get install bubblewrap"):
        preflight(spec(), {"cdk_synth": task(None)})
    preflight(spec(scorer="cdk_verify"), {"cdk_synth": task(None)})  # that one brings a sandbox of its own choice


def test_no_model_is_called_if_a_tool_is_missing(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "evaluate", lambda *_: pytest.fail("a model was asked"))
    words = ["bench", "run", "--model", "steelyard/floor", "--category", "architecture_design"]
    done = CliRunner().invoke(main, [*words, "--log-dir", str(bare / "logs")])
    assert done.exit_code == 2 and done.stdout == "" and "run `steelyard setup`" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_self_test_that_cannot_run_gives_no_verdict(bare: Path) -> None:
    checked = selftest.selftest(["architecture_design"], lambda what, done, total: None)
    assert checked.findings == () and "steelyard setup" in checked.unanswered[0].why
    done = CliRunner().invoke(main, ["bench", "check", "--category", "architecture_design"])
    assert done.exit_code == 2 and "no defects" not in done.output


@pytest.mark.parametrize(
    ("reasons", "line"),
    [
        ({"no verdict": 3}, "! 3 unscored, all because: no verdict"),
        ({"no verdict": 1, "no\nsandbox": 4}, "! 5 unscored, 4 of them because: no sandbox"),
    ],
)
def test_the_most_common_reason_is_shown(reasons: dict[str, int], line: str) -> None:
    assert _unscored(reasons) == line


def test_a_temperature_in_the_generation_config_is_obeyed_or_refused() -> None:
    obeyed = spec(generate_config={"temperature": 0.7})
    check(obeyed)
    assert obeyed.sampling_temperature == 0.7
    assert make_task("practice_exam", obeyed).config.temperature == 0.7
    with pytest.raises(InputError, match="two temperatures"):
        check(spec(temperature=1.0, generate_config={"temperature": 0.7}))
    with pytest.raises(InputError, match="from 0 to 2"):
        check(spec(generate_config={"temperature": "hot"}))


@pytest.mark.parametrize("config", [{"temprature": 0.7}, {"max_tokens": "many"}])
def test_a_generation_config_that_inspect_does_not_know_is_one_line(config: dict[str, object]) -> None:
    with pytest.raises(InputError, match=f"generation config cannot be used: .*{next(iter(config))}"):
        check(spec(generate_config=config))
