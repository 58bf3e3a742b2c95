# SPDX-License-Identifier: Apache-2.0
"""Ranks for as many devices as the nodes have: node1:auto, slots=auto, --nproc-per-node auto|npu|gpu|cpu."""
import os

from e2e import Case, adarun, launch, own_sshd, write_lines

CPUS = len(os.sched_getaffinity(0))
NO_GPU = "no GPU: no /dev/nvidia0, nor /dev/kfd and /dev/dri/renderD128, or their like; nothing was started"
SCRIPT = ("sh", "-c", "echo $RANK of $WORLD_SIZE: $DEVICE_ID")


def with_devices(folder, *names):
    """A shell command that mounts a /dev with these files over this machine's."""
    made = f"{folder}/dev"
    devices = " ".join(f"/dev/{name}" for name in ("null", "zero", "random", "urandom", "tty"))
    files = " ".join(f"{made}/{name}" for name in names)
    return (f"mkdir {made} && mount -t tmpfs none {made} && cp -a {devices} {made} && ln -s pts/ptmx {made}/ptmx && "
            f"mkdir {made}/pts {made}/shm {made}/dri && mount --bind /dev/pts {made}/pts && mount --bind /dev/shm {made}/shm && "
            f"touch {files} {made}/null && mount --rbind {made} /dev")


class Devices(Case):
    def expect_ranks(self, done, devices):
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [f"{rank} of {len(devices)}: {device}" for rank, device in enumerate(devices)]
        self.assertEqual(sorted(done.stdout.splitlines(), key=lambda line: int(line.split()[0])), said)

    def test_of_nodes_are_counted_there(self):
        self.expect_ranks(launch("--", *SCRIPT, hosts="node1:cpu,node2:1"), [*range(CPUS), 0])
        self.expect_ranks(launch("--nproc-per-node", "cpu", "--", *SCRIPT, hosts="node1,node2"), [*range(CPUS)] * 2)
        self.expect_ranks(launch("--nnodes", "1", "-n", "1", "--", *SCRIPT, hosts="node[1-2]:cpu"), [0])

    def test_in_a_hostfile_and_with_v(self):
        write_lines("list", ["node1 slots=1", "node2 slots=cpu"])
        done = launch("-v", "--", *SCRIPT, hosts="list")
        self.expect_ranks(done, [0, *range(CPUS)])
        self.assertIn(f"adarun: node2: {CPUS} device{'s' if CPUS > 1 else ''} (cpu)\n", done.stderr)

    def test_of_this_machine_are_counted_here(self):
        self.expect_ranks(adarun("launch", "--nproc-per-node", "cpu", *SCRIPT), [*range(CPUS)])
        self.expect_ranks(adarun("launch", "--standalone", "--nproc-per-node=cpu", *SCRIPT), [*range(CPUS)])
        planned = adarun("launch", "--dry-run", "--nproc-per-node", "cpu", "hostname")
        self.assertIn(f": {CPUS} rank", planned.stdout, planned.stderr)

    def test_are_npus_first_and_keep_their_numbers(self):
        with own_sshd(self, mounts=with_devices(self.folder, "davinci0", "davinci3", "davinci_manager", "nvidia0")) as config:
            for hosts in ("10.77.0.1:auto", "10.77.0.1:npu"):
                self.expect_ranks(adarun("launch", "--ssh-config", config, "--hosts", hosts, *SCRIPT), [0, 3])
            self.expect_ranks(adarun("launch", "--ssh-config", config, "--hosts", "10.77.0.1:gpu", *SCRIPT), [0])

    def test_of_a_job_that_is_detached(self):
        launch("--detach", "--", "true", hosts="node[1-2]:cpu").expect(0)
        adarun("attach", "log_output").expect(0)

    def test_that_no_node_has_are_refused_by_name(self):
        with own_sshd(self, mounts=with_devices(self.folder)) as config:
            done = adarun("launch", "--ssh-config", config, "--hosts", "10.77.0.1:gpu", "true")
            self.assertEqual((done.returncode, done.stderr), (125, f"adarun: 10.77.0.1: {NO_GPU}\n"))
        self.assertFalse(os.path.exists("log_output"))

    def test_of_a_node_that_does_not_answer(self):
        done = launch("--port", "9", "--connect-timeout", "5s", "--", "true", hosts="node[1-2]:auto").expect(125)
        self.assertIn("nothing was started", done.stderr)
        self.assertIn("node1", done.stderr)

    def test_are_not_asked_for_where_nothing_is_connected(self):
        for words, line in (
                (("launch", "--dry-run", "--hosts", "node1:auto", "true"),
                 "--dry-run connects to nothing, and so cannot ask node1 for its devices: write their number, as in node1:8"),
                (("script", "sbatch", "--hosts", "node1:auto", "--", "true"),
                 "node1:auto: launch and train ask a node for its devices; here their number is wanted"),
                (("ranktable", "gen", "--plain", "--hosts", "node1:auto"),
                 "node1:auto: --plain connects to nothing; the number of devices is wanted")):
            adarun(*words).expect(2, stdout="", stderr=f"adarun: {line}\n")
