# SPDX-License-Identifier: Apache-2.0
"""Ranks that flood their output: other ranks are still shown, memory stays bounded, and the logs are complete."""
import contextlib
import os
import pty
import signal
import subprocess

from e2e import DEADLINE_S, Case, adarun, hosts, processes, start, write

MOST_KIB = {"adarun": 400_000, "adarun-agent": 100_000}
# A sanitizer's shadow memory and red zones double memory use; the address sanitizer also keeps 256 MiB of freed blocks.
SANITIZER_FACTOR = 2
SANITIZER_FREED_KIB = 262_144

# Rank 0 prints short lines, rank 1 one endless line, rank 2 single bytes. Rank 3 prints a line now and then, and ends the
# job.
FLOOD = """case $RANK in
0) exec yes ;;
1) exec tr '\\0' x </dev/zero ;;
2) exec python3 -c 'import os
while True: os.write(1, b".")' ;;
3) for i in $(seq 20); do echo "tick $i"; sleep 0.05; done; read line <fifo; exit 3 ;;
esac"""


def peak_kib():
    """Program -> peak memory of its largest process, in KiB."""
    peak = {}
    for pid, text in processes().items():
        program = os.path.basename(text.split()[0])
        with contextlib.suppress(OSError), open(f"/proc/{pid}/status", encoding="utf-8") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    peak[program] = max(peak.get(program, 0), int(line.split()[1]))
    return peak


class Flood(Case):
    def assert_others_are_heard(self, *options, tick):
        """Reads output up to `tick`, measures peak memory, lets the job end and checks both."""
        os.mkfifo("fifo")
        with start("launch", *options, "--grace", "1s", "--hosts", hosts(2), "--", "sh", "-c", FLOOD, text=False) as job:
            seen = b""
            while tick not in seen:
                piece = os.read(job.stdout.fileno(), 1 << 20)
                self.assertNotEqual(piece, b"", "ended before its last tick")
                seen = seen[-100:] + piece
            peak = peak_kib()
            write("fifo", "end\n")
            _, words = job.communicate(timeout=DEADLINE_S)
        self.assertEqual(job.returncode, 3, words)
        self.assertIn("tick 20\n", self.log_of(3))
        sanitized = "sanitizers" in adarun("--version").stdout
        for program, most in MOST_KIB.items():
            self.assertLess(peak[program], most * SANITIZER_FACTOR + SANITIZER_FREED_KIB if sanitized else most, program)
        os.remove("fifo")

    def test_others_are_heard_and_memory_is_bounded(self):
        self.assert_others_are_heard(tick=b"tick 20\n")
        self.assert_others_are_heard("--tag-output", tick=b"[3] tick 20\n")
        self.assert_others_are_heard("--fold", tick=b"[3] tick 20\n")

    def test_an_interrupt_ends_the_job(self):
        with start("launch", "--fold", "--hosts", hosts(1), "--", "yes", stderr=subprocess.DEVNULL, text=False) as job:
            self.assertEqual(len(os.read(job.stdout.fileno(), 1)), 1)
            job.send_signal(signal.SIGINT)
            job.communicate(timeout=DEADLINE_S)
        self.assertEqual(job.returncode, 128 + signal.SIGINT)


class Terminal(Case):
    def test_one_that_stands_still_is_spared_a_flood_and_shown_the_quiet_ranks(self):
        # The terminal is not read until both ranks have printed everything.
        os.mkfifo("fifo")
        script = ('if [ $RANK = 0 ]; then head -c 50000000 /dev/zero | tr "\\0" x | fold -w 99; echo; touch flooded; else '
                  'until [ -e flooded ]; do sleep 0.05; done; echo the quiet one; echo said >fifo; fi')
        ours, theirs = pty.openpty()
        with start("launch", "--hosts", hosts(2, "node1"), "--", "sh", "-c", script, stdout=theirs, stderr=theirs,
                   text=False) as job:
            os.close(theirs)
            with open("fifo", encoding="utf-8") as fifo:
                self.assertEqual(fifo.readline(), "said\n")
            shown = b""
            with contextlib.suppress(OSError):  # EIO at the end of a terminal's output.
                while piece := os.read(ours, 65536):
                    shown += piece
            self.assertEqual(job.wait(DEADLINE_S), 0)
        os.close(ours)
        self.assertRegex(shown, rb"adarun: \.\.\. \S+ MB of rank 0 not shown: the terminal is slower; the logs have all")
        self.assertIn(b"the quiet one\r\n", shown)
        self.assertLess(len(shown), 10_000_000)
        self.assertEqual(len(self.log_of(0).replace("\n", "")), 50_000_000)


class LogLimit(Case):
    def test_keeps_beginning_and_end_and_says_what_is_left_out(self):
        done = adarun("launch", "--log-limit", "100k", "--hosts", hosts(1), "--", "sh", "-c", "seq 200000; exit 3").expect(3)
        self.assertIn("adarun:     200000\n", done.stderr)
        logs = self.logs(2)
        said_all = [log for log in logs if log.endswith("\n200000\n")]  # The other rank may have been stopped earlier.
        self.assertNotEqual(said_all, [])
        for log in said_all:
            self.assertLess(len(log), 101_000)
            self.assertTrue(log.startswith("1\n2\n3\n"))
            self.assertRegex(log, r"\n\[adarun: \d+ bytes are left out here: --log-limit\]\n")

    def test_a_limit_that_is_none_is_wrong_usage(self):
        for limit in ("1k", "x", "10X", ""):
            self.assertEqual(adarun("launch", "--log-limit", limit, "--hosts", "node1", "--", "true").returncode, 2)
