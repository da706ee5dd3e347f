"""Questions for any chat, and its reply read back by the judge's parser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.audit.files import read_reply
from steelyard.audit.key import parse_key
from steelyard.audit.marking import ByReply, marker
from steelyard.audit.marking.ask import Reply, ask_text, reply_marks
from steelyard.audit.marking.pasted import model_in
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


ASKED = ask_text(Brief(KEY, "Look for defects.", "Section 2 `reserve`"), [OUTPUT])
TITLES = dict(re.findall(r"^([a-z]{4}): (.+?) \((?:Critical|Medium|Minor);", ASKED, re.MULTILINE))
IDS = {title: name for name, title in TITLES.items()}
P01, P02 = (IDS[problem.title] for problem in KEY.problems)


def verdict() -> dict[str, Any]:
    first = {"finding": "F01", "mark": "detected", "quote": "reserve the same last item"}
    second = {"finding": "F02", "mark": "partial", "quote": "rounding happens twice"}
    claims = {P01: [first], P02: [second]}
    problems = [{"id": name, "candidates": claims.get(name, []), "note": "so it is"} for name in TITLES]
    findings = [{"id": "F03", "verdict": "bonus", "reason": "a real slow query", "repeats": None}]
    return {"runs": {"run.md": {"problems": problems, "findings": findings}}}


def row(data: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in data["runs"]["run.md"]["problems"] if each["id"] == name)


def test_the_text_holds_everything_and_the_unsure_first() -> None:
    for part in (
        "Look for defects.",
        "Section 2 `reserve`",
        "[[F03]]",
        "rounding happens twice",
        "○ detected",
        "run.md",
    ):
        assert part in ASKED
    proposed = [line for line in ASKED.splitlines() if "% certain)" in line]
    shares = [int(line.split("(")[1].split("%")[0]) for line in proposed]
    assert len(proposed) == 4
    assert shares == sorted(shares)
    assert "{{" not in ASKED


def test_problems_stand_among_decoys_under_drawn_ids_that_do_not_depend_on_when_they_are_drawn() -> None:
    assert len(TITLES) == 4 and "P01" not in ASKED
    assert set(TITLES.values()) > {problem.title for problem in KEY.problems}
    assert ask_text(Brief(KEY, "Look for defects.", "Section 2 `reserve`"), [OUTPUT]) == ASKED
    other = ask_text(Brief(KEY), [run_of(TEXT + "- One more finding about the lock.\n")])
    assert not any(name in re.findall(r"\b[a-z]{4}\b", other) for name in TITLES)


def test_a_reply_that_finds_everything_is_refused() -> None:
    data = verdict()
    for each in data["runs"]["run.md"]["problems"]:
        each["candidates"] = [{"finding": "F01", "mark": "detected", "quote": "reserve the same last item"}]
    with pytest.raises(InputError, match="not in the key"):
        reply_marks(Brief(KEY), [OUTPUT], Reply("r.txt", json.dumps(data)))


@pytest.mark.parametrize("fenced", [False, True])
def test_a_reply_is_read_back(fenced: bool) -> None:
    reply = json.dumps(verdict(), ensure_ascii=False, indent=1)
    (marks,) = reply_marks(Brief(KEY), [OUTPUT], Reply("r.txt", f"```json\n{reply}\n```" if fenced else reply))
    # ○ 1.0 + △ 0.5 + one bonus 0.5.
    assert weighed(KEY.problems, OUTPUT, marks).score == 2.0


SHAPES = {
    "bare": "{}",
    "fence without a tag": "```\n{}\n```",
    "prose and a fence": "Sure! Here is my verdict:\n\n```json\n{}\n```\n\nTell me if you want {{more}} detail.",
    "prose without a fence": "Here it is: {} I hope this helps.",
    "a line with the model": "Model: some-model-7\n\n{}\n",
    "a byte order mark and returns": "\ufeff\r\n{}\r\n",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_replies_are_read_as_chats_give_them(shape: str, tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    path.write_text(SHAPES[shape].replace("{}", json.dumps(verdict(), indent=1), 1), "utf-8", newline="")
    (marks,) = reply_marks(Brief(KEY), [OUTPUT], read_reply(path))
    assert weighed(KEY.problems, OUTPUT, marks).score == 2.0
    assert marks.record["model"] == ("some-model-7" if "model" in shape else "unknown")


def test_who_answered_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    path.write_text(f"**Model:** some-model-7\n{json.dumps(verdict())}", "utf-8")
    named = marker(Brief(KEY), ByReply(read_reply(path)))
    assert named.who == "some-model-7, reply pasted"
    assert marker(Brief(KEY), ByReply(read_reply(path, "other-8"))).who == "other-8, reply pasted"
    inside = json.dumps(verdict()).replace("so it is", "model: mine")
    assert model_in(inside) == ""
    unknown = marker(Brief(KEY), ByReply(Reply("r.txt", inside)))
    assert unknown.who == "unknown model, reply pasted"


def test_two_objects_in_a_reply_are_refused() -> None:
    text = json.dumps(verdict())
    with pytest.raises(InputError, match="holds 2 JSON objects"):
        reply_marks(Brief(KEY), [OUTPUT], Reply("r.txt", f"{text}\nor rather\n{text}"))


def test_all_missing_ids_are_listed_and_unknown_ones_refused() -> None:
    data = verdict()
    data["runs"]["run.md"]["problems"] = []
    with pytest.raises(InputError, match="problems lacks " + ", ".join(TITLES)):
        reply_marks(Brief(KEY), [OUTPUT], Reply("r.txt", json.dumps(data)))
    data = verdict()
    ruling = data["runs"]["run.md"]["findings"][0]
    data["runs"]["run.md"]["findings"] += [{**ruling, "id": "F77"}, {**ruling, "id": "F78"}]
    with pytest.raises(InputError, match="findings has an id twice"):
        reply_marks(Brief(KEY), [OUTPUT], Reply("r.txt", json.dumps(data)))


@pytest.mark.parametrize("text", ["{" * 50_000, '{"a":' * 40_000, "[" * 100_000, "x" * 300_000, "{}", "\x00{", "null"])
def test_hostile_replies_end_in_one_sentence(text: str) -> None:
    with pytest.raises(InputError, match=r"r\.txt is not a verdict"):
        reply_marks(Brief(KEY), [OUTPUT], Reply("r.txt", text))


def broken(change: str) -> str:
    data = verdict()
    entry = data["runs"]["run.md"]
    if change == "quote":
        row(data, P01)["candidates"][0]["quote"] = "words that are nowhere"
    elif change == "problem":
        entry["problems"].pop()
    elif change == "ruling":
        entry["findings"] = []
    elif change == "run":
        data["runs"]["other.md"] = data["runs"].pop("run.md")
    elif change == "mark":
        row(data, P01)["candidates"][0]["mark"] = "perfect"
    return json.dumps(data) if change != "prose" else "All problems were detected."


@pytest.mark.parametrize("change", ["quote", "problem", "ruling", "run", "mark", "prose"])
def test_a_reply_that_does_not_fit_scores_nothing(change: str) -> None:
    with pytest.raises(InputError, match=r"r\.txt is not a verdict"):
        reply_marks(Brief(KEY), [OUTPUT], Reply("r.txt", broken(change)))


def test_two_runs_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="same file name"):
        ask_text(Brief(KEY), [OUTPUT, OUTPUT])


def test_from_the_command_line(tmp_path: Path) -> None:
    key, run, reply = (tmp_path / name for name in ("key.md", "run.md", "reply.txt"))
    key.write_text(KEY_MARKDOWN, "utf-8")
    run.write_text(TEXT, "utf-8")
    asked = CliRunner().invoke(main, ["audit", "mark", "--as", "chat", "--key", str(key), str(run)])
    assert asked.exit_code == 0
    assert asked.stdout == api.audit_ask(str(run), key=key)
    reply.write_text(json.dumps(verdict()), "utf-8")
    files = ["--key", str(key), "--run", str(run), "--verdict", str(reply)]
    done = CliRunner().invoke(main, ["audit", "score", *files])
    assert done.exit_code == 0, done.output
    assert "mean: 2.00" in done.stdout
    assert "judge unknown model, reply pasted" in done.stderr
    assert CliRunner().invoke(main, ["audit", "score", *files, "--lexical"]).exit_code == 2
    named = CliRunner().invoke(main, ["audit", "score", *files, "--verdict-model", "some-model-7", "--json", "-"])
    assert json.loads(named.stdout)["marker"]["who"] == "some-model-7, reply pasted"
    alone = CliRunner().invoke(main, ["audit", "score", *files[:4], "--lexical", "--verdict-model", "x"])
    assert alone.exit_code == 2
    assert "--verdict REPLY.txt" in alone.output
    reply.write_text(broken("quote"), "utf-8")
    failed = CliRunner().invoke(main, ["audit", "score", *files])
    assert failed.exit_code == 2
    assert f"{P01}: the quote is not in F01" in failed.output
