"""Runs and keys that are not what they should be: a run counts as empty, a key is refused (docs/scoring.md §2.1)."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.audit.files import BYTE_LIMIT, read_key, read_run
from steelyard.cli.main import main
from steelyard.errors import InputError

from .material import KEY_MARKDOWN

RUN = "- Two orders can reserve the same last item\n- 価格が二重に丸められている\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}.get(encoding, b"")
    (tmp_path / "run.md").write_bytes(mark + RUN.encode(encoding))
    (tmp_path / "key.md").write_bytes(mark + KEY_MARKDOWN.encode(encoding))
    assert len(read_run(tmp_path / "run.md").findings) == 2
    assert len(read_key(tmp_path / "key.md").problems) == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.sarif", '{"version": "2.1.0", "runs": [{"results": [{"message": {"te'),
        ("run.sarif", '{"version": "2.1.0", "runs": "none"}'),
        ("run.json", '[{"title": "The lock is never released", "file": "a.py"'),
    ],
)
def test_a_report_of_a_tool_that_is_cut_off_holds_no_findings_and_says_so(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    run = read_run(tmp_path / name)
    assert run.findings == ()
    assert "cut off" in run.flags[-1]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (RUN.encode() + b"\0", "is not text"),
        (b"x" * (BYTE_LIMIT + 1), "is larger than 8 MB"),
        (bytes(range(256)) * 4, "is not text"),
        (RUN.encode("utf-16-le"), "is not text"),
    ],
    ids=["nul", "large", "binary", "utf-16 without a mark"],
)
def test_a_run_that_is_no_text_scores_zero_and_a_key_is_refused(tmp_path: Path, data: bytes, says: str) -> None:
    key, run = tmp_path / "key.md", tmp_path / "run.md"
    key.write_text(KEY_MARKDOWN)
    run.write_bytes(data)
    result = api.audit_score(key=key, runs=[run], lexical=True)
    assert result.mean == 0
    assert any(says in warning for warning in result.warnings)
    with pytest.raises(InputError):
        read_key(run)
    shown = CliRunner().invoke(main, ["audit", "score", "--key", str(key), "--run", str(run), "--lexical"])
    assert shown.exit_code == 0
    assert "mean: 0.00" in shown.stdout
    assert says in shown.stderr


def test_findings_are_shown_as_a_table_as_data_and_as_a_page(tmp_path: Path) -> None:
    run = tmp_path / "run.md"
    run.write_text("# Review\n\n## Scope\n\nI read all of it.\n\n### 1. Stock\n\nSold twice in `shop/stock.py:8`.\n")
    shown = CliRunner().invoke(main, ["audit", "check", str(run)])
    assert shown.exit_code == 0
    for text in ("1 findings", "F01", "shop/stock.py:8", "Left out", "I read all of it."):
        assert text in shown.stdout
    data = json.loads(CliRunner().invoke(main, ["audit", "check", str(run), "--json", "-"]).stdout)
    assert [finding["lines"] for finding in data["findings"]] == [[7, 9]]
    assert data["findings"][0]["locations"] == [{"path": "shop/stock.py", "line": 8, "end": 8}]
    assert data["left_out"][0]["reason"] == "frames the report"
    page = tmp_path / "page.html"
    assert CliRunner().invoke(main, ["audit", "check", str(run), "--html", str(page)]).exit_code == 0
    assert "Sold twice" in page.read_text()
    assert CliRunner().invoke(main, ["audit", "check", str(tmp_path / "none.md")]).exit_code == 2
