#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--via podman: ranks in real containers, one in the network of each test host. Skipped where Podman cannot run any."""
import contextlib
import os
import shutil
import subprocess
import sys
import unittest

from e2e import Case, hosts, launch, lines_of, processes, run, survivors, write_lines

BIN = os.environ["ADARUN_TEST_BIN"]
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ddp_script.py")
CONTAINERS = {"node1": "trainer-0", "node2": "trainer-1"}
# What the machine's own limits allow; no cgroups, since crun 1.8 takes no mixture of both versions.
LIMITS = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=4000:4000", "--cgroups=disabled", "--security-opt=seccomp=unconfined"]


def podman(*words, check=True):
    return run("podman", *words, check=check)


def remove_locks():
    """Removes Podman's shared memory, once the processes that clean up after containers have ended."""
    survivors(deadline_s=20)
    with contextlib.suppress(FileNotFoundError):
        os.remove("/dev/shm/libpod_lock")


class Containers(Case):
    @classmethod
    def setUpClass(cls):
        if shutil.which("podman") is None:
            raise unittest.SkipTest("no podman: scripts/bootstrap --tests installs it")
        for line in lines_of("/proc/mounts"):
            if line.split()[2] == "cgroup2":
                subprocess.run(["umount", line.split()[1]], check=True)  # In the mount namespace of this test alone.

    def setUp(self):
        super().setUp()
        self.addCleanup(remove_locks)
        self.make_storage()
        self.make_root()
        for node, name in CONTAINERS.items():
            started = self.start(node, name)
            if started.returncode != 0:
                self.skipTest(f"podman runs no container here: {started.stderr.strip()}")
        hosts_file = "".join(f"10.77.0.{2 + i} {name}\n" for i, name in enumerate(CONTAINERS.values()))
        for name in CONTAINERS.values():
            podman("exec", name, "sh", "-c", f"printf '{hosts_file}' >>/etc/hosts")

    def make_storage(self):
        """Its own store, outside of which Podman leaves nothing."""
        write_lines("storage.conf", ["[storage]", 'driver = "vfs"', f'graphroot = "{self.folder}/store"',
                                     f'runroot = "{self.folder}/run"'])
        os.environ["CONTAINERS_STORAGE_CONF"] = f"{self.folder}/storage.conf"
        self.addCleanup(os.environ.pop, "CONTAINERS_STORAGE_CONF")

    def make_root(self):
        """The root of the containers: this machine's programs, but neither its /tmp nor our agent."""
        for name in ("proc", "sys", "dev", "tmp", "run", "etc", "usr", "root", "var", "var/job"):
            os.makedirs(f"root/{name}")
        for name in ("bin", "sbin", "lib", "lib64"):
            os.symlink(f"usr/{name}", f"root/{name}")
        for name in ("passwd", "group", "ld.so.cache", "ld.so.conf", "alternatives", "openmpi", "nsswitch.conf"):
            if os.path.isdir(f"/etc/{name}"):
                shutil.copytree(f"/etc/{name}", f"root/etc/{name}", symlinks=True)
            elif os.path.exists(f"/etc/{name}"):
                shutil.copy(f"/etc/{name}", "root/etc")
        shutil.copytree("root", "root2", symlinks=True)

    def start(self, node, name):
        self.addCleanup(podman, "rm", "--force", "--time=0", name, check=False)
        root = {"node1": "root", "node2": "root2"}[node]
        return podman("run", "--detach", f"--name={name}", f"--hostname={name}", f"--network=ns:/run/netns/{node}", *LIMITS,
                      "--volume=/usr:/usr:ro", f"--volume={BIN}/mpi_hello:/opt/mpi_hello:ro", "--rootfs",
                      f"{self.folder}/{root}", "/bin/sleep", "infinity", check=False)

    def launch(self, *words, slots=4):
        return launch("--via", "podman", "--workdir", "/var/job", *words, hosts=hosts(slots, *CONTAINERS.values()))

    def test_ranks_run_in_containers_to_which_an_agent_is_brought(self):
        done = self.launch("-v", "--", "sh", "-c", "echo $RANK $MASTER_ADDR $(hostname)", slots=2).expect(0)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"{i} trainer-0 trainer-{i // 2}" for i in range(4)])
        self.assertRegex(done.stderr, r"trainer-0: connected after .*; brought to \S+/.cache/adarun, as .*adarun-agent is not there")

    def test_mpi_programs_find_each_other(self):
        done = self.launch("--", "/opt/mpi_hello").expect(0)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {i} of 8: sum 28" for i in range(8)])

    @unittest.skipUnless(os.path.isdir("/usr/lib/python3/dist-packages/torch"), "without PyTorch")
    def test_a_ddp_script_trains_over_two_containers(self):
        self.launch("--stage", f"{SCRIPT}:/var/job/ddp.py", "--", "/usr/bin/python3", "-B", "/var/job/ddp.py").expect(0)
        lines = [self.log_of(rank).splitlines()[-1] for rank in range(8)]
        fitted = lines[0].split(": ")[1]
        self.assertEqual(lines, [f"rank {rank} of 8: {fitted}" for rank in range(8)])

    def test_a_container_that_ends_is_named(self):
        done = launch("--via", "podman", "--", "true", hosts="trainer-0:1,trainer-9:1").expect(125)
        self.assertRegex(done.stderr, r"^adarun: trainer-9: no agent answered: podman exec -i trainer-9: Error: no container with name or ID")

    def test_a_failure_leaves_nothing_in_the_containers(self):
        script = "[ $RANK != 5 ] || { echo bad; exit 7; }; setsid sleep 1000 & exec sleep 1000"
        done = self.launch("--", "sh", "-c", script).expect(7)
        self.assertIn("adarun: rank 5 on trainer-1 (device 1) failed first: exit code 7", done.stderr)
        self.assertEqual([words for words in processes().values() if "sleep 1000" in words], [])


if __name__ == "__main__":
    ran = unittest.main(verbosity=2, exit=False).result
    without_podman = len(ran.skipped) >= max(ran.testsRun, 1)
    sys.exit(1 if not ran.wasSuccessful() else 77 if without_podman else 0)
