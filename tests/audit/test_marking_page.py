"""The page for marking: what its server answers and refuses, and what reaches the sheet."""

from __future__ import annotations

import http.client
import json
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.audit.example import suite_folder
from steelyard.audit.marking_page.data import run_data
from steelyard.audit.marking_page.edits import MarkEdit
from steelyard.audit.marking_page.server import MarkingServer
from steelyard.audit.marking_page.session import CHANGED, GONE
from steelyard.cli.main import main
from steelyard.errors import InputError
from tests.waiting import HANG_S

from .material import KEY_MARKDOWN

EVIL = "<img src=x onerror=window.hacked=1><script>window.hacked=2</script>"
RUN = f"""# Review

Read twice. {EVIL}

## Findings

1. Rounding happens twice for the prices, {EVIL} and totals differ.
2. Two orders can reserve the same last item. The table also has no index.
3. The footer is grey.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "key.md").write_text(KEY_MARKDOWN, "utf-8")
    (tmp_path / "run.md").write_text(RUN, "utf-8")
    return tmp_path


def test_a_blind_session_shows_a_proposal_after_the_mark(folder: Path) -> None:
    with serving(folder, blind=True) as opened:
        assert "proposal:" not in (folder / "sheet.yaml").read_text("utf-8")
        before = run_data(opened.session, 0, opened.session.sheet_runs()[0][0])
        assert [cell["problem"] for cell in before["cells"]] == ["P01", "P02"]
        assert [(cell["proposal"], cell["finding"], cell["quote"]) for cell in before["cells"]] == [
            (None, None, "")
        ] * 2
        opened.session.apply(MarkEdit(kind="mark", run=0, problem="P02", mark="missed"))
        after = run_data(opened.session, 0, opened.session.sheet_runs()[0][0])
        assert [cell["proposal"] is None for cell in after["cells"]] == [True, False]


def test_a_blind_session_hides_what_an_earlier_sheet_proposes(folder: Path) -> None:
    with serving(folder) as opened:
        assert "finding: F01" in opened.session.sheet.read_text("utf-8")
    with serving(folder, blind=True) as opened:
        cells = run_data(opened.session, 0, opened.session.sheet_runs()[0][0])["cells"]
    assert {cell["finding"] for cell in cells} == {None}


@pytest.fixture
def server(folder: Path) -> Iterator[MarkingServer]:
    with serving(folder) as opened:
        thread = threading.Thread(target=opened.serve_forever, daemon=True, kwargs={"poll_interval": 0.01})
        thread.start()
        yield opened
        opened.shutdown()
        thread.join()


def serving(folder: Path, **options: Any) -> MarkingServer:
    return api.audit_mark([folder / "run.md"], key=folder / "key.md", sheet=folder / "sheet.yaml", **options)


def request(
    server: MarkingServer, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, Any], str]:
    """Status, JSON and text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=HANG_S)
    sent = {"Content-Type": "application/json"} if body is not None else {}
    connection.request(method, path, body, {**sent, **{name.replace("_", "-"): text for name, text in headers.items()}})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, json.loads(text) if text.startswith("{") else {}, text


def edit(server: MarkingServer, **change: Any) -> tuple[int, dict[str, Any]]:
    body = json.dumps({"run": 0, **change}).encode()
    status, data, _ = request(server, "POST", f"/{server.token}/edit", body)
    return status, data


def mark(server: MarkingServer, problem: str, mark: str | None, **change: Any) -> tuple[int, dict[str, Any]]:
    return edit(server, kind="mark", problem=problem, mark=mark, **change)


def sheet(folder: Path) -> str:
    return (folder / "sheet.yaml").read_text("utf-8")


def test_the_page_needs_its_token_and_this_machine(server: MarkingServer) -> None:
    assert len(server.token) >= 32 and server.address == f"http://127.0.0.1:{server.port}/{server.token}/"
    status, _, text = request(server, "GET", f"/{server.token}/")
    assert status == 200 and "default-src 'none'" in text and "connect-src 'self'" in text
    assert "http:" not in text and "https:" not in text
    body = b'{"kind": "undo", "run": 0}'
    for token in ("", "/", "/x/", f"/{server.token[:-1]}/", "/%00/", f"/x/{server.token}/"):
        assert request(server, "GET", f"{token or '/'}runs")[0] == 403
        assert request(server, "POST", f"{token or '/'}edit", body)[0] == 403
    for headers in (
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "cors"},
    ):
        assert request(server, "GET", f"/{server.token}/runs", None, **headers)[0] == 403
        assert request(server, "POST", f"/{server.token}/edit", body, **headers)[0] == 403


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"", {}, 409),
        (b"{", {}, 409),
        (b"[]", {}, 409),
        (b"null", {}, 409),
        (b'{"kind": "burn", "run": 0}', {}, 409),
        (b'{"kind": "mark", "run": 0, "problem": "P01", "mark": "maybe"}', {}, 409),
        (b'{"kind": "mark", "run": 0, "problem": "P01", "mark": "missed", "path": "/etc/passwd"}', {}, 409),
        (b'{"kind": "mark", "run": true, "problem": "P01", "mark": "missed"}', {}, 409),
        (b'{"kind": "mark", "run": 99, "problem": "P01", "mark": "missed"}', {}, 409),
        (b'{"kind": "mark", "run": -1, "problem": "P01", "mark": "missed"}', {}, 409),
        (b'{"kind": "mark", "run": 0, "problem": "P99", "mark": "missed"}', {}, 409),
        (b'{"kind": "mark", "run": 0, "problem": "P01", "mark": "detected"}', {}, 409),
        (b'{"kind": "mark", "run": 0, "problem": "P01", "mark": "detected", "finding": 77}', {}, 409),
        (b'{"kind": "mark", "run": 0, "problem": "P01", "mark": "detected", "quote": "never said"}', {}, 409),
        (b'{"kind": "merge", "run": 0, "finding": 1, "into": 1}', {}, 409),
        (b'{"kind": "split", "run": 0, "finding": 1, "words": "never said"}', {}, 409),
        (b'{"kind": "undo", "run": 0}', {}, 409),
        (b"\xff\xfe", {}, 409),
        (b'{"kind": "undo", "run": 0}', {"Content_Type": "text/plain"}, 415),
        (b'{"kind": "undo", "run": 0}', {"Content_Length": "x"}, 411),
        (b" " * 100_001, {}, 413),
    ],
)
def test_bad_requests_are_refused_and_change_nothing(
    server: MarkingServer, folder: Path, body: bytes, headers: dict[str, str], status: int
) -> None:
    before = sheet(folder)
    answer = request(server, "POST", f"/{server.token}/edit", body, **headers)
    assert answer[0] == status and answer[1]["error"]
    assert sheet(folder) == before


def test_paths_that_do_not_exist(server: MarkingServer) -> None:
    for path in ("runs/7", "runs/-1", "runs/x", "runs/0/..", "../sheet.yaml", "sheet.yaml", "edit"):
        assert request(server, "GET", f"/{server.token}/{path}")[0] == 404
    assert request(server, "POST", f"/{server.token}/runs", b"{}")[0] == 404
    assert request(server, "DELETE", f"/{server.token}/runs")[0] == 501


def test_unsure_cells_come_first_with_their_passage_and_hostile_text_is_escaped(server: MarkingServer) -> None:
    _, data, _ = request(server, "GET", f"/{server.token}/runs/0")
    sure = [cell["proposal"]["certainty"] for cell in data["cells"]]
    assert sure == sorted(sure) and {cell["mark"] for cell in data["cells"]} == {None}
    prices = next(cell for cell in data["cells"] if cell["problem"] == "P02")
    assert prices["proposal"]["finding"] == 1 and "Rounding happens twice" in prices["proposal"]["quote"]
    assert "<img" not in data["text"] and "<script" not in data["text"] and "&lt;script&gt;" in data["text"]
    assert data["text"].count("<section") == 3 and "left out: " in data["text"]
    assert (data["done"], data["total"]) == (0, 2)


def test_every_mark_is_in_the_sheet_at_once_and_comments_stay(server: MarkingServer, folder: Path) -> None:
    status, data = mark(server, "P01", "detected", finding=2, quote="reserve the same last item", note="yes: it does")
    assert status == 200 and (data["done"], data["total"]) == (1, 2)
    assert "P01: {mark: ○, finding: F02, quote: reserve the same last item, note: 'yes: it does'}" in sheet(folder)
    assert "# P01 Critical" in sheet(folder)
    mark(server, "P02", "missed", finding=1)
    assert "P02: {mark: ×}" in sheet(folder)
    edit(server, kind="rule", finding=3, verdict="penalty", reason="style")
    result = api.audit_score(key=folder / "key.md", runs=[folder / "run.md"], marks=folder / "sheet.yaml")
    assert result.mean == 0.5  # ○ 1.0, a penalty −0.5
    mark(server, "P01", None, finding=2)
    with pytest.raises(InputError, match="is still open"):
        api.audit_score(key=folder / "key.md", runs=[folder / "run.md"], marks=folder / "sheet.yaml")
    edit(server, kind="undo")
    assert api.audit_score(key=folder / "key.md", runs=[folder / "run.md"], marks=folder / "sheet.yaml").mean == 0.5


def test_findings_are_split_and_merged(server: MarkingServer, folder: Path) -> None:
    _, data = edit(server, kind="split", finding=2, words="The table also has no index.")
    assert [finding["id"] for finding in data["findings"]] == ["F01", "F02", "F04", "F03"]
    assert "split: {F04: {from: F02, words: The table also has}}" in sheet(folder)
    edit(server, kind="rule", finding=3, verdict="penalty", reason="style")
    _, data = edit(server, kind="merge", finding=3, into=4)
    assert [finding["verdict"] for finding in data["findings"]] == ["neither", "neither", "penalty"]
    assert [finding["id"] for finding in data["findings"]] == ["F01", "F02", "F04"]
    status, data = edit(server, kind="rule", finding=3, verdict="bonus")
    assert status == 409 and "no finding F03" in data["error"]
    mark(server, "P01", "detected", finding=2)
    mark(server, "P02", "missed")
    edit(server, kind="rule", finding=4, verdict="bonus")
    result = api.audit_score(key=folder / "key.md", runs=[folder / "run.md"], marks=folder / "sheet.yaml")
    assert result.mean == 1.5 and [finding.id for finding in result.runs[0].output.findings] == ["F01", "F02", "F04"]
    for _ in range(6):
        assert edit(server, kind="undo")[0] == 200
    assert "split" not in sheet(folder) and edit(server, kind="undo")[0] == 409


def test_a_change_on_disk_is_taken_over_and_nothing_is_lost(server: MarkingServer, folder: Path) -> None:
    mark(server, "P01", "detected", finding=2)
    path = folder / "sheet.yaml"
    text = sheet(folder).replace('P02: {mark: "?", finding: F01}', "P02: {mark: △, finding: F01}  # by Bo")
    path.write_text(text + "# the end\n", "utf-8")
    status, data = edit(server, kind="rule", finding=3, verdict="bonus")
    assert status == 200 and data["notice"] == CHANGED and data["done"] == 2
    for part in ("P01: {mark: ○", "P02: {mark: △, finding: F01}  # by Bo", "F03: {verdict: bonus", "# the end"):
        assert part in sheet(folder)
    broken = sheet(folder) + "runs: [\n"
    path.write_text(broken, "utf-8")
    status, data = mark(server, "P01", "missed")
    assert status == 409 and "sheet.yaml, line" in data["error"] and sheet(folder) == broken
    path.unlink()
    assert mark(server, "P01", "missed")[1]["notice"] == GONE
    assert "P02: {mark: △" in sheet(folder)
    path.write_text(sheet(folder).replace("P01: {mark: ×}", "P01: {mark: △, finding: F02}"), "utf-8")
    status, data = edit(server, kind="undo")
    assert status == 409 and "changed on disk" in data["error"]


def test_two_pages_on_one_sheet_lose_nothing(server: MarkingServer, folder: Path) -> None:
    with serving(folder) as other:
        mark(server, "P01", "missed")
        other.session.apply(_rule(3))
        mark(server, "P02", "missed")
    assert all(part in sheet(folder) for part in ("P01: {mark: ×}", "P02: {mark: ×}", "F03: {verdict: bonus"))


def _rule(finding: int) -> Any:
    from steelyard.audit.marking_page.edits import RuleEdit

    return RuleEdit(run=0, kind="rule", finding=finding, verdict="bonus")


def test_a_session_continues_and_further_runs_are_added(server: MarkingServer, folder: Path) -> None:
    mark(server, "P01", "missed")
    (folder / "run2.md").write_text("- Rounding happens twice for the prices\n", "utf-8")
    runs = [folder / "run.md", folder / "run2.md"]
    with api.audit_mark(runs, key=folder / "key.md", sheet=folder / "sheet.yaml", marked_by="Ada") as again:
        assert str(again.session.progress()) == "1 of 4 cells"
        assert "marked_by: Ada" in sheet(folder) and shlex.split(again.score_command)[-2:] == [
            "--marks",
            str(folder / "sheet.yaml"),
        ]


def test_done_stops_the_server_and_says_how_to_score(folder: Path) -> None:
    with serving(folder) as opened:
        thread = threading.Thread(target=opened.serve_forever, daemon=True, kwargs={"poll_interval": 0.01})
        thread.start()
        status, data, _ = request(opened, "POST", f"/{opened.token}/done", b"{}")
        thread.join(HANG_S)
        assert not thread.is_alive()
    assert status == 200 and data["progress"] == "0 of 2 cells"
    files = {"--run": "run.md", "--key": "key.md", "--marks": "sheet.yaml"}
    said = [word for option, name in files.items() for word in (option, str(folder / name))]
    assert shlex.split(data["command"]) == ["steelyard", "audit", "score", *said]


def test_a_suite_is_marked_run_by_run(tmp_path: Path) -> None:
    with api.audit_mark(suite_folder("code-review"), set_name="hasty", sheet=tmp_path / "s.yaml") as opened:
        assert [run.document for run in opened.session.runs] == ["lockers", "lockers"]  # nothing to mark on a control
        assert str(opened.session.progress()) == "0 of 20 cells"
        assert "audit score" in opened.score_command and "--set hasty" in opened.score_command


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "at least one run is needed, or a log, or a suite"),
        (["run.md"], "an answer key is needed"),
        (["run.md", "--key", "none.md"], "cannot read the answer key none.md"),
        (["none.md", "--key", "key.md"], "cannot read the run none.md"),
        (["run.md", "--key", "key.md", "-o", "bad.yaml"], "bad.yaml, line 1"),
        (["run.md", "--key", "key.md", "-o", "other.yaml"], "has no list to which runs can be added"),
        (["run.md", "--key", "key.md", "-o", "none/of/it\0"], "embedded null"),
        ([".", "--no-open"], "has no suite.yaml"),
    ],
)
def test_what_cannot_be_marked_ends_in_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    (folder / "bad.yaml").write_text("runs: 3\n", "utf-8")
    (folder / "other.yaml").write_text("runs: []\n", "utf-8")
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(main, ["audit", "mark", *arguments])
    assert done.exit_code == 2 and says in done.output and "Traceback" not in done.output


def test_ctrl_c_ends_in_130_with_everything_saved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(server: MarkingServer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(MarkingServer, "serve_forever", interrupted)
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(main, ["audit", "mark", "run.md", "--key", "key.md", "--no-open"])
    assert done.exit_code == 130
    assert "sheet.yaml, 0 of 2 cells" in done.output and "audit score --run run.md --key key.md" in done.output
    assert (folder / "sheet.yaml").is_file()
