"""How the command line behaves: one line, the right code (docs/scoring.md §3.3), nothing half-written."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from steelyard.audit.example import suite_folder
from steelyard.cli.exit import Exit, Lazy
from steelyard.cli.main import main
from steelyard.doctor import Examination
from tests.waiting import HANG_S

KEY = suite_folder("code-review") / "lockers" / "key.md"

STEELYARD = str(Path(sys.executable).with_name("steelyard"))


def run(*words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The root command inside this process: it ends as the program does, without loading everything again."""
    with contextlib.chdir(cwd or Path.cwd()):
        done = CliRunner().invoke(main, words, env=env, prog_name="steelyard")
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def program(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    """The installed program, as a process."""
    return subprocess.run([STEELYARD, *words], capture_output=True, text=True, **options)  # type: ignore[call-overload, no-any-return]


def walk(command: click.Command, words: tuple[str, ...]) -> list[tuple[tuple[str, ...], click.Command]]:
    found = [(words, command)]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None, f"{words} {name} cannot be loaded"
            found += walk(below, (*words, name))
    return found


def test_every_command_loads_and_has_help_with_an_example() -> None:
    for words, command in walk(main, ()):
        assert command.help, f"{' '.join(words)} has no help"
        if not isinstance(command, click.Group) or not words:
            assert "Example" in command.help, f"steelyard {' '.join(words)} shows no example"


def test_every_help_fits_80_columns_and_explains_every_option() -> None:
    for words, command in walk(main, ()):
        name = f"steelyard {' '.join(words)}"
        shown = CliRunner(env={"COLUMNS": "80"}).invoke(main, [*words, "--help"]).output
        assert max(map(len, shown.splitlines())) <= 80, name
        options = [option for option in command.params if isinstance(option, click.Option)]
        assert [option.opts for option in options if not option.help] == [], name


def test_help_is_short_and_names_what_only_help_all_explains() -> None:
    for words, command in walk(main, ()):
        rare = [option for option in command.params if isinstance(option, click.Option) and option.hidden]
        name = f"steelyard {' '.join(words)}"
        assert len(command.params) - len(rare) <= 18, f"{name}: mark what few need as rare"
        if not rare:
            continue
        brief, whole = (
            CliRunner(env={"COLUMNS": "80"}).invoke(main, [*words, flag]) for flag in ("--help", "--help-all")
        )
        assert (brief.exit_code, whole.exit_code) == (0, 0), name
        for option in rare:
            assert max(option.opts, key=len) in brief.output, name
            text = _packed(option.help or "")
            assert text in _packed(whole.output) and text not in _packed(brief.output), (name, option.name)


def _packed(text: str) -> str:
    """Without spaces: help is broken at hyphens too."""
    return "".join(text.split())


def test_help_lines_of_lazy_commands_are_not_empty() -> None:
    for _, command in walk(main, ()):
        if isinstance(command, Lazy):
            for name, (_, line) in command._lazy.items():
                assert line.endswith((".", "?")), name


def test_version() -> None:
    assert program("--version").stdout.startswith("steelyard, version ")


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        ("bench", "board", "/no/such/folder"),
        ("bench", "run", "--model", "steelyard/nobody", "--category", "practice_exam"),
        ("bench", "run", "--model", "nowhere/model", "--category", "practice_exam"),
        ("bench", "run", "--model", "steelyard/floor", "--budget-usd", "nan", "--dry-run"),
        ("bench", "run", "--model", "steelyard/floor", "--temperature", "nan", "--dry-run"),
        ("bench", "board", "--min-coverage", "nan", "."),
        ("bench", "board", ""),
        ("audit", "score", "--key", "/no/such/key.md", "--run", "/no/such/run.md"),
        ("gate", "compare", "/no/such/a.json", "/no/such/b.json"),
        ("doctor", "--no-such-option"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_2(words: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*words, cwd=tmp_path)
    assert done.returncode == Exit.UNANSWERED, done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "named", "explained"),
    [
        ("gate run --bogus", "--bogus", "gate run"),
        ("gate run --basline x", "no such option '--basline'. Did you mean '--baseline'", "gate run"),
        ("gate chek", "'check'", "gate"),
        ("gaet run", "'gate'", "main"),
        ("gate compare", "BASE", "gate compare"),
        ("audit run", "--model", "audit run"),
        ("bench run --model", "--model", ""),
        ("bench run --model m --limit many", "--limit", "bench run"),
        ("audit score --round -3", "--round", "audit score"),
        ("gate compare a b --policy c", "'evidence'", "gate compare"),
    ],
)
def test_a_misused_command_is_one_line_that_names_its_help(words: str, named: str, explained: str) -> None:
    done = CliRunner().invoke(main, words.split())
    assert done.exit_code == 2 and done.stdout == ""
    assert done.stderr.startswith("steelyard: ") and done.stderr.count("\n") == 1
    assert named in done.stderr and (not explained or f"{explained} --help)" in done.stderr)


def test_a_group_alone_shows_its_help() -> None:
    done = CliRunner().invoke(main, ["gate"])
    assert done.exit_code == 2 and "Commands:" in done.stderr


def test_debug_shows_the_traceback() -> None:
    done = program("--debug", "bench", "board", "/no/such/folder")
    assert done.returncode == Exit.UNANSWERED and "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("steelyard: /no/such/folder")


def test_nothing_to_rescore_is_not_fine(tmp_path: Path) -> None:
    done = run("rescore", str(tmp_path), "--judge", "mockllm/model")
    assert done.returncode == Exit.UNANSWERED and f"no eval logs in {tmp_path}" in done.stderr


def test_an_unwritable_place_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.api.doctor", lambda **_: Examination(()))  # the real one takes seconds
    (tmp_path / "file").write_text("x")
    done = run("doctor", "--json", str(tmp_path / "file" / "below.json"))
    assert (done.returncode, done.stdout) == (Exit.UNANSWERED, "")
    assert done.stderr.strip().splitlines()[-1].startswith("steelyard: cannot write")


def test_ctrl_c_ends_in_130() -> None:
    # What was started in the background ignores Ctrl-C, and so would its children: here it counts again.
    code = "import signal, time, click\nfrom steelyard.cli.exit import LazyRoot\n"
    code += "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "@click.command(cls=LazyRoot, lazy={})\ndef root(): pass\n"
    code += "@root.command()\ndef wait():\n    print('ready', flush=True); time.sleep(6000)\nroot(['wait'])"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=HANG_S)
    assert child.returncode == Exit.INTERRUPTED and "interrupted" in err and "Traceback" not in err


@pytest.mark.parametrize(
    "words",
    [
        ("--very-secret-value-123",),
        ("bench", "board", "logs", "--very-secret-value-123", "x"),
        ("very-secret-value-123",),
        ("bench", "run", "--model", "steelyard/floor", "--dry-run", "-M", "foo=very-secret-value-123"),
        ("bench", "run", "--model", "steelyard/floor", "--dry-run", "--label", "very-secret-value-123"),
    ],
)
def test_a_key_on_the_command_line_is_not_repeated(words: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*words, cwd=tmp_path, env={**os.environ, "ACME_API_KEY": "very-secret-value-123"})
    assert done.returncode == Exit.UNANSWERED and "ACME_API_KEY" in done.stderr
    assert "very-secret" not in done.stdout + done.stderr
    assert list(tmp_path.rglob("*")) == []


def test_ctrl_c_while_the_program_is_loading_is_one_line() -> None:
    code = "import sys\nclass Slow:\n    def find_spec(self, name, path=None, target=None):\n"
    code += "        if name == 'steelyard.cli.main': raise KeyboardInterrupt\n"
    code += "sys.meta_path.insert(0, Slow())\nfrom steelyard.__main__ import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == Exit.INTERRUPTED and done.stderr.startswith("steelyard: interrupted")
    assert len(done.stderr.splitlines()) == 1


def test_a_crash_leaves_no_core_dump_with_the_keys_of_the_environment(tmp_path: Path) -> None:
    code = "import os, sys\nclass Crash:\n    def find_spec(self, name, path=None, target=None):\n"
    code += "        if name == 'steelyard.cli.main': os.abort()\n"
    code += "sys.meta_path.insert(0, Crash())\nfrom steelyard.__main__ import main\nmain()"
    done = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -c "$(ulimit -H -c)"; exec "$0" -c "$1"', sys.executable, code], cwd=tmp_path
    )
    assert done.returncode == -signal.SIGABRT and list(tmp_path.iterdir()) == []


def test_an_alphabet_of_few_letters_is_no_error() -> None:
    done = program("bench", "board", "nowhere–█", env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert done.returncode == Exit.UNANSWERED and "nowhere??" in done.stderr and "Unicode" not in done.stderr


@pytest.mark.slow
def test_doctor_as_json_on_stdout_is_nothing_but_json() -> None:
    done = run("doctor", "--json", "-", env={**os.environ, "ANTHROPIC_API_KEY": "sk-" + "x" * 40})
    found = json.loads(done.stdout)
    assert found["healthy"] is (done.returncode == 0)
    states = {check["name"]: check["state"] for check in found["checks"]}
    assert states.keys() >= {"Python", "sandbox", "cdk", "embedded model", "disk"}
    assert states["cdk"] == states["cdk_verify"] == states["cdk_verify_local"] == "works", found
    assert any(check["detail"].startswith("cdk 2.") for check in found["checks"]), "the installed Node tools answer"
    assert "x" * 40 not in done.stdout + done.stderr, "a key may be named, never shown"
    assert "ANTHROPIC_API_KEY" in done.stdout


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", ">/dev/full"])
@pytest.mark.parametrize("words", ["bench check --schema exam", "--version", "--help", "gate compare --help"])
def test_an_answer_that_cannot_be_written_ends_in_2(words: str, closed: str) -> None:
    done = subprocess.run(["/bin/sh", "-c", f'"{STEELYARD}" {words} {closed}'], capture_output=True, text=True)
    assert (done.returncode, "unexpected" in done.stderr) == (Exit.UNANSWERED, False), done.stderr


@pytest.mark.parametrize("words", ["bench check --schema exam", "--help", "audit check --help"])
def test_an_answer_whose_reader_is_gone_ends_in_2(words: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([STEELYARD, *words.split()], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, "BrokenPipe" in done.stderr) == (Exit.UNANSWERED, False), done.stderr


def test_messages_that_nobody_wants_are_no_error() -> None:
    done = subprocess.run(["/bin/sh", "-c", f'"{STEELYARD}" bench check --schema exam 2>&-'], capture_output=True)
    assert done.returncode == Exit.FINE and done.stdout


@pytest.mark.parametrize("target", ["- >&-", "/dev/stdout >&-", "/dev/stderr 2>&-", "/proc/self/fd/1 <&- >&-"])
def test_a_result_that_goes_to_a_closed_stream_is_an_error(target: str) -> None:
    command = f'"{STEELYARD}" audit example --json {target}'
    assert subprocess.run(["/bin/sh", "-c", command], capture_output=True).returncode == Exit.UNANSWERED


@pytest.mark.parametrize("closed", ["<&- >&-", "<&- >&- 2>&-"])
def test_no_file_takes_the_number_of_a_closed_stream(closed: str, tmp_path: Path) -> None:
    # It would be what `--json /dev/stdout` and every child write to.
    code = "import os, click\nfrom steelyard.cli.exit import LazyRoot\n"
    code += "@click.command(cls=LazyRoot, lazy={})\ndef root(): pass\n"
    code += "@root.command()\ndef own():\n    file = open('own', 'w')\n    os.system('echo lost')\n"
    code += "    print(file.fileno() > 2, file=file)\nroot(['own'])"
    subprocess.run(["/bin/sh", "-c", f'"$0" -c "$1" {closed}', sys.executable, code], cwd=tmp_path, check=True)
    assert (tmp_path / "own").read_text() == "True\n"


@pytest.mark.parametrize(
    "words",
    [
        ("gate", "compare", "FILE", "FILE"),
        ("gate", "compare", "FILE.json", "FILE.json"),
        ("gate", "run", "--skill", "skill", "--agent", "model"),
        ("bench", "try", "FILE"),
        ("bench", "board", "FILE.eval"),
        ("audit", "score", "FILE.json", "--lexical"),
    ],
    ids=" ".join,
)
def test_a_file_that_never_ends_is_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    # /proc/kmsg claims to be a plain file without a byte, and reading it waits for the kernel's next message.
    (tmp_path / "skill").mkdir()
    for name in ("FILE", "FILE.json", "FILE.eval", "skill/SKILL.md"):
        (tmp_path / name).symlink_to("/proc/kmsg")
    done = run(*words, cwd=tmp_path)
    assert done.returncode == Exit.UNANSWERED
    assert len(done.stderr.splitlines()) == 1 and ("FILE" in done.stderr or "SKILL.md" in done.stderr)


def test_a_file_that_may_not_be_read_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = tmp_path / "answer.md"
    answer.touch(mode=0o000)
    if os.geteuid() == 0:  # who may read everything
        monkeypatch.setattr(os, "access", lambda *_: False)
    for words in (("bench", "try", str(answer), "--item", "arch-001"), ("demo", "--out", str(answer))):
        done = run(*words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert done.stderr.startswith("steelyard: ") and str(answer) in done.stderr


def test_two_formats_for_stdout_are_refused_before_anything_runs(tmp_path: Path) -> None:
    # Refused when the result was there, it would have cost every run: here the repository is not even looked at.
    done = run("audit", "plant", "nowhere", "--out", "suite", "--json", "-", "--markdown", "-", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "only one format can go to stdout" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "check", str(KEY)),
        ("audit", "check", str(KEY), "--format", "yaml"),
        ("audit", "example", "--copy", "copy"),
        ("gate", "example", "--copy", "copy"),
        ("gate", "quarantine", "slug", "--end"),
        ("bench", "run", "--model", "steelyard/floor", "--dry-run", "--engine", "processes"),
        ("bench", "check", "--schema", "exam"),
        ("judge", "calibrate", "--write-labels", "copy"),
    ],
)
def test_a_file_that_nobody_would_write_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*words, "--json", "result.json", cwd=tmp_path)
    assert done.returncode == Exit.UNANSWERED and "--json has no effect on" in done.stderr
    assert [*tmp_path.iterdir()] == [] and done.stdout == ""
