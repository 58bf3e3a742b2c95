# SPDX-License-Identifier: Apache-2.0
"""Tries out every row of the tables in docs/howto/coming-from-*.md, with --dry-run: no host is needed.

A row has what another launcher takes, what `adarun launch` takes instead, and how they compare, which begins with a kind:

    same      behind `adarun launch`, the words of the other launcher make the same plan
    differs   they make another plan
    refused   they are refused in one line, which names an option of adarun's cell or says that none is needed, unless the row
              says "without a hint"

Words are a whole command, or options alone, which the program of their launcher (PROGRAMS) completes, and a number of ranks if
adarun's cell does not say where they run. That cell may be "-": no option is wanted.
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
KINDS = ("same", "differs", "refused")

# What is started where a cell has options alone. torchrun and msrun put Python before a script themselves, adarun does not.
PROGRAMS = {"horovodrun": "python train.py", "mpirun": "./train", "msrun": "python3 train.py", "srun": "./train",
            "torchrun": "python3 train.py"}
RANKS = "-n 4"
PLACE = re.compile(r"(?:^| )(?:-n|-r|--hosts|--nproc-per-node|--standalone|--via) ")

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


def completed(cell, launcher, ours):
    """The words of a cell as a command of `adarun launch`, where adarun's cell is `ours`: another launcher is replaced, options
    get a program, and a script gets Python if it is in `ours`."""
    text = cell
    if not re.search(rf"(?:^| )(?:{launcher}|adarun) ", cell):
        ranks = "" if PLACE.search(ours + " ") else RANKS
        text = " ".join(["adarun launch", *filter(None, [cell, ranks]), PROGRAMS[launcher]])
    replaced = re.sub(rf"(^| ){launcher} ", r"\1adarun launch ", text, count=1)
    if replaced != text and PROGRAMS[launcher].startswith("python3 ") and "python3 " in ours:
        return re.sub(r" (\w+\.py)", r" python3 \1", replaced, count=1)
    return replaced


def has_hint(complaint, cell):
    """Whether a refusal names an option of adarun's cell, or says that none is needed."""
    options = re.findall(r"(?:^| )(--?[A-Za-z][\w-]*)", cell)
    return "not needed" in complaint or any(re.search(rf"(?<![\w-]){option}(?![\w-])", complaint) for option in options)


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
        kind = row.remark.split(",")[0].split(":")[0]
        self.assertIn(kind, KINDS)
        there = completed(row.there, launcher, row.here)
        ours = self.plan(completed(row.here, launcher, row.here))
        self.assertIsNotNone(ours, f"{row.here}: refused")
        if kind == "refused":
            self.expect_refusal(there, row)
        else:
            theirs = self.plan(there)
            self.assertIsNotNone(theirs, f"{there}: refused")
            compare = self.assertEqual if kind == "same" else self.assertNotEqual
            compare(theirs, ours, there)

    def expect_refusal(self, command, row):
        status, said, complaint = self.run_adarun(command)
        self.assertEqual((status, said), (USAGE, ""), command)
        self.assertRegex(complaint, r"\Aadarun: .*\n\Z", command)
        if row.here:
            self.assertEqual(has_hint(complaint, row.here), "without a hint" not in row.remark, complaint)


class Tables(unittest.TestCase):
    def test_have_enough_rows(self):
        rows = all_rows()
        for page in PAGES:
            self.assertGreaterEqual(sum(row.page == page for row in rows), 10, page)
        self.assertGreaterEqual(len(PAGES), 5)

    def test_are_read_without_their_heads(self):
        self.assertEqual(rows_of("p", "text\n\n| a | b | |\n| --- | --- | --- |\n| `x \\| y` | - | refused |\n"),
                         [Row("p", 5, "x | y", "", "refused")])

    def test_have_commands_and_nothing_else_in_their_cells(self):
        for line in ("| say `x` | `adarun launch x` | differs |", "| `x` | `y` |"):
            with self.subTest(line), self.assertRaises((TypeError, ValueError)):
                rows_of("p", line)

    def test_have_commands_that_can_be_tried_out(self):
        self.assertEqual(words_of_adarun("A=1 adarun launch -n 2 x -n 3"),
                         ({"A": "1"}, ["launch", "--dry-run", "--json", "-n", "2", "x", "-n", "3"]))
        with self.assertRaises(ValueError):
            words_of_adarun("adarun logs")

    def test_are_completed(self):
        for cell, launcher, ours, command in (
                ("A=1 msrun --worker_num=2 a.py b.py", "msrun", "python3 a.py b.py",
                 "A=1 adarun launch --worker_num=2 python3 a.py b.py"),
                ("msrun --worker_num=2 pytest a.py", "msrun", "pytest a.py", "adarun launch --worker_num=2 pytest a.py"),
                ("srun a.py", "srun", "", "adarun launch a.py"),
                ("--worker_num=2", "msrun", "-n 2", "adarun launch --worker_num=2 python3 train.py"),
                ("-u", "srun", "", "adarun launch -u -n 4 ./train"),
                ("", "mpirun", "", "adarun launch -n 4 ./train"),
                ("--standalone", "torchrun", "--standalone", "adarun launch --standalone python3 train.py"),
                ("adarun launch -n 2 a.py", "msrun", "adarun launch -n 2 a.py", "adarun launch -n 2 a.py")):
            self.assertEqual(completed(cell, launcher, ours), command)

    def test_know_a_hint(self):
        self.assertTrue(has_hint("adarun: -N: mpirun's -N is --nproc-per-node here, srun's is --nnodes\n", "--nproc-per-node 8"))
        self.assertTrue(has_hint("adarun: --join: not needed: adarun waits\n", "-n 8"))
        self.assertFalse(has_hint("adarun: --bcast: wanted --stage-all FILE\n", "--stage data"))
