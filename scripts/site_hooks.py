"""What the docs site needs beyond docs/: the changelog, the design notes, and links that leave the folder.

Pages link as GitHub shows them: `../design/0001-….md`, `../src/…`. On the site the notes are pages too; a file of the
source is named but not linked.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")
OUTSIDE = {
    path.relative_to(ROOT).as_posix(): path.relative_to(ROOT).as_posix().replace(path.name, path.name.lower())
    for path in [ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "design").glob("*.md"))]
}
"""Pages outside docs/, and where each is on the site."""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that lie outside docs/."""
    for path, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / path).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point links at where their targets are on the site."""
    here = page.file.src_uri
    source = next((path for path, place in OUTSIDE.items() if place == here), f"docs/{here}")

    def led(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        place = OUTSIDE.get(target, target.removeprefix("docs/"))
        if target == place or files.get_file_from_path(place) is None:
            return link[1] if (ROOT / target).exists() else link[0]
        return f"[{link[1]}]({posixpath.relpath(place, posixpath.dirname(here) or '.')}{link[3] or ''})"

    return LINK.sub(led, markdown)
