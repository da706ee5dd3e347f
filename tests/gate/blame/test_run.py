"""`gate blame` from the price to the page: found, continued after a kill, stopped by a budget, faults (§3.7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard import artifact
from steelyard.cli.main import main
from steelyard.engine.protocol import EngineOptions
from steelyard.errors import InputError
from steelyard.gate.agents import AgentSpec
from steelyard.gate.blame.answer import Blame
from steelyard.gate.blame.page import page
from steelyard.gate.blame.parts import PartRules
from steelyard.gate.blame.plan import BlameSpec, forecast
from steelyard.gate.blame.prune import pruned, read_blame
from steelyard.gate.blame.report import SCHEMA, as_json, document
from steelyard.gate.blame.run import blame_on
from steelyard.gate.run.session import Listener
from steelyard.gate.store.arms import Store
from steelyard.report import markdown
from tests.engine.here import HereEngine
from tests.gate.blame.world import run_spec, sections, world

TITLES = ("One", "Two", "Bad", "Four")


def harmful(task: str, text: str) -> float:
    return 0.0 if "About Bad" in text else 1.0


def answer(found: Blame) -> dict[str, str]:
    return {one.part.name.rpartition("§ ")[2]: one.answer for one in found.parts}


def test_the_section_that_harms_is_found_and_the_others_are_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world(tmp_path, monkeypatch, harmful, text=sections(*TITLES), pairs=20)
    spec = BlameSpec(run_spec(tmp_path, store=str(tmp_path / "store")), margin=0.9)
    lines: list[str] = []
    found = blame_on(spec, listener=Listener(lines.append))
    assert answer(found) == {"One": "no effect", "Two": "no effect", "Bad": "harms", "Four": "no effect"}
    assert found.stopped == "every part is answered" and found.runs == len(made.started) <= 80
    bad = next(one for one in found.parts if one.answer == "harms")
    assert bad.effect.value == pytest.approx(-1) and bad.usd is not None and bad.usd.value == pytest.approx(0, abs=1e-9)
    # Every run costs a token per character of its instructions: "## Bad\n\nAbout Bad.\n\n" has 20.
    assert bad.tokens is not None and bad.tokens.value == pytest.approx(20)
    # Both runs of a pair are of one task, and have each part once.
    pairs = {number: {task for at, _, task in made.started if at == number} for number, _, _ in made.started}
    assert all(len(tasks) == 1 for tasks in pairs.values())
    assert "look 1: 40 runs" in lines[0]
    assert Store(str(tmp_path / "store")).suites()
    written = artifact.read_json(tmp_path / "logs" / "blame.json")
    artifact.validate(written, SCHEMA)
    assert written == json.loads(json.dumps(as_json(found)))
    # A file that says another grain than there is, is refused as the file that it is.
    other = {**written, "origin": {**written["origin"], "rules": {"grain": "words"}}}
    artifact.write_json(tmp_path / "other.json", other)
    with pytest.raises(InputError, match="is no answer of a blame: /origin/rules/grain"):
        read_blame(tmp_path / "other.json")
    # With a part named twice, the second answer would stand for both.
    with pytest.raises(InputError, match="the parts are not those of the blame"):
        pruned({**written, "parts": [*written["parts"], written["parts"][0]]})
    text = markdown.render(document(found))
    assert "AGENTS.md § Bad harms" in text and "no effect above 0.9" in text
    shown = page(found)
    assert "✗ harms" in shown and "About Bad." in shown and "<svg" in shown
    # A start that continues runs nothing more, and says the same.
    count = len(made.started)
    again = blame_on(replace(spec, run=replace(spec.run, seed=None)))
    assert len(made.started) == count and again.parts == found.parts and again.runs == found.runs


def test_a_killed_start_continues_where_it_stopped_and_draws_the_same_halves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world(tmp_path, monkeypatch, harmful, text=sections(*TITLES))
    spec = BlameSpec(run_spec(tmp_path), margin=0.9)

    def kill(line: str) -> None:
        if line.startswith("look 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        blame_on(spec, listener=Listener(kill))
    assert len(made.started) == 16
    found = blame_on(spec)
    assert len(made.started) == len({*made.started}) == found.runs  # nothing ran twice
    assert answer(found)["Bad"] == "harms"


def test_runs_without_a_score_get_a_second_chance_and_others_do_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world(tmp_path, monkeypatch, harmful, text=sections(*TITLES))
    made.unscored = {(3, "baseline")}
    found = blame_on(BlameSpec(run_spec(tmp_path), margin=0.9))
    assert found.unscored == 0 and len(made.started) == found.runs + 1
    assert [(number, arm) for number, arm, _ in made.started].count((3, "baseline")) == 2


def test_a_look_without_any_score_ends_it_and_the_next_start_tries_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world(tmp_path, monkeypatch, harmful, text=sections(*TITLES))
    made.unscored, made.down = {(number, "candidate") for number in range(5, 9)}, True
    found = blame_on(BlameSpec(run_spec(tmp_path), margin=0.9))
    assert found.stopped == "no pair of look 2 has a score" and found.runs == 8
    made.unscored = set()
    again = blame_on(BlameSpec(run_spec(tmp_path), margin=0.9))
    assert answer(again)["Bad"] == "harms" and again.unscored == 0


def test_the_same_question_takes_its_runs_from_the_store_and_the_ledger_counts_looks_and_askings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world(tmp_path, monkeypatch, harmful, text=sections(*TITLES))
    run = run_spec(tmp_path, store=str(tmp_path / "store"), log_dir=tmp_path / "a" / "logs", seed=None)
    first = blame_on(BlameSpec(run, margin=0.9))
    count = len(made.started)
    # Another folder, the same ledger: nothing is missing, and the same question is asked once.
    second = replace(run, log_dir=tmp_path / "a" / "again")
    same = blame_on(BlameSpec(second, margin=0.9))
    assert len(made.started) == count and same.parts == first.parts and same.usd == 0
    assert same.notes == (f"{count} runs came from the store ({tmp_path / 'store'})",)
    # A finer margin runs only what it needs beside them, and says that it was asked before.
    finer = blame_on(BlameSpec(second, margin=0.7))
    assert len(made.started) == finer.runs > count and finer.seed == first.seed
    assert "asked 2 times" in finer.notes[-1] and "up to 10%" in finer.notes[-1]
    entries = [json.loads(path.read_text()) for path in (tmp_path / "a" / "gate-ledger").glob("*.json")]
    looks = sorted((entry["facts"]["look"], entry["attempt"]) for entry in entries if entry["kind"] == "look")
    assert len(looks) == len({*looks}) == first.looks + finer.looks
    assert sorted(entry["facts"]["margin"] for entry in entries if entry["kind"] == "attempt") == [0.7, 0.9]


def test_on_an_engine_a_driver_that_is_killed_continues_and_nothing_runs_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world(tmp_path, monkeypatch, harmful, text=sections(*TITLES))
    engine = HereEngine(after=killed_once())
    monkeypatch.setattr("steelyard.engine.find_engine", lambda options: engine)
    spec, options = BlameSpec(run_spec(tmp_path), margin=0.9), EngineOptions("processes", workers=2)
    with pytest.raises(KeyboardInterrupt):
        blame_on(spec, options)
    assert len(made.started) == 4  # one of two workers had its two pairs
    found = blame_on(spec, options)
    assert len(made.started) == len({*made.started}) == found.runs
    assert answer(found)["Bad"] == "harms"
    assert len(engine.titles) == 2 * found.looks  # a worker takes many pairs: it costs seconds to start one


def killed_once() -> Callable[[object], None]:
    left = [None]

    def after(job: object) -> None:
        if left:
            left.pop()
            raise KeyboardInterrupt

    return after


def test_a_budget_that_ends_in_the_middle_leaves_answers_that_say_so_and_a_larger_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world(tmp_path, monkeypatch, lambda task, text: 0.5, text=sections(*TITLES))
    monkeypatch.setattr("steelyard.gate.blame.plan.LEAST_RUNS", 16)
    found = blame_on(BlameSpec(run_spec(tmp_path), margin=0.05, runs=16))
    assert found.runs == 16 and found.stopped == "the budget of 16 runs is spent"
    assert set(answer(found).values()) == {"cannot tell"}
    assert "cannot tell at this budget" in markdown.render(document(found))
    # A larger budget may name a margin of its own; what ran counts.
    more = blame_on(BlameSpec(run_spec(tmp_path), margin=0.04, runs=24))
    assert len(made.started) == len({*made.started}) == 24 == more.runs and "asked 2 times" in more.notes[-1]


def test_money_that_is_spent_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(tmp_path, monkeypatch, lambda task, text: 0.5, text=sections(*TITLES))
    # A run costs one cent: 8 runs are 8 cents, and after two looks less than another pair is left.
    run = run_spec(tmp_path, budget_usd=0.17, allow_unknown_cost=True)
    found = blame_on(BlameSpec(run, margin=0.1))
    assert len(made.started) == 16 and "the budget of $0.17" in found.stopped and found.usd == pytest.approx(0.16)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"runs": 100}, "100 runs cannot show anything"), ({"usd_per_run": 1.0}, "20 runs cannot show anything")],
)
def test_a_budget_below_the_least_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, float], words: str
) -> None:
    made = world(tmp_path, monkeypatch, harmful, text=sections(*TITLES))
    run = (
        run_spec(tmp_path, budget_usd=20.0, allow_unknown_cost=True) if "usd_per_run" in options else run_spec(tmp_path)
    )
    with pytest.raises(InputError, match=words):
        blame_on(BlameSpec(run, **options))  # type: ignore[arg-type]
    assert made.started == []


def test_the_price_is_known_before_anything_is_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world(tmp_path, monkeypatch, harmful, text=sections(*TITLES))
    planned = forecast(BlameSpec(run_spec(tmp_path), runs=1020, usd_per_run=0.5))
    assert (planned.margin, planned.runs, planned.most_runs, planned.usd) == (0.1, 1020, 1020, 510.0)
    # √(9/(10³⁰ − 120)) is 3·10⁻¹⁵; margins have three places, and 120 + 9/.001² = 9,000,120.
    endless = forecast(BlameSpec(run_spec(tmp_path), runs=10**30))
    assert (endless.margin, endless.runs, endless.most_runs) == (0.001, 9_000_120, 10**30)
    rich = run_spec(tmp_path, budget_usd=1e308, allow_unknown_cost=True)
    assert forecast(BlameSpec(rich, usd_per_run=1e-308)).runs == 9_000_120
    free = forecast(BlameSpec(run_spec(tmp_path)))
    assert (free.margin, free.runs, free.most_runs, free.usd) == (0.1, 1040, 2080, None)


def test_one_part_is_asked_like_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world(tmp_path, monkeypatch, harmful, text=sections("Bad"))
    assert answer(blame_on(BlameSpec(run_spec(tmp_path), margin=0.9))) == {"Bad": "harms"}


def test_halves_that_would_not_load_are_stepped_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world(tmp_path, monkeypatch, harmful, text=sections("One", "Bad"))
    (tmp_path / "candidate" / "hooks.py").write_text("x = (\n1)\n")
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "AGENTS.md").write_text("# Project\n")
    # Either hunk alone is no Python: the old file is whole, and so is the new one.
    (tmp_path / "base" / "hooks.py").write_text("x = 2\n\n\n\ny = 1\n")
    (tmp_path / "candidate" / "hooks.py").write_text("x = (2\n\n\n\ny := 1)\n".replace("y :=", ", "))
    run = run_spec(tmp_path, parts=PartRules(), baseline=str(tmp_path / "base"))
    found = blame_on(BlameSpec(run, margin=0.9))
    assert any("stepped around" in note for note in found.notes)


def test_a_folder_with_other_runs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world(tmp_path, monkeypatch, harmful, text=sections(*TITLES))
    blame_on(BlameSpec(run_spec(tmp_path), margin=0.9))
    with pytest.raises(InputError, match="seed differs"):
        forecast(BlameSpec(run_spec(tmp_path, seed=2), margin=0.9))
    with pytest.raises(InputError, match="agent_identity differs"):
        forecast(BlameSpec(run_spec(tmp_path, agent=AgentSpec("command", ("false",))), margin=0.9))
    (tmp_path / "candidate" / "AGENTS.md").write_text(sections("One", "Bad"))
    with pytest.raises(InputError, match="parts differs"):
        forecast(BlameSpec(run_spec(tmp_path), margin=0.9))


def test_the_command_says_first_what_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(tmp_path, monkeypatch, harmful, text=sections(*TITLES))
    words = ["gate", "blame", "--tasks", str(tmp_path / "tasks"), "--candidate", str(tmp_path / "candidate")]
    words += ["--parts", "sections", "--agent", "command", "--agent-command", "true", "--log-dir", str(tmp_path / "x")]
    shown = CliRunner().invoke(main, [*words, "--usd-per-run", "0.5", "--runs", "1020", "--dry-run"])
    assert shown.exit_code == 0 and made.started == [], shown.output
    plain = " ".join(shown.output.split())
    assert "4 parts" in plain and "About 1,020 runs" in plain and "0.1" in plain and "$510.00" in plain
    few = CliRunner().invoke(main, [*words, "--runs", "160", "--margin", "0.3", "--dry-run"])
    # √(9/(160 − 120)) = 0.47
    assert "160 runs show" in " ".join(few.output.split())
    same = CliRunner().invoke(main, [*words[:-2], "--log-dir", str(tmp_path / "y"), "--pin", "*"])
    assert same.exit_code == 2 and "every part is pinned" in same.output
