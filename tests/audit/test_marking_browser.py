"""The pages of an audit in a real browser: marks by keyboard, passages, findings merged and split, hostile text."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from steelyard import api
from steelyard.audit.example import suite_folder
from steelyard.audit.report import to_html
from tests.waiting import HANG_S, until

from .material import KEY_MARKDOWN
from .test_marking_page import RUN

pytestmark = pytest.mark.xdist_group("chromium")

FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
LONG = "word" * 60
"""Wider than any screen."""


def watched(page: Page) -> list[str]:
    """What the page logs as an error, or asks of anything but this machine."""
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith(("http://127.0.0.1:", "file:")) else troubles.append(asked.url),
    )
    return troubles


SELECT = """([finding, words]) => {
    const walker = document.createTreeWalker(document.querySelector(`[data-finding="${finding}"] .md`), 4);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const start = node.data.indexOf(words);
        if (start >= 0) return getSelection().setBaseAndExtent(node, start, node, start + words.length);
    }
    throw new Error(words);
}"""
"""Selects words of a finding, as a mouse does."""


def test_a_person_marks_a_run(tmp_path: Path) -> None:
    (tmp_path / "key.md").write_text(KEY_MARKDOWN, "utf-8")
    (tmp_path / "run.md").write_text(f"{RUN}4. {LONG}\n\n| a | {LONG} |\n|---|---|\n| `{LONG}` | c |\n", "utf-8")
    sheet = tmp_path / "sheet.yaml"
    report = tmp_path / "report.html"
    # Written before the browser starts: while it runs, nothing else may use an event loop here.
    report.write_text(to_html(api.audit_score(suite_folder("code-review"), set_name="hasty", lexical=True)), "utf-8")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert program, "chromium is needed: apt-get install chromium"

    def saved(part: str) -> bool:
        return until(lambda: part in sheet.read_text("utf-8"))

    with (
        api.audit_mark([tmp_path / "run.md"], key=tmp_path / "key.md", sheet=sheet) as server,
        api.audit_mark([tmp_path / "run.md"], key=tmp_path / "key.md", sheet=tmp_path / "b.yaml", blind=True) as blind,
        sync_playwright() as tool,
    ):
        threading.Thread(target=blind.serve_forever, daemon=True, kwargs={"poll_interval": 0.05}).start()
        thread = threading.Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.05})
        thread.start()
        browser = tool.chromium.launch(executable_path=program, args=FLAGS, timeout=HANG_S * 1000)
        page = browser.new_context(viewport={"width": 1200, "height": 800}).new_page()
        page.set_default_timeout(HANG_S * 1000)
        troubles = watched(page)
        page.goto(server.address)
        page.locator("#text .finding").first.wait_for()
        assert page.locator("#count").inner_text() == "0 of 2 cells"
        assert page.locator("#proposal").inner_text().startswith(("○", "△", "×"))
        assert "estimate" in page.locator("#proposal").inner_text()

        # Two marks by four keys, the second before the first is saved.
        first, second = (page.locator("#strip button").nth(place).get_attribute("title") for place in (0, 1))
        assert first and second and first != second
        for key in ("x", "ArrowRight", "ArrowRight", "2"):
            page.keyboard.press(key)
        assert saved(f"{first[:3]}: {{mark: ×}}") and saved(f"{second[:3]}: {{mark: △, finding: F0")
        page.get_by_text("Every cell is marked").wait_for()
        assert page.locator("#count").inner_text() == "2 of 2 cells"

        # A passage by selecting words; it replaces what the mark rested on.
        page.evaluate(SELECT, [2, "reserve the same last item"])
        page.get_by_role("button", name="Take as passage").wait_for()
        page.keyboard.press("q")
        assert saved("finding: F02, quote: reserve the same last item}")
        # A note, and back to the page.
        page.keyboard.press("e")
        page.keyboard.type("o well")
        page.keyboard.press("Enter")
        assert saved("note: o well}")

        # By keyboard alone: words are selected from the start of the finding, and split there.
        page.keyboard.press("v")
        for _ in range(9):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("s")
        assert saved("split: {F06: {from: F02, words:")
        page.locator('[data-finding="6"]').wait_for()
        page.locator('[data-finding="6"]').click(position={"x": 300, "y": 12})
        page.keyboard.press("b")
        assert saved("F06: {verdict: bonus")
        page.keyboard.press("m")
        assert saved("merged: {F06: F02}")
        assert until(lambda: page.locator('[data-finding="6"]').count() == 0)
        page.keyboard.press("u")
        page.locator('[data-finding="6"]').wait_for()

        # What another program writes is taken over and said.
        sheet.write_text(
            sheet.read_text("utf-8").replace(f"{first[:3]}: {{mark: ×}}", f'{first[:3]}: "?"  # Bo'), "utf-8"
        )
        page.keyboard.press("p")
        page.get_by_text("changed on disk").wait_for()
        assert until(lambda: page.locator("#count").inner_text() == "1 of 2 cells") and saved('"?"  # Bo')

        page.keyboard.press("?")
        assert page.locator("#help").is_visible()
        page.keyboard.press("Escape")
        assert not page.locator("#help").is_visible()

        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator("[data-mark=detected]").is_visible()
        page.locator("[data-mark=missed]").click()
        assert saved("{mark: ×, note: o well}")
        page.locator("#done-button").click()
        page.get_by_text("steelyard audit score").wait_for()
        thread.join(HANG_S)
        assert not thread.is_alive()

        # Blind: no proposal before the mark, and Enter takes none; afterwards both are said, and seen on the cell.
        page.goto(blind.address)
        page.locator("#text .finding").first.wait_for()
        assert page.locator("#proposal").inner_text() == "What the words propose is shown after your mark."
        assert page.locator(".proposed").count() == 0
        page.keyboard.press("Enter")
        page.get_by_text("This session is blind").wait_for()
        page.keyboard.press("x")
        page.get_by_text("P01: you ×, by words ").wait_for()
        page.keyboard.press("k")
        page.locator("#proposal .estimate").wait_for()
        blind.shutdown()

        # The report fits a phone too, and a mark leads to its finding.
        page.goto(report.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator("table.marks a.mark").first.click()
        assert page.locator(".finding:target").is_visible()
        assert page.evaluate("window.hacked") is None and troubles == []
        browser.close()
