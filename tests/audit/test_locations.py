"""Places that findings name, in the spellings people use."""

from __future__ import annotations

import pytest

from steelyard.audit.findings.locations import locations
from steelyard.audit.model import Location

from .material import run_of


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("see app/views.py:42", ["app/views.py:42"]),
        ("`app/views.py:42-45` is wrong", ["app/views.py:42-45"]),
        ("in views.py, line 7, and again in line 9", ["views.py:7", "views.py:9"]),
        ("lines 10–12 of ./src/main.go", ["src/main.go:10-12"]),
        ("L7-L9 leak memory", ["line 7-9"]),
        ("orders.sql#L3-L5", ["orders.sql:3-5"]),
        ("src\\win\\a.cs(12)", ["src/win/a.cs:12"]),
        ("`config.yaml` holds the password", ["config.yaml"]),
        ("config.yaml, then config.yaml:4", ["config.yaml:4"]),
        ("app.py の 12〜15行目で接続が閉じられない", ["app.py:12-15"]),
        ("注文.py の 3行目", ["注文.py:3"]),
        ("Section 4.2 and version 1.5, e.g. at 10:30", []),
        ("written in Node.js and ASP.NET", []),
        ("http://localhost:8080/x costs 12 lines", []),
        ("12 files, ratio 1:3, p. 7", []),
    ],
)
def test_places(text: str, places: list[str]) -> None:
    assert [str(place) for place in locations(text)] == places


def test_a_finding_keeps_its_places() -> None:
    (finding,) = run_of("### 1. Race\n**Where**: `shop/stock.py`, lines 8 to 11\n").findings
    assert finding.locations == (Location("shop/stock.py", 8, 11),)


@pytest.mark.parametrize(
    "text", ["a." * 200_000, "line " * 100_000, "L1-" * 100_000, "a.py:1 " * 50_000, "1" * 500_000]
)
@pytest.mark.no_cover
def test_long_lines(text: str) -> None:
    assert len(locations(text)) <= 200
