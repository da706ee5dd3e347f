"""The policy in `steelyard.yaml` and on the command line: strict, with ranges, and an option wins."""

import os
from datetime import date
from pathlib import Path

import pytest

from steelyard.api.gate_spec import Policies
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.quarantine.entries import QUARANTINE
from steelyard.gate.quarantine.file import read_entries
from steelyard.gate.quarantine.listing import entries_today
from steelyard.gate.settings import PolicySettings, load_settings, policy


def settings(folder: Path, text: str) -> PolicySettings:
    path = folder / "steelyard.yaml"
    path.write_text(f"gate:\n  tasks: tasks\n  {text}\n")
    return load_settings(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("policy: maybe", "line 3: gate.policy: must be 'auto', 'contract', 'evidence' or 'adaptive'"),
        ("question: faster", "line 3: gate.question: must be 'better' or 'safe'"),
        ("margin: 0", "line 3: gate.margin: must be greater than 0"),
        ("margin: .nan", "line 3: gate.margin: must be a finite number"),
        ("alpha: 0.5", "line 3: gate.alpha: must be less than or equal to 0.2"),
        ("min_rounds: 1", "line 3: gate.min_rounds: must be greater than or equal to 2"),
        ("max_rounds: 2.5", "line 3: gate.max_rounds: must be a whole number"),
        ("min_rounds: 9\n  max_rounds: 5", "line 4: gate.max_rounds: min_rounds 9 is above max_rounds 5"),
        ("budget_minutes: 0", "line 3: gate.budget_minutes: must be greater than 0"),
        ("polcy: adaptive", "line 3: gate.polcy: unknown key"),
    ],
)
def test_a_wrong_setting_names_its_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=r"steelyard\.yaml") as caught:
        settings(tmp_path, text)
    assert problem in str(caught.value)


def test_an_option_wins_over_the_file(tmp_path: Path) -> None:
    file = settings(tmp_path, "policy: adaptive\n  question: safe\n  margin: 0.02\n  max_rounds: 9")
    assert Policies().chosen_policy(file) == Policy("adaptive", "safe", 0.02, 0.05, 4, 9)
    options = Policies(question="better", margin=0.1, min_rounds=5)
    assert options.chosen_policy(file) == Policy("adaptive", "better", 0.1, 0.05, 5, 9)
    assert Policies(policy="evidence").chosen_policy(file).name == "evidence"


def test_an_option_that_has_no_effect_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--max-rounds has no effect.*\(add --policy"):
        Policies(max_rounds=9).chosen_policy(PolicySettings())


def test_limits_hold_for_programs_too() -> None:
    with pytest.raises(InputError, match="min_rounds 4 is above max_rounds 3"):
        policy(PolicySettings(), {"policy": "adaptive", "max_rounds": 3})
    with pytest.raises(InputError, match=r"margin: .*got -1"):
        policy(PolicySettings(), {"margin": -1})


@pytest.mark.parametrize("kind", ["link to nothing", "folder", "pipe"])
def test_settings_that_are_there_and_unreadable_do_not_count_as_none(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without its settings the gate would decide by the default thresholds, and nobody would know.
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "steelyard.yaml"
    {"link to nothing": lambda: path.symlink_to("gone.yaml"), "folder": path.mkdir, "pipe": lambda: os.mkfifo(path)}[
        kind
    ]()
    for read in (
        lambda: load_settings(None),
        lambda: read_entries(QUARANTINE, None),
        lambda: entries_today(path, date.today()),
    ):
        with pytest.raises(InputError, match=r"steelyard\.yaml"):
            read()
