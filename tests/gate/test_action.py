"""The GitHub Action: its script with a stand-in for the command, and the comment that is updated, not repeated."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from steelyard.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
Write = Callable[..., Path]

STEELYARD = """#!/bin/sh
echo "$1 $2 $3" >> "$RUNNER_TEMP/calls"
for word in "$@"; do printf '%s\\n' "$word"; done > "$RUNNER_TEMP/words"
while [ $# -gt 0 ]; do
  case "$1" in --json) echo '{"verdict": "regressed"}' > "$2";; --sarif) echo '{}' > "$2";; esac
  shift
done
exit 1
"""


def test_the_action_names_only_inputs_it_has() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    text = (ROOT / "action.yml").read_text()
    used = {part.split("}}")[0].split()[0] for part in text.split("inputs.")[1:]}
    assert action["runs"]["using"] == "composite"
    assert {name.strip("'\"") for name in used} == set(action["inputs"])
    # no value of a pull request may become part of a script
    assert not any("${{" in step.get("run", "") for step in action["runs"]["steps"])


def test_logs_page_and_sarif_are_uploaded_by_pinned_actions() -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    uploads = {step["uses"].partition("@")[0]: step for step in steps if "uses" in step}
    assert set(uploads) == {"actions/upload-artifact", "github/codeql-action/upload-sarif"}
    assert all(re.fullmatch(r"[0-9a-f]{40}", step["uses"].partition("@")[2]) for step in uploads.values())
    assert all(step["if"].startswith("always()") for step in uploads.values())
    written = (ROOT / ".github" / "gate.sh").read_text()
    folder = uploads["actions/upload-artifact"]["with"]["path"].rpartition("/")[2]
    assert f'out="$RUNNER_TEMP/{folder}"' in written
    assert all(f'"$out/{name}"' in written for name in ("logs", "gate.html", "gate.sarif", "comparison.json"))


def test_the_workflow_of_the_docs_installs_nothing_unpinned_and_may_upload() -> None:
    page = (ROOT / "docs" / "gate-ci.md").read_text()
    assert "npm install" not in page
    workflow = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])
    assert workflow["permissions"]["security-events"] == "write"
    assert any("steelyard" in step.get("uses", "") for step in workflow["jobs"]["gate"]["steps"])


@pytest.fixture
def script(write: Write, tmp_path: Path) -> Callable[..., tuple[int, list[str], str]]:
    def run(**env: str) -> tuple[int, list[str], str]:
        write("steelyard", STEELYARD, 0o755)
        output = tmp_path / "output"
        fixed = {"RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(output), "STEELYARD": str(tmp_path / "steelyard")}
        done = subprocess.run(
            ["bash", str(ROOT / ".github" / "gate.sh")],
            env={"PATH": os.environ["PATH"], "STEELYARD_PYTHON": sys.executable, **fixed, **env},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, (tmp_path / "words").read_text().splitlines(), output.read_text()

    return run


@pytest.mark.parametrize(
    ("named", "settings", "installed"),
    [
        ("codex", "", "codex"),
        ("", "gate:\n  agent: claude-code\n", "claude-code"),
        ("", "gate: {'agent': \"gemini-cli\"}\n", "gemini-cli"),
        ("command", "", None),
        ("codex claude-code", "", "codex claude-code"),
        ("", "gate:\n  matrix:\n    - {agent: codex}\n    - {agent: opencode}\n", "codex opencode"),
    ],
)
def test_the_script_installs_the_pinned_client_of_the_agent(
    named: str, settings: str, installed: str | None, script: Callable[..., tuple[int, list[str], str]], write: Write,
    tmp_path: Path,
) -> None:  # fmt: skip
    write("steelyard.yaml", settings)
    script(AGENT=named)
    calls = (tmp_path / "calls").read_text().splitlines()
    setup = [f"setup --agent {name}" for name in (installed or "").split()]
    assert [call for call in calls if call.startswith("setup")] == setup and calls[-1].startswith("gate run")


def test_the_script_passes_inputs_as_words_and_keeps_the_exit_code(
    script: Callable[..., tuple[int, list[str], str]], tmp_path: Path
) -> None:
    nasty = "tasks; touch pwned $(touch pwned)"
    code, words, output = script(TASKS=nasty, BASELINE="git:main", CANDIDATE="new dir", ARGS="--max-samples 2")
    assert code == 1
    assert words[words.index("--tasks") + 1] == nasty and words[words.index("--candidate") + 1] == "new dir"
    assert words[:2] == ["gate", "run"] and words[-2:] == ["--max-samples", "2"] and "--agent" not in words
    assert "verdict=regressed" in output and not (tmp_path / "pwned").exists()
    assert f"sarif={tmp_path}/steelyard-gate/gate.sarif" in output


def test_several_agents_the_store_and_the_ledger_are_inputs(
    script: Callable[..., tuple[int, list[str], str]],
) -> None:
    _, words, _ = script(AGENT="codex claude-code", MODEL="a/b", STORE="s3://arms", LEDGER="git:refs/ledger")
    pairs = list(pairwise(words))
    assert [value for name, value in pairs if name == "--agent"] == ["codex", "claude-code"]
    assert {("--model", "a/b"), ("--store", "s3://arms"), ("--ledger", "git:refs/ledger")} <= {*pairs}


@pytest.mark.parametrize("module", ["json", "yaml"])
def test_modules_of_the_pull_request_are_not_imported(
    module: str, script: Callable[..., tuple[int, list[str], str]], write: Write, tmp_path: Path
) -> None:
    write(f"{module}.py", "open('pwned', 'w').close()\n")
    write("steelyard.yaml", "gate: {question: better}\n")
    code, words, output = script(PYTHONPATH=str(tmp_path))
    assert not (tmp_path / "pwned").exists() and code == 1
    assert "verdict=regressed" in output and "--question" not in words


def test_every_python_of_the_action_is_isolated_from_the_checkout() -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    text = "\n".join(step.get("run", "") for step in steps) + (ROOT / ".github" / "gate.sh").read_text()
    started = re.findall(r"""python3?\}?"? (-\S+)""", text)
    assert len(started) == 3 and set(started) == {"-I"}


@pytest.mark.parametrize(
    "settings",
    [
        "gate:\n  baseline: old\n  candidate: new\n  question: better\n",
        '{"gate": {"baseline": "old", "candidate": "new", "question": "better"}}',
    ],
)
def test_settings_in_the_repository_are_left_alone(
    settings: str, script: Callable[..., tuple[int, list[str], str]], write: Write
) -> None:
    write("steelyard.yaml", settings)
    words = script()[1]
    assert "--baseline" not in words and "--candidate" not in words and "--question" not in words


def test_a_pull_request_is_asked_whether_it_is_safe(script: Callable[..., tuple[int, list[str], str]]) -> None:
    words = script(POLICY="adaptive")[1]
    assert words[words.index("--question") + 1] == "safe" and words[words.index("--policy") + 1] == "adaptive"
    words = script(QUESTION="better")[1]
    assert words[words.index("--question") + 1] == "better" and "--policy" not in words


def test_in_a_pull_request_the_base_decides(
    script: Callable[..., tuple[int, list[str], str]], write: Write, tmp_path: Path
) -> None:
    origin = tmp_path / "origin"
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "init", "-q", "-b", "main", str(origin)], check=True)
    write("origin/steelyard.yaml", "gate:\n  baseline: git:main:agent\n  question: better\n")
    subprocess.run(["git", "-C", str(origin), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(origin), *identity, "commit", "-qm", "one"], check=True)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "remote", "add", "origin", str(origin)], check=True)
    write("steelyard.yaml", "gate:\n  candidate: something-easy\n  agent: codex\n")
    words = script(BASE_REF="main")[1]
    assert words[words.index("--base") + 1] == "refs/remotes/origin/main"
    # What the base says is left to it; what only the change says does not count.
    assert "--baseline" not in words and "--question" not in words
    assert words[words.index("--candidate") + 1] == "."
    assert "setup" not in (tmp_path / "calls").read_text()
    subprocess.run(["git", "-C", str(origin), *identity, "rm", "-q", "steelyard.yaml"], check=True)
    subprocess.run(["git", "-C", str(origin), *identity, "commit", "-qm", "two"], check=True)
    words = script(BASE_REF="main")[1]
    assert words[words.index("--baseline") + 1] == "git:refs/remotes/origin/main"
    assert "setup --agent codex" in (tmp_path / "calls").read_text()
    assert "--base" not in script()[1]


GH = """#!/bin/sh
echo "$@" >> "$GH_CALLS"
case "$*" in
  *--method=*) if [ -n "$GH_READS" ]; then echo "gh: Resource not accessible by integration (HTTP 403)" >&2; exit 1; fi
    cat > "$GH_CALLS.body"; echo '{"html_url": "https://example.com/c/1"}';;
  "api user") if [ -n "$GH_BOT" ]; then echo "gh: HTTP 403" >&2; exit 1; fi; echo '{"login": "us"}';;
  *) cat "$GH_CALLS.comments";;
esac
"""


@pytest.mark.parametrize(
    ("comments", "call"),
    [
        ([], "--method=POST --input=- repos/octo/agent/issues/12/comments"),
        ([{"id": 5, "body": "hello"}], "--method=POST --input=- repos/octo/agent/issues/12/comments"),
        (
            [{"id": 5, "body": "hello"}, {"id": 7, "body": "<!-- steelyard gate -->\nold", "user": {"login": "us"}}],
            "--method=PATCH --input=- repos/octo/agent/issues/comments/7",
        ),
        (
            [{"id": 7, "body": "<!-- steelyard gate -->\nnot ours", "user": {"login": "mallory"}}],
            "--method=POST --input=- repos/octo/agent/issues/12/comments",
        ),
    ],
)
def test_there_is_one_comment(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, comments: list[object], call: str
) -> None:
    write("bin/gh", GH, 0o755)
    write("calls.comments", f'[{{"id": 1, "body": "first page"}}]\n{json.dumps(comments)}')
    report = write("report.md", "# Gate: improved\n" + "x" * 70_000)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("GH_CALLS", str(tmp_path / "calls"))
    found = CliRunner().invoke(main, ["gate", "promote", str(report), "--github", "octo/agent", "--pr", "12"])
    assert found.exit_code == 0 and "https://example.com/c/1" in found.output
    assert (tmp_path / "calls").read_text().splitlines()[-1] == f"api {call}"
    body = json.loads((tmp_path / "calls.body").read_text())["body"]
    assert body.startswith("<!-- steelyard gate -->\n# Gate: improved") and len(body) < 65_536


def test_the_bot_of_a_workflow_finds_its_own_comment(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("bin/gh", GH, 0o755)
    bot = {"id": 7, "body": "<!-- steelyard gate -->\nold", "user": {"login": "github-actions[bot]"}}
    write("calls.comments", json.dumps([bot]))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("GH_CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("GH_BOT", "1")
    words = ["gate", "promote", str(write("report.md", "x")), "--github", "octo/agent", "--pr", "12"]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert (tmp_path / "calls").read_text().splitlines()[-1].endswith("comments/7")
    monkeypatch.setenv("GH_READS", "1")
    assert CliRunner().invoke(main, words).exit_code == 2
    allowed = CliRunner().invoke(main, [*words, "--if-allowed"])
    assert allowed.exit_code == 0 and "may only read" in allowed.output


@pytest.mark.parametrize("repo", ["--help", "a/b/c", "../x", "a/b?x=1"])
def test_a_repository_name_is_only_ever_a_name(write: Write, repo: str) -> None:
    report = write("report.md", "x")
    assert CliRunner().invoke(main, ["gate", "promote", str(report), f"--github={repo}", "--pr", "1"]).exit_code == 2
