# SPDX-License-Identifier: Apache-2.0
"""Completion: the words that adarun proposes, and TAB in bash, zsh and fish if they are installed."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from e2e import write
from shells import DEADLINE_S, PROMPT, Shell

BIN = os.environ["ADARUN_TEST_BIN"]
SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cli/completion/shells")


class Home(unittest.TestCase):
    """A home folder with an ssh configuration, a table, some files and a job."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="adarun-completion-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.environment = {"HOME": cls.folder, "PATH": f"{BIN}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        cls.write("config", "Host gate gpu1 gpu2\n  User ada\nHost *.lab !gpu3\n")
        cls.write("hosts", "first slots=2\nsecond slots=3\n")
        cls.write("notes.txt", "")
        cls.write("run-me", "#!/bin/sh\n")
        os.chmod(f"{cls.folder}/run-me", 0o755)
        os.mkdir(f"{cls.folder}/folder")
        cls.adarun("launch", "--via", "local", "--hosts", "localhost:3", "--", "true")
        cls.adarun("ranktable", "gen", "--plain", "--hosts", "a:1,b:1", "-o", "table.json", "-q")
        cls.job = os.listdir(f"{cls.folder}/.local/state/adarun/jobs")[0]

    @classmethod
    def write(cls, path, text):
        write(f"{cls.folder}/{path}", text)

    @classmethod
    def run_here(cls, *command, check=True):
        return subprocess.run(command, cwd=cls.folder, env=cls.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=DEADLINE_S, check=check)

    @classmethod
    def adarun(cls, *words):
        return cls.run_here("adarun", *words).stdout


class Words(Home):
    """What adarun proposes for the last word."""

    def answer(self, *words):
        kinds, *lines = self.adarun("complete", "--", *words).splitlines()
        return kinds, [line.split("\t")[0] for line in lines]

    def assert_answers(self, cases):
        for words, kinds, candidates in cases:
            self.assertEqual(self.answer(*words), (kinds, candidates), words)

    def test_commands(self):
        shown = re.findall(r"(?m)^  (\S+)", self.adarun("--help").split("Subcommands:\n")[1])
        self.assertEqual(self.answer(""), ("words", shown))
        self.assert_answers([
            (["lau"], "words", ["launch"]),
            (["ranktable", "v"], "words", ["validate"]),
            (["script", "s"], "words", ["sbatch"]),
            (["nonsense", "x"], "words", []),
            (["comp"], "words", []),
        ])

    def test_options_are_those_of_help(self):
        help_text = self.adarun("launch", "--help-all")
        kinds, options = self.answer("launch", "--")
        self.assertEqual(kinds, "words")
        self.assertIn("--color", options)
        for option in options:
            if option != "--color":
                self.assertIn(option, help_text)
        self.assertEqual(len(options), len(set(options)))
        self.assertEqual(self.answer("launch", "--host"), ("words", ["--hosts", "--host-key"]))
        self.assertEqual(self.answer("launch", "")[1], options)

    def test_values(self):
        self.assert_answers([
            (["launch", "--via", ""], "words", ["ssh", "slurm", "local", "kubectl", "docker", "podman", "openssh", "pbs", "lsf", "flux", "auto", "help"]),
            (["launch", "--via=s"], "words", ["--via=ssh", "--via=slurm"]),
            (["--color", "a"], "words", ["auto", "always"]),
            (["launch", "--color=n"], "words", ["--color=never"]),
            (["launch", "-r", ""], "words files", []),
            (["launch", "--workdir", ""], "words folders", []),
            (["launch", "--timeout", ""], "words", []),
            (["ranktable", "convert", "t", "--to", "1"], "words", ["1.0", "1.2"]),
            (["ranktable", "merge", "a", "b", ""], "words files", []),
            (["launch", "--hosts", "h", "--", ""], "words program 4", []),
            (["launch", "--hosts", "h", "./run-me", "-"], "words program 3", []),
            (["train", "--hosts", "h", "--", ""], "words files", []),
        ])

    def test_hosts(self):
        self.assert_answers([
            (["launch", "--ssh-config", "config", "-H", "g"], "words open files", ["gate", "gpu1", "gpu2"]),
            (["launch", "--ssh-config=config", "--hosts=node[1,2]:8,gp"], "words open files",
             ["--hosts=node[1,2]:8,gpu1", "--hosts=node[1,2]:8,gpu2"]),
            (["launch", "--hosts", "hosts", "-x", "first,s"], "words open", ["first,second"]),
            (["check", "--ssh-config", "none", "--hosts", ""], "words open files", []),
        ])

    def test_jobs(self):
        self.assert_answers([
            (["status", self.job[:9]], "words", [self.job]),
            (["monitor", ""], "words files folders", [self.job]),
            (["stop", ""], "words", []),  # The job has ended.
        ])
        self.assertIn("\tdone, 3 ranks: true\n", self.adarun("complete", "--", "status", ""))

    def test_ranks(self):
        self.assert_answers([
            (["logs", "--rank", ""], "words open", ["0", "1", "2"]),
            (["logs", self.job, "--rank", "0,1-"], "words open", ["0,1-0", "0,1-1", "0,1-2"]),
            (["launch", "-H", "hosts", "--show", "3,"], "words open", [f"3,{rank}" for rank in range(5)]),
            (["launch", "-r", "table.json", "--show", ""], "words open", ["0", "1"]),
            (["ranktable", "env", "table.json", "--rank", ""], "words open", ["0", "1"]),
            (["launch", "-r", "none.json", "--show", ""], "words open", []),
        ])


def needs(shell):
    return unittest.skipUnless(shutil.which(shell), f"skipped: {shell} is not installed")


class AtATerminal:
    """TAB where there is only one completion; a function named adarun prints its arguments."""

    def test_tab_continues_where_there_is_one_way(self):
        cases = [
            ("lau\t", "<launch>"),
            ("launch --host-k\tacc\t", "<launch><--host-key><accept-new>"),
            ("launch --host-key=acc\t", "<launch><--host-key=accept-new>"),
            ("launch --ssh-config config -H ga\t", "<launch><--ssh-config><config><-H><gate>"),
            ("launch --ssh-config=config --hosts=first:8,ga\t", "<launch><--ssh-config=config><--hosts=first:8,gate>"),
            ("launch --ssh-config config -H a:1,ga\t:8 -x a", "<launch><--ssh-config><config><-H><a:1,gate:8><-x><a>"),
            (f"stat\t{self.job[:9]}\t", f"<status><{self.job}>"),
            ("launch -r tab\t", "<launch><-r><table.json>"),
            ("launch --workdir fo\t", "<launch><--workdir><folder>"),
            ("launch --identity=not\t", "<launch><--identity=notes.txt>"),
            ("launch -- ./run-\t", "<launch><--><./run-me>"),
            ("launch ./run-\t", "<launch><./run-me>"),
            ("launch --env=A=b ./run-me not\t", "<launch><--env=A=b><./run-me><notes.txt>"),
        ]
        with self.shell() as shell:
            shell.read_until(PROMPT)
            for typed, wanted in cases:
                shell.type(f"adarun {typed}\n")
                said = shell.read_until(" END")
                # Shells differ in whether they keep the slash after a folder.
                self.assertEqual(said[said.index("<"):].replace("/>", ">"), wanted + " END", typed)
                shell.read_until(PROMPT)


@needs("bash")
class Bash(Home, AtATerminal):
    def shell(self):
        self.write("rc", f"PS1='{PROMPT}'\n. {SCRIPTS}/adarun.bash\ncd\n"
                         "bind 'set enable-bracketed-paste off'\nadarun() { printf '<%s>' \"$@\"; echo ' END'; }\n")
        return Shell(["bash", "--noprofile", "--rcfile", f"{self.folder}/rc", "-i"], self.environment)

    def complete(self, line, before=""):
        """The proposals for a line of bash, which is split as readline does; `before`: a command."""
        text = "\n".join([f". {SCRIPTS}/adarun.bash", before, f"COMP_LINE='{line}'", "COMP_POINT=${#COMP_LINE}",
                          "mapfile -t COMP_WORDS < <(grep -oE '[^ =:]+|[=:]+' <<<\"$COMP_LINE\")",
                          "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))", "_adarun adarun", "echo \"${COMPREPLY[*]}\""])
        return self.run_here("bash", "-c", text).stdout

    def test_the_program_is_completed_as_a_command_of_its_own(self):
        for line, place in [("adarun launch ./run-", 2), ("adarun launch -n 2 ./run-me --x", 4), ("adarun launch -- ./run-", 3),
                            ("adarun launch --env=A=b -- ./run-me x", 8)]:
            said = self.complete(line, before="_command_offset() { COMPREPLY=(\"from $1\"); }")
            self.assertEqual(said, f"from {place}\n", line)

    def test_words_are_put_together_again(self):
        for line, wanted in [("adarun launch --via=", "ssh slurm local kubectl docker podman openssh pbs lsf flux auto help"), ("adarun launch --ssh-config config -H gpu1:8,gp", "8,gpu1 8,gpu2"),
                             ("adarun launch   --via  s", "ssh slurm"), ("adarun launch --via=s", "ssh slurm")]:
            self.assertEqual(self.complete(line), wanted + "\n", line)

    def test_shellcheck_has_nothing_to_say(self):
        if not shutil.which("shellcheck"):
            self.skipTest("shellcheck is not installed")
        done = self.run_here("shellcheck", "--shell=bash", f"{SCRIPTS}/adarun.bash", check=False)
        self.assertEqual(done.stdout, "")


@needs("zsh")
class Zsh(Home, AtATerminal):
    def shell(self):
        self.write(".zshrc", f"PS1='{PROMPT}'\ncd\nunsetopt beep\nfpath=({SCRIPTS} $fpath)\n"
                             "autoload -U compinit && compinit -u -D\nunset zle_bracketed_paste\n"
                             "adarun() { printf '<%s>' \"$@\"; echo ' END' }\n")
        return Shell(["zsh", "-d", "-i"], {**self.environment, "ZDOTDIR": self.folder})


@needs("fish")
class Fish(Home):
    def answer(self, line):
        done = self.run_here("fish", "--no-config", "-c", f'source {SCRIPTS}/adarun.fish; complete -C "adarun {line}"')
        self.assertEqual(done.stderr, "")
        return [text.split("\t")[0] for text in done.stdout.splitlines()]

    def test_answers(self):
        for line, wanted in [
                ("lau", ["launch"]),
                ("launch --via ", ["auto", "docker", "flux", "help", "kubectl", "local", "lsf", "openssh", "pbs", "podman", "slurm", "ssh"]),
                ("launch --host-key=acc", ["--host-key=accept-new"]),
                ("launch --ssh-config config -H gate:8,gp", ["gate:8,gpu1", "gate:8,gpu2"]),
                (f"status {self.job[:9]}", [self.job]),
                ("launch -r tab", ["table.json"]),
                ("launch --rank-table=tab", ["--rank-table=table.json"]),
                ("launch --workdir fo", ["folder/"]),
                ("logs --rank 0,", ["0,0", "0,1", "0,2"]),
                ("launch -H a -- ./run-", ["./run-me"]),
                ("launch ./run-", ["./run-me"]),
        ]:
            self.assertEqual(sorted(self.answer(line)), sorted(wanted), line)

    def test_words_are_told_of(self):
        done = self.run_here("fish", "--no-config", "-c", f'source {SCRIPTS}/adarun.fish; complete -C "adarun lau"')
        self.assertIn("launch\tRun a program as every rank of a job", done.stdout)
