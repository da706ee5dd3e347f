"""docs/scoring.md §3.5: `auto`, `mixed` and accepted losses, from runs to reports and exit codes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from steelyard.artifact import validate
from steelyard.cli.main import main
from steelyard.gate.compare import should_promote
from steelyard.gate.evidence.policy import AUTO, AcceptedLoss, Policy
from steelyard.gate.model import Arm, Comparison, Run, Side, Weighed
from steelyard.gate.report import FORMATS
from steelyard.gate.report.ci import github_commands
from steelyard.gate.report.data import as_json
from steelyard.gate.report.document import headline
from steelyard.gate.steps import Parting
from steelyard.gate.weigh import Spec, weigh

NOW = datetime(2026, 11, 16, tzinfo=UTC)
LOSS = AcceptedLoss("t00", "the old format goes", "ada", date(2026, 12, 31))


def runs(rate: float, *, seed: int, rounds: int = 8, broken: str | None = None) -> list[Run]:
    """Runs of 40 tasks with one named check: twelve pass at `rate`, `broken` never, the others always."""
    random = Random(seed)
    found: list[Run] = []
    for number in range(1, rounds + 1):
        for place in range(40):
            name = f"t{place:02}"
            passed = name != broken if name == "t00" else place > 12 or random.random() < rate
            found.append(Run(name, float(passed), 1, checks={"works": passed}, round=number))
    return found


def weighed(before: Sequence[Run], after: Sequence[Run], policy: Policy = AUTO, *losses: AcceptedLoss) -> Weighed:
    arms = (Arm(Side(name, "results", ()), tuple(side)) for name, side in (("base", before), ("cand", after)))
    return weigh(*arms, Spec(policy=policy, interleaved=True, accepted=losses), now=NOW)


def outcome(result: Weighed) -> Comparison:
    assert isinstance(result.outcome, Comparison)
    return result.outcome


BEFORE, AFTER = runs(0.1, seed=1), runs(0.95, seed=2, broken="t00")


@pytest.mark.parametrize("policy", [AUTO, Policy("evidence"), Policy("adaptive"), Policy("adaptive", "safe")])
def test_a_gain_with_a_task_that_fell_is_mixed_and_not_promoted(policy: Policy) -> None:
    found = outcome(weighed(BEFORE, AFTER, policy))
    assert (found.verdict, found.contract) == ("mixed", "regressed")
    assert [loss.task for loss in found.evidence.losses] == ["t00"] if found.evidence else False
    assert not should_promote(found)


def test_every_format_names_what_fell_and_what_rose() -> None:
    result = dataclasses.replace(weighed(BEFORE, AFTER), partings={"t00": Parting(3, "edit a.py", "edit b.py")})
    data = as_json(result)
    validate(data, "gate")
    assert data["verdict"] == "mixed" and data["decided_by"] == "evidence"
    worse = data["changes"]["worse"]
    assert [(one["task"], one["check"], one["accepted"]) for one in worse] == [("t00", "works", False)]
    assert worse[0]["ci"][1] < 0 and worse[0]["parts_at"]["step"] == 3
    assert data["changes"]["better"] and data["changes"]["better"][0]["ci"][0] > 0
    assert headline(outcome(result)).startswith("Mixed after 8 rounds: worse: t00, check works -1.000")
    texts = {name: render(result, lambda side, tasks: {}) for name, render in FORMATS.items()}
    for name, text in texts.items():
        assert "t00" in text and data["changes"]["better"][0]["task"] in text, name
    for name in ("json", "markdown", "html", "junit"):
        assert "edit b.py" in texts[name], name
    assert 'failures="2"' in texts["junit"] and '"mixed"' in texts["sarif"]
    assert github_commands(result).startswith("::error title=Gate%3A mixed")


def test_a_mixed_verdict_of_which_every_loss_is_accepted_is_improved() -> None:
    result = weighed(BEFORE, AFTER, AUTO, LOSS)
    found = outcome(result)
    assert found.verdict == "improved" and found.accepted == (LOSS,) and should_promote(found)
    assert "accepted losses: t00" in headline(found) and as_json(result)["changes"]["worse"][0]["accepted"]
    assert outcome(weighed(BEFORE, AFTER, AUTO, dataclasses.replace(LOSS, check="works"))).verdict == "improved"


@pytest.mark.parametrize(
    "change",
    [{"task": "t01"}, {"check": "other"}, {"until": date(2026, 11, 15)}],
    ids=["another task", "another check", "expired"],
)
def test_an_entry_that_does_not_cover_the_loss_changes_nothing(change: dict[str, object]) -> None:
    result = weighed(BEFORE, AFTER, AUTO, dataclasses.replace(LOSS, **change))
    assert outcome(result).verdict == "mixed"
    said = any("acceptance of" in line for line in result.warnings)
    assert said == ("task" not in change)


def test_a_forged_acceptance_is_not_promoted() -> None:
    found = outcome(weighed(BEFORE, AFTER))
    assert not should_promote(dataclasses.replace(found, verdict="improved"))


def test_auto_is_the_contract_where_nothing_repeats() -> None:
    one = outcome(weighed(runs(0.5, seed=1, rounds=1), runs(0.9, seed=2, rounds=1)))
    assert one.by_contract and one.policy == AUTO


def test_one_headline_says_how_sure_a_contract_verdict_is() -> None:
    before = [Run(f"t{place}", place % 2, 2) for place in range(6)]
    after = [dataclasses.replace(run, passed=run.passed + (run.task == "t0")) for run in before]
    result = weighed(before, after)
    assert headline(outcome(result)).endswith("no hard regression, and chance is not ruled out.")
    assert "tentative" not in FORMATS["markdown"](result, lambda side, tasks: {})


def test_forty_samples_in_three_epochs_from_another_day_are_improved(tmp_path: Path) -> None:
    # One sample goes from 3/3 to 2/3 while the mean rises by 39 points: the contract rule says regressed.
    random = Random(4)
    sides: dict[str, list[dict[str, object]]] = {"old": [], "new": []}
    for place in range(40):
        for epoch in range(3):
            first = place == 0
            sides["old"].append({"task": f"s{place}", "passed": int(first or random.random() < 0.5), "total": 1})
            sides["new"].append(
                {"task": f"s{place}", "passed": int(epoch > 0 if first else random.random() < 0.92), "total": 1}
            )
    files = []
    for name, scores in sides.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"label": name, "scores": scores}))
        files.append(str(tmp_path / f"{name}.json"))
    report = tmp_path / "report.md"
    found = CliRunner().invoke(main, ["gate", "compare", *files, "--json", "-", "--markdown", str(report)])
    data = json.loads(found.stdout)
    assert (found.exit_code, data["verdict"], data["contract"]) == (0, "improved", "regressed")
    # The interval decided; e-values that cannot decide at three rounds would be a second reading beside it.
    assert data["evidence"]["e_improve"] is not None and "e-value" not in report.read_text()
    assert data["evidence"]["design"]["drift"] == 0.03


def test_mixed_ends_in_1_and_waive_makes_it_pass(tmp_path: Path) -> None:
    settings = tmp_path / "steelyard.yaml"
    settings.write_text("# ours\ngate:\n  margin: 0.05\n")
    files = []
    for name, side in (("old", BEFORE), ("new", AFTER)):
        scores = [{"task": run.task, "passed": run.passed, "total": 1} for run in side]
        (tmp_path / f"{name}.json").write_text(json.dumps({"label": name, "scores": scores}))
        files.append(str(tmp_path / f"{name}.json"))
    words = ["gate", "compare", *files, "--interleaved", "--settings", str(settings)]
    assert CliRunner().invoke(main, words).exit_code == 1
    waived = ["gate", "waive", "t00", "--reason", "old format", "--until", "2099-01-01", "--owner", "ada"]
    assert CliRunner().invoke(main, [*waived, "--settings", str(settings)]).exit_code == 0
    assert settings.read_text().startswith("# ours\n") and "accepted_losses:" in settings.read_text()
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0 and "accepted until 2099-01-01 by ada" in " ".join(found.stdout.split())
