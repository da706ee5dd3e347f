"""Questions for any chat, and its reply read back by the judge's parser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.audit.key import parse_key
from steelyard.audit.marking.ask import Reply, ask_text, reply_marks
from steelyard.audit.marking.questions import Brief
from steelyard.audit.score import weighed
from steelyard.cli.main import main
from steelyard.errors import InputError

from .material import KEY_MARKDOWN, run_of

KEY = parse_key(KEY_MARKDOWN, "key.md")
TEXT = """
- Two orders can reserve the same last item because nothing locks the row.
- The total is rounded and each line is rounded too, so rounding happens twice.
- There is no index on the order date, which the nightly report needs.
"""
OUTPUT = run_of(TEXT)


def verdict() -> dict[str, Any]:
    first = {"finding": "F01", "mark": "detected", "quote": "reserve the same last item"}
    second = {"finding": "F02", "mark": "partial", "quote": "rounding happens twice"}
    problems = {
        "P01": {"candidates": [first], "note": "names both orders"},
        "P02": {"candidates": [second], "note": "only the symptom"},
    }
    findings = {"F03": {"verdict": "bonus", "reason": "a real slow query", "repeats": None}}
    return {"runs": {"run.md": {"problems": problems, "findings": findings}}}


def test_the_text_holds_everything_and_the_unsure_first() -> None:
    text = ask_text(Brief(KEY, "Look for defects.", "Section 2 `reserve`"), [OUTPUT])
    for part in (
        "Look for defects.",
        "Section 2 `reserve`",
        "[[F03]]",
        "rounding happens twice",
        "○ detected",
        "run.md",
    ):
        assert part in text
    proposed = [line for line in text.splitlines() if line.startswith("- P0") and "certain)" in line]
    shares = [int(line.split("(")[1].split("%")[0]) for line in proposed]
    assert len(proposed) == 2
    assert shares == sorted(shares)
    assert "{{" not in text


@pytest.mark.parametrize("fenced", [False, True])
def test_a_reply_is_read_back(fenced: bool) -> None:
    reply = json.dumps(verdict(), ensure_ascii=False, indent=1)
    (marks,) = reply_marks(Brief(KEY), [OUTPUT], Reply("r.txt", f"```json\n{reply}\n```" if fenced else reply))
    # ○ 1.0 + △ 0.5 + one bonus 0.5.
    assert weighed(KEY.problems, OUTPUT, marks).score == 2.0


def broken(change: str) -> str:
    data = verdict()
    entry = data["runs"]["run.md"]
    if change == "quote":
        entry["problems"]["P01"]["candidates"][0]["quote"] = "words that are nowhere"
    elif change == "problem":
        del entry["problems"]["P02"]
    elif change == "ruling":
        entry["findings"] = {}
    elif change == "run":
        data["runs"]["other.md"] = data["runs"].pop("run.md")
    elif change == "mark":
        entry["problems"]["P01"]["candidates"][0]["mark"] = "perfect"
    return json.dumps(data) if change != "prose" else "All problems were detected."


@pytest.mark.parametrize("change", ["quote", "problem", "ruling", "run", "mark", "prose"])
def test_a_reply_that_does_not_fit_scores_nothing(change: str) -> None:
    with pytest.raises(InputError, match=r"r\.txt is not a verdict on these runs"):
        reply_marks(Brief(KEY), [OUTPUT], Reply("r.txt", broken(change)))


def test_two_runs_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="same file name"):
        ask_text(Brief(KEY), [OUTPUT, OUTPUT])


def test_from_the_command_line(tmp_path: Path) -> None:
    key, run, reply = (tmp_path / name for name in ("key.md", "run.md", "reply.txt"))
    key.write_text(KEY_MARKDOWN, "utf-8")
    run.write_text(TEXT, "utf-8")
    asked = CliRunner().invoke(main, ["audit", "ask", "--key", str(key), "--run", str(run)])
    assert asked.exit_code == 0
    assert asked.stdout == api.audit_ask(key, [run])
    reply.write_text(json.dumps(verdict()), "utf-8")
    files = ["--key", str(key), "--run", str(run), "--verdict", str(reply)]
    done = CliRunner().invoke(main, ["audit", "score", *files])
    assert done.exit_code == 0, done.output
    assert "mean: 2.00" in done.stdout
    assert "marked by: judge a chat, reply pasted, uncalibrated" in done.stderr
    assert CliRunner().invoke(main, ["audit", "score", *files, "--lexical"]).exit_code == 2
    reply.write_text(broken("quote"), "utf-8")
    failed = CliRunner().invoke(main, ["audit", "score", *files])
    assert failed.exit_code == 2
    assert "P01: the quote is not in F01" in failed.output
