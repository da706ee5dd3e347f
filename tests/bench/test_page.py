"""The page in a real browser: it renders, sorts, filters, opens an item; nothing runs and nothing leaves."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from steelyard import api
from steelyard.localserver import folder_server
from steelyard.report import html
from steelyard.report.document import Cell, Column, Document, table
from tests.waiting import HANG_S

pytestmark = pytest.mark.xdist_group("chromium")

EVIL = '<script>window.hacked=1</script><img src="https://example.invalid/x" onerror="window.hacked=2">'
"""As the logs of the fixture have it."""

SECRET = "the-right-answer-nobody-may-see"
"""The target of every item in the logs of the fixture."""

FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="module")
def folder(hostile_logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("page") / "site"
    api.leaderboard([hostile_logs], page=target, transcripts=True)
    return target


@pytest.fixture(scope="module")
def browser(folder: Path) -> Iterator[Any]:
    """Started after the page was written: while it runs, nothing else may use an event loop here."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "chromium is needed: apt-get install chromium"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=FLAGS, timeout=HANG_S * 1000)
        yield started
        started.close()


@pytest.fixture
def page(browser: Any, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that fails the test when something is logged as an error or a request leaves the machine."""
    context = browser.new_context(**getattr(request, "param", {}))
    context.set_default_timeout(HANG_S * 1000)
    opened = context.new_page()
    troubles: list[str] = []
    opened.on(
        "console", lambda message: troubles.append(message.text) if message.type in ("error", "warning") else None
    )
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("request", lambda asked: troubles.append(asked.url) if _leaves(asked.url) else None)
    yield opened
    assert opened.evaluate("window.hacked") is None
    context.close()
    assert troubles == []


def _leaves(url: str) -> bool:
    return not url.startswith(("file:", "data:", "http://127.0.0.1:"))


def row_names(page: Page) -> list[str]:
    return [text.split("\n")[0] for text in page.locator("#board tbody th bdi").all_inner_texts()]


def test_it_renders(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    assert "SA Bench" in page.title()
    assert row_names(page) == ["maker/strong", f"maker/{EVIL}", "steelyard/floor"]
    assert page.locator("figure svg").count() >= 2
    assert "baseline" in page.locator("#board tbody tr", has_text="steelyard/floor").inner_text()
    assert page.locator("td.better, td.worse").count() > 0


def test_it_sorts_by_mouse_and_by_keyboard(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.locator("#board").get_by_role("button", name="Model").click()
    down = row_names(page)
    page.locator("#board").get_by_role("button", name="Model").focus()
    page.keyboard.press("Enter")
    assert row_names(page) == down[::-1] == sorted(down)
    page.locator("#board").get_by_role("button", name="CDK").click()
    assert row_names(page)[0] == "maker/strong"
    assert page.locator('th[aria-sort="descending"]').inner_text().startswith("CDK")


def test_it_filters(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type("floor")
    assert page.locator("#board tbody tr:visible").count() == 1
    assert page.locator("#shown-count").inner_text() == "1 of 3 shown"


def test_it_opens_an_item_and_hostile_text_stays_text(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.locator("#board tbody th a").nth(1).click()
    expect(page.locator("h1")).to_contain_text(EVIL)
    page.locator("section", has=page.locator("#practice_exam")).get_by_role("link").click()
    page.get_by_role("searchbox").fill("practice_exam-03")
    expect(page.locator("details.item:visible")).to_have_count(1)
    page.locator("details.item:visible summary").click()
    shown = page.locator("details.item[open]").inner_text()
    assert "question 3" in shown and f"an answer with {EVIL} inside" in shown and f"because {EVIL}" in shown


def test_a_cell_of_the_grid_leads_to_the_answer(page: Page, folder: Path) -> None:
    page.goto((folder / "items.html").as_uri())
    section = page.locator("section", has=page.locator("#cdk_synth"))
    assert section.locator("thead th.upright").count() == 3 and section.locator("tbody tr").count() == 40
    row = section.locator("tbody tr", has_text="cdk_synth-05")
    # As the fixture scores: (5 · 7) mod 10 = 5 is below 9, not below 5, not below 1.
    assert row.locator("td a").all_inner_texts() == ["✓", "✗", "✗"]
    assert "question 5 <script>window.hacked=1</script><img" in row.inner_text()
    row.locator("td a").nth(1).click()
    expect(page.locator("details.item[open]")).to_have_count(1)
    assert "cdk_synth-05" in page.locator("details.item[open] summary").inner_text()


def test_the_grid_filters_and_leaves_only_what_splits_the_models(page: Page, folder: Path) -> None:
    page.goto((folder / "items.html").as_uri())
    page.get_by_role("checkbox").check()
    # maker/strong solves what is below 9, the hostile one what is below 5: they part on 5, 6, 7 and 8 of each ten.
    assert page.locator("#practice_exam + div tbody tr:visible").count() == 20
    page.get_by_role("searchbox").fill("practice_exam-05")
    assert page.locator("tbody tr:visible").count() == 1
    page.get_by_role("searchbox").fill("practice_exam-00")
    assert page.locator("tbody tr:visible").count() == 0


def test_any_two_models_are_compared_and_the_address_leads_back(page: Page, folder: Path) -> None:
    page.goto((folder / "compare.html").as_uri())
    assert page.locator("#first option:checked").inner_text() == "1. maker/strong"
    assert EVIL in page.locator("#second option:checked").inner_text()
    flips = page.locator("#comparison h2").inner_text()
    assert flips == f"{_flips(0.9, 0.5)} of 118 items flipped"
    page.locator("#second").select_option(label="– steelyard/floor")
    assert page.locator("#comparison h2").inner_text() == f"{_flips(0.9, 0.1)} of 118 items flipped"
    address = page.url
    page.locator("#swap").click()
    assert page.locator("#first option:checked").inner_text() == "– steelyard/floor"
    page.goto("about:blank")
    page.goto(address)
    assert page.locator("#second option:checked").inner_text() == "– steelyard/floor"
    page.locator("#comparison tbody td a").first.click()
    expect(page.locator("details.item[open]")).to_have_count(1)


def _flips(one: float, other: float) -> int:
    """Items that the fixture solves for the first and not for the second."""
    return sum(10 * other <= (place * 7) % 10 < 10 * one for count in (50, 28, 40) for place in range(count))


def test_a_pair_leads_to_its_comparison(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.locator("table.matrix td a").first.click()
    page.wait_for_url("**/compare.html#a=maker-strong-*")
    assert "items flipped" in page.locator("#comparison h2").inner_text()


@pytest.mark.parametrize("page", [{"viewport": {"width": 375, "height": 700}}], indirect=True)
def test_it_fits_a_phone(page: Page, folder: Path) -> None:
    for path in [*folder.glob("*.html"), *(folder / "models").glob("*.html")]:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, path.name


@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 700}}], indirect=True)
def test_figures_do_not_break_on_a_phone(page: Page, tmp_path: Path) -> None:
    heads = ["Task", "Checks", "Composite", Column("Δ", "right"), "Note"]
    row = ["total", "2/3 → 3/3", "0.667 → 1.000", Cell("+0.333", "good"), "a remark that may well take several lines"]
    (tmp_path / "gate.html").write_text(html.render(Document("Gate", (table(heads, [row]),))), "utf-8")
    page.goto((tmp_path / "gate.html").as_uri())
    assert page.evaluate("document.querySelector('td.right bdi').getClientRects().length") == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("page", [{"color_scheme": "dark"}], indirect=True)
def test_it_follows_dark_mode(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", ground)[:3]) < 60
    text = page.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
    assert min(int(part) for part in re.findall(r"\d+", text)[:3]) > 100


def test_it_prints(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.emulate_media(media="print")
    assert not page.locator(".controls").first.is_visible()
    assert len(page.pdf()) > 10_000


def test_served_the_page_works_and_nothing_else_is_reachable(page: Page, folder: Path) -> None:
    with folder_server(folder, 0) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{serving.server_address[1]}"
        page.goto(f"{address}/index.html")
        assert row_names(page)[0] == "maker/strong"
        assert page.request.get(f"{address}/models/").status == 404
        assert page.request.get(f"{address}/..%2f..%2fetc/passwd").status == 404
        serving.shutdown()
        thread.join()


def test_an_item_leads_to_its_transcript(page: Page, folder: Path) -> None:
    with folder_server(folder, 0) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        file = next((folder / "models").glob("maker-strong-*-cdk_synth.html"))
        page.goto(f"{serving.address}models/{file.name}")
        page.locator("details.item", has_text="cdk_synth-05").locator("summary").click()
        page.locator("details.item[open]").get_by_role("link", name="Transcript").click()
        page.get_by_text("an answer with").first.wait_for()
        assert "cdk_synth-05" in page.inner_text("body") and SECRET not in page.inner_text("body")
        serving.shutdown()
        thread.join()
