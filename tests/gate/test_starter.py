"""`gate init`: settings and a first task that work at once."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.gate.settings import load_settings


def call(*words: str) -> tuple[int, str]:
    found = CliRunner().invoke(main, ["gate", *words])
    return found.exit_code, found.output


@pytest.mark.slow
def test_what_it_writes_works_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    code, told = call("init", "here")
    assert code == 0 and "steelyard gate run --settings here/steelyard.yaml" in told
    settings = load_settings(tmp_path / "here" / "steelyard.yaml")
    assert (settings.policy, settings.question) == ("adaptive", "better")
    assert call("check", "here/gate/tasks")[0] == 0
    code, told = call("check", "here/gate/tasks", "--prove")
    assert code == 0, told
    # The baseline forgets each of four steps half of the time, so a gain is missed less than once in 10,000 runs.
    code, told = call("run", "--settings", "here/steelyard.yaml")
    assert code == 0 and "Gate: improved" in told and "decided: improved" in told


def test_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("steelyard.yaml").write_text("gate: {}\n")
    code, told = call("init")
    assert code == 2 and "steelyard.yaml already exists" in told and "nothing is overwritten" in told
    assert [path.name for path in tmp_path.iterdir()] == ["steelyard.yaml"]


def test_nothing_is_written_through_a_link_that_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("steelyard.yaml").symlink_to("elsewhere.yaml")
    code, told = call("init")
    assert code == 2 and "steelyard.yaml already exists" in told
    assert [path.name for path in tmp_path.iterdir()] == ["steelyard.yaml"]
