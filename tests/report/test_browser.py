"""The report in a real browser: at desk and phone width, in both languages, on paper, and in use."""

import json
import re
import shutil

import pytest
from report import facts as maker
from sklearn.metrics import confusion_matrix

from lanatus.report import write_report
from lanatus.report._numbers import percent

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDTHS = {"desk": 1280, "phone": 390}

# What is cut, runs out of the page, or lies on other text. Tables in boxes that scroll may be wider than the page.
FAULTS = """() => {
  const faults = [], range = document.createRange(), edge = document.documentElement.clientWidth;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, el = node.parentElement;
    if (!node.data.trim() || el.closest(".unseen, .skip, script, title, desc") || !el.checkVisibility()) continue;
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      const said = JSON.stringify(node.data.trim().slice(0, 40));
      if (!el.closest(".scroll") && (rect.left < -1 || rect.right > edge + 1)) faults.push("outside: " + said);
      const card = el.closest("main > section, header.top");
      const right = card && !el.closest(".scroll") ? card.getBoundingClientRect().right : Infinity;
      if (rect.right > right) faults.push("card: " + said);
      for (let box = el; box && box !== document.body; box = box.parentElement) {
        const style = getComputedStyle(box), own = box.getBoundingClientRect();
        if (box instanceof SVGElement || !/hidden|clip/.test(style.overflowX)) continue;
        if (rect.right > own.right + 1 || rect.left < own.left - 1) faults.push("cut: " + said);
      }
      const cell = el.closest("td, th");
      if (cell && rect.right > cell.getBoundingClientRect().right + 1) faults.push("cell: " + said);
      const svg = el.closest("svg.chart");
      if (svg) {
        const own = svg.getBoundingClientRect();
        const inside = rect.left > own.left - 3 && rect.right < own.right + 3 && rect.bottom < own.bottom + 3;
        if (!inside) faults.push("chart: " + said);
      }
    }
  }
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  for (const [group, one] of [["svg.chart", "text"], [".cd", ".cd-label > div, text"], ["thead .strip", "text"]]) {
    for (const picture of document.querySelectorAll(group)) {
      const labels = [...picture.querySelectorAll(one)].map((el) => [el.textContent, el.getBoundingClientRect()]);
      labels.forEach(([a, p], k) => labels.slice(k + 1).forEach(([b, q]) => {
        if (meet(p, q)) faults.push(`on each other: ${a} / ${b}`);
      }));
    }
  }
  return faults;
}"""


@pytest.fixture(scope="module")
def browser():
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no browser: none of " + ", ".join(BROWSERS) + " is on the PATH")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=OPTIONS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reports")


@pytest.fixture
def opened(browser, folder):
    """Open a report; whatever the browser complains about, or asks the network for, fails the test."""
    contexts, complaints = [], []

    def start(facts, language="en", width="desk", **options):
        path = write_report(facts, folder / "report.html", language)
        context = browser.new_context(viewport={"width": WIDTHS[width], "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda request: None if request.url.startswith(("file:", "data:")) else complaints.append(request.url),
        )
        page.goto(path.as_uri())
        return page

    yield start
    for context in contexts:
        context.close()
    assert complaints == []


def page_is_wider(page):
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", maker.ALL)
def test_nothing_is_cut_or_runs_over(opened, case, language):
    page = opened(maker.ALL[case](), language)
    for width in WIDTHS.values():
        page.set_viewport_size({"width": width, "height": 900})
        assert not page_is_wider(page), width
        assert page.evaluate(FAULTS) == [], width
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert not page_is_wider(page)
    assert page.evaluate(FAULTS) == []


def test_the_check_itself_sees_faults(opened):
    page = opened(maker.failed(), width="phone")
    wide = "<p style='white-space:nowrap'>" + "wide " * 60 + "</p>"
    page.evaluate("one => document.querySelector('main > section').insertAdjacentHTML('beforeend', one)", wide)
    assert any(one.startswith("outside") for one in page.evaluate(FAULTS))
    assert page_is_wider(page)
    page = opened(maker.two_class())
    page.evaluate("document.querySelectorAll('.cd-label').forEach((one) => { one.style.setProperty('--u', 3); })")
    assert any(one.startswith("on each other") for one in page.evaluate(FAULTS))
    page.evaluate("document.querySelector('h1').style.cssText = 'overflow: hidden; white-space: nowrap; width: 90px'")
    assert any(one.startswith("cut") for one in page.evaluate(FAULTS))


def test_names_do_not_run(opened):
    page = opened(maker.nasty())
    assert page.evaluate("document.images.length") == 1
    assert page.evaluate("document.scripts.length") == 1
    assert page.evaluate("document.querySelectorAll('style').length") == 1
    assert page.evaluate("[...document.querySelectorAll('*')].every((one) => !one.hasAttribute('onload'))")
    assert page.evaluate("[...document.links].every((one) => one.getAttribute('href').startsWith('#'))")
    assert page.locator("h1 em").inner_text() == maker.NASTY[0]
    said = page.evaluate("document.body.textContent")
    for name in maker.NASTY:
        assert name.translate(maker.UNFIT) in said
    page.locator("#columns-search").fill("{{7*7}}")
    assert page.locator("#columns-table tbody tr:visible").count() == 1
    page.locator("#board-table thead th").nth(1).locator("button").click()  # sorting reads the names again
    page.locator("#board-table tbody .picture svg").nth(1).hover()  # and so do the tips


def test_model_picture_shows(opened):
    page = opened(maker.two_class())
    assert page.evaluate("[document.images[0].naturalWidth, document.images[0].naturalHeight]") == [300, 90]


# ---------------------------------------------------------------- the slider


def shown(page):
    return [[int(page.locator(f"[data-count={key}]").inner_text().replace(",", "")) for key in row]
            for row in (("tn", "fp"), ("fn", "tp"))]  # fmt: skip


def marks(page):
    return json.loads(page.locator("#threshold-data").text_content())["at"]


def expected(facts, at):
    return confusion_matrix(facts.y, facts.answers[facts.winner.name][:, 1] >= at, labels=[0, 1]).tolist()


@pytest.mark.parametrize("width", WIDTHS)
def test_slider(opened, width):
    facts = maker.chinese()
    page = opened(facts, "zh", width, has_touch=width == "phone")
    at, slider = marks(page), page.locator("#threshold-slider")
    assert shown(page) == expected(facts, facts.threshold)
    before = page.locator("[data-figure]").all_inner_texts()
    for place in (0, 3, len(at) // 2, len(at) - 2, len(at) - 1):
        slider.fill(str(place))
        assert shown(page) == expected(facts, at[place])
        (tn, fp), (fn, tp) = shown(page)
        assert page.locator("[data-figure=accuracy]").inner_text() == percent((tp + tn) / len(facts.y))
        assert page.locator("[data-figure=recall]").inner_text() == percent(tp / (tp + fn))
        assert float(page.locator("[data-figure=cost]").inner_text()) == pytest.approx(
            (5 * fn + fp) / len(facts.y), abs=6e-4
        )
        wanted = "–" if tp + fp == 0 else percent(tp / (tp + fp))
        assert page.locator("[data-figure=precision]").inner_text() == wanted
        assert wanted in slider.get_attribute("aria-valuetext")
    page.locator("[data-mark]").first.click()  # back to the threshold of the model
    assert shown(page) == expected(facts, facts.threshold)
    assert page.locator("[data-figure]").all_inner_texts() == before  # the script writes what Python wrote


def test_slider_by_keyboard_and_finger(opened):
    facts = maker.two_class()
    page = opened(facts, width="phone", has_touch=True)
    at, slider = marks(page), page.locator("#threshold-slider")
    slider.focus()
    place = int(slider.input_value())
    page.keyboard.press("ArrowRight")
    assert shown(page) == expected(facts, at[place + 1])
    page.keyboard.press("End")
    assert shown(page) == expected(facts, 1.0)
    page.keyboard.press("Home")
    assert shown(page) == expected(facts, 0.0) == [[0, (facts.y == 0).sum()], [0, (facts.y == 1).sum()]]
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box["height"] >= 30  # room for a finger
    page.touchscreen.tap(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2)
    place = int(slider.input_value())
    assert place > len(at) / 2
    assert shown(page) == expected(facts, at[place])


def test_slider_moves_the_marks_on_the_curves(opened):
    facts = maker.two_class()
    page = opened(facts)
    at = marks(page)
    page.locator("#threshold-slider").fill(str(len(at) // 3))
    (tn, fp), (fn, tp) = expected(facts, at[len(at) // 3])
    x, y = page.evaluate("""() => {
      const svg = document.querySelector("svg[data-live=roc]"), mark = svg.querySelector(".live");
      const [x0, x1, left, right, y0, y1, bottom, top] = svg.dataset.scale.split(" ").map(Number);
      return [x0 + (mark.getAttribute("cx") - left) / (right - left) * (x1 - x0),
              y0 + (bottom - mark.getAttribute("cy")) / (bottom - top) * (y1 - y0)];
    }""")
    assert x == pytest.approx(fp / (fp + tn), abs=1e-4)
    assert y == pytest.approx(tp / (tp + fn), abs=1e-4)


def test_without_script(opened):
    facts = maker.chinese()
    page = opened(facts, java_script_enabled=False)
    assert shown(page) == expected(facts, facts.threshold)
    assert not page.locator("#threshold-slider").is_visible()
    assert not page.locator("#columns-search").is_visible()
    assert page.locator("#columns-table tbody tr:visible").count() == len(facts.profile.columns)


# ---------------------------------------------------------------- tables


def names(page):
    return page.locator("#board-table tbody th .name").all_inner_texts()


def test_sorting(opened):
    facts = maker.two_class()
    page = opened(facts)
    board = {one.name: one for one in facts.leaderboard}
    assert names(page) == list(board)
    heads = page.locator("#board-table thead th")
    accuracy = heads.nth(4)
    accuracy.locator("button").click()
    assert accuracy.get_attribute("aria-sort") == "ascending"
    assert names(page) == sorted(board, key=lambda name: board[name].scores["accuracy"].value)
    accuracy.locator("button").focus()
    page.keyboard.press("Enter")
    assert accuracy.get_attribute("aria-sort") == "descending"
    assert names(page) == sorted(board, key=lambda name: -board[name].scores["accuracy"].value)
    p_values = heads.nth(6).locator("button")
    for _ in range(2):
        p_values.click()
        assert names(page)[-1] == facts.winner.name  # which has none
    heads.nth(1).locator("button").click()
    assert names(page) == sorted(board)
    assert page.locator("#board-table [aria-sort]").count() == 1


def test_many_columns_fold_and_are_found(opened):
    page = opened(maker.two_class(count=300))
    rows = page.locator("#columns-table tbody tr:visible")
    assert rows.count() == 25
    search = page.locator("#columns-search")
    search.fill("COLUMN_27")
    assert rows.locator("th").all_inner_texts()[0].startswith("column_27")
    assert rows.count() == 11  # 27 and 270 to 279
    assert page.locator(".found").inner_text() == "11 of 300"
    search.fill("")
    assert rows.count() == 25
    button = page.locator("button.unfold")
    button.click()
    assert rows.count() == 300
    assert button.get_attribute("aria-expanded") == "true"
    page.locator("#columns-table thead th").nth(2).locator("button").click()
    missing = [
        int(v)
        for v in page.eval_on_selector_all(
            "#columns-table tbody tr td:nth-child(3)", "all => all.map(one => one.dataset.value)"
        )
    ]
    assert missing == sorted(missing)


# ---------------------------------------------------------------- pictures, themes, paper


def test_tooltips(opened):
    facts = maker.two_class()
    page = opened(facts)
    tip = page.locator("#tip")
    assert not tip.is_visible()
    page.locator("#board-table tbody .picture svg").nth(1).hover()
    assert facts.leaderboard[1].name in tip.inner_text()
    chart = page.locator("svg[data-live=roc]")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 0.15 * box["width"], box["y"] + 0.2 * box["height"])
    assert re.search(r"false positive rate 0\.\d+\ntrue positive rate 0\.\d+", tip.inner_text())
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def test_pictures_keep_their_names_for_screen_readers(opened):
    page = opened(maker.regression())
    assert page.evaluate(
        "[...document.querySelectorAll('svg[role=img]')].every((one) => one.getAttribute('aria-label'))"
    )


BACKGROUND = "getComputedStyle(document.querySelector('main > section')).backgroundColor"


def test_dark_and_light(opened):
    page = opened(maker.two_class(), color_scheme="light")
    assert page.evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert max(map(int, re.findall(r"\d+", page.evaluate(BACKGROUND)))) < 60


@pytest.mark.parametrize(
    ("case", "language"), [("two-class", "en"), ("many-class", "zh"), ("regression", "en"), ("chinese", "zh")]
)
def test_paper(opened, case, language):
    page = opened(maker.ALL[case](), language, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    for control in ("#threshold-slider", ".jumps", "#columns-search", "#tip", ".skip"):
        assert not any(one.is_visible() for one in page.locator(control).all())
    page.set_viewport_size({"width": 703, "height": 1000})  # A4 less its margins
    assert not page_is_wider(page)
    assert page.evaluate(FAULTS) == []
    pdf = page.pdf(format="A4", print_background=True)
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 12


def test_contents_lead_to_the_sections(opened):
    page = opened(maker.two_class())
    for link in page.locator(".contents a").all():
        link.click()
        target = page.locator(link.get_attribute("href"))
        page.wait_for_function("one => one.getBoundingClientRect().top < innerHeight", arg=target.element_handle())
    page.wait_for_function("document.querySelectorAll('.contents a.here').length === 1")
