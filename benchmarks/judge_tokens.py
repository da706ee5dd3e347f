"""Tokens per grading: one call, and the quoting protocol, against the prompts before the protocol.

    python benchmarks/judge_tokens.py

Counts requests and replies with the tokenizer of the embedded SmolLM2 (`steelyard setup --model smollm2`), over the
shipped architecture answers and the short texts of the tests with two criteria each. A reply has a rationale of 20
words and names one sentence per item, for passages two. Fails above 1.15 (one call) or 1.7 (quoting).
"""

from __future__ import annotations

import json
import statistics
import sys
import urllib.request
from pathlib import Path
from random import Random
from typing import Any

import yaml
from figures import record

from steelyard import toolchain
from steelyard.bench.architecture_design.labels import rubrics, shipped_labels
from steelyard.judge import Rubric, parse_rubric, question
from steelyard.judge.attack.scripted import seen_in
from steelyard.judge.calibration.labels import read_labels
from steelyard.judge.protocol import Request
from steelyard.judge.text import sentences

BEFORE = {"architecture": 2034.3, "short": 780.8}
"""Mean tokens per grading with the prompts of parser version 7, counted by the same tokenizer on the same texts."""

LIMITS = {"single": 1.15, "quoted": 1.7}
RATIONALE = "It names the cause of the outage and leaves out when it ended, and what follows from it for others."
TEXTS = Path(__file__).resolve().parent.parent / "tests" / "judge" / "texts" / "honest.yaml"


class Tokenizer:
    """Counts tokens with the embedded model's vocabulary."""

    def __init__(self) -> None:
        library = toolchain.model_library()
        settings = library.CommonParams()
        settings.model.path = str(toolchain.model_file())
        settings.n_ctx, settings.verbosity, settings.warmup = 512, -1, False
        self._server = library.Server(settings)

    def __call__(self, *texts: str) -> int:
        """Tokens of all texts together."""
        return sum(self._tokens(text) for text in texts)

    def _tokens(self, text: str) -> int:
        headers = {"Content-Type": "application/json"}
        address = f"{self._server.listening_address}/tokenize"
        asked = urllib.request.Request(address, json.dumps({"content": text}).encode(), headers)
        with urllib.request.urlopen(asked) as reply:
            return len(json.load(reply)["tokens"])


def reply_to(request: Request[Any], places: int = 1) -> str:
    """A full reply, each item resting on the first sentences."""
    seen = seen_in(request.system, request.user)
    reply = json.loads(seen.reply(dict.fromkeys(seen.items, 0.75)))
    if "rationale" in reply:
        reply["rationale"] = RATIONALE
    for entry in (*reply.get("grades", ()), *reply.get("passages", ())):
        if "sentences" in entry:
            entry["sentences"] = list(range(1, min(places, len(seen.sentences)) + 1))
    return json.dumps(reply)


def tokens_of(count: Tokenizer, rubric: Rubric, task: str, text: str) -> dict[str, int]:
    """What one grading takes by each protocol, and how much of the single call is decoys."""
    asked, rng = question(rubric, task=task, text=text), Random(1)
    assert asked.quoting is not None
    single = asked.single(text, rng)
    first = asked.quoting.passages(text, rng)
    shown = sentences(text)[:2]
    checks = [asked.quoting.check(item.id, shown, rng) for item in rubric.items]
    return {
        "single": count(single.system, single.user, reply_to(single)),
        "quoted": count(first.system, first.user, reply_to(first, 2))
        + sum(count(check.system, check.user, reply_to(check)) for check in checks),
        "decoys": single.decoy_tokens,
    }


def architecture(count: Tokenizer) -> list[dict[str, int]]:
    known = rubrics()
    rows = [row for row in read_labels(shipped_labels()) if row.response.strip()]
    return [tokens_of(count, known.of(row), row.task, row.response) for row in rows]


def short(count: Tokenizer) -> list[dict[str, int]]:
    found: list[dict[str, int]] = []
    for each in yaml.safe_load(TEXTS.read_text("utf-8")):
        items = [{"id": "a", "question": each["met"]}, {"id": "b", "question": each["unmet"]}]
        about = {"name": "text", "about": f"A text on {each['about']}", "criteria": items}
        rubric = parse_rubric(json.dumps(about), "rubric.yaml")
        found.append(tokens_of(count, rubric, f"Write about {each['about']}", each["text"]))
    return found


def main() -> int:
    count, figures, late = Tokenizer(), dict[str, Any](), False
    for name, measure in (("architecture", architecture), ("short", short)):
        rows = measure(count)
        means = {key: statistics.fmean(row[key] for row in rows) for key in rows[0]}
        ratios = {key: means[key] / BEFORE[name] for key in LIMITS}
        late |= any(ratios[key] > limit for key, limit in LIMITS.items())
        figures |= {f"{name}_{key}": value for key, value in means.items()}
        figures |= {f"{name}_{key}_ratio": value for key, value in ratios.items()}
        shown = "; ".join(f"{key} {means[key]:.0f} ({ratios[key]:.2f})" for key in LIMITS)
        print(f"{name}: {len(rows)} texts; before {BEFORE[name]:.0f}; {shown}; decoys {means['decoys']:.0f}")
    record("judge_tokens", figures)
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
