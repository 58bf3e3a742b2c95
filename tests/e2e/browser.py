# SPDX-License-Identifier: Apache-2.0
"""The page of adarun monitor --serve, opened in headless Chromium."""
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request

from e2e import DEADLINE_S, Case, start

try:
    from selenium import webdriver
    from selenium.common.exceptions import JavascriptException, TimeoutException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    webdriver = None

SKIPPED = 77


def skip_without_browser():
    """Exits with the status for "skipped" if there is no browser to test with."""
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            print(f"skipped: no {program}", file=sys.stderr)
            sys.exit(SKIPPED)
    if webdriver is None:
        print("skipped: no selenium for this Python", file=sys.stderr)
        sys.exit(SKIPPED)


class PageCase(Case):
    """A test that serves the logs in its folder and opens the page."""

    def write_log(self, rank, lines, folder="log_output", mode="w"):
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/worker_{rank}.log", mode + "b") as file:
            file.write(b"".join(line if isinstance(line, bytes) else (line + "\n").encode() for line in lines))

    def serve(self, *arguments, address="127.0.0.1:0", stderr=subprocess.DEVNULL):
        """Serves the page; returns its address, with the token. At the end of the test Ctrl-C stops it, with status 130."""
        server = start("monitor", "--serve", address, *arguments, stderr=stderr)
        self.addCleanup(self.end, server)
        return server.stdout.readline().strip()

    def end(self, server):
        server.send_signal(signal.SIGINT)
        try:
            self.assertEqual(server.wait(DEADLINE_S), 130)
        finally:
            server.kill()
            server.stdout.close()

    def browser(self, scheme="light"):
        """A new browser, which is closed at the end of the test."""
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                         "--disable-background-networking", "--disable-crash-reporter", "--disable-breakpad",
                         "--window-size=1280,1400", f"--user-data-dir={self.folder}/profile{len(os.listdir())}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.addCleanup(browser.quit)
        browser.set_script_timeout(DEADLINE_S)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        return browser

    def open(self, url, scheme="light"):
        browser = self.browser(scheme)
        browser.get(url)
        return browser

    def until(self, browser, script, wanted=True):
        """Returns when the expression has the wanted value; fails at the deadline and shows its value.

        An expression that cannot be evaluated yet, such as one of a missing element, is tried again.
        """
        seen = []

        def holds(_):
            try:
                seen[:] = [browser.execute_script(f"return {script}")]
            except JavascriptException as error:
                seen[:] = [error.msg]
                return False
            return seen[0] == wanted

        try:
            WebDriverWait(browser, DEADLINE_S, poll_frequency=0.05).until(holds)
        except TimeoutException as error:
            raise AssertionError(f"{script}: {seen}, wanted {wanted!r}") from error

    def until_text(self, browser, element, text):
        self.until(browser, f"document.getElementById('{element}').textContent.includes({text!r})")


def at(url, path):
    """The address of `path` ("api/run?id=1") on the page whose address, with or without a token, is `url`."""
    page, _, token = url.partition("?")
    return page + path + ("&" if token and "?" in path else "?" if token else "") + token


def get(url, headers=None, method="GET"):
    """Status, body and headers of a response; redirects are not followed."""
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    request = urllib.request.Request(url, headers=headers or {}, method=method)
    try:
        with urllib.request.build_opener(Stay).open(request, timeout=DEADLINE_S) as reply:
            return reply.status, reply.read().decode(), reply.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(), error.headers
