"""The commands: the block and nothing else on stdout, one clear line and exit 2 for what cannot be used."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from steelyard.audit.example import suite_folder
from steelyard.cli.main import main

from ..provider import Fail, Hang, Page, Provider, Reply
from .examiner import asked_findings, asked_problems, judge, matching, rulings, shown_findings

SUITE = suite_folder("code-review")
KEY = SUITE / "lockers" / "key.md"
RUNS = [SUITE / "runs" / "hasty" / f"lockers-{number}.md" for number in (1, 2)]
GOLDEN = Path(__file__).parent / "golden"


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def score(*more: object) -> Result:
    runs = [word for path in RUNS for word in ("--run", path)]
    return call("audit", "score", "--key", KEY, *runs, *more)


def test_marks_give_the_block_and_the_file(tmp_path: Path) -> None:
    marks = ("--marks", SUITE / "marks" / "hasty.yaml", "--name", "hasty", "--round", "1")
    found = score(*marks, "-o", tmp_path / "s.md")
    assert found.exit_code == 0
    assert found.stdout == (GOLDEN / "hasty.block").read_text("utf-8")
    assert (tmp_path / "s.md").read_text("utf-8") == (GOLDEN / "hasty.md").read_text("utf-8")
    assert "marked by: person (the authors)" in found.stderr


def test_every_format_at_once(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"out.{name}" for name in ("json", "markdown", "html", "sarif")}
    words = [word for name, path in paths.items() for word in (f"--{name}", path)]
    document = SUITE / "lockers" / "document.md"
    found = score("--lexical", "--perspective", SUITE / "perspective.md", "--document", document, *words)
    assert found.exit_code == 0
    assert found.stdout.startswith("mean: ")
    assert "advisory" in found.stderr
    assert json.loads(paths["json"].read_text())["marker"]["advisory"] is True
    assert "<!doctype html>" in paths["html"].read_text()
    assert json.loads(paths["sarif"].read_text())["version"] == "2.1.0"


def test_a_dash_claims_stdout() -> None:
    found = score("--lexical", "--json", "-")
    assert json.loads(found.stdout)["kind"] == "audit"
    assert score("--lexical", "--json", "-", "--html", "-").exit_code == 2


def test_nobody_marks() -> None:
    found = score()
    assert found.exit_code == 2
    assert found.stdout == ""
    assert all(way in found.stderr for way in ("--judge", "--marks", "--lexical"))
    assert len(found.stderr.strip().splitlines()) == 1


LOCKERS = (suite_folder("code-review") / "lockers" / "key.md").read_text("utf-8")


def test_a_judge_marks_and_a_broken_one_ends_in_two(tmp_path: Path) -> None:
    def honest(system: str, user: str) -> str:
        if problems := asked_problems(user):
            quote = "concatenates user input into SQL" if "concatenates" in user else "vulnerable to SQL injection"
            label = next(name for name, text in shown_findings(user).items() if quote in text)
            return matching({"P02": (label, "detected", quote)}, problems)
        return rulings({}, asked_findings(user))

    found = score("--judge", judge("cli", honest, LOCKERS), "--json", tmp_path / "r.json")
    assert found.exit_code == 0
    assert found.stdout == (
        "mean: 1.00\nsd: 0.00\nrun1: 1.00\nrun2: 1.00\nstability: high\ndetected: 2\npartial: 0\nmissed: 18\n"
    )
    assert "marked by: judge examiner/cli, uncalibrated" in found.stderr
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["runs"][0]["record"]["judge_tokens"] == 30

    def silent(system: str, user: str) -> str:
        raise ConnectionError("no line")

    broken = score("--judge", judge("mute", silent), "-o", tmp_path / "never.md")
    assert broken.exit_code == 2
    assert broken.stdout == ""
    assert "unscored" in broken.stderr
    assert not (tmp_path / "never.md").exists()


def test_an_environment_judge_steps_back_for_a_named_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_JUDGE", "mockllm/model")
    assert score("--lexical").exit_code == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["audit", "score", "--lexical"], "an answer key and at least one run"),
        (["audit", "score", "--key", KEY, "--lexical"], "an answer key and at least one run"),
        (["audit", "score", "--key", "none.md", "--run", RUNS[0], "--lexical"], "cannot read the answer key"),
        (["audit", "score", "--key", RUNS[0], "--run", RUNS[0], "--lexical"], "no problem found"),
        (["audit", "score", "--key", KEY, "--run", "none.md", "--lexical"], "cannot read the run"),
        (["audit", "score", "--key", KEY, "--run", RUNS[0], "--lexical", "--marks", KEY], ""),
        (["audit", "score", "none.eval"], "none.eval"),
        (["audit", "score", KEY], "cannot read"),
        (["audit", "score", "--key", KEY, "--run", RUNS[0], "--judge", "nowhere/x"], "unknown provider"),
        (["audit", "check", "none.md"], "cannot read the file"),
        (["audit", "mark", "--as", "sheet", "--key", KEY], "at least one run"),
        (["audit", "score", SUITE], "--set careful | hasty"),
        (["audit", "score", SUITE, "--set", "none"], "no set 'none'"),
        (["audit", "score", "nowhere"], "nowhere does not exist"),
        (["audit", "compare", KEY, KEY], "no marks"),
        (["audit", "compare", SUITE], "no audit result"),
        (["audit", "compare", "nowhere"], "nowhere does not exist"),
        (["audit", "run", "--model", "mockllm/model", "--lexical"], "--suite DIR"),
        (["audit", "run", "--model", "mockllm/model", "--document", KEY, "--lexical"], "needs its answer key"),
        (["audit", "run", "--model", "x/y", "--document", KEY, "--key", KEY], "no way to mark"),
        (["rescore", "nowhere.eval", "--judge", "mockllm/model"], "does not exist"),
        (["audit", "example", "--suite", "none"], "not a shipped suite"),
        (["audit", "example", "--set", "none"], "no set 'none'"),
    ],
)
def test_bad_input_is_one_line_and_two(words: list[object], says: str) -> None:
    found = call(*words)
    assert found.exit_code == 2
    assert says in found.stderr
    assert "Traceback" not in found.output
    assert found.stdout == ""


def test_key_is_shown_and_converted(tmp_path: Path) -> None:
    shown = call("audit", "check", KEY)
    assert "10 problems (3 critical, 4 medium, 3 minor)" in shown.stdout
    as_yaml = call("audit", "check", KEY, "--format", "yaml")
    path = tmp_path / "key.yaml"
    path.write_text(as_yaml.stdout, "utf-8")
    back = call("audit", "check", path, "--format", "md")
    assert back.stdout == call("audit", "check", KEY, "--format", "md").stdout
    runs = [word for run in RUNS for word in ("--run", run)]
    marks = ("--marks", SUITE / "marks" / "hasty.yaml")
    assert call("audit", "score", "--key", path, *runs, *marks).stdout == (GOLDEN / "hasty.block").read_text("utf-8")


def test_sheet_is_made_and_open_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    assert call("audit", "mark", *RUNS, "--as", "sheet", "--key", KEY, "-o", path).exit_code == 0
    found = score("--marks", path)
    assert found.exit_code == 2
    assert "still open" in found.stderr
    path.write_text(path.read_text("utf-8").replace('mark: "?"', "mark: ×"), "utf-8")
    assert score("--marks", path).stdout.startswith("mean: 0.00\n")


def test_order_of_runs_changes_nothing_but_their_names() -> None:
    marks = ("--marks", SUITE / "marks" / "hasty.yaml")
    turned = call("audit", "score", "--key", KEY, "--run", RUNS[1], "--run", RUNS[0], *marks)
    lines, golden = turned.stdout.split("\n"), (GOLDEN / "hasty.block").read_text("utf-8").split("\n")
    assert sorted(line.partition(": ")[2] for line in lines) == sorted(line.partition(": ")[2] for line in golden)
    assert lines[0] == golden[0]


def test_suite_compare_and_history(tmp_path: Path) -> None:
    for number, name in enumerate(("hasty", "careful"), start=1):
        path = tmp_path / f"round{number}.json"
        found = call("audit", "score", SUITE, "--set", name, "--round", number, "--json", path)
        assert found.exit_code == 0
        assert "lockers" in found.stdout
    (tmp_path / "unrelated.json").write_text("{}")
    compared = call("audit", "compare", tmp_path / "round1.json", tmp_path / "round2.json")
    assert compared.exit_code == 0
    assert "Better:" in compared.stdout
    back = call("audit", "compare", tmp_path / "round2.json", tmp_path / "round1.json", "--fail-if-worse")
    assert back.exit_code == 1
    same = call("audit", "compare", tmp_path / "round1.json", tmp_path / "round1.json")
    assert same.exit_code == 3
    assert "Undecided:" in same.stdout
    assert "significant" not in same.stdout
    svg = tmp_path / "chart.svg"
    told = call("audit", "compare", tmp_path, "--svg", svg, "--html", tmp_path / "h.html", "--json", tmp_path / "h.out")
    assert told.exit_code == 0
    assert svg.read_text().startswith("<svg")
    assert "<svg" in (tmp_path / "h.html").read_text()


def test_folders_are_compared_with_their_clean_documents(tmp_path: Path) -> None:
    for name in ("hasty", "careful"):
        path = tmp_path / name / "result.json"
        path.parent.mkdir()
        assert call("audit", "score", SUITE, "--set", name, "--json", path).exit_code == 0
    files = call("audit", "compare", tmp_path / "hasty" / "result.json", tmp_path / "careful" / "result.json")
    folders = call("audit", "compare", tmp_path / "hasty", tmp_path / "careful")
    assert folders.stdout == files.stdout
    assert "tariff" in folders.stdout  # clean: its false alarms count
    (tmp_path / "careful" / "newer.json").write_text('{"kind": "audit"')
    told = call("audit", "compare", tmp_path / "hasty", tmp_path / "careful", "--json", "-")
    assert any("newer.json" in warning for warning in json.loads(told.stdout)["warnings"])


def test_check_tells_keys_from_runs_and_can_be_told(tmp_path: Path) -> None:
    run = tmp_path / "run.md"
    run.write_text("- Prices are rounded twice\n", "utf-8")
    assert "1 findings" in call("audit", "check", run).stdout
    assert "problems (" in call("audit", "check", KEY).stdout
    scan = Path(__file__).parent / "scanners" / "bandit.json"
    assert "16 findings" in call("audit", "check", scan).stdout
    assert "16 problems" in call("audit", "check", scan, "--as", "key").stdout


def test_example_and_copy(tmp_path: Path) -> None:
    assert call("audit", "example").stdout == (GOLDEN / "hasty.block").read_text("utf-8")
    assert call("audit", "example", "--copy", tmp_path / "mine").exit_code == 0
    assert (tmp_path / "mine" / "suite.yaml").is_file()


@pytest.mark.parametrize("name", ["score", "run", "check", "mark", "compare", "example"])
def test_every_command_has_help_with_an_example(name: str) -> None:
    found = call("audit", name, "--help")
    assert found.exit_code == 0
    assert f"steelyard audit {name}" in found.stdout


def test_the_pure_core_is_pure() -> None:
    code = (
        "import sys, steelyard.audit, steelyard.audit.match;"
        "import steelyard.audit.marking.lexical, steelyard.audit.marking.replies;"
        "print([name for name in ('inspect_ai', 'click', 'numpy', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_that_marks_a_log_later_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "my logs" / "a.eval"
    monkeypatch.setattr("steelyard.api.audit_run", lambda spec: log)
    words = ("--key", KEY, "--document", SUITE / "lockers" / "document.md", "--agent", SUITE / "agent.md")
    printed = call("audit", "run", *words, "--model", "steelyard/floor", "--mark-later").stdout
    assert shlex.split(printed) == ["steelyard", "audit", "mark", str(log)]


# A call that is cancelled leaves its socket to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize(
    ("reply", "options", "said"),
    [
        (Fail(429, headers={"retry-after": "0"}), "max_retries=0", "also after all retries: 429 Too Many Requests"),
        (Hang(), "timeout=1", "also after all retries: no response within 1 s"),
        (Page(), "max_retries=0", "what the provider sent cannot be read"),
    ],
)
def test_a_provider_that_never_answers_ends_the_run_and_is_named(
    reply: Reply, options: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = Provider(lambda path, body: reply)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
    words = ("--key", KEY, "--document", SUITE / "lockers" / "document.md", "--agent", SUITE / "agent.md")
    model = f"anthropic/audit-{type(reply).__name__}"  # Inspect would reuse a client of the same name, with its address
    try:
        found = call("audit", "run", *words, "--model", model, "--mark-later", "--log-dir", tmp_path, "-G", options)
    finally:
        provider.close()
    assert found.exit_code == 2 and not found.stdout, found.output
    assert "2 of 2 runs failed (" in found.stderr and said in found.stderr
    assert provider.requests or reply == Hang()  # whose second may be over before the request is out
