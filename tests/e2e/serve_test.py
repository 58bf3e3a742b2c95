# SPDX-License-Identifier: Apache-2.0
"""adarun monitor --serve: which requests it answers and refuses, and how it ends."""
import fcntl
import json
import os
import pty
import socket
import subprocess
import termios
import time
from urllib.parse import urlsplit

from browser import PageCase, at, get
from e2e import DEADLINE_S, adarun, adarun_command, await_that, read, write


class Serve(PageCase):
    def setUp(self):
        super().setUp()
        self.write_log(0, ["epoch: 1 step: 1, loss is 2.5"])

    def connect(self, url, text=""):
        """A connection that has sent only `text`; it is closed at the end of the test."""
        address = urlsplit(url)
        connection = socket.create_connection((address.hostname, address.port), timeout=DEADLINE_S)
        self.addCleanup(connection.close)
        connection.sendall(text.encode())
        return connection

    def watch(self, url):
        """A connection that has asked for events, as an open page does."""
        return self.connect(url, f"GET /events?{urlsplit(url).query} HTTP/1.1\r\nHost: localhost\r\n\r\n")

    def test_answers_with_data_that_a_browser_keeps_to_itself(self):
        status, body, headers = get(at(self.serve(), "api/run?id=log_output"))
        self.assertEqual((status, json.loads(body)["now"]["median"]), (200, 2.5))
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertIsNone(headers["Access-Control-Allow-Origin"])

    def test_reads_lines_of_a_pattern(self):
        self.write_log(0, ["it 7 :: train 1.25"])
        url = self.serve("--pattern", r"it (?<step>\d+) :: train (?<loss>\S+)")
        self.assertEqual(json.loads(get(at(url, "api/run?id=log_output"))[1])["now"]["median"], 1.25)

    def test_refuses_foreign_names_and_other_sites(self):
        url = self.serve("--open")
        self.assertEqual(get(url, {"Host": "evil.example"})[0], 421)
        self.assertEqual(get(url, {"Sec-Fetch-Site": "cross-site"})[0], 403)
        self.assertEqual(get(url, method="POST")[0], 405)
        self.assertEqual(get(url + "../../etc/passwd")[0], 404)
        self.assertEqual(get(url, {"Host": "localhost"})[0], 200)

    def test_requests_are_logged_without_the_token(self):
        url = self.serve("--log-file", "serve.log", address="10.77.0.1:0")
        plain, _, token = url.partition("?token=")
        get(url)
        get(plain + "api/%1b%0aforged")
        get(plain + "metrics", {"Authorization": f"Bearer {token}"})
        said = read("serve.log")
        for line in ("debug   - shows log_output\n", "debug   - GET /: 303 after ", "debug   - GET /api/\u241b forged: 403 after ",
                     "debug   - GET /metrics: 200 after "):
            self.assertIn(line, said)
        self.assertNotIn(token, said)

    def test_asks_for_the_token_that_it_printed(self):
        for address in ("127.0.0.1:0", "[::1]:0", "10.77.0.1:0"):
            url = self.serve(address=address)
            plain, _, token = url.partition("?token=")
            self.assertEqual(len(token), 32, url)
            for path in ("", "api/jobs", "metrics", "events", "app.js", "?token=" + "0" * 32):
                status, said, _ = get(plain + path)
                self.assertEqual((status, said), (403, "A token is needed: open the whole address, with ?token=, that "
                                                       "adarun monitor --serve printed.\n"), path)
            self.assertEqual(get(plain + "metrics", {"Authorization": f"Bearer {token}"})[0], 200)
            status, _, headers = get(url)
            self.assertEqual((status, headers["Location"]), (303, "/"))
            cookie = headers["Set-Cookie"].partition(";")[0]
            self.assertEqual(get(plain, {"Cookie": cookie})[0], 200)
            self.assertEqual(get(plain, {"Cookie": cookie[:-1]})[0], 403)

    def test_asks_for_none_where_it_is_open(self):
        url = self.serve("--open")
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/$")
        self.assertEqual(get(url)[0], 200)
        done = adarun("monitor", "--serve", "0.0.0.0:0", "--open").expect(2)
        self.assertIn("--open: 0.0.0.0 can be reached from other machines", done.stderr)

    def test_shows_nothing_through_a_link(self):
        """Whoever may write to the folder that is shown puts links into it, before and while it is shown."""
        secret = "epoch: 1 step: 1, loss is 7\nthe secret\n"
        os.makedirs("private/device0")
        for name in ("file", "worker_0.log", "device0/log", "metrics.jsonl"):
            write(f"private/{name}", secret)
        job = {"id": "20261121-010203", "state": "running", "world_size": 1, "argv": ["the secret"]}
        write("private/job.json", json.dumps(job))
        for folder, name, target in (("a", "worker_0.log", "file"), ("b", "device0", "device0"), ("c", "job.json", "job.json"),
                                     ("d", "metrics.jsonl", "metrics.jsonl")):
            if folder in "cd":
                self.write_log(0, ["epoch: 1 step: 1, loss is 2"], folder=folder)
            os.makedirs(folder, exist_ok=True)
            os.symlink(f"../private/{target}", f"{folder}/{name}")
        os.symlink("log_output", "named")  # By the user: it may be a link.
        with open("said", "w+", encoding="utf-8") as said:
            url = self.serve("a", "b", "c", "d", "--compare", "named", stderr=said)
            self.assertEqual(json.loads(get(at(url, "api/run?id=named"))[1])["now"]["median"], 2.5)
            self.assert_not_shown(url, "a", "b", "c", "d")
            said.seek(0)
            for link in ("a/worker_0.log", "b/device0/log"):
                self.assertRegex(said.read(), f"{link}: not shown, as a symbolic link is in its path below {link[0]}\n")
                said.seek(0)
            os.remove("log_output/worker_0.log")
            os.symlink("../private/file", "log_output/worker_0.log")
            self.assert_not_shown(url, "named")
            os.rename("log_output", "moved")
            os.symlink("private", "log_output")
            self.assert_not_shown(url, "named")

    def assert_not_shown(self, url, *runs):
        for run in runs:
            for path in (f"api/run?id={run}", f"api/log?id={run}&rank=0", f"api/chart?id={run}", "api/jobs", "metrics"):
                said = get(at(url, path))[1]
                self.assertNotIn("secret", said, path)
                self.assertNotIn("7.0", said, path)
                self.assertNotIn('"median":7', said, path)

    def test_tells_of_each_change(self):
        stream = self.watch(self.serve()).makefile()
        def version():
            line = next(line for line in stream if line.startswith("data: "))
            return json.loads(line[len("data: "):])["version"]
        before = version()
        self.write_log(0, ["epoch: 1 step: 2, loss is 2"], mode="a")
        self.assertGreater(version(), before)

    def test_says_when_there_is_no_room(self):
        url = self.serve("--viewers", "1")
        viewer = self.watch(url)
        self.assertIn(b"200 OK", viewer.recv(4096))
        _, _, headers = get(url)
        cookie = {"Cookie": headers["Set-Cookie"].partition(";")[0]}
        for path in ("", "events"):
            status, words, _ = get(url.partition("?")[0] + path, cookie)
            self.assertEqual(status, 503)
            self.assertIn("No room: 1 pages are open already", words)
        self.assertEqual(get(at(url, "api/jobs"))[0], 200)
        viewer.close()
        end = time.monotonic() + DEADLINE_S
        while get(url.partition("?")[0], cookie)[0] != 200:
            self.assertLess(time.monotonic(), end, "the place of a viewer who left stays taken")

    def test_answers_in_spite_of_clients_that_say_nothing(self):
        url = self.serve("--viewers", "1")
        viewer = self.watch(url).makefile()
        self.assertIn("200 OK", viewer.readline())
        for text in ("", "GET / HT"):
            for _ in range(50):
                self.connect(url, text)
        self.assertEqual(get(at(url, "api/jobs"))[0], 200)
        self.write_log(0, ["epoch: 1 step: 2, loss is 2"], mode="a")
        next(line for line in viewer if line.startswith("data: "))  # A page that is open stays so.

    def test_ends_at_once_whoever_is_connected(self):
        url = self.serve()
        self.connect(url)
        self.connect(url, "GET / HTTP/1.1\r\n")
        self.watch(url)
        # PageCase.end sends Ctrl-C and waits.

    def await_loss(self, url, loss):
        await_that(lambda: json.loads(get(at(url, "api/run?id=log_output"))[1])["now"]["median"] == loss,
                   "a new line is not shown")

    def test_q_ends_it_at_a_terminal_and_no_other_key(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        server = subprocess.Popen(adarun_command("monitor", "--serve", "127.0.0.1:0"), stdin=theirs, stdout=theirs,
                                  stderr=subprocess.DEVNULL, start_new_session=True,
                                  preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.addCleanup(server.kill)
        os.close(theirs)
        said = b""
        while b"\n" not in said:
            said += os.read(ours, 4096)
        url = said.decode().split()[0]
        os.write(ours, b"x\x1bOQ\r")  # F2 sends a Q, too.
        for loss in (2, 1):  # Keys are read between two looks at the log.
            self.write_log(0, [f"epoch: 1 step: {4 - loss}, loss is {loss}"], mode="a")
            self.await_loss(url, loss)
        os.write(ours, b"q")
        self.assertEqual(server.wait(DEADLINE_S), 0)

    def test_refuses_what_does_not_go_with_a_page(self):
        for words in (["--once"], ["--json"], ["--check"], ["--plot", "loss.svg"], ["--csv", "-"]):
            done = adarun("monitor", "--serve", "127.0.0.1:0", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stderr, rf"({words[0]} excludes --serve|--serve excludes {words[0]}) \(adarun monitor --help\)")
        for words in (["--viewers", "2"], ["--metrics", "metrics.jsonl"], ["--open"]):
            done = adarun("monitor", "--once", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(f"{words[0]} requires --serve", done.stderr)

    def test_says_what_is_wrong(self):
        for address in ("somewhere", "1.2.3.4.5:0", "127.0.0.1:99999"):
            done = adarun("monitor", "--serve", address).expect(2)
            self.assertIn("wanted an address and a port", done.stderr)
        taken = urlsplit(self.serve()).port
        done = adarun("monitor", "--serve", f"127.0.0.1:{taken}").expect(3)
        self.assertIn("Address already in use", done.stderr)
        os.remove("log_output/worker_0.log")
        adarun("monitor", "--serve", "127.0.0.1:0", "nowhere").expect(3)
