"""Judging 1,000 answers from the cache: less than 1 ms each.

    python benchmarks/judge_cache.py [answers]

A scripted judge fills a fresh cache with verdicts on answers of about 2,000 characters; then all of them are judged
again, in this process and, to show that the store is shared, in a second one that starts cold.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import time

from figures import record

LIMIT_MS = 1.0
ANSWERS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000


def texts() -> list[str]:
    from steelyard.judge.case import case

    body = f"{case().good}\n\n{case().prose} – {case().german}"
    return [f"Answer number {place}.\n{body}" for place in range(ANSWERS)]


async def judge_all(answers: list[str], *, expect_cached: bool) -> float:
    """Milliseconds per answer."""
    from steelyard.judge import question
    from steelyard.judge.case import case, case_rubric
    from steelyard.judge.grade import Judgement, grade, mean_verdict
    from steelyard.judge.panel import Panel

    panel = Panel(("scripted/generous",))
    started = time.perf_counter()
    for text in answers:
        found = await grade(question(case_rubric(), task=case().task, text=text), panel)
        assert isinstance(found, Judgement), found
        assert found.calls[0].cached is expect_cached
        assert mean_verdict(found).score == 1.0
    return (time.perf_counter() - started) * 1000 / len(answers)


def main() -> int:
    import anyio

    importlib.import_module("steelyard.judge.attack.scripted")
    answers = texts()
    if "STEELYARD_BENCH_SECOND" in os.environ:
        print(f"second process: {anyio.run(_again, answers):.3f} ms per cached verdict")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STEELYARD_CACHE"] = folder
        first = anyio.run(_fill, answers)
        cached = anyio.run(_again, answers)
        print(f"{ANSWERS} answers of {len(answers[0])} characters")
        print(f"drawn:          {first:.3f} ms per verdict (a scripted judge, and storing it)")
        print(f"from the cache: {cached:.3f} ms per verdict (limit {LIMIT_MS} ms)")
        subprocess.run(
            [sys.executable, __file__, str(ANSWERS)], check=True, env={**os.environ, "STEELYARD_BENCH_SECOND": "1"}
        )
    record("judge_cache", {"answers": ANSWERS, "drawn_ms": first, "cached_ms": cached})
    return 0 if cached < LIMIT_MS else 1


async def _fill(answers: list[str]) -> float:
    return await judge_all(answers, expect_cached=False)


async def _again(answers: list[str]) -> float:
    return await judge_all(answers, expect_cached=True)


if __name__ == "__main__":
    sys.exit(main())
