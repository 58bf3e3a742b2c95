# SPDX-License-Identifier: Apache-2.0
"""Batch systems: the hosts that they name in the environment of a job, --via auto, and the scripts for them that adarun script
writes. PBS, LSF and Flux are stand-ins: commands that go to the test hosts, and readers of scripts."""
import argparse
import os
import re
import shlex
import shutil

from e2e import Case, adarun, lines_of, read, run, write_lines, write_program

ON_HOST = 'exec ip netns exec "$host" "$@"'
PROGRAMS = {
    "blaunch": ["host=$1", "shift 2", ON_HOST],
    # flux hostlist local | flux run [options] command
    "flux": ['[ "$1 $2" != "hostlist local" ] || { echo "node[1-2]"; exit; }', "shift",
             "while :; do", "  case $1 in",
             "    --requires=host:*) host=${1#--requires=host:} ;;", "    -o) shift ;;", "    -*) ;;", "    *) break ;;", "  esac",
             "  shift", "done", ON_HOST],
    "pbs_attach": ["shift 2", 'exec "$@"'],
}
WHERE = ["--", "sh", "-c", 'echo "$RANK $(ip -br -4 address show eth0)"']


class JobHosts(Case):
    def setUp(self):
        super().setUp()
        for name, lines in PROGRAMS.items():
            write_program(name, lines)
        write_lines("slots", ["node1"] * 2 + ["node2"])
        self.path = self.add_to_path_of_nodes()

    def launch(self, via, *options, **variables):
        return adarun("launch", "--via", via, *options, *WHERE, env={"PATH": self.path, **variables})

    def assert_ranks(self, done, ranks_on_node1, ranks_on_node2, said=""):
        self.assertEqual((done.returncode, done.stderr), (0, said))
        found = [(int(line.split()[0]), line.split()[-1]) for line in done.stdout.splitlines()]
        wanted = ["10.77.0.2/16"] * ranks_on_node1 + ["10.77.0.3/16"] * ranks_on_node2
        self.assertEqual(sorted(found), list(enumerate(wanted)))

    def test_pbs(self):
        variables = {"PBS_JOBID": "7.server", "PBS_NODEFILE": f"{self.folder}/slots"}
        self.assert_ranks(self.launch("pbs", **variables), 2, 1)
        self.assert_ranks(self.launch("auto", **variables), 2, 1,
                          f"adarun: --via auto: pbs, as PBS_NODEFILE is set; hosts: {self.folder}/slots\n")
        self.assert_ranks(self.launch("auto", "--hosts", "node2:2", **variables), 0, 2,
                          "adarun: --via auto: pbs, as PBS_NODEFILE is set\n")

    def test_lsf(self):
        self.assert_ranks(self.launch("lsf", LSB_JOBID="7", LSB_DJOB_HOSTFILE=f"{self.folder}/slots"), 2, 1)
        self.assert_ranks(self.launch("lsf", LSB_MCPU_HOSTS="node1 1 node2 2"), 1, 2)
        self.assert_ranks(self.launch("auto", LSB_JOBID="7", LSB_MCPU_HOSTS="node1 1 node2 2"), 1, 2,
                          "adarun: --via auto: lsf, as LSB_JOBID is set; hosts: node1:1,node2:2\n")
        wrong = self.launch("lsf", LSB_MCPU_HOSTS="node1").expect(2)
        self.assertIn("LSB_MCPU_HOSTS", wrong.stderr)

    def test_flux(self):
        self.assert_ranks(self.launch("flux"), 1, 1)
        self.assert_ranks(self.launch("flux", "--nproc-per-node", "2"), 2, 2)
        self.assert_ranks(self.launch("auto", FLUX_URI="local:///run/flux/local", SLURM_JOB_ID="3"), 1, 1,
                          "adarun: --via auto: flux, as FLUX_URI is set\n")
        write_program("flux", ["echo 'flux-hostlist: ERROR: broker not found' >&2", "exit 1"])
        self.launch("flux").expect(2, stderr="adarun: flux: has printed nothing: flux-hostlist: ERROR: broker not found\n")

    def test_pods_with_sshd(self):
        write_lines("hostfile", ["node1 slots=1", "node2 slots=2"])
        note = "adarun: --via auto: ssh, as this is no job of a batch system"
        self.assert_ranks(self.launch("auto", OMPI_MCA_orte_default_hostfile=f"{self.folder}/hostfile"), 1, 2,
                          f"{note}; hosts: {self.folder}/hostfile\n")
        self.assert_ranks(self.launch("auto", VC_WORKER_HOSTS="node1,node2"), 1, 1, f"{note}; hosts: node1,node2\n")
        self.assert_ranks(self.launch("auto", "--hosts", "node1:1"), 1, 0, f"{note}\n")

    def test_check_reaches_the_hosts_of_the_job(self):
        done = adarun("check", "--via", "auto", env={"PATH": self.path, "LSB_JOBID": "7", "LSB_MCPU_HOSTS": "node1 1 node2 2"})
        self.assertIn("2 nodes: 0 wrong", done.stdout, done.stderr)

    def test_without_any_hosts(self):
        for via in ("auto", "lsf", "kubectl"):
            done = self.launch(via).expect(2)
            self.assertIn("say where to run: -r TABLE or --hosts LIST", done.stderr)
        for via in ("lsf", "kubectl", "exec:ip netns exec {host}"):
            done = self.launch(via, "-n", "2")
            self.assertEqual(done.returncode, 2, "it must not run on this machine")
            self.assertIn("say where to run: -r TABLE or --hosts LIST", done.stderr)
        done = self.launch("auto", "-n", "2")
        self.assertEqual((done.returncode, "--via auto" in done.stderr), (0, False), done.stderr)


NODES = os.environ["ADARUN_TEST_HOSTS"].split(",")


class Options(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(message)


def run_script(command, folder, **variables):
    """What the script prints and its status; it gets no standard input."""
    return run(*command, cwd=folder, env=variables)


def qsub(script):
    """PBS: options stand before the first line that is neither empty nor a comment; -S names the shell, and the job begins in the
    home folder. It reads 4,095 bytes at once: what a line has beyond them is a line that ends the options. OpenPBS,
    doc/man1/qsub.1B, get_script."""
    parser = Options(allow_abbrev=False)
    for name in "-N", "-S", "-j":
        parser.add_argument(name, required=True)
    parser.add_argument("-l", action="append", required=True)
    words = []
    for line in (line[at:at + 4095] for line in read(script).split("\n") for at in range(0, len(line) or 1, 4095)):
        if line.lstrip().startswith("#PBS"):
            words += shlex.split(line.lstrip()[len("#PBS"):])
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    options = parser.parse_args(words)
    limits = dict(each.split("=", 1) for each in options.l)
    if limits["place"] != "scatter" or not set(limits) <= {"place", "select", "walltime"}:
        raise ValueError(limits)
    slots, free = [], list(NODES)
    for chunk in limits["select"].split("+"):
        count, *resources = chunk.split(":")
        resources = dict(each.split("=") for each in resources)
        if not set(resources) <= {"host", "ncpus", "mpiprocs", "ngpus"}:
            raise ValueError(chunk)
        for _ in range(int(count)):
            host = resources.get("host", free[0])
            free.remove(host)
            slots += [host] * int(resources["mpiprocs"])
    write_lines("nodefile", slots)
    done = run_script([options.S, os.path.abspath(script)], os.environ["HOME"], PBS_JOBID="7.server", PBS_O_WORKDIR=os.getcwd(),
                      PBS_NODEFILE=os.path.abspath("nodefile"))
    return options, limits, done


def bsub(script):
    """LSF: each line that begins with #BSUB has options, wherever it stands; #! names the shell, and the job begins in the folder
    where bsub was called. https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=reference-bsub"""
    parser = Options(allow_abbrev=False)
    for name in "-J", "-R", "-o":
        parser.add_argument(name, required=True)
    parser.add_argument("-n", type=int, required=True)
    parser.add_argument("-W", type=int)
    for name in "-m", "-gpu", "-wa", "-wt":
        parser.add_argument(name)
    lines = read(script).split("\n")
    options = parser.parse_args([word for line in lines if line.startswith("#BSUB") for word in shlex.split(line[len("#BSUB"):])])
    each = int(re.fullmatch(r"span\[ptile=(\d+)\]", options.R)[1])
    allowed = options.m.split() if options.m else NODES
    write_lines("hostfile", [allowed[i // each] for i in range(options.n)])
    done = run_script([lines[0].removeprefix("#!"), os.path.abspath(script)], ".", LSB_JOBID="7",
                      LSB_DJOB_HOSTFILE=os.path.abspath("hostfile"))
    return options, done


def flux_batch(script):
    """Flux: lines with a common beginning that ends in flux:, one after the other; a further one behind other lines is an error.
    https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_36.html"""
    parser = Options(allow_abbrev=False)
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--exclusive", action="store_true", required=True)
    for name in "--job-name", "--requires", "--time-limit":
        parser.add_argument(name)
    words, found, ended = [], None, False
    for line in read(script).split("\n"):
        sentinel = re.match(r"[^A-Za-z0-9]*(?:flux|FLUX):", line)
        if sentinel and (ended or found not in (None, sentinel[0])):
            raise ValueError(f"orphan '{sentinel[0]}' detected")
        if sentinel:
            found = sentinel[0]
            words += shlex.split(line[len(found):], comments=True)
        elif found and line.strip() and not line.startswith(found[0]):
            ended = True
    options = parser.parse_args(words)
    done = run_script([os.path.abspath(script)], ".", FLUX_URI="local:///run/flux/local", FLUX_ENCLOSING_ID="f7")
    return options, done


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
        adarun("script", kind, *options, "-o", "job.sh", "--", *program).expect(0, stderr=f"{said}adarun: wrote job.sh\n")
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


# How to submit a script, and the end of the name of its log folder.
KINDS = {"pbs": (lambda: qsub("job.sh")[2], "7.server"), "lsf": (lambda: bsub("job.sh")[1], "7"),
         "flux": (lambda: flux_batch("job.sh")[1], "1234")}


class EachKind(Batch):
    def test_takes_the_ranks_of_a_table(self):
        adarun("ranktable", "gen", "--plain", "--hosts", "node1:2,node2:1", "-o", "table of mine.json")
        said = {"lsf": "adarun: script lsf: warning: node2: LSF is asked for 2 slots on each host, as many as the largest has ranks\n"}
        for kind, (submit, folder) in KINDS.items():
            with self.subTest(kind):
                self.write(kind, "-r", "table of mine.json", program=[*SHOW, *ODD_WORDS], said=said.get(kind, ""))
                submit().expect(0, stderr="")
                self.assert_ranks(f"log_output.{folder}", 2, 1)

    def test_has_programs_for_roles(self):
        show = 'echo "$0 $RANK: $ADARUN_ROLE $ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE"'
        for kind, (submit, folder) in KINDS.items():
            with self.subTest(kind):
                self.write(kind, "--nodes", 2, "--ntasks-per-node", 2, "--role", "server=0",
                           program=["sh", "-c", show, "S", "--role", "worker=1-3", "--", "sh", "-c", show, "#PBS -q x\n#BSUB -q x"])
                submit().expect(0, stderr="")
                self.assertEqual(self.log_of(0, f"log_output.{folder}"), "S 0: server 0 of 1\n")
                self.assertEqual(self.log_of(3, f"log_output.{folder}"), "#PBS -q x\n#BSUB -q x 3: worker 2 of 3\n")


class Path(Batch):
    def test_of_adarun_is_on_one_line(self):
        os.mkdir("bin\n#PBS -q x")
        own = shutil.copy(f"{os.environ['ADARUN_TEST_BIN']}/adarun", "bin\n#PBS -q x/adarun")
        for kind in "sbatch", "pbs", "lsf", "flux":
            done = run(own, "script", kind, "--nodes", "2", "--", "true").expect(0, stderr="")
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
