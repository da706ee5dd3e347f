"""A gate run that finds a loss names the command that finds its cause, with the price (docs/scoring.md §3.7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from tests.gate.blame.world import sections, world


@pytest.mark.parametrize(("candidate", "hinted"), [("Bad", True), ("One", False)])
def test_the_command_and_its_price_follow_a_loss_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, candidate: str, hinted: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    text = sections(candidate)
    world(tmp_path, monkeypatch, lambda task, text: 0.0 if "About Bad" in text else 1.0, text=text, tasks=2)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "AGENTS.md").write_text(sections("Old"))
    words = ["gate", "run", "--tasks", "tasks", "--baseline", "old", "--candidate", "candidate", "--log-dir", "logs"]
    shown = CliRunner().invoke(main, [*words, "--agent", "command", "--agent-command", "true"])
    assert shown.exit_code == int(hinted), shown.output
    command = "steelyard gate blame --tasks tasks --baseline old --candidate candidate --agent command"
    # A run costs one cent, and 1,040 runs show effects of .1.
    assert (command in shown.stderr and "$10.40" in shown.stderr) is hinted
