"""`gate check COMPARISON.json`: whether a comparison was decided as it was registered, recomputed from its logs."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.log import read_eval_log, write_eval_log

from steelyard.cli.main import main
from steelyard.gate.evidence.noise import Noise, NoisyTask
from steelyard.gate.noise.record import fingerprint_of, write_record
from steelyard.gate.read import read_arms


@pytest.fixture
def folder(better_example: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(better_example, tmp_path / "moved"))


def verify(folder: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["gate", "check", str(folder / "comparison.json"), *words])
    return result.exit_code, result.output


def change(folder: Path, **fields: Any) -> None:
    path = folder / "comparison.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_a_comparison_that_was_moved_with_its_logs_holds(folder: Path) -> None:
    code, text = verify(folder, "--json", "-")
    data = json.loads(text)
    assert code == 0 and data["holds"] and data["problems"] == []
    assert data["policy"]["name"] == "auto" and data["looks"] == 1 and len(data["registration"]) == 64


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"verdict": "neutral"}, "verdict is neutral in the file and improved from the logs"),
        ({"net_gain": 3.0}, "net_gain is 3.0 in the file"),
        ({"policy": "evidence"}, "policy is evidence, registered was auto"),
    ],
)
def test_what_was_altered_is_named(folder: Path, fields: dict[str, Any], problem: str) -> None:
    change(folder, **fields)
    code, text = verify(folder)
    assert code == 1 and problem in " ".join(text.split())


def test_other_thresholds_than_the_registered_ones_are_named(folder: Path) -> None:
    thresholds = json.loads((folder / "comparison.json").read_text())["thresholds"]
    change(folder, thresholds={**thresholds, "min_composite_gain": 0.5})
    code, text = verify(folder)
    assert code == 1 and "min_composite_gain is 0.5, registered was 0.01" in " ".join(text.split())


@pytest.mark.parametrize("thresholds", [{"min_gain": 1}, {"min_composite_gain": "much"}, [1]])
def test_registered_thresholds_that_nobody_can_have_set_are_refused(
    folder: Path, better_example: Path, thresholds: Any
) -> None:
    comparison = folder / "comparison.json"
    comparison.write_text(comparison.read_text().replace(str(better_example), str(folder)))
    for path in folder.glob("*.eval"):
        log = read_eval_log(str(path))
        stamp = log.eval.metadata["steelyard"] if log.eval.metadata else {}
        stamp["extra"]["registration"]["thresholds"] = thresholds
        write_eval_log(log, str(path))
    code, text = verify(folder)
    assert code == 2 and "threshold" in text and "unexpected" not in text


def test_what_a_noise_record_decided_is_recomputed_with_it(folder: Path, tmp_path: Path) -> None:
    """By the record the contract rule errs in more than α of comparisons, so `auto` is `evidence`, and one round of
    five tasks shows no gain: undecided. Without the record the logs give improved, by the contract rule."""
    fingerprint = fingerprint_of(read_arms([str(folder)]).baseline.identity, ())
    shares = {"improved": 0.2, "neutral": 0.5, "regressed": 0.3}
    policies = ("contract", "evidence", "adaptive, better", "adaptive, safe")
    task = NoisyTask("slug", 4, {"passed": 0.5}, 0.5, 0.5, 0.15, 0.85)
    noise = Noise(fingerprint, "2026-01-01T00:00:00Z", 2, (task,), 0.2, dict.fromkeys(policies, shares), 100, 1, 0.1)
    record = write_record(tmp_path / "noise", noise)
    (tmp_path / "steelyard.yaml").write_text("gate: {noise: noise}\n")
    settings = ("--settings", str(tmp_path / "steelyard.yaml"))
    words = ["gate", "compare", str(folder), "--json", str(folder / "comparison.json"), *settings]
    assert CliRunner().invoke(main, words).exit_code == 3
    assert verify(folder, *settings)[0] == 0
    record.unlink()
    code, text = verify(folder, *settings)
    assert code == 1 and "verdict is undecided in the file and improved from the logs" in " ".join(text.split())


def test_a_missing_log_is_no_answer(folder: Path, better_example: Path) -> None:
    for log in folder.glob("*.eval"):
        log.unlink()
    data = json.loads((folder / "comparison.json").read_text())
    for side in ("baseline", "candidate"):
        data[side]["sources"] = [source.replace(str(better_example), "elsewhere") for source in data[side]["sources"]]
    (folder / "comparison.json").write_text(json.dumps(data))
    code, text = verify(folder)
    assert code == 2 and "is missing" in text


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"verdict": "improved"}'])
def test_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "comparison.json").write_text(text)
    assert verify(tmp_path)[0] == 2
