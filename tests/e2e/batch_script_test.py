#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""adarun script pbs, lsf and flux: the scripts are run by stand-ins for the batch systems, on the test hosts."""
import os
import shutil
import unittest

from batch_systems import NODES, bsub, flux_batch, qsub
from e2e import Case, adarun, lines_of, run, write_lines, write_program
from job_hosts_test import PROGRAMS

# Each would be an option of a batch system, or end a quoted word, if it began a line of the script.
ODD_WORDS = ["a b", "it's", "$HOME", "two\n#PBS -l walltime=1\n#BSUB -W 1\n# flux: -N9\n#SBATCH -N9", "\n", "*", "", "-x", "back\\slash",
             "\t#BSUB -x", "$(id)", "ü"]
SHOW = ["sh", "-c", 'echo "$RANK of $WORLD_SIZE at $(ip -br -4 address show eth0 | tr -s " " | cut -d" " -f3)"; printf "<%s>" "$@"', "I"]


class Batch(Case):
    def setUp(self):
        super().setUp()
        programs = {**PROGRAMS, "flux": ['[ "$1 $2 $3" != "job id f7" ] || { echo 1234; exit; }', *PROGRAMS["flux"]]}
        for name, lines in programs.items():
            write_program(name, lines)
        self.addCleanup(os.environ.__setitem__, "PATH", os.environ["PATH"])
        os.environ["PATH"] = self.add_to_path_of_nodes()

    def write(self, kind, *options, program=("true",), said=""):
        done = adarun("script", kind, *options, "-o", "job.sh", "--", *program)
        self.assertEqual((done.returncode, done.stderr), (0, f"{said}adarun: wrote job.sh\n"))
        os.chmod("job.sh", 0o755)
        self.assertEqual(run("shellcheck", "job.sh").expect(0).stdout, "")

    def assert_ranks(self, folder, *counts):
        """So many ranks on each test host, each with its words."""
        wanted = [host for host, count in enumerate(counts) for _ in range(count)]
        for rank, host in enumerate(wanted):
            self.assertEqual(self.log_of(rank, folder), f"{rank} of {len(wanted)} at 10.77.0.{host + 2}/16\n"
                             + "".join(f"<{word}>" for word in ODD_WORDS))


class Pbs(Batch):
    def test_runs_on_nodes_that_pbs_chooses(self):
        self.write("pbs", "--nodes", 2, "--ntasks-per-node", 2, "--gpus-per-node", 4, "--time", "1-2:30", "--name", "run-3",
                   program=[*SHOW, *ODD_WORDS])
        options, limits, done = qsub("job.sh")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((options.N, options.j, limits["select"], limits["walltime"]),
                         ("run-3", "oe", "2:ncpus=2:mpiprocs=2:ngpus=4", "26:30:00"))
        self.assert_ranks("log_output.7.server", 2, 2)

    def test_asks_for_the_nodes_of_a_list(self):
        self.write("pbs", "--hosts", "node1:1,node2:2", program=[*SHOW, *ODD_WORDS])
        _, limits, done = qsub("job.sh")
        self.assertEqual(limits["select"], "1:host=node1:ncpus=1:mpiprocs=1+1:host=node2:ncpus=2:mpiprocs=2", done.stderr)
        self.assertNotIn("walltime", limits)
        self.assert_ranks("log_output.7.server", 1, 2)

    def test_loses_no_option_to_the_length_of_a_line(self):
        self.write("pbs", "--hosts", "node[1-2]:1,gpu[100-217]:1", "--time", "2:00:00")
        lines = [line for line in lines_of("job.sh") if line.startswith("#PBS")]
        self.assertTrue(lines[-1].startswith("#PBS -l select=1:host=node1:"), lines)
        self.assertTrue(3900 < len(lines[-1]) <= 4000, len(lines[-1]))
        done = adarun("script", "pbs", "--hosts", "gpu[100-299]:1", "--", "true")
        said = ("adarun: script pbs: the line that names its 200 nodes would have 6614 bytes, and qsub cuts lines of more than 4000; "
                "with --nodes PBS chooses them\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", said))

    def test_has_roles_and_what_their_end_means(self):
        serve = ["sh", "-c", "trap 'echo told; exit 0' TERM; : >up; while :; do sleep 0.05; done"]
        self.write("pbs", "--nodes", 2, "--role", "proxy=0:background",
                   program=[*serve, "--role", "rest=1", "--", "sh", "-c", "until test -e up; do sleep 0.01; done; echo worked"])
        done = qsub("job.sh")[2]
        self.assertEqual(done.returncode, 0, done.stderr)
        for rank, line in enumerate(("told", "worked")):  # The first shell may also say that its sleep was terminated.
            self.assertIn(line, self.log_of(rank, "log_output.7.server").splitlines())

    def test_takes_the_ranks_of_a_table(self):
        adarun("ranktable", "gen", "--plain", "--hosts", "node1:2,node2:1", "-o", "table of mine.json")
        self.write("pbs", "-r", "table of mine.json", program=[*SHOW, *ODD_WORDS])
        done = qsub("job.sh")[2]
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_ranks("log_output.7.server", 2, 1)

    def test_gives_the_status_of_the_first_failure(self):
        self.write("pbs", "--nodes", 1, program=["sh", "-c", "exit 7"])
        self.assertEqual(qsub("job.sh")[2].returncode, 7)


class Lsf(Batch):
    def test_runs_on_nodes_that_lsf_chooses(self):
        self.write("lsf", "--nodes", 2, "--ntasks-per-node", 2, "--gpus-per-node", 4, "--time", "1:30:01", "--name", "run-3",
                   program=[*SHOW, *ODD_WORDS])
        options, done = bsub("job.sh")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((options.J, options.n, options.gpu, options.W, options.wa, options.wt, options.m),
                         ("run-3", 4, "num=4", 91, "TERM", "2", None))
        self.assert_ranks("log_output.7", 2, 2)

    def test_asks_for_the_nodes_of_a_list(self):
        self.write("lsf", "--hosts", "node1:1,node2:2", "--time", 3, program=[*SHOW, *ODD_WORDS],
                   said="adarun: script lsf: warning: node1: LSF is asked for 2 slots on each host, as many as the largest has ranks\n")
        options, done = bsub("job.sh")
        self.assertEqual((options.m, options.n, options.W, options.wa), ("node1 node2", 4, 3, None), done.stderr)
        self.assert_ranks("log_output.7", 1, 2)

    def test_takes_the_ranks_of_a_table(self):
        adarun("ranktable", "gen", "--plain", "--hosts", "node1:2,node2:1", "-o", "table of mine.json")
        self.write("lsf", "-r", "table of mine.json", program=[*SHOW, *ODD_WORDS],
                   said="adarun: script lsf: warning: node2: LSF is asked for 2 slots on each host, as many as the largest has ranks\n")
        done = bsub("job.sh")[1]
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_ranks("log_output.7", 2, 1)


class Flux(Batch):
    def test_runs_on_nodes_that_flux_chooses(self):
        self.write("flux", "--nodes", 2, "--ntasks-per-node", 2, "--time", "1:30:00", "--name", "run-3", program=[*SHOW, *ODD_WORDS])
        options, done = flux_batch("job.sh")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((options.job_name, options.nodes, options.requires, options.time_limit), ("run-3", 2, None, "5400s"))
        self.assert_ranks("log_output.1234", 2, 2)

    def test_asks_for_the_nodes_of_a_list(self):
        self.write("flux", "--hosts", "node1:1,node2:2", program=[*SHOW, *ODD_WORDS])
        options, done = flux_batch("job.sh")
        self.assertEqual((options.requires, options.nodes), ("hosts:node[1-2]", 2), done.stderr)
        self.assert_ranks("log_output.1234", 1, 2)

    def test_takes_the_ranks_of_a_table(self):
        adarun("ranktable", "gen", "--plain", "--hosts", "node1:2,node2:1", "-o", "table of mine.json")
        self.write("flux", "-r", "table of mine.json", program=[*SHOW, *ODD_WORDS])
        done = flux_batch("job.sh")[1]
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_ranks("log_output.1234", 2, 1)


class Roles(Batch):
    def test_have_programs_of_their_own(self):
        show = 'echo "$0 $RANK: $ADARUN_ROLE $ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE"'
        for kind, submit, folder in (("pbs", lambda script: qsub(script)[2], "7.server"), ("lsf", lambda script: bsub(script)[1], "7"),
                                     ("flux", lambda script: flux_batch(script)[1], "1234")):
            self.write(kind, "--nodes", 2, "--ntasks-per-node", 2, "--role", "server=0",
                       program=["sh", "-c", show, "S", "--role", "worker=1-3", "--", "sh", "-c", show, "#PBS -q x\n#BSUB -q x"])
            done = submit("job.sh")
            self.assertEqual((done.returncode, done.stderr), (0, ""), kind)
            self.assertEqual(self.log_of(0, f"log_output.{folder}"), "S 0: server 0 of 1\n")
            self.assertEqual(self.log_of(3, f"log_output.{folder}"), "#PBS -q x\n#BSUB -q x 3: worker 2 of 3\n")


class Path(Batch):
    def test_of_adarun_is_on_one_line(self):
        os.mkdir("bin\n#PBS -q x")
        own = shutil.copy(f"{os.environ['ADARUN_TEST_BIN']}/adarun", "bin\n#PBS -q x/adarun")
        for kind in "sbatch", "pbs", "lsf", "flux":
            done = run(own, "script", kind, "--nodes", "2", "--", "true")
            self.assertEqual((done.returncode, done.stderr), (0, ""), kind)
            self.assertNotIn("\n#PBS -q x", done.stdout)
            self.assertIn("bin\\012#PBS -q x/adarun' launch --via", done.stdout)


class StandIns(Batch):
    def test_refuse_options_that_the_real_ones_do_not_have(self):
        for kind, line, submit in ("pbs", "#PBS -l speed=9", qsub), ("lsf", "#BSUB -Z 9", bsub), ("flux", "#flux: --speed=9", flux_batch):
            self.write(kind, "--nodes", len(NODES))
            first, *rest = lines_of("job.sh")
            write_lines("job.sh", [first, line, *rest])
            with self.assertRaises(ValueError, msg=kind):
                submit("job.sh")
        self.write("flux", "--nodes", 1)
        write_lines("job.sh", [*lines_of("job.sh"), "#flux: -N9"])
        with self.assertRaisesRegex(ValueError, "orphan"):
            flux_batch("job.sh")


if __name__ == "__main__":
    unittest.main(verbosity=2)
