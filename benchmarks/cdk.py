"""The warm CDK synthesizer beside stock `cdk synth`: same apps, same machine, alternating.

Speed: the 40 references in alternating rounds, both with two at a time; a cold run of 40 with the pool's start inside.
Equality: verdicts on references, near misses, mutants and shapes against the pinned CLI, all compared, none left out.

    python benchmarks/cdk.py             everything; writes docs/figures.json and the tables of docs/cdk.md
    python benchmarks/cdk.py --quick     ten references and a sample of the rest; prints only
    python benchmarks/cdk.py --speed | --equality
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cdk_corpus
import figures
from cdk_corpus import App

from steelyard import process, toolchain
from steelyard.bench.cdk_synth.sandboxed import stock_finding
from steelyard.bench.cdk_synth.synthesizer import packages
from steelyard.bench.cdk_synth.synthesizer.inside import harvest
from steelyard.bench.cdk_synth.synthesizer.kernel_sandbox import CLI_VERSION
from steelyard.bench.cdk_synth.synthesizer.pool import Pool
from steelyard.bench.cdk_synth.synthesizer.prepare import prepared

KERNELS = 2
TIMEOUT_S = 300.0
"""Generous: equality is about verdicts, not about a busy machine."""
DOC = Path(__file__).resolve().parent.parent / "docs" / "cdk.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


@dataclass(frozen=True)
class Said:
    """One verdict."""

    passed: bool
    klass: str
    templates: str | None = None
    """Hash of all template bytes, when the app passed."""

    def agrees(self, other: Said) -> bool:
        """The same verdict with the same class."""
        return (self.passed, self.klass) == (other.passed, other.klass)


class Stock:
    """The pinned CLI, as anybody would call it; bytecode may be cached, as after a normal installation."""

    def __init__(self) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="steelyard-stock-"))
        self._known_file = toolchain.cache_folder() / "stock-verdicts.json"
        self._known: dict[str, Any] = json.loads(self._known_file.read_text()) if self._known_file.exists() else {}

    def run(self, app: App) -> Said:
        with tempfile.TemporaryDirectory(dir=self._root, ignore_cleanup_errors=True) as name:
            folder = Path(name)
            (folder / "app.py").write_text(app.code, "utf-8")
            command = [*toolchain.cdk(), "synth", "--quiet", "--no-notices", "-a", "python app.py"]
            done = process.run(command, cwd=folder, env=self._environment(), timeout_s=TIMEOUT_S)
            if done.timed_out:
                return Said(False, "timeout")
            files = _harvested(folder / "cdk.out")
        found = stock_finding(done.returncode, done.stdout + "\n" + done.stderr, files)
        # The exit code alone decides; an empty template is ours, and the CLI's exit code says 0.
        passed = done.returncode == 0 and (found is None or found.klass != "empty_template")
        if passed != (found is None):
            raise SystemExit(
                f"{app.name}: the CLI ended in {done.returncode}, the law says {found}:\n{done.stderr[-800:]}"
            )
        return Said(passed, "pass", _digest(files)) if found is None else Said(passed, found.klass)

    def remembered(self, app: App) -> Said:
        """The verdict of an earlier run on the same bytes with the same versions, or a new one."""
        key = hashlib.sha256(f"{packages.installed().versions} {CLI_VERSION}\0{app.code}".encode()).hexdigest()
        if key not in self._known:
            said = self.run(app)
            self._known[key] = [said.passed, said.klass, said.templates]
            self._known_file.write_text(json.dumps(self._known))
        return Said(*self._known[key])

    def close(self) -> None:
        shutil.rmtree(self._root, ignore_errors=True)

    def _environment(self) -> dict[str, str]:
        path = [str(Path(sys.executable).parent), str(toolchain.node().parent), "/usr/local/bin", "/usr/bin", "/bin"]
        home = self._root / "home"
        home.mkdir(exist_ok=True)
        return {
            "PATH": os.pathsep.join(path),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PYTHONPYCACHEPREFIX": str(self._root / "bytecode"),
            "AWS_EC2_METADATA_DISABLED": "true",
            "CDK_DISABLE_CLI_TELEMETRY": "true",
        }


def _harvested(folder: Path) -> dict[str, str]:
    script = Path(harvest.__file__)
    done = process.run([sys.executable, "-I", script, folder], env={}, timeout_s=60, output_limit=100_000_000)
    return json.loads(done.stdout) if done.ok else {}


def ours(pool: Pool, apps: Sequence[App]) -> list[Said]:
    futures = [pool.submit(app.code.encode(), TIMEOUT_S) for app in apps]
    results = [future.result() for future in futures]
    return [
        Said(True, "pass", _digest(result.files)) if result.finding is None else Said(False, result.finding.klass)
        for result in results
    ]


def _digest(files: Mapping[str, str]) -> str:
    texts = sorted((name, text) for name, text in files.items() if name.endswith(".template.json"))
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def stocks(stock: Stock, apps: Sequence[App]) -> list[Said]:
    with ThreadPoolExecutor(KERNELS) as threads:
        return list(threads.map(stock.run, apps))


def speed(stock: Stock, rounds: int, apps: list[App]) -> dict[str, Any]:
    """Alternating rounds over the references; every round runs all apps on one side, then on the other."""
    stock.run(apps[0])  # caches that any installation has after its first run
    prepared()
    cold = _cold(apps)
    pool = Pool(kernels=KERNELS)
    pool.warm()
    ours(pool, apps)
    synthesizer, cli = [], []
    synthesizer_cpu, cli_cpu = 0.0, 0.0
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.monotonic()
        assert all(said.passed for said in stocks(stock, apps))
        cli.append(time.monotonic() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cli_cpu += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        used, started = _cpu(pool.pids), time.monotonic()
        assert all(said.passed for said in ours(pool, apps))
        synthesizer.append(time.monotonic() - started)
        synthesizer_cpu += _cpu(pool.pids) - used
    peak = _peak_mb(pool.pids)
    pool.close()
    count = len(apps)
    return {
        "apps": count,
        "rounds": rounds,
        "stock_s_per_app": min(cli) / count,
        "synthesizer_s_per_app": min(synthesizer) / count,
        "ratio": min(cli) / min(synthesizer),
        "cold_run_s": cold,
        "cold_ratio": min(cli) / cold,
        "stock_cpu_s_per_app": cli_cpu / count / rounds,
        "synthesizer_cpu_s_per_app": synthesizer_cpu / count / rounds,
        "stock_peak_mb_per_app": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000,
        "synthesizer_peak_mb_per_kernel": peak / KERNELS,
    }


def _cold(apps: list[App]) -> float:
    started = time.monotonic()
    pool = Pool(kernels=KERNELS)
    assert all(said.passed for said in ours(pool, apps))
    elapsed = time.monotonic() - started
    pool.close()
    return elapsed


def equality(stock: Stock, apps: list[App]) -> dict[str, Any]:
    """Per kind: how many, how many agree on the verdict, how many on the class too."""
    with ThreadPoolExecutor(KERNELS) as threads:
        expected = list(threads.map(stock.remembered, apps))
    pool = Pool(kernels=KERNELS)
    found = ours(pool, apps)
    pool.close()
    table: dict[str, Counter[str]] = {}
    for app, theirs, mine in zip(apps, expected, found, strict=True):
        row = table.setdefault(app.kind.split(":")[0], Counter())
        row.update(total=1, pass_=theirs.passed, same=theirs.passed == mine.passed, same_class=theirs.agrees(mine))
        if theirs.passed and mine.passed and theirs.templates is not None:
            row.update(templates=1, same_templates=theirs.templates == mine.templates)
        if not theirs.agrees(mine) or (theirs.templates and theirs.templates != mine.templates):
            print(f"  {app.name}: stock {theirs.klass}, synthesizer {mine.klass}, or other templates", file=sys.stderr)
    return {kind: dict(row) for kind, row in table.items()}


def _tree(roots: Sequence[int]) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(words[1]), []).append(int(entry.name))
    found, waiting = [], list(roots)
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += parents.get(pid, [])
    return found


def _cpu(roots: Sequence[int]) -> float:
    """CPU seconds of living processes under `roots`, and of the children they have waited for."""
    ticks = 0
    for pid in _tree(roots):
        try:
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, words[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _peak_mb(roots: Sequence[int]) -> float:
    total = 0
    for pid in _tree(roots):
        try:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return total / 1000


def tables(found: Mapping[str, Any], *, marked: bool = False) -> str:
    """The part of docs/cdk.md that is measured; `marked`, each figure names the entry of figures.json it comes from."""

    def number(key: str, form: str) -> str:
        text = format(found[key], form)
        return f"<!--fig cdk.{key}-->{text}<!--/fig-->" if marked else text

    lines = []
    if "ratio" in found:
        lines += [
            f"| {found['apps']} references, two at a time, two cores | stock `cdk synth` | warm synthesizer |",
            "|---|---|---|",
            f"| seconds per app (best of {found['rounds']} alternating rounds) | {number('stock_s_per_app', '.2f')} "
            f"| {number('synthesizer_s_per_app', '.3f')} |",
            f"| CPU seconds per app | {number('stock_cpu_s_per_app', '.2f')} "
            f"| {number('synthesizer_cpu_s_per_app', '.3f')} |",
            f"| peak memory | {number('stock_peak_mb_per_app', '.0f')} MB (largest process) "
            f"| {number('synthesizer_peak_mb_per_kernel', '.0f')} MB per kernel |",
            "",
            f"Ratio: **{number('ratio', '.0f')}×**. Cold run of {found['apps']} with the start of the pool inside: "
            f"{number('cold_run_s', '.1f')} s, **{number('cold_ratio', '.1f')}×**.",
            "",
        ]
    if same := found.get("equality"):
        lines += ["| apps | number | pass with stock | same verdict | same class | same template bytes |"]
        lines += ["|---|---|---|---|---|---|"]
        for kind, row in same.items():
            bytes_ = f"{row.get('same_templates', 0)} of {row.get('templates', 0)}"
            counts = (row["total"], row["pass_"], row["same"], row["same_class"], bytes_)
            lines.append(f"| {kind} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def write_doc(text: str) -> None:
    """Replace what stands between the marks in docs/cdk.md."""
    whole = DOC.read_text("utf-8")
    head, rest = whole.split(BEGIN, 1)
    DOC.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a sample; prints only")
    parser.add_argument("--speed", action="store_true", help="only speed")
    parser.add_argument("--equality", action="store_true", help="only equality")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kind", default="", help="only apps of this kind: reference, near miss, mutant, shape, app")
    parser.add_argument("--sample", type=int, default=1, help="every Nth app of the equality corpus")
    words = parser.parse_args()
    both = words.speed == words.equality
    apps = cdk_corpus.references()[: 10 if words.quick else None]
    wanted = [app for app in cdk_corpus.corpus() if app.kind.startswith(words.kind)]
    whole = wanted[:: 12 if words.quick else words.sample]
    stock, result = Stock(), {}
    try:
        if both or words.speed:
            result["speed"] = speed(stock, 1 if words.quick else words.rounds, apps)
        if both or words.equality:
            result["equality"] = equality(stock, whole)
    finally:
        stock.close()
    print(tables(_flat(result)))
    if not words.quick and words.sample == 1 and not words.kind:
        figures.record("cdk", {**figures.known("cdk"), **_flat(result)})
        write_doc(tables(figures.known("cdk"), marked=True))


def _flat(result: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = dict(result.get("speed", {}))
    if same := result.get("equality"):
        flat["compared"] = sum(row["total"] for row in same.values())
        flat["same_verdict"] = sum(row["same"] for row in same.values())
        flat["equality"] = same
    return flat


if __name__ == "__main__":
    main()
