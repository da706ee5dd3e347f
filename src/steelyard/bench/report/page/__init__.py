"""The page of a board: a folder that opens from disk, needs no network and shows foreign text as text.

`index.html` is small and holds the standings; a page per subject and one per subject and category hold the items, so
that a reader loads only what is opened. References stay out unless they are revealed.
"""

from steelyard.bench.report.page.folder import check_site, write_site

__all__ = ["check_site", "write_site"]
