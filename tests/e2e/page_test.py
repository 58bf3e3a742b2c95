#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the page of adarun monitor --serve in headless Chromium."""
import json
import os
import time
import unittest

from browser import PageCase, at, get, skip_without_browser
from e2e import DEADLINE_S, adarun, write


def loss(step, value, epoch=1):
    return f"epoch: {epoch} step: {step}, loss is {value}"


def run(steps, rank=0):
    return [loss(step, 3 / step + 0.01 * rank) for step in range(1, steps + 1)]


# The number of pixels of the canvas that are drawn on.
PAINTED = """(() => { const canvas = document.getElementById('loss');
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0; for (let i = 3; i < data.length; i += 4) if (data[i] > 0) ++count; return count; })()"""


FIRST, SECOND, THIRD = ("20261125-09323" + end for end in ("1-4ab0a8", "3-9c21d0", "5-6d5e11"))


class Page(PageCase):
    def test_shows_what_the_logs_say(self):
        for rank in range(4):
            lines = run(50, rank) + ["Train epoch time: 500.000 ms, per step time: 10.000 ms", "accuracy: 0.985"]
            self.write_log(rank, lines + ([loss(51, "nan")] if rank == 2 else []))
        browser = self.open(self.serve())
        self.until_text(browser, "facts", "0.9850")
        self.until_text(browser, "findings", "nan or inf")
        self.until_text(browser, "findings", "rank 2, epoch 1 step 51")
        self.until_text(browser, "quantiles", "median 10")
        self.until(browser, "document.querySelectorAll('#ranks tr').length", 4)
        self.until(browser, "document.querySelector('#ranks tr td').textContent", "2")
        self.until_text(browser, "log", "accuracy: 0.985")
        self.until(browser, PAINTED + " > 2000")
        self.assertEqual([entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"], [])

    def test_has_labels_that_people_write(self):
        self.write_log(0, run(4))
        browser = self.open(self.serve())
        self.until_text(browser, "facts", "1 / 4")
        self.until_text(browser, "jobs", "1 rank")
        self.assertNotIn("1 ranks", browser.page_source)
        browser.execute_script("""window.texts = []; const fill = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { window.texts.push(text); fill.call(this, text, ...at); };
          const log = document.getElementById('log-scale'); log.click(); log.click();""")
        self.until(browser, "['1', '2', '3', '4'].every((label) => window.texts.includes(label))")
        labels = set(browser.execute_script("return window.texts")) - {"no step times yet"}
        self.assertEqual([label for label in labels if len(label) > 6], [])

    def test_says_what_it_has_not_read_yet(self):
        self.write_log(0, ["no such line"])
        browser = self.browser()
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """window.texts = [];
          const fill = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { window.texts.push(text); fill.call(this, text, ...at); };"""})
        browser.get(self.serve())
        self.until(browser, "window.texts.includes('no loss line yet')")
        texts = browser.execute_script("return window.texts")
        self.assertLess(texts.index("loading"), texts.index("no loss line yet"))

    def test_shows_what_adasum_saw(self):
        told = "adasum: epoch 1 step {}, orthogonality 0.5 (0.1 conv1.bias - 0.9 fc1.weight), cosine 0.25"
        self.write_log(0, run(10) + [told.format(step) for step in (2, 4, 6)], folder="logs")
        browser = self.open(self.serve("logs"))
        self.until_text(browser, "quantities", "adasum.orthogonality0.5000")
        with open("logs/metrics.jsonl", "w", encoding="utf-8") as file:
            layers = {"conv1.<b>": {"cosine": 0.125}, "fc1": {"cosine": 0.375}}
            print(json.dumps({"event": "adasum", "epoch": 1, "step": 7, "layers": layers}), file=file)
        self.until_text(browser, "quantities", "adasum.cosine0.2500")
        self.until_text(browser, "layers-title", "2 layers at epoch 1 step 7")
        self.until(browser, "document.querySelector('#layer-rows td').textContent", "conv1.<b>")

    def test_follows_the_run(self):
        self.write_log(0, run(10))
        browser = self.open(self.serve())
        self.until_text(browser, "facts", "1 / 10")
        self.write_log(0, [loss(11, 0.123)], mode="a")
        self.until_text(browser, "facts", "1 / 11")
        self.until_text(browser, "log", "loss is 0.123")
        self.write_log(1, run(10))
        self.until_text(browser, "rank-count", "2")

    def write_attempt(self, steps, job_id, earlier):
        """The logs of one rank of a job's last attempt; the logs before it get another name."""
        if earlier:
            os.rename("log_output", f"log_output.{earlier[-1][0]}")
        os.mkdir("log_output")
        job = {"id": job_id, "state": "running", "world_size": 1, "earlier_attempts": [
            {"id": before, "nodes": "node1", "world_size": 1, "failure": "node1: gone", "duration_ms": 5, "change": change}
            for before, change in earlier]}
        write("log_output/job.json", json.dumps(job))
        self.write_log(0, [loss(step, 3 / step) for step in steps])

    def test_continues_with_the_next_attempt(self):
        attempts = [(FIRST, "node1 is lost; node2 joins")]
        self.write_attempt(range(1, 9), FIRST, [])
        self.write_attempt(range(5, 11), SECOND, attempts)
        browser = self.open(self.serve())
        self.until_text(browser, "note", "attempt 2 from epoch 1 step 5: node1 is lost; node2 joins")
        self.until_text(browser, "facts", "1 / 10")
        amber = PAINTED.replace("data[i] > 0", "data[i] > 0 && data[i - 3] === 154 && data[i - 2] === 103")  # --warn
        self.until(browser, amber + " > 50")
        self.write_attempt(range(9, 13), THIRD, [*attempts, (SECOND, "node2 is lost; <b>node3 joins")])
        self.until_text(browser, "note", "attempt 3 from epoch 1 step 9: node2 is lost; <b>node3 joins")
        self.until_text(browser, "facts", "1 / 12")
        only = self.open(self.serve("--last-attempt", "log_output"))
        self.until_text(only, "facts", "1 / 12")
        self.assertNotIn("attempt", only.execute_script("return document.getElementById('note').textContent"))

    def test_has_all_attempts_at_a_job_of_the_list(self):
        told = f"test -e again || {{ echo '{loss(1, 3)}'; echo '{loss(2, 2)}'; : >again; exit 1; }}; echo '{loss(2, 1)}'"
        adarun("launch", "-n", "1", "--restarts", "1", "--", "sh", "-c", told).expect(0)
        self.write_log(0, run(3), folder="another")
        address = self.serve("another")
        of_list = [job["id"] for job in json.loads(get(at(address, "api/jobs"))[1])["jobs"][1:]]
        wanted, end = [[], [2]], time.monotonic() + DEADLINE_S
        while wanted != (found := sorted(self.attempts_of(address, job_id) for job_id in of_list)):
            self.assertLess(time.monotonic(), end, found)
            time.sleep(0.02)

    @staticmethod
    def attempts_of(address, job_id):
        return [each["attempt"] for each in json.loads(get(at(address, f"api/run?id={job_id}"))[1])["attempts"]]

    def test_shows_a_hostile_log_as_text(self):
        script = "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"
        self.write_log(0, [loss(1, 2), script, b"\x1b[31mred\x1b[0m \x07bell \xff\xfe\x00 \xe2\x80\xaegnp\n",
                           b"\x1b]0;title\x07\n", b"x" * (1 << 20) + b"\n", "</div></body>"])
        browser = self.open(self.serve())
        self.until_text(browser, "log", "</div></body>")
        shown = browser.execute_script("return document.getElementById('log').textContent")
        self.assertIn("red \u2407bell \ufffd\ufffd\u2400 \ufffdgnp", shown)
        self.assertIn("xxx  \u2026 1,044,480 more bytes", shown.replace("x" * 4093, ""))
        self.assertIn(script, shown)
        self.assertIsNone(browser.execute_script("return window.hacked ?? null"))
        tags = "[...new Set([...document.querySelectorAll('#log *')].map((each) => each.tagName))].sort().join()"
        self.assertEqual(browser.execute_script(f"return {tags}"), "DIV,I")
        self.assertEqual(browser.title, "adarun monitor")

    def test_finds_text_in_a_log(self):
        self.write_log(0, run(2000) + ["a <b>needle</b>"] + run(10))
        browser = self.open(self.serve())
        self.until_text(browser, "log", "loss is")
        browser.find_element("id", "log-find").send_keys("NEEDLE")
        self.until(browser, "document.getElementById('log').textContent", "a <b>needle</b>")
        self.until(browser, "document.querySelector('#log mark').textContent", "needle")

    def test_shows_the_rank_under_the_pointer(self):
        for rank in range(3):
            self.write_log(rank, [loss(step, 1 + rank) for step in range(1, 21)])
        browser = self.open(self.serve())
        self.until_text(browser, "facts", "1 / 20")
        # Moves the pointer until the tip shows: a redraw in between may change the axes.
        move = """(() => { const canvas = document.getElementById('loss'), box = canvas.getBoundingClientRect();
            canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + box.width / 2, clientY: box.top + 30}));
            return document.querySelector('#tip .near')?.textContent; })()"""
        self.until(browser, move, "rank 23.0000")
        self.until_text(browser, "legend", "rank 2")

    def test_lays_runs_over_each_other(self):
        for folder in ("one", "two"):
            self.write_log(0, run(20 if folder == "one" else 40), folder=folder)
        browser = self.open(self.serve("--compare", "one", "two"))
        self.until(browser, "document.querySelectorAll('#legend .key').length", 2)
        self.until_text(browser, "legend", "two")
        self.until(browser, "document.querySelectorAll('#jobs li.shown').length", 2)

    def test_is_dark_or_light_as_asked_for(self):
        self.write_log(0, run(10))
        browser = self.open(self.serve(), scheme="dark")
        back = "getComputedStyle(document.body).backgroundColor"
        self.until(browser, back, "rgb(17, 21, 28)")
        for wanted in ("rgb(17, 21, 28)", "rgb(245, 246, 248)", "rgb(17, 21, 28)"):  # dark, light, the system's
            browser.find_element("id", "theme").click()
            self.until(browser, back, wanted)

    def test_stays_smooth_with_a_million_points(self):
        with_noise = (loss(step, 3 / (1 + step / 1000) + step % 7 / 100) for step in range(1, 1_000_001))
        self.write_log(0, ["\n".join(with_noise)])
        browser = self.open(self.serve())
        self.until_text(browser, "facts", "1 / 1000000")
        self.until(browser, PAINTED + " > 2000")
        # Zooms in, then out again by more, while the pointer moves; the run may still be loading.
        frames = browser.execute_async_script("""
            const done = arguments[0], canvas = document.getElementById('loss'), box = canvas.getBoundingClientRect();
            const at = {clientX: box.left + box.width / 3, clientY: box.top + 100, bubbles: true, cancelable: true};
            const frames = []; let last = performance.now(), count = 0;
            const step = (now) => {
              frames.push(now - last); last = now;
              if (++count > 180) { done(frames); return; }
              canvas.dispatchEvent(new PointerEvent('pointermove', {...at, clientX: at.clientX + count}));
              canvas.dispatchEvent(new WheelEvent('wheel', {...at, deltaY: count < 60 ? -100 : 100}));
              requestAnimationFrame(step);
            };
            requestAnimationFrame(step);""")
        self.assertEqual(len(frames), 181)
        frames.sort()
        print(f"1,000,000 points, 180 zooms: frames of {frames[90]:.1f} ms (median), {frames[-1]:.1f} ms (longest)")
        self.until(browser, "document.getElementById('whole').disabled")
        sizes = "performance.getEntriesByType('resource').filter((e) => e.name.includes('/api/chart')).map((e) => e.encodedBodySize)"
        self.assertLess(max(browser.execute_script(f"return {sizes}")), 200_000)


if __name__ == "__main__":
    skip_without_browser()
    unittest.main()
