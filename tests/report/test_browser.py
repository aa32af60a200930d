"""The page in a browser: nothing foreign runs, nothing is loaded, 10,000 rows stay fast, all can use it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)
LIGHT, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PATIENT_MS = 1500
"""What a sort or a search of 10,000 rows may take beside other work; alone it takes a tenth."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(PROGRAM is None, reason=f"no browser: none of {', '.join(NAMES)} is installed"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium of the system."""
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=PROGRAM, args=[*sandbox, "--disable-gpu"])
        yield launched
        launched.close()


class Opened:
    """A page in a tab of its own, and everything that happens to it."""

    def __init__(self, browser, file, **how):
        self.context = browser.new_context(**{"viewport": LIGHT, **how})
        self.page = self.context.new_page()
        self.told: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.told.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.told.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.told.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.address = file.as_uri()
        self.page.goto(self.address)

    def quiet(self):
        return (self.told, self.asked) == ([], [self.address])

    def status(self):
        return self.page.inner_text("#trials-status")

    def column(self, place):
        return self.page.locator(f"#trials-table tbody tr > :nth-child({place})").all_inner_texts()


@pytest.fixture(scope="module")
def pages(samples, studies, page, tmp_path_factory) -> dict[str, Any]:
    """The files of a full page, one with 10,000 trials, a hostile one, and one with a baseline."""
    from pytest_judgeaudit.report.html import to_html  # noqa: PLC0415 - needs the extra

    folder = tmp_path_factory.mktemp("pages")
    many = samples.page(studies, judges=("a", "b", "c"), tasks=560)
    made = {
        "full": page,
        "many": many,
        "hostile": samples.poisoned_page(page),
        "compared": samples.compared(studies),
    }
    for name, one in made.items():
        (folder / f"{name}.html").write_text(to_html(one), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.fixture
def opened(browser, pages) -> Iterator[Any]:
    """Open a page of :func:`pages`; closed afterwards."""
    tabs: list[Opened] = []

    def open_(name, **how):
        tabs.append(Opened(browser, pages[name], **how))
        return tabs[-1]

    yield open_
    for tab in tabs:
        tab.context.close()


# Hostile texts


def test_no_foreign_script_runs_and_nothing_is_requested(opened, samples):
    tab = opened("hostile")
    tab.page.fill("#trials-search", "onerror")
    tab.page.wait_for_timeout(200)
    tab.page.locator("#trials-table tbody button").first.click()
    tab.page.locator("#trials-table thead button").first.click()
    tab.page.wait_for_timeout(200)
    assert tab.quiet(), (tab.told, tab.asked)
    assert tab.page.title() == "MISS · judge audit"
    assert tab.page.evaluate("document.querySelectorAll('img, iframe, object, embed, link').length") == 0
    assert tab.page.evaluate("document.scripts.length") == 2


def test_a_hostile_answer_is_shown_as_text(opened):
    tab = opened("hostile")
    tab.page.locator("#trials-table tbody button").first.click()
    text = tab.page.locator("pre").first.inner_text()
    assert text.startswith('<script>document.title="owned"</script></script><img src=x onerror=')
    assert "\\u202egnp\\x1b[2J" in text


def test_the_policy_stops_a_script_and_a_style_that_got_in_all_the_same(opened):
    tab = opened("full")
    tab.page.evaluate(
        """() => {
            const script = document.createElement('script');
            script.textContent = 'document.title = "owned"';
            document.body.append(script);
            const image = document.createElement('img');
            image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
            document.body.append(image);
            document.body.setAttribute('style', 'display: none');
        }"""
    )
    tab.page.wait_for_timeout(100)
    assert tab.page.title() == "MISS · judge audit"
    assert tab.page.evaluate("getComputedStyle(document.body).display") == "block"
    assert len([line for line in tab.told if "Content Security Policy" in line]) == 3


# Ten thousand rows


def timed(tab, action):
    """Milliseconds until the table shows what an action asked for."""
    return tab.page.evaluate(
        f"() => {{ const start = performance.now(); {action}; return performance.now() - start; }}"
    )


def test_ten_thousand_rows_are_sorted_both_ways_at_once(opened):
    tab = opened("many")
    assert tab.status() == "10,080 of 10,080 trials"
    click = "document.querySelectorAll('#trials-table thead button')[7].click()"
    assert timed(tab, click) < PATIENT_MS
    up = [int(text) for text in tab.column(8)]
    assert up == sorted(up)
    assert up[0] == 812
    assert timed(tab, click) < PATIENT_MS
    down = [int(text) for text in tab.column(8)]
    assert down == sorted(down, reverse=True)
    assert down[0] == 908
    assert tab.page.get_attribute("#trials-table thead th:nth-child(8)", "aria-sort") == "descending"
    assert len(down) == 50


def test_ten_thousand_rows_are_searched_at_once(opened):
    tab = opened("many")
    search = (
        "document.querySelector('#trials-search').value = 'T007 strict signal'; "
        "document.querySelector('#trials-filters').requestSubmit()"
    )
    assert timed(tab, search) < PATIENT_MS
    assert tab.status() == "6 of 10,080 trials"
    assert set(tab.column(1)) == {"t007"}
    assert timed(tab, search.replace("strict signal", "nowhere")) < PATIENT_MS
    assert tab.status() == "0 of 10,080 trials"


def test_filters_and_pages_lead_to_every_row(opened):
    tab = opened("many")
    tab.page.select_option("#trials-outcome", "adverse")
    count = int(tab.status().split(" of ")[0].replace(",", ""))
    assert 0 < count < 10_080
    assert set(tab.column(5)) == {"adverse"}
    tab.page.select_option("#trials-outcome", "")
    tab.page.click("#trials-last")
    assert tab.page.inner_text("#trials-page") == "Page 202 of 202"
    assert tab.page.locator("#trials-table tbody tr").count() == 30
    tab.page.click("#trials-back")
    assert tab.page.inner_text("#trials-page") == "Page 201 of 202"
    assert tab.page.is_enabled("#trials-next")


def test_a_row_opens_by_keyboard_and_shows_both_orders(opened):
    tab = opened("full")
    tab.page.fill("#trials-search", "t003 gpt-oss-20b neutral signal")
    playwright.expect(tab.page.locator("#trials-status")).to_have_text("2 of 1,836 trials")
    tab.page.locator("#trials-table tbody button").first.focus()
    tab.page.keyboard.press("Enter")
    focused = tab.page.evaluate("document.activeElement.getAttribute('aria-expanded')")
    assert focused == "true"
    headings = tab.page.locator("#trials-table h4").all_inner_texts()
    assert headings == ["Order AB: first, success", "Order BA: first, success"]
    detail = tab.page.inner_text("#trials-table .detail")
    assert "status 429" in detail
    assert re.search(r"prompt [0-9a-f]{16}", detail)
    tab.page.keyboard.press("Space")
    assert tab.page.locator("#trials-table .detail").count() == 0


# Widths, themes, print, no script


def test_it_fits_a_phone_and_a_desk_and_is_looked_at(opened, tmp_path):
    for name, how in {
        "light": {},
        "dark": {"color_scheme": "dark"},
        "phone": {"viewport": PHONE, "color_scheme": "light"},
    }.items():
        tab = opened("full", **how)
        picture = tab.page.screenshot(path=tmp_path / f"{name}.png", full_page=True)
        assert len(picture) > 50_000
        wide = tab.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{name}: {wide} pixels too wide"


def test_dark_is_dark_and_drawings_follow(opened):
    colours = {}
    for scheme in ("light", "dark"):
        tab = opened("full", color_scheme=scheme)
        colours[scheme] = [
            tab.page.evaluate("getComputedStyle(document.querySelector('section')).backgroundColor"),
            tab.page.evaluate("getComputedStyle(document.querySelector('.plot .f-ink')).fill"),
        ]
    assert colours == {
        "light": ["rgb(255, 255, 255)", "rgb(29, 33, 38)"],
        "dark": ["rgb(26, 30, 36)", "rgb(231, 233, 236)"],
    }


def test_printed_it_is_light_and_without_controls(opened):
    tab = opened("full", color_scheme="dark")
    tab.page.emulate_media(media="print")
    assert tab.page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert not tab.page.is_visible("#trials-filters")
    assert tab.page.is_visible("#trials-table")


def test_without_script_the_main_facts_are_there(opened):
    tab = opened("full", java_script_enabled=False)
    assert tab.page.locator("h1").inner_text() == "MISS"
    assert tab.page.locator(".gate").count() == 12
    assert "The table of trials needs JavaScript" in tab.page.inner_text("#trials")
    assert not tab.page.is_visible("#trials-filters")


# Accessibility


@pytest.mark.parametrize(
    "how", [{}, {"color_scheme": "dark"}, {"viewport": PHONE}], ids=["light", "dark", "phone"]
)
@pytest.mark.parametrize("name", ["full", "compared"])
def test_axe_finds_no_serious_fault(opened, name, how):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    tab = opened(name, **how)
    for summary in tab.page.locator("summary").all()[:2]:
        summary.click()
    if name == "full":
        tab.page.locator("#trials-table tbody button").first.click()
    found = axe.Axe().run(tab.page).response["violations"]
    serious = [
        (one["id"], [node["target"] for node in one["nodes"]][:3])
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]
    assert serious == []
