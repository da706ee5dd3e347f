"""Comparing two logs of 100,000 runs, against only reading them.

    python benchmarks/gate_compare.py [--runs 100000]

Prints the seconds (of this process, best of three) for both and their ratio; the promise is a ratio of at most 2.
Then the time inside the comparison that its evidence takes; the promise is at most 20% of the rest. All of it goes into
docs/figures.json.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import figures
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.scorer import Score

from steelyard import api
from steelyard.gate import weigh
from steelyard.gate.model import Comparison
from steelyard.logs.read import read_logs


def make_log(folder: Path, name: str, runs: int, passes_every: int) -> str:
    """A log of `runs` runs: one real log, its summary repeated."""
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="quiz",
        dataset=EvalDataset(samples=1, sample_ids=["0"]),
        model="mockllm/model",
        config=EvalConfig(),
    )
    sample = EvalSample(id="0", epoch=1, input="q", target="a", scores={"match": Score(value="C")}, total_time=1.5)
    small = folder / f"small-{name}.eval"
    write_eval_log(EvalLog(eval=spec, status="success", samples=[sample]), str(small))
    with zipfile.ZipFile(small) as archive:
        header: dict[str, Any] = json.loads(archive.read("header.json"))
        summary: dict[str, Any] = json.loads(archive.read("summaries.json"))[0]
    small.unlink()
    header["eval"]["dataset"]["sample_ids"] = [str(number) for number in range(runs)]
    summaries = [
        {**summary, "id": str(number), "scores": {"match": {"value": "I" if number % passes_every == 0 else "C"}}}
        for number in range(runs)
    ]
    path = folder / f"{name}.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", json.dumps(summaries))
    return str(path)


def measured(runs: int, repeats: int = 3) -> dict[str, float]:
    """The best of a few attempts at each; other processes only ever make it slower."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = make_log(folder, "baseline", runs, 10), make_log(folder, "candidate", runs, 20)
        read = min(timed(lambda: read_logs(list(sides))) for _ in range(repeats))
        compared = min(timed(lambda: check([sides[0]], [sides[1]])) for _ in range(repeats))
        evidence = min(evidence_share([sides[0]], [sides[1]]) for _ in range(repeats))
    return {
        "runs": runs,
        "read_s": round(read, 3),
        "compare_s": round(compared, 3),
        "ratio": round(compared / read, 3),
        "evidence_share": round(evidence, 3),
    }


def check(base: list[str], cand: list[str]) -> None:
    outcome = api.compare(base, cand, interleaved=True).outcome
    assert isinstance(outcome, Comparison) and outcome.verdict == "improved"


def evidence_share(base: list[str], cand: list[str]) -> float:
    """Seconds spent on evidence, as a share of all other seconds of the comparison."""
    spent: list[float] = []
    steps = {name: getattr(weigh, name) for name in ("observe", "examine", "apply_policy")}

    def timing(step: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            begun = time.process_time()
            result = step(*arguments, **named)
            spent.append(time.process_time() - begun)
            return result

        return call

    try:
        for name, step in steps.items():
            setattr(weigh, name, timing(step))
        whole = timed(lambda: check(base, cand))
    finally:
        for name, step in steps.items():
            setattr(weigh, name, step)
    return sum(spent) / (whole - sum(spent))


def timed(call: Any) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    asked = parser.parse_args()
    found = measured(asked.runs)
    print(f"{asked.runs:,} runs a side: read {found['read_s']} s, compare {found['compare_s']} s")
    print(f"ratio {found['ratio']} (promised: at most 2)")
    print(f"evidence: {100 * found['evidence_share']:.1f}% of the rest of the comparison (promised: at most 20%)")
    figures.record("gate_compare", found)


if __name__ == "__main__":
    main()
