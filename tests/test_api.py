"""The public verbs give the same answers as the command line, as data."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import click
import pytest

from steelyard import api, errors
from steelyard.api.groups import Boards, Engines
from steelyard.api.spec import Verb, checked, settable
from steelyard.audit.example import suite_folder
from steelyard.audit.report import FORMATS as FORMATS_OF_AUDIT
from steelyard.audit.suite import read_suite
from steelyard.bench import manifest
from steelyard.bench.model import CATEGORIES, Spec
from steelyard.bench.report import FORMATS
from steelyard.bench.run.plan import RunSpec
from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.model import Comparison

CDK = """
import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
app = cdk.App()
stack = cdk.Stack(app, "Storage")
s3.Bucket(stack, "Bucket")
app.synth()
"""

COMMANDS: dict[str, tuple[str, ...]] = {
    "audit compare": ("audit_compare",),
    "audit example": ("audit_example", "audit_example_copy"),
    "audit check": ("audit_check", "audit_key", "audit_findings", "audit_prove", "audit_import"),
    "audit plant": ("audit_plant",),
    "audit mark": ("audit_mark", "audit_sheet", "audit_ask"),
    "audit run": ("audit_run",),
    "audit score": ("audit_score",),
    "bench board": ("leaderboard", "bench_report", "bench_items"),
    "bench check": ("bench_check", "bench_selftest", "bench_pin", "bench_schema"),
    "bench compare": ("bench_diff", "bench_drift", "reproduce"),
    "bench history": ("bench_history",),
    "bench new": ("bench_new",),
    "bench run": ("bench", "bench_plan", "bench_preview", "bench_suite"),
    "bench submit": ("bench_submit",),
    "bench try": ("bench_score", "verify", "verify_files"),
    "demo": ("demo",),
    "doctor": ("doctor",),
    "gate accept": ("gate_accept",),
    "gate bisect": ("gate_bisect",),
    "gate blame": ("gate_blame", "gate_blame_plan"),
    "gate check": ("gate_check",),
    "rescore": ("rescore", "rescorer"),
    "gate compare": ("compare", "gate_report"),
    "gate example": ("gate_example", "gate_example_copy"),
    "gate harvest": ("gate_harvest",),
    "gate init": ("gate_init",),
    "gate plan": ("gate_power", "gate_noise"),
    "gate promote": ("promote", "gate_comment"),
    "gate prune": ("gate_prune",),
    "gate run": ("gate_preview", "gate_run", "gate_plan"),
    "gate quarantine": ("quarantine",),
    "gate waive": ("waive",),
    "gate watch": ("gate_watch", "gate_watch_issue"),
    "judge attack": ("attack",),
    "judge calibrate": (
        "labels",
        "calibrate",
    ),
    "setup": ("clean", "setup"),
    "status": ("status", "watch_status"),
}
"""Command → the functions that do its work."""

COMPUTE_NOTHING = {"view"}
"""It serves a folder."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: member for name, member in sorted(vars(api).items()) if inspect.isfunction(member) or isinstance(member, Verb)
}


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The commands below `command` that have no subcommands."""
    if not isinstance(command, click.Group):
        yield " ".join(path)
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        subcommand = command.get_command(context, name)
        assert subcommand is not None
        yield from leaves(subcommand, (*path, name))


def test_every_command_that_computes_something_has_a_function() -> None:
    assert set(leaves(main)) == COMMANDS.keys() | COMPUTE_NOTHING
    assert sorted(name for names in COMMANDS.values() for name in names) == sorted(FUNCTIONS)


def documented(described: object, names: Iterable[str]) -> bool:
    text = inspect.getdoc(described) or ""
    return all(f"\n    {name}: " in text for name in names)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_option_is_spelled_out_typed_and_documented(name: str) -> None:
    described = inspect.signature(FUNCTIONS[name])
    for parameter in described.parameters.values():
        assert parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD), parameter
        assert isinstance(parameter.annotation, str) and "Any" not in parameter.annotation, parameter
    function = FUNCTIONS[name]
    if isinstance(function, Verb):
        helps = {each.name: each.metadata["option"].help for each in settable(function.spec)}
        assert all(helps.values()) and helps.keys() == described.parameters.keys()
    else:
        assert documented(function, described.parameters), f"{name} does not document {[*described.parameters]}"
    assert described.return_annotation not in (described.empty, "Any")
    assert "\nReturns:" in (inspect.getdoc(FUNCTIONS[name]) or "")


def test_the_options_of_a_board_are_those_of_its_spec() -> None:
    assert {field.name for field in fields(cast(Any, Boards))} - {"dataset", "categories"} == {
        field.name for field in fields(Spec)
    }
    assert Boards().board_spec() == Spec()


def test_the_options_of_a_run_are_those_of_its_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    specs: list[RunSpec] = []
    monkeypatch.setattr("steelyard.bench.run.run", lambda spec, progress: specs.append(spec))
    api.bench(["steelyard/floor"])
    assert specs == [RunSpec(models=("steelyard/floor",))]
    engine = {field.name for field in fields(cast(Any, Engines))}
    names = (
        inspect.signature(api.bench).parameters.keys()
        - engine
        - {"progress", "dataset", "judge", "judge_protocol", "require_judge"}
    )
    assert names | {"judges"} == {field.name for field in fields(RunSpec)}


def test_importing_it_is_cheap() -> None:
    # The last four each bring what most verbs never use: SQLite, archives, the network, a cache folder.
    heavy = {"inspect_ai", "numpy", "steelyard.logs.read", "steelyard.toolchain", "steelyard.localserver", "tomllib"}
    program = "import sys, steelyard.api; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not heavy & set(done.stdout.split())


def test_bench_and_leaderboard(tmp_path: Path) -> None:
    done = api.bench(["steelyard/ceiling"], tmp_path, categories=("practice_exam",), limit=4)
    assert done.problems == ()
    (row,) = api.leaderboard([tmp_path]).rows
    assert (row.model, row.results["practice_exam"].score, row.complete, row.rank) == (
        "steelyard/ceiling",
        1.0,
        False,
        None,
    )


def test_a_board_in_every_format(tmp_path: Path) -> None:
    api.bench(["steelyard/ceiling", "steelyard/floor"], tmp_path, categories=["practice_exam"], limit=3)
    board = api.leaderboard([tmp_path])
    for name in FORMATS:
        assert "steelyard/ceiling" in api.bench_report(board, name)
    with pytest.raises(InputError, match="there is no format 'toml'"):
        api.bench_report(board, "toml")


def test_a_plan_counts_the_calls_that_are_left(tmp_path: Path) -> None:
    spec = api.BenchRun("steelyard/floor", tmp_path, categories="practice_exam", limit=3)
    assert [unit.calls for unit in api.bench_plan(spec)] == [3]
    api.bench(spec)
    assert [unit.calls for unit in api.bench_plan(spec)] == [0]


def test_items_diff_and_drift(tmp_path: Path) -> None:
    logs, published = tmp_path / "logs", tmp_path / "board.json"
    api.bench(["steelyard/ceiling", "steelyard/floor"], logs, categories=["practice_exam"], limit=8)
    rows = api.bench_items([logs])
    assert len(rows) == 8 == len(rows.to_frame())
    difference = api.bench_diff("steelyard/floor", "steelyard/ceiling", [logs])
    assert difference.compared == {"practice_exam": 8}
    published.write_text(api.bench_report(api.leaderboard([logs]), "json"))
    assert [line["id"] for line in difference.records()] == [flip.id for flip in difference.flips]
    again = api.reproduce(published, [logs])
    assert (
        again.verdict == "within" and len(again.records()) == 4
    )  # two models, each one category and the overall score
    moved = api.bench_drift(published, published)
    assert not any(move.left for move in moved) and {line["reading"] for line in moved.records()} == {"steady"}
    [first, *_] = api.status(logs).records()
    assert first["state"] == "done" and first["done"] == 8


def test_a_change_is_a_table_of_problems_and_a_history_one_of_results(tmp_path: Path) -> None:
    results = [cast(Any, api.audit_example(runs=runs)) for runs in ("careful", "hasty")]
    for number, result in enumerate(results):
        (tmp_path / f"{number}.json").write_text(FORMATS_OF_AUDIT["json"].render(result, f"2026-01-0{number + 1}"))
    changes = api.audit_compare(tmp_path / "0.json", tmp_path / "1.json").records()
    assert changes[0].keys() == {"document", "problem", "title", "severity", "before", "after"}
    assert [line["mean"] for line in api.audit_compare(tmp_path).records()] == [result.mean for result in results]


def test_a_number_out_of_its_range_is_refused_before_anything_is_read() -> None:
    with pytest.raises(InputError, match="min_coverage is 9"):
        api.leaderboard("nowhere", min_coverage=9)
    # A number that no float can hold is a number like any other.
    with pytest.raises(InputError, match=r"count is 10+ and must"):
        api.gate_watch(count=10**400)


def test_a_run_of_the_gate_is_checked_as_its_command_is() -> None:
    for start in (api.gate_run, api.gate_plan):
        with pytest.raises(InputError, match="epochs is 0 and must be between 1 and 1000"):
            start(api.GateRun(epochs=0))


def test_a_skill_is_tested_with_one_agent() -> None:
    with pytest.raises(InputError, match="one agent at a time"):
        api.gate_run(api.GateRun(skill="skills/changelog", agent=("codex", "claude-code")))


def test_a_word_that_a_field_does_not_know_is_refused_before_anything_is_read() -> None:
    with pytest.raises(InputError, match="kind: 'Key' is not one of key, run, scoring"):
        api.audit_check("nowhere", kind=cast(Any, "Key"))
    with pytest.raises(InputError, match="kinds: 'poem' is not one of exam"):
        api.bench_new("nowhere", ["text", "poem"])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_error_to_catch_is_on_the_page_or_named_with_its_module(name: str) -> None:
    _, _, raised = (FUNCTIONS[name].__doc__ or "").partition("Raises:\n")
    for kind, text in re.findall(r"^\s+(\w+): (.*)", raised, re.MULTILINE):
        where = re.search(rf"`([\w.]+)\.{kind}`", text)
        module = importlib.import_module(where[1]) if where else errors
        assert issubclass(getattr(module, kind), errors.SteelyardError)


def test_what_would_change_nothing_is_refused() -> None:
    for verb, given in ((api.gate_watch, {"engine": "slurm"}), (api.gate_bisect, {"good": "v1", "seed": 3})):
        name = [*given][-1]
        with pytest.raises(InputError, match=f"{name} has no effect here"):
            cast(Any, verb)(**given)
        assert name not in inspect.signature(verb).parameters


def test_what_steelyard_yaml_would_change_can_be_given(tmp_path: Path) -> None:
    where: dict[str, Any] = {"settings": tmp_path / "steelyard.yaml", "tasks": "tasks", "log_dir": "logs"}
    where["settings"].write_text("gate:\n  agent: codex\n")
    accepted = api.GateAccept(baseline="a", candidate="b", budget_minutes=5, thresholds="cost_counts=false", **where)
    bisected = api.GateBisect(good="v1", policy="contract", thresholds="cost_counts=false", **where)
    measured = api.GateMeasure(baseline="a", budget_minutes=5, store="runs", **where)
    for given in (accepted, bisected, measured):
        checked(given)
    assert not accepted.resolved().thresholds.cost_counts and accepted.resolved().budget_minutes == 5
    assert not bisected.resolved().thresholds.cost_counts
    assert measured.resolved().store is not None and measured.resolved().budget_minutes == 5


def test_a_category_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match=f"one of {', '.join(CATEGORIES)}"):
        api.bench_selftest(["poetry"])


def test_audit() -> None:
    suite = read_suite(suite_folder("code-review"))
    runs = suite.sets["careful"]
    unit = next(unit for unit in suite.units if unit.key is not None and runs.runs.get(unit.id))
    assert unit.key is not None and suite.perspective is not None
    result = api.audit_score(key=unit.key, runs=runs.runs[unit.id], perspective=suite.perspective, lexical=True)
    assert len(result.runs) == len(runs.runs[unit.id]) and result.mean > 0


def test_nobody_named_to_mark_is_refused() -> None:
    suite = read_suite(suite_folder("code-review"))
    unit = next(unit for unit in suite.units if unit.key is not None)
    assert unit.key is not None
    with pytest.raises(InputError, match="mark"):
        api.audit_score(key=unit.key, runs=unit.key)


def test_examples_can_be_copied_once(tmp_path: Path) -> None:
    assert (api.gate_example_copy(tmp_path / "gate") / "steelyard.yaml").is_file()
    assert (api.audit_example_copy(tmp_path / "audit", "security-review") / "suite.yaml").is_file()
    for copy in (api.gate_example_copy, api.audit_example_copy):
        with pytest.raises(InputError, match="already exists"):
            copy(tmp_path / "gate")


def test_the_shipped_data_can_be_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = manifest.folder()
    shutil.copytree(original, tmp_path / "bench")
    monkeypatch.setattr(manifest, "folder", lambda: tmp_path / "bench")
    data = tmp_path / "bench" / "practice_exam" / "aws_sa.jsonl"
    data.write_text(data.read_text("utf-8") + "\n", "utf-8")
    assert manifest.changed("practice_exam")
    assert api.bench_pin() == tmp_path / "bench" / "manifest.json"
    assert not manifest.changed("practice_exam")


def test_compare(tmp_path: Path) -> None:
    sides = []
    for label, passed in (("before", 3), ("after", 4)):
        path = tmp_path / f"{label}.json"
        path.write_text(json.dumps({"label": label, "scores": [{"task": "t1", "passed": passed, "total": 4}]}))
        sides.append([path])
    outcome = api.compare(*sides).outcome
    assert isinstance(outcome, Comparison)
    # One task, 4/4 against 3/4: d = 0.25 > 0.01 and no hard regression (docs/scoring.md §3.2).
    assert (outcome.verdict, outcome.net_gain) == ("improved", 0.25)
    # One place is given as it is: a text is a path, not a sequence of letters.
    assert api.compare(str(sides[0][0]), sides[1][0], policy="auto").outcome == outcome
    with pytest.raises(InputError, match="policy: "):
        api.compare(*sides, policy="hope")


@pytest.mark.usefixtures("shared_synthesizer")
def test_verify(tmp_path: Path) -> None:
    assert api.verify(CDK).passed
    assert api.verify("import nothing_like_this").klass == "import_error"
    app = tmp_path / "storage.py"
    app.write_text(CDK)
    assert [verdict.passed for verdict in api.verify_files([app])] == [True]
    with pytest.raises(InputError, match=r"neither cdk\.json nor app\.py"):
        api.verify_files([tmp_path])
