"""`bench board` on 300 logs (100 models × 3 categories) against Inspect's own dataframes on the same logs.

    python benchmarks/board.py [--models 100] [--keep DIR]

Each side runs in a fresh process, best of three. Ours makes the whole board (intervals, pairs, ranks) and its JSON;
theirs is `evals_df` + `samples_df`. Means per log must agree to 1e-9.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import record

FULL = 100
"""Models of the measurement that is recorded."""

OURS = """
import json, sys, time
start = time.perf_counter()
from steelyard.bench.board import make_board
from steelyard.bench.model import Spec
from steelyard.bench.report.data import json_text
board = make_board([sys.argv[1]], Spec())
text = json_text(board)
spent = time.perf_counter() - start
import resource
means = {result.logs[0].rsplit("/", 1)[-1]: result.score for row in board.rows for result in row.results.values()}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
ranked = sum(row.rank is not None for row in board.rows)
print(json.dumps({"seconds": spent, "peak_mb": peak, "means": means, "ranked": ranked}))
"""

THEIRS = """
import json, sys, time
start = time.perf_counter()
from inspect_ai.analysis import evals_df, samples_df
evals = evals_df(sys.argv[1], quiet=True)
samples = samples_df(sys.argv[1], quiet=True)
spent = time.perf_counter() - start
import resource
columns = [name for name in samples.columns if name.startswith("score_")]
numbers = samples[columns].bfill(axis=1).iloc[:, 0].astype(float)
logs = samples["log"].map(lambda path: path.rsplit("/", 1)[-1])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
means = numbers.groupby(logs).mean().to_dict()
print(json.dumps({"seconds": spent, "peak_mb": peak, "means": means, "logs": len(evals)}))
"""


def make_logs(folder: Path, models: int, seed: int = 1) -> None:
    """Real Inspect logs: one eval per category, then a copy per model with its own name, answers and scores."""
    from inspect_ai import eval as run
    from inspect_ai.log import write_eval_log

    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    skills = [rng.betavariate(4, 3) for _ in range(models)]
    for key, task in _tasks().items():
        with tempfile.TemporaryDirectory() as scratch:
            [log] = run(task, model=_model(), log_dir=scratch, display="none")
            if log.status != "success":
                raise SystemExit(f"the generator's eval of {key} failed: {log.error}")
            for number, skill in enumerate(skills):
                copy = log.model_copy(deep=True)
                _become(copy, key, f"maker/model-{number:03d}", skill, rng)
                write_eval_log(copy, str(folder / f"2026-01-07T00-00-00+00-00_{key}_{number:03d}.eval"))


def _model():
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer(*_):
        output = ModelOutput.from_content("mockllm/model", "An answer of ordinary length. " * 40)
        output.usage = ModelUsage(input_tokens=300, output_tokens=280, total_tokens=580)
        return output

    return get_model("mockllm/model", custom_outputs=answer)


def _tasks() -> dict[str, object]:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import Score, mean, scorer
    from inspect_ai.solver import generate

    from steelyard.bench.model import CATEGORIES
    from steelyard.logs.identity import environment
    from steelyard.stamp import Fingerprint, Stamp

    def official(name: str) -> object:
        @scorer(metrics=[mean()], name=name)
        def made():
            async def score(state, target):
                return Score(value=1.0, answer="A", explanation="word " * 120, metadata={"class": "none"})

            return score

        return made()

    tasks = {}
    for key, category in CATEGORIES.items():
        samples = [
            Sample(id=f"{key}-{n:03d}", input=f"Item {n}. " + "A requirement of the system. " * 40, target="A")
            for n in range(category.sample_count)
        ]
        mark = Fingerprint("d", "s", f"{category.scorers[0]}@1")
        stamp = Stamp("bench", key, mark, environment=environment())
        tasks[key] = Task(
            dataset=samples,
            solver=generate(),
            scorer=official(category.scorers[0]),
            name=key,
            metadata=stamp.as_metadata(),
        )
    return tasks


def _become(log, key: str, model: str, skill: float, rng: random.Random) -> None:
    """Turn a copy of a log into that of another model."""
    log.eval.model = model
    log.eval.eval_id = f"e{rng.getrandbits(96):024x}"
    log.eval.task_id = f"t{rng.getrandbits(96):024x}"
    log.eval.run_id = f"r{rng.getrandbits(96):024x}"
    for sample in log.samples:
        sample.uuid = f"s{rng.getrandbits(128):032x}"
        sample.output.completion = "An answer of ordinary length. " * rng.randint(20, 60)
        for score in sample.scores.values():
            if key == "architecture_design":
                score.value = min(1.0, max(0.0, rng.gauss(skill, 0.2)))
            else:
                score.value = float(rng.random() < skill)
        sample.model_usage = dict.fromkeys([model], *sample.model_usage.values())
    log.stats.model_usage = dict.fromkeys([model], *log.stats.model_usage.values())


def measure(program: str, folder: Path) -> dict:
    """Best of three fresh processes."""
    runs = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    return min(runs, key=lambda each: each["seconds"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=FULL)
    parser.add_argument("--keep", type=Path, help="make the logs here and leave them")
    chosen = parser.parse_args()
    missing = [name for name in ("pandas", "pyarrow") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"Inspect's dataframes need {' and '.join(missing)}: pip install {' '.join(missing)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.keep or Path(scratch) / "logs"
        if not folder.exists():
            start = time.perf_counter()
            make_logs(folder, chosen.models)
            print(f"made {3 * chosen.models} logs in {time.perf_counter() - start:.1f} s")
        ours, theirs = measure(OURS, folder), measure(THEIRS, folder)
    worst = max(abs(ours["means"][name] - mean) for name, mean in theirs["means"].items())
    figures = {
        "logs": len(theirs["means"]),
        "ranked": ours["ranked"],
        "board_s": ours["seconds"],
        "dataframes_s": theirs["seconds"],
        "ratio": ours["seconds"] / theirs["seconds"],
        "board_peak_mb": round(ours["peak_mb"]),
        "dataframes_peak_mb": round(theirs["peak_mb"]),
        "largest_difference_of_means": worst,
    }
    print(json.dumps(figures, indent=2))
    same = worst < 1e-9 and len(ours["means"]) == len(theirs["means"])
    if same and chosen.models == FULL:
        record("board", figures)
    return 0 if same and figures["ratio"] <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
