"""Pages in a browser: nothing is logged, nothing is asked for, everything fits, and axe-core finds no serious fault."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

import linnet
from tests.report.browser import MISSING, opened
from tests.report.making import clouds, results, table

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)

HOSTILE = "<script>document.title='owned'</script>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    points, codes = clouds(rng, [(0, 0), (2, 1)], rows=200)
    two = linnet.train(str(table(folder / "two.csv", points, np.array(["no", "yes"])[codes])), target="kind")
    hostile = linnet.train(
        str(table(folder / "hostile.csv", points, np.array([HOSTILE, "<img src=x onerror=alert(1)>"])[codes],
                  (HOSTILE, "\"><svg onload=alert(1)>"), "</title><script>alert(1)</script>")),
        target="</title><script>alert(1)</script>",
    )  # fmt: skip
    numbers = np.column_stack([points, points @ [2.0, -1.0] + rng.normal(size=len(points))])
    (folder / "numbers.csv").write_text("a,b,c\n" + "\n".join(",".join(f"{v:.5f}" for v in row) for row in numbers))
    regression = linnet.train(str(folder / "numbers.csv"), target="c")
    online = linnet.train(str(folder / "two.csv"), target="kind", learner="perceptron")
    made = {
        "two": two, "hostile": hostile, "regression": regression, "online": online, "comparison": results(data_sets=3),
    }  # fmt: skip
    for name, source in made.items():
        linnet.report.write(source, folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in made}


NAMES = ("two", "hostile", "regression", "online", "comparison")
DRAWN = {
    "two": {"roc", "precision-recall", "confusion", "reliability", "margins", "geometry", "features-1", "strength"},
    "hostile": {"roc", "precision-recall", "confusion", "reliability", "margins", "geometry", "features-1"},
    "regression": {"predicted", "residuals", "features-1"},
    "online": {"geometry", "progressive", "bound", "features-1"},
    "comparison": {"ranks", "data-1-scores", "data-1-time", "data-1-curves", "data-1-sensitivity", "data-3-scores"},
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", NAMES)
def test_a_page_logs_nothing_asks_for_nothing_and_is_no_wider_than_the_window(browser, pages, name, width, scheme):
    browser.console(), browser.requests()
    browser.show(pages[name], width, scheme)
    assert browser.console() == []
    assert [url for url in browser.requests() if not url.startswith(("file:", "data:"))] == []
    assert browser.run("return document.documentElement.scrollWidth") <= width
    dark = browser.run("return getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_is_there_and_has_a_size(browser, pages, name):
    browser.show(pages[name])
    found = browser.run("""
        const height = figure => figure.querySelector('svg').getBoundingClientRect().height;
        return [...document.querySelectorAll('figure')].map(figure => [figure.id, height(figure)])""")
    assert {key for key, height in found if height > 50} >= DRAWN[name]
    assert all(height > 20 for _, height in found)


@pytest.mark.parametrize("name", NAMES)
def test_text_in_pictures_stays_inside_of_them(browser, pages, name):
    browser.show(pages[name], 390)
    outside = browser.run("""
        return [...document.querySelectorAll('figure svg text')].filter(t => {
            const a = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
            return a.left < b.left - 6 || a.right > b.right + 6 || a.top < b.top - 6 || a.bottom > b.bottom + 6;
        }).map(t => t.textContent)""")
    assert outside == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser, pages, name, scheme):
    axe = pytest.importorskip("axe_core_python", reason="axe-core is not installed (pip install axe-core-python)")
    browser.command("Page.enable")
    browser.command("Page.setBypassCSP", enabled=True)  # only the page itself may not run scripts
    try:
        browser.show(pages[name], 390, scheme)
        browser.run(files(axe).joinpath("axe.min.js").read_text())
        faults = browser.run("axe.run().then(r => arguments[0](r.violations))", waiting=True)
    finally:
        browser.command("Page.setBypassCSP", enabled=False)
    found = [(each["id"], each["nodes"][0]["html"]) for each in faults if each["impact"] in ("serious", "critical")]
    assert found == []


def test_names_and_labels_that_are_scripts_are_shown_as_text(browser, pages):
    browser.show(pages["hostile"])
    assert browser.run("return document.scripts.length") == 0
    assert browser.run("return document.images.length") == 0
    assert browser.run("return document.title") == "</title><script>alert(1)</script>: logistic-regression"
    assert HOSTILE in browser.run("return document.body.innerText")
    assert browser.run("return [...document.querySelectorAll('*')].filter(e => e.onload || e.onerror).length") == 0


def test_a_page_can_be_read_without_scripts(browser, pages):
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.show(pages["two"])
        assert len(browser.screenshot()) > 20_000
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)
