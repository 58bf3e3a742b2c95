#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts that a batch system names in the environment of its job, and --via auto. PBS, LSF and Flux are stand-ins, whose commands
go to the test hosts."""
import unittest

from e2e import Case, adarun, write_lines, write_program

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
SHOW = ["--", "sh", "-c", 'echo "$RANK $(ip -br -4 address show eth0)"']


class JobHosts(Case):
    def setUp(self):
        super().setUp()
        for name, lines in PROGRAMS.items():
            write_program(name, lines)
        write_lines("slots", ["node1"] * 2 + ["node2"])
        self.path = self.add_to_path_of_nodes()

    def launch(self, via, *options, **variables):
        return adarun("launch", "--via", via, *options, *SHOW, env={"PATH": self.path, **variables})

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
        failed = self.launch("flux")
        self.assertEqual((failed.returncode, failed.stderr),
                         (2, "adarun: flux: has printed nothing: flux-hostlist: ERROR: broker not found\n"))

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
