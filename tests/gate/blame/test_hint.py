"""A gate run that finds a loss names the command that finds its cause, with the price (docs/scoring.md §3.7)."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.cli.verdicts import blame
from steelyard.gate.agents import AgentSpec
from steelyard.gate.blame.hint import options
from steelyard.gate.run.plan import RunSpec
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
    if hinted:
        said = shown.stderr.partition("which part did it: ")[2].partition(" (about")[0]
        again = CliRunner().invoke(main, [*shlex.split(said)[1:], "--dry-run"])
        assert again.exit_code == 0 and "2 parts" in again.output and "$10.40" in again.output, again.output


def test_the_command_has_what_makes_the_same_agent_run_in_the_same_way() -> None:
    agent = AgentSpec(
        "codex", model="openai/x", environment=("A", "B"), network="host", telemetry="trusted", direct=True
    )
    spec = RunSpec(Path("t"), "old", "new", agent, Path("logs"), repo=Path("r r"), store="s3://b/s")
    said = " ".join(options(spec))
    assert said == (
        "--agent codex --model openai/x --network host --repo r r --store s3://b/s --agent-env A --agent-env B "
        "--direct --trust-telemetry"
    )
    known = {name for option in blame.params for name in option.opts}
    assert {word for word in options(spec) if word.startswith("--")} <= known
