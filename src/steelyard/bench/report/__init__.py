"""Reports of a board. A new output format is one module here and one line in `FORMATS`.

`document` is the report that the terminal and Markdown share, `data` is JSON and CSV, `page` the HTML pages, `verdicts`
shows checked CDK apps.
"""

from __future__ import annotations

from collections.abc import Callable

from steelyard.bench.model import Board
from steelyard.bench.report import data, document
from steelyard.report import markdown

Format = Callable[[Board], str]
"""Renders a board."""

FORMATS: dict[str, Format] = {
    "json": data.json_text,
    "csv": data.csv_text,
    "markdown": lambda board: markdown.render(document.document(board)),
}
"""Name of the format, which is also its command-line option → renderer."""
