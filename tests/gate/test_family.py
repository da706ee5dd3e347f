"""Several agents or models in one verdict: one table, one exit code, the error kept over all of them (§3.5)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from steelyard.cli.main import main
from steelyard.errors import InputError, LogError
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.family import Family, Member, member_run, member_runs, shared
from steelyard.gate.model import Comparison, NoVerdict, Regression, Side, Thresholds, Weighed
from steelyard.gate.report import FORMATS
from steelyard.gate.report.family import FAMILY_FORMATS
from tests.gate.simulated import simulated


def better(arm: str, check: str) -> float:
    return 0.98 if arm == "candidate" else 0.3


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate_spec: Any) -> list[str]:
    spec, _ = simulated(tmp_path, monkeypatch, gate_spec, better, policy=Policy("contract"))
    fixed = ["gate", "run", "--tasks", str(spec.tasks), "--baseline", str(spec.baseline), "--candidate", spec.candidate]
    return [*fixed, "--judge", "none", "--log-dir", str(tmp_path / "family"), "--policy", "contract"]


def invoke(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_two_models_give_one_table_and_one_exit_code(words: list[str], tmp_path: Path) -> None:
    models = ["--agent", "model", "--model", "mockllm/one", "--model", "mockllm/two"]
    found = invoke(*words, *models, "--json", str(tmp_path / "out.json"))
    assert found.exit_code == 0, found.output
    data = json.loads((tmp_path / "out.json").read_text())
    assert [*data["members"]] == ["model with mockllm/one", "model with mockllm/two"] and data["state"] == "fine"
    assert {member["rules"]["alpha"] for member in data["members"].values()} <= {0.05, 0.025}
    assert len({path.parent for path in tmp_path.rglob("*.eval")}) == 2
    assert "over all of them" in " ".join(found.output.split())
    twice = invoke(*words, "--agent", "model", "--model", "mockllm/one", "--model", "mockllm/one")
    assert twice.exit_code == 2 and "named twice" in twice.output


def test_every_format_shows_all_agents(words: list[str], tmp_path: Path) -> None:
    files = {name: tmp_path / f"out.{name}" for name in FORMATS}
    outputs = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    found = invoke(*words, "--model", "mockllm/one", "--model", "mockllm/two", *outputs, "--agent", "model", "--github")
    assert found.exit_code == 0, found.output
    text = {name: path.read_text() for name, path in files.items()}
    assert all("model with mockllm/one" in each and "model with mockllm/two" in each for each in text.values()), [*text]
    suites = ElementTree.fromstring(text["junit"]).findall("testsuite")
    assert [suite.get("name") for suite in suites] == [f"steelyard.gate.model with mockllm/{n}" for n in ("one", "two")]
    assert json.loads(text["sarif"])["version"] == "2.1.0" and json.loads(text["json"])["verdict"] == "improved"
    assert text["html"].count("<h2") > 4 and FAMILY_FORMATS.keys() == FORMATS.keys()
    assert "::notice title=Gate%2C model with mockllm/two%3A improved" in found.output


def test_the_budget_is_that_of_all_agents_together(gate_spec: Any) -> None:
    spec = gate_spec("true", budget_usd=9.0, budget_minutes=30.0)
    part = member_run(spec, "model with a/b", 3)
    assert (part.budget_usd, part.budget_minutes) == (3.0, 10.0) and part.log_dir.name == "model-with-a-b"


def test_two_agents_never_share_a_folder_of_logs(gate_spec: Any) -> None:
    spec = gate_spec("true")
    agents = [replace(spec.agent, model=model) for model in ("a/b", "a-b")]
    with pytest.raises(InputError, match=r"a/b and .*a-b would have one folder of logs"):
        member_runs([replace(spec, agent=agent) for agent in agents])


def test_a_matrix_in_the_settings_is_the_same(words: list[str], tmp_path: Path) -> None:
    matrix = "gate:\n  matrix:\n    - {agent: model, model: mockllm/one}\n    - {agent: model, model: mockllm/two}\n"
    (tmp_path / "steelyard.yaml").write_text(matrix)
    found = invoke(*words, "--settings", str(tmp_path / "steelyard.yaml"), "--markdown", "-")
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("# Gate: 2 agents, fine") and "| model with mockllm/two |" in found.stdout


def test_a_no_stands_beside_a_run_that_ended_in_an_error(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """§3.5: a no comes before a missing answer; the error of one member was all that was said. Only errors: exit 2."""
    regression = Regression("t0", "missing", "the candidate has no run of this task")
    no = Comparison("regressed", 0.0, (), (regression,), (), (), Thresholds())
    side = Side("x", "gate", ())

    def ran(run: Any, **options: Any) -> Weighed:
        if run.agent.model == answering:
            return Weighed(no, side, side)
        raise LogError("round 1 ended early: disk full", cure="fix that")

    monkeypatch.setattr("steelyard.api.gate_run", ran)
    files = {name: tmp_path / f"out.{name}" for name in FORMATS}
    outputs = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    models = ["--agent", "model", "--model", "mockllm/one", "--model", "mockllm/two", *outputs]
    for answering in ("mockllm/one", "mockllm/two"):  # noqa: B007
        found = invoke(*words, *models)
        assert found.exit_code == 1 and "disk full" in files["markdown"].read_text(), found.output
    answering = "nobody"
    found = invoke(*words, *models)
    assert found.exit_code == 2 and found.output.endswith("steelyard: round 1 ended early: disk full (fix that)\n")


def test_the_worst_member_speaks_and_each_has_its_part_of_the_error() -> None:
    assert shared(Policy("adaptive", alpha=0.06), 3).alpha == pytest.approx(0.02)
    side = Side("x", "gate", ())
    missing = Member("a", Weighed(NoVerdict(("nothing ran",)), side, side))
    unchanged = Member("b", Weighed(NoVerdict(("same",), unchanged=True), side, side))
    assert Family((unchanged, missing), 0.05).state == "unanswered"
    assert Family((unchanged,), 0.05).state == "fine"
