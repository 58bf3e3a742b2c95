# SPDX-License-Identifier: Apache-2.0
"""Unmodified MPI programs, built with Open MPI and MPICH: their world, ranks that run as singletons, ranks that exit
early or fail."""
import contextlib
import os
import subprocess

from e2e import Case, hosts, launch, renamed

# A program that hangs ends with status OUT_OF_TIME.
LIMIT = ("--timeout", "30s")
OUT_OF_TIME = 124


def program(name):
    return os.path.join(os.environ["ADARUN_TEST_BIN"], name)


class OpenMpi:
    library = "mpi"
    ends_over_sockets = (0,)


class Mpich:
    library = "mpich"
    # MPICH 4.0 over TCP of UCX 1.13 sometimes waits for ever in MPI_Finalize, with mpiexec too (3 of 60 runs on a busy
    # machine): one rank waits for its peer's answer, which no longer reads and waits for the first in the barrier of PMI.
    ends_over_sockets = (0, OUT_OF_TIME)

    def setUp(self):
        super().setUp()
        if not os.path.exists(program("mpich_hello")):
            self.skipTest("built without mpich")


class World:
    def hello(self, slots, *options):
        return launch(*LIMIT, *options, "--", program(f"{self.library}_hello"), hosts=hosts(slots))

    def test_eight_ranks_on_two_hosts_add_up(self):
        self.hello(4).expect(0)
        self.assertEqual(self.logs(8), [f"rank {rank} of 8: sum 28\n" for rank in range(8)])

    def test_machines_of_the_same_name_are_two(self):
        with renamed("node1", "twin"), renamed("node2", "twin"):
            self.hello(2).expect(0)
        self.assertEqual(self.logs(4), [f"rank {rank} of 4: sum 6\n" for rank in range(4)])

    def test_without_a_server_each_rank_is_a_world_of_one(self):
        self.hello(2, "--mpi", "off").expect(0)
        self.assertEqual(self.logs(4), ["rank 0 of 1: sum 0\n"] * 4)

    def test_hosts_may_have_unequal_slots(self):
        one, two = os.environ["ADARUN_TEST_HOSTS"].split(",")
        launch(*LIMIT, "--", program(f"{self.library}_hello"), hosts=f"{one}:1,{two}:3").expect(0)
        self.assertEqual(self.logs(4), [f"rank {rank} of 4: sum 6\n" for rank in range(4)])


@contextlib.contextmanager
def bridges_that_lead_nowhere():
    """Adds an interface like Docker's to each host: up, with the same address on all."""
    names = os.environ["ADARUN_TEST_HOSTS"].split(",")

    def ip(name, *arguments):
        subprocess.run(["ip", "-n", name, *arguments], check=True)

    with contextlib.ExitStack() as made:
        for name in names:
            ip(name, "link", "add", "container0", "type", "veth", "peer", "name", "docker0")
            made.callback(ip, name, "link", "del", "docker0")
            ip(name, "addr", "add", "172.17.0.1/16", "dev", "docker0")
            for link in ("container0", "docker0"):
                ip(name, "link", "set", link, "up")
        yield


class Fault:
    def faults(self, fault, rank):
        """Runs four ranks on two hosts; `rank` commits the fault."""
        return launch(*LIMIT, "--", program(f"{self.library}_faults"), fault, rank, hosts=hosts(2))

    def test_mpi_abort_ends_the_job_with_its_code(self):
        done = self.faults("abort", 3).expect(7)
        self.assertRegex(done.stderr, r"rank 3 on node2 \(device 1\) called MPI_Abort\(7\)\n")

    def test_a_rank_that_is_killed_is_named(self):
        done = self.faults("kill", 2).expect(128 + 9)
        self.assertRegex(done.stderr, r"rank 2 on node2 \(device 0\) failed first: SIGKILL")

    def test_a_rank_that_exits_0_without_finalize_fails_the_job(self):
        for fault in ("leave", "forget"):
            with self.subTest(fault):
                done = self.faults(fault, 2).expect(1)
                self.assertRegex(done.stderr, r"rank 2 on node2 \(device 0\) failed first:.* exited 0 without MPI_Finalize")

    def test_a_rank_that_stays_out_is_named_as_singleton_and_nobody_waits_for_it(self):
        for rank in (1, 2):
            with self.subTest(rank=rank):
                done = self.faults("stay-out", rank).expect(1)
                self.assertRegex(done.stderr, f"rank {rank} on node{1 + rank // 2} .*it ran as a singleton")


class Calls:
    def calls(self, what, *options):
        return launch(*LIMIT, *options, "--", program(f"{self.library}_calls"), what, hosts=hosts(2))

    def test_names_are_found_by_other_ranks_until_they_are_withdrawn(self):
        self.calls("names").expect(0)
        self.assertEqual(self.log_of(0), "publish: ok\nunpublish: ok\n")
        self.assertEqual(self.log_of(3), "lookup: ok\nport port:1\nafter that: gone\n")


class Network:
    # All test hosts share one kernel, so both libraries would prefer shared memory. UCX finds interfaces in /sys, which
    # on a test host shows those of the machine.
    sockets = ("--env", "UCX_TLS=tcp,self", "--env", "OMPI_MCA_btl=tcp,self")
    with_own_sys = ("unshare", "--mount", "sh", "-c", 'mount -t sysfs sysfs /sys && exec "$0"')

    def test_an_interface_that_leads_nowhere_is_left_alone(self):
        with bridges_that_lead_nowhere():
            done = launch(*LIMIT, *self.sockets, "--", *self.with_own_sys, program(f"{self.library}_hello"), hosts=hosts(1))
        self.assertIn(done.returncode, self.ends_over_sockets, done.stderr)
        self.assertEqual(self.logs(2), [f"rank {rank} of 2: sum 1\n" for rank in range(2)])


class OpenMpiWorld(OpenMpi, World, Network, Case):
    pass


class OpenMpiFault(OpenMpi, Fault, Case):
    pass


class OpenMpiCalls(OpenMpi, Calls, Case):
    def test_mpi_comm_spawn_ends_the_job_and_says_so(self):
        done = self.calls("spawn").expect(50)
        self.assertRegex(done.stderr, r"rank 0 on node1 \(device 0\) asked for 2 processes of \S+mpi_calls by "
                                      r"MPI_Comm_spawn: adarun starts none while a job runs \(docs/ranks\.md#mpi\)\n")

    def test_ranks_of_a_job_connect_to_each_other_by_a_name(self):
        self.calls("connect").expect(0)
        self.assertEqual(self.log_of(0), "open: ok\npublish: ok\naccept: ok\n")
        self.assertEqual(self.log_of(3), "connect: ok\nreceived 42\n")

    def test_ranks_are_told_how_they_were_started(self):
        words = ("--", program("mpi_calls"), "info")
        launch(*LIMIT, "--workdir", self.folder, "--role", "a=0-2", *words, "--role", "b=3", *words, hosts=hosts(2)).expect(0)
        seen = dict(line.split("=", 1) for line in self.log_of(0).splitlines())
        wanted = {"wdir": self.folder, "ompi_num_apps": "2", "ompi_first_rank": "0 3", "ompi_np": "3 1",
                  "ompi_positioned_file_dir": self.folder}
        self.assertEqual({key: seen.get(key) for key in wanted}, wanted)


class MpichWorld(Mpich, World, Network, Case):
    pass


class MpichFault(Mpich, Fault, Case):
    pass


class MpichCalls(Mpich, Calls, Case):
    pass
