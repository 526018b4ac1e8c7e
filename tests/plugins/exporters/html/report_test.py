"""What a reader of the report sees, in Chromium: report_test.py CASE FOLDER [AXE]. Exits with 77 where it cannot run."""

import base64
import pathlib
import re
import shutil
import sys

from browser import Browser, address_of

LARGEST = 2_500_000  # bytes, as promised
ARROW_RIGHT, TAB, ENTER = "\ue014", "\ue004", "\ue007"


def check(is_true, message):
    if not is_true:
        raise AssertionError(message)


def opened(browser, file):
    """Opens a report and waits until it is complete."""
    browser.open(file)
    browser.wait("document.documentElement.dataset.ready")
    browser.run("document.documentElement.style.scrollBehavior = 'auto'")


def check_silence(browser, file):
    """No word on the console, no request but for the file itself."""
    messages = browser.messages()
    check(not messages, f"the console says {messages}")
    asked = [url for url in browser.requests(file) if not url.startswith("data:")]
    check(set(asked) == {address_of(file)}, f"the page asks for {asked}")


def first_drawing(folder):
    file = folder / "h200.html"
    check(file.stat().st_size <= LARGEST, f"{file.stat().st_size} bytes")
    with Browser((1440, 1000)) as browser:
        opened(browser, file)  # starts the process whose time is counted
        # Others who use the processor's caches only add to it, so the least of three counts.
        seconds = min(browser.processor_seconds(lambda: opened(browser, file)) for _ in range(3))
        check(seconds < 1, f"drawing takes {seconds} s of the page's processor time")
        check(browser.run("return document.querySelector('h1').textContent") == "NVIDIA H200", "name of the GPU")
        check(browser.run("return document.querySelectorAll('.chip .sm').length") == 132, "SMs in the drawing")
        below = browser.run("return [...document.querySelectorAll('.chip, .headlines li')].map(e => e.getBoundingClientRect().bottom)")
        height = browser.run("return innerHeight")
        check(len(below) == 11 and max(below) < height, f"the first screen of {height} ends at {below}")
        browser.screenshot(folder / "first-screen.png")
        check_silence(browser, file)


OPEN_FACT = """
const row = document.getElementById(arguments[0]);
row.open = true;
row.scrollIntoView();
return new Promise((resolve) => setTimeout(() => {
  drawAll(row);
  resolve([...row.querySelectorAll('.chart')].length);
}));
"""
# A point of the chart's first series in the window: [x, y, number of data], after it is scrolled to the middle.
FIND_POINT = """
const element = document.getElementById(arguments[0]).querySelectorAll('.chart')[arguments[1]];
element.scrollIntoView({ block: 'center' });
const chart = echarts.getInstanceByDom(element), option = chart.getOption(), series = option.series[0];
const data = series.data.map((item) => item.value ?? item);
const box = element.getBoundingClientRect();
const pixel = (place) => chart.convertToPixel({ seriesIndex: 0 }, place.slice(0, 2));
// A bar may be thinner than a pixel: the highest of those whose middle a pointer meets.
const is_met = (place) => Math.abs((box.x + pixel(place)[0]) % 1 - 0.5) > 0.4;
const highest = (bars) => bars.reduce((best, bar) => bar[1] > best[1] ? bar : best);
const bar = () => {
  const all = data.map((value, i) => [i, value / 2]), met = all.filter(is_met);
  return highest(met.length > 0 ? met : all);
};
const place = series.type === 'bar' ? bar() : data[Math.floor(data.length / 2)];
const [x, y] = pixel(place);
return [box.x + x, box.y + (option.tooltip[0].trigger === 'axis' ? box.height / 2 : y), data.length];
"""
TOOLTIP = """
const element = document.getElementById(arguments[0]).querySelectorAll('.chart')[arguments[1]];
const tip = [...element.children].at(-1);
return tip.style.visibility === 'hidden' || tip.tagName !== 'DIV' ? '' : tip.textContent;
"""


def every_curve(folder):
    file = folder / "h200.html"
    with Browser((1280, 900)) as browser:
        opened(browser, file)
        keys = browser.run("""
            const seen = new Set();
            return readReport(JSON.parse(document.getElementById('data').textContent)).flatMap(({ facts }) => [...facts.values()])
              .filter(({ probe, evidence }) => evidence && !seen.has(`${probe} ${evidence}`) && seen.add(`${probe} ${evidence}`)).map(({ key }) => key);""")
        check(len(keys) > 70, f"curves of {len(keys)}")
        for key in keys:
            charts = browser.run(OPEN_FACT, key)
            check(charts > 0, f"{key} has no chart")
            for index in range(charts):
                x, y, points = browser.run(FIND_POINT, key, index)
                check(points > 0, f"chart {index} of {key} is empty")
                browser.point(x, y)
                browser.wait(f"(function() {{ {TOOLTIP} }})({key!r}, {index})", 5)
            browser.run("document.getElementById(arguments[0]).open = false", key)
        check_silence(browser, file)


def marks(browser, folder):
    file = folder / "h200.html"
    expected = {"l1_data.size": "xAxis", "l2.latency": "xAxis", "l2.saturating_bytes_in_flight": "xAxis", "dram.bandwidth.read": "yAxis",
                "instruction.fp32_fma.completion_latency": "yAxis", "constant_l1.line_size": "xAxis"}
    opened(browser, file)
    for key, axis in expected.items():
        browser.run(OPEN_FACT, key)
        value, marked, caption = browser.run("""
            const [key, axis] = arguments, row = document.getElementById(key), chart = row.querySelector('.chart');
            const fact = readReport(JSON.parse(document.getElementById('data').textContent))[0].facts.get(key);
            return [fact.value, echarts.getInstanceByDom(chart).getOption().series[0].markLine?.data[0][axis], row.querySelector('figcaption').textContent];""", key, axis)
        check(value == marked, f"{key} is {value}, the mark {marked}")
        check("is the value" in caption, f"{key}: {caption}")
    browser.run("document.getElementById('l1_data.size').scrollIntoView()")
    browser.screenshot(folder / "fact.png")
    check_silence(browser, file)


def keyboard(browser, folder):
    file = folder / "h200.html"
    opened(browser, file)
    browser.run("document.querySelector('.chip').focus()")
    browser.press([ARROW_RIGHT, ARROW_RIGHT])
    status = browser.run("return document.querySelector('.status').textContent")
    check("SM 1," in status and "cycles" in status, f"the chosen SM is told as {status}")
    browser.run("document.querySelector('#search').focus()")
    browser.press("l2 near")
    shown = browser.run("return [...document.querySelectorAll('.fact')].filter(row => !row.hidden).map(row => row.id)")
    check("l2.latency.near" in shown and "dram.size" not in shown, f"the search shows {shown}")
    browser.press([TAB, ENTER])
    check(browser.run("return document.querySelector('.fact[open]')?.id") == shown[0], "Enter opens the first row that the search shows")
    light = browser.run("return getComputedStyle(document.body).backgroundColor")
    browser.run("document.querySelector('#theme').focus()")
    browser.press([ENTER])
    check(browser.run("return getComputedStyle(document.body).backgroundColor") != light, "the button changes the theme")
    check_silence(browser, file)


def map_of_sms(browser, folder):
    file = folder / "map.html"
    opened(browser, file)
    check(browser.run("return document.querySelectorAll('.chip .group').length") == 8, "GPCs in the drawing")
    browser.run("document.querySelector('.chip').focus()")
    browser.press([ARROW_RIGHT, ARROW_RIGHT])
    status = browser.run("return document.querySelector('.status').textContent")
    check("SM 1, L2 partition 0, GPC 0, CPC 0, TPC 0" in status, f"the chosen SM is told as {status}")
    check_silence(browser, file)


def verdicts(browser, folder):
    file = folder / "pair.html"
    opened(browser, file)
    words = dict(browser.run("return [...document.querySelectorAll('.fact')].map(row => [row.id, row.className.replace('fact', '').trim()])"))
    expected = {"l1_data.latency": "same", "l2.latency": "undecided", "dram.latency": "different"}
    check(words == expected, f"the page says {words}, diff {expected}")
    titles = browser.run("return [...document.querySelectorAll('h1')].map(title => title.textContent)")
    check(titles == ["sim:described (A/topology.toml)", "sim:described (B/topology.toml)"], f"files of one name are told as {titles}")
    check("comparison" not in browser.run("return document.getElementById('provenance').textContent"), "verdicts are no provenance")
    check_silence(browser, file)


def odd_values(browser, folder):
    file = folder / "odd.html"
    opened(browser, file)
    text = browser.run("return document.body.textContent")
    check("1 SM ·" in text and "1 SMs" not in text, "one SM is no plural")
    check(browser.run("return document.getElementById('l1_data.sm_groups').querySelector('b').textContent") == "a", "a text under any key is shown")
    told = browser.run("return ['occupancy', 'bandwidth', 'spectrum', 'maps'].map(id => document.querySelector(`#${id} .muted`).textContent)")
    check(set(told) == {"This device has no such facts."}, f"what a device lacks is told as {told}")
    captions = browser.run("return [...document.querySelectorAll('#uncertain caption')].map(caption => caption.textContent)")
    check(captions == ["What disturbed the device"], f"findings about the device are called {captions}")
    warps = browser.run("const [device] = readReport(JSON.parse(document.getElementById('data').textContent)); return warpsOfSm({ columns: { threads: [128], ctas_per_sm: [2] } }, warpSizeOf(device))")
    check(warps == [4], f"256 threads are {warps} warps of 64")
    check_silence(browser, file)


def paper(browser, folder):
    file = folder / "h200.html"
    opened(browser, file)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    closed = browser.run("return [...document.querySelectorAll('.fact:not([open]), .chart:not([data-drawn])')].length")
    check(closed == 0, f"{closed} facts or charts would be missing on paper")
    browser.run("dispatchEvent(new Event('afterprint'))")
    check(browser.run("return document.querySelectorAll('.fact[open]').length") == 0, "rows are closed again")
    check_silence(browser, file)
    browser.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}})
    shown = browser.run("return ['nav', '#theme', '.search', 'h1', '#facts', '.chip'].filter(name => document.querySelector(name).checkVisibility())")
    check(shown == ["h1", "#facts", ".chip"], f"paper shows {shown}")


def reading(folder):
    """In one browser, whose start takes longer than most of these."""
    with Browser((1280, 900)) as browser:
        for promise in (marks, links, fleet, keyboard, map_of_sms, verdicts, odd_values, paper, sweep):
            print(promise.__name__)
            promise(browser, folder)


def side_by_side(folder):
    file = folder / "two.html"
    check(file.stat().st_size <= LARGEST, f"{file.stat().st_size} bytes")
    with Browser((1440, 1000)) as browser:
        opened(browser, file)
        words = dict(browser.run("return [...document.querySelectorAll('.fact')].map(row => [row.id, row.className.replace('fact', '').trim()])"))
        check(words["dram.bandwidth.read"] == "different", f"bandwidths of HBM3 and HBM3e: {words['dram.bandwidth.read']}")
        check(words["l1_data.line_size"] == "same", "lines of the same size")
        check(words["tlb.l2.sm_groups"] == "missing", "a fact of one device alone")
        browser.run(OPEN_FACT, "l2.size")
        check(browser.run("return document.getElementById('l2.size').querySelectorAll('.fact-of-device .chart').length") >= 2, "a curve for each device")
        browser.screenshot(folder / "two.png")
        check_silence(browser, file)


def little(folder):
    file = folder / "few.html"
    with Browser((400, 800)) as browser:
        opened(browser, file)
        browser.run("for (const row of document.querySelectorAll('.fact')) row.open = true")
        text = browser.run("return document.querySelector('main').textContent")
        check("the evidence file was not beside the topology" in text, "what is missing is said")
        has_l2 = browser.run("return [...document.querySelectorAll('.chip')].map(chip => chip.textContent.includes('L2 cache'))")
        check(has_l2 == [True, False], f"an L2 is drawn where there is one, not {has_l2}")
        width = browser.run("return document.documentElement.scrollWidth")
        check(width <= 400 + browser.run("return innerWidth") - 400, f"the page is {width} wide in a window of 400")
        browser.screenshot(folder / "narrow.png")
        check_silence(browser, file)


def links(browser, folder):
    file = folder / "node.html"
    opened(browser, file)
    figure = browser.run("""
const titled = [...document.querySelectorAll('#maps figure')].find((f) => f.textContent.startsWith('link.bandwidth.copy'));
titled.querySelector('details').open = true;
return new Promise((resolve) => setTimeout(() =>
  resolve([...titled.querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.textContent)))));""")
    check(figure and figure[0] == ["from GPU", "to GPU", "value"], f"the map's table is {figure}")
    check([row[:2] for row in figure[1:3]] == [["0", "1"], ["0", "3"]], f"its rows are {figure[1:]}")
    check(all(row[2].endswith("GB/s") for row in figure[1:]), f"its rates are {figure[1:]}")
    text = browser.run("return document.getElementById('host.latency').textContent")
    check(re.search(r"host\.latency1\.\d+ µs", text), f"the latency is {text}")
    text = browser.run("return document.getElementById('link.bandwidth.copy').textContent")
    check("0 → 1: " in text and "1 B/s" not in text, f"the numbers of GPUs have no unit: {text}")
    check_silence(browser, file)


def sweep(browser, folder):
    file = folder / "sweep.html"
    opened(browser, file)
    rows = browser.run("return [...document.querySelectorAll('#prediction .scroll tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
    printed = (folder / "sweep.txt").read_text().splitlines()
    check(len(rows) == len(printed) == 6, f"the page has the rows of the terminal's table: {rows}")
    for row, line in zip(rows, printed):
        check(row[-1] == line.split()[-1], f"{row} is {line} in the terminal")
    check(rows[1][-1] == "dram" and rows[-1][-1] != "dram", f"more of the memory moves the limit: {rows}")
    points, bars = browser.run("""
        return [...document.querySelectorAll('#prediction .chart')].map((chart) => (chart.draw(), echarts.getInstanceByDom(chart).getOption().series));""")
    check(len(points[0]["data"]) == 5 and points[0]["data"][0][1] > points[0]["data"][-1][1], f"the plot falls: {points}")
    check("wait dram" in [bar["name"] for bar in bars], f"the stack's bars are {bars}")
    browser.screenshot(folder / "sweep.png")
    pages = printed_pages(browser)
    for title in ("Prediction", "Time of misses.toml", "Facts", "Provenance"):
        check(title.encode() in pages, f"the PDF has no {title}")
    check(browser.run("return document.querySelectorAll('.fact[open]').length") == 0, "rows are closed after printing")
    check_silence(browser, file)


def printed_pages(browser):
    """A PDF by the browser's own printing, with the page's headings and the texts that stand for its figures."""
    return base64.b64decode(browser.protocol("Page.printToPDF", generateTaggedPDF=True, generateDocumentOutline=True)["data"])


def fleet(browser, folder):
    file = folder / "fleet.html"
    opened(browser, file)
    check(browser.run("return document.querySelector('h1').textContent") == "4 GPUs, 1 odd", "how many are odd")
    tables = browser.run("return [...document.querySelectorAll('table')].map(t => [...t.querySelectorAll('tbody tr')].map(r => [...r.children].map(c => c.textContent)))")
    check([row[0] for row in tables[0]] == ["GPU-3", "GPU-0", "GPU-1", "GPU-2"], f"the odd GPU comes first: {tables[0]}")
    check(tables[0][0][1].startswith("l2.latency is 4.0 % higher"), f"the reason is {tables[0][0][1]}")
    check(tables[1] == [["l2.ways", "16 (3 GPUs)", "12", "GPU-1"]], f"the discrete facts are {tables[1]}")
    check(tables[2] == [["garbage.toml", "1:1: expected a key"]], f"the files that do not count are {tables[2]}")
    points = browser.run("""
const chart = document.querySelector('.chart');
chart.draw();
return echarts.getInstanceByDom(chart).getOption().series.map(({ name, data }) => [name, data.map((point) => [point.name, Math.round(10 * point.value[0]) / 10])]);""")
    check(points == [["others", [["GPU-0", 99.9], ["GPU-1", 100]]], ["odd", [["GPU-3", 104.2]]]], f"the strip has {points}")
    browser.screenshot(folder / "fleet.png")
    check_silence(browser, file)


def accessible(folder, axe):
    if not pathlib.Path(axe).exists():
        print(f"skipped: {axe} is missing, which npm installs")
        sys.exit(77)
    script = pathlib.Path(axe).read_text() + "; window.axe = axe"
    for dark, names in ((False, ("h200", "two", "fleet")), (True, ("h200",))):
        with Browser((1280, 900), dark) as browser:
            for name in names:
                file = folder / f"{name}.html"
                opened(browser, file)
                if name != "fleet":
                    browser.run(OPEN_FACT, "l2.latency")
                browser.run(script)
                # To describe what it finds right would take axe a quarter of the time.
                violations = browser.run("return axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))]))")
                check(not violations, f"{name}, {'dark' if dark else 'light'}: {violations}")
                browser.run("scrollTo(0, 0)")
                browser.screenshot(folder / f"{name}-{'dark' if dark else 'light'}.png")


CASES = {case.__name__.replace("_", "-"): case for case in (first_drawing, every_curve, reading, side_by_side, little, accessible)}

if __name__ == "__main__":
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            print(f"skipped: {program} is missing")
            sys.exit(77)
    CASES[sys.argv[1]](pathlib.Path(sys.argv[2]), *sys.argv[3:])
