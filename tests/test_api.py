"""The public verbs give the same answers as the command line, as data."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard import api
from steelyard.audit.example import suite_folder
from steelyard.audit.suite import read_suite
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


def test_importing_it_is_cheap() -> None:
    program = "import sys, steelyard.api; print('inspect_ai' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


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


def test_audit() -> None:
    suite = read_suite(suite_folder("code-review"))
    runs = suite.sets["careful"]
    unit = next(unit for unit in suite.units if unit.key is not None and runs.runs.get(unit.id))
    assert unit.key is not None and suite.perspective is not None
    result = api.audit(unit.key, runs.runs[unit.id], perspective=suite.perspective, lexical=True)
    assert len(result.runs) == len(runs.runs[unit.id]) and result.mean > 0


def test_nobody_named_to_mark_is_refused() -> None:
    suite = read_suite(suite_folder("code-review"))
    unit = next(unit for unit in suite.units if unit.key is not None)
    assert unit.key is not None
    with pytest.raises(InputError, match="mark"):
        api.audit(unit.key, [unit.key])


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


@pytest.mark.xdist_group("engine")
def test_verify() -> None:
    assert api.verify(CDK).passed
    assert api.verify("import nothing_like_this").klass == "import_error"
