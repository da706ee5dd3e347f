"""Reports of a comparison. A new output format is one module here and one line in `FORMATS`.

`document` is the report every text format shares, `page` the HTML page, `data` JSON, `ci` the formats of CI systems;
`listing` shows tasks, self-tests and configurations.
"""

from __future__ import annotations

from collections.abc import Callable

from steelyard.gate.model import Weighed
from steelyard.gate.report import ci, data, document, page
from steelyard.gate.report.page import ReadViews
from steelyard.report import markdown

Format = Callable[[Weighed, ReadViews], str]
"""Renders a comparison; the reader of task views is for formats that show transcripts."""

FORMATS: dict[str, Format] = {
    "json": lambda weighed, _: data.json_text(weighed),
    "markdown": lambda weighed, _: markdown.render(document.document(weighed)),
    "junit": lambda weighed, _: ci.junit(weighed),
    "sarif": lambda weighed, _: ci.sarif(weighed),
    "html": page.page,
}
"""Name of the format, which is also its command-line option → renderer."""
