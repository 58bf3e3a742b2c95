# SPDX-License-Identifier: Apache-2.0
"""Tries out every row of the tables in docs/howto/coming-from-*.md, with --dry-run: no host is needed.

A row has a command of another launcher, that of adarun, and how they compare, which is one of KINDS:

    the same words      the words of the other launcher, behind `adarun launch`, make the same plan
    with `python3`      so do they with python3 before the script, which that launcher puts there itself
    other words         they are refused, or make another plan
    refused: `LINE`     they are refused, and LINE is all that adarun prints

The command of adarun must be accepted; it may be missing (-) in a row with a refusal.
"""
import glob
import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from dataclasses import dataclass

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = sorted(glob.glob("docs/howto/coming-from-*.md", root_dir=SOURCE))
ADARUN = os.path.join(os.environ["ADARUN_TEST_BIN"], "adarun")
DEADLINE_S = 30
USAGE = 2
KINDS = ("the same words", "with `python3`", "other words", "refused: ")

# What the commands name: files, folders, a variable, and the nodes of an allocation of Slurm.
FILES = {"hosts": "node1 slots=8\nnode2 slots=8\n"}
FOLDERS = ("data",)
TABLE = "rank_table.json"
VARIABLES = {"LD_LIBRARY_PATH": "/opt/lib"}
SLURM = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "node[1-2]", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "8(x2)",
         "SLURM_TASKS_PER_NODE": "8(x2)"}


@dataclass(frozen=True)
class Row:
    page: str
    line: int
    there: str
    here: str
    remark: str


def cells_of(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def command_in(cell):
    """The command of a cell, which is all of it; empty for "-"."""
    return "" if cell == "-" else re.fullmatch(r"`([^`]+)`", cell)[1]


def rows_of(page, text):
    """The rows of all tables of a page, without the heads. Each must have three cells and the commands where they belong."""
    found, lines = [], text.splitlines()
    for number, line in enumerate(lines, 1):
        is_head = number < len(lines) and lines[number].startswith("| ---")
        if line.startswith("|") and not line.startswith("| ---") and not is_head:
            there, here, remark = cells_of(line)
            found.append(Row(page, number, command_in(there), command_in(here), remark))
    return found


def all_rows():
    found = []
    for page in PAGES:
        with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
            found += rows_of(page, file.read())
    return found


def launcher_of(page):
    return re.search(r"coming-from-(\w+)\.md", page)[1]


def words_of_adarun(command):
    """The variables before a command of adarun, and its words with --dry-run among them."""
    words = shlex.split(command)
    start = words.index("adarun")
    if words[start + 1] not in ("launch", "train"):
        raise ValueError(f"{command}: neither adarun launch nor adarun train")
    return dict(word.split("=", 1) for word in words[:start]), [*words[start + 1:start + 2], "--dry-run", "--json", *words[start + 2:]]


def with_adarun(command, launcher, python=False):
    """A command of another launcher with that replaced by `adarun launch`; with python, python3 before the script, too."""
    if not re.search(rf"(?:^| ){launcher} ", command):
        raise ValueError(f"{command}: no {launcher}")
    text = re.sub(rf"(^| ){launcher} ", r"\1adarun launch ", command, count=1)
    return re.sub(r" (\w+\.py)", r" python3 \1", text, count=1) if python else text


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = scratch.name
        for name, text in FILES.items():
            with open(os.path.join(cls.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        for name in FOLDERS:
            os.mkdir(os.path.join(cls.folder, name))
        outside = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        cls.environment = {**outside, **VARIABLES, "HOME": cls.folder}
        subprocess.run([ADARUN, "ranktable", "gen", "-q", "--plain", "--hosts", "node[1-2]:8", "-o", TABLE], cwd=cls.folder, check=True,
                       env=cls.environment, timeout=DEADLINE_S, stdin=subprocess.DEVNULL)

    def run_adarun(self, command):
        """(status, stdout, stderr) of a command of adarun that is made a dry run."""
        variables, words = words_of_adarun(command)
        allocation = SLURM if "slurm" in words else {}
        done = subprocess.run([ADARUN, *words], cwd=self.folder, env={**self.environment, **allocation, **variables},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        return done.returncode, done.stdout, done.stderr

    def plan(self, command):
        """What a command would start, without what is new each time. None if it is refused."""
        status, said, _ = self.run_adarun(command)
        if status == USAGE:
            return None
        self.assertEqual(status, 0, command)
        plan = json.loads(said)
        text = said.replace(plan["job_id"], "JOB")
        return json.loads(re.sub(r'("MASTER_PORT": )"\d+"', r'\1"N"', re.sub(r"(/adarun-JOB-\d+)-\w+", r"\1", text)))

    def test_say_what_adarun_does(self):
        for row in all_rows():
            with self.subTest(page=row.page, line=row.line):
                self.try_out(row)

    def try_out(self, row):
        launcher = launcher_of(row.page)
        kind = next((kind for kind in KINDS if row.remark.startswith(kind)), None)
        self.assertIsNotNone(kind, f"{row.remark}: none of {KINDS}")
        if kind == "refused: ":
            self.expect_refusal(with_adarun(row.there, launcher), re.match(r"refused: `([^`]+)`", row.remark)[1])
        ours = self.plan(row.here) if row.here or kind != "refused: " else {}
        self.assertIsNotNone(ours, f"{row.here}: refused")
        if kind in ("the same words", "with `python3`"):
            self.assertEqual(self.plan(with_adarun(row.there, launcher, kind == "with `python3`")), ours)
        elif kind == "other words":
            self.assertNotEqual(self.plan(with_adarun(row.there, launcher)), ours, "the same words do")

    def expect_refusal(self, command, line):
        status, said, complaint = self.run_adarun(command)
        self.assertEqual((status, said, complaint), (USAGE, "", line + "\n"), command)


class Tables(unittest.TestCase):
    def test_have_enough_rows(self):
        rows = all_rows()
        for page in PAGES:
            self.assertGreaterEqual(sum(row.page == page for row in rows), 10, page)
        self.assertGreaterEqual(len(PAGES), 5)

    def test_are_read_without_their_heads(self):
        self.assertEqual(rows_of("p", "text\n\n| a | b | |\n| --- | --- | --- |\n| `x \\| y` | - | refused: `no` |\n"),
                         [Row("p", 5, "x | y", "", "refused: `no`")])

    def test_have_commands_and_nothing_else_in_their_cells(self):
        for line in ("| say `x` | `adarun launch x` | other words |", "| `x` | `y` |"):
            with self.subTest(line), self.assertRaises((TypeError, ValueError)):
                rows_of("p", line)

    def test_have_commands_that_can_be_tried_out(self):
        self.assertEqual(words_of_adarun("A=1 adarun launch -n 2 x -n 3"),
                         ({"A": "1"}, ["launch", "--dry-run", "--json", "-n", "2", "x", "-n", "3"]))
        self.assertEqual(with_adarun("A=1 msrun --worker_num=2 a.py b.py", "msrun", python=True),
                         "A=1 adarun launch --worker_num=2 python3 a.py b.py")
        for refused in (lambda: words_of_adarun("adarun logs"), lambda: with_adarun("srun x", "msrun")):
            with self.assertRaises(ValueError):
                refused()
