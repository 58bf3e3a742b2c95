#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Open MPI programs that know nothing of adarun: their world, the trap with singletons, and ranks that leave it."""
import os
import unittest

from e2e import Case, hosts, launch, renamed

# What would hang ends with 124.
LIMIT = ("--timeout", "30s")


def program(name):
    return os.path.join(os.environ["ADARUN_TEST_BIN"], name)


def faults(fault, rank):
    """Four ranks on two hosts, of which `rank` commits the fault."""
    return launch(*LIMIT, "--", program("mpi_faults"), fault, rank, hosts=hosts(2))


class World(Case):
    def test_eight_ranks_on_two_hosts_add_up(self):
        done = launch(*LIMIT, "--", program("mpi_hello"), hosts=hosts(4))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([self.log_of(rank) for rank in range(8)], [f"rank {rank} of 8: sum 28\n" for rank in range(8)])

    def test_machines_of_the_same_name_are_two(self):
        with renamed("node1", "twin"), renamed("node2", "twin"):
            done = launch(*LIMIT, "--", program("mpi_hello"), hosts=hosts(2))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([self.log_of(rank) for rank in range(4)], [f"rank {rank} of 4: sum 6\n" for rank in range(4)])

    def test_without_a_server_each_rank_is_a_world_of_one(self):
        done = launch(*LIMIT, "--mpi", "off", "--", program("mpi_hello"), hosts=hosts(2))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([self.log_of(rank) for rank in range(4)], ["rank 0 of 1: sum 0\n"] * 4)


class Fault(Case):
    def test_mpi_abort_ends_the_job_with_its_code(self):
        done = faults("abort", 3)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertRegex(done.stderr, r"rank 3 on node2 \(device 1\) called MPI_Abort\(7\)\n")

    def test_a_rank_that_exits_0_without_finalize_fails_the_job(self):
        for fault in ("leave", "forget"):
            with self.subTest(fault):
                done = faults(fault, 2)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r"rank 2 on node2 \(device 0\) failed first:.* exited 0 without MPI_Finalize")

    def test_a_rank_that_stays_out_is_named_as_singleton_and_nobody_waits_for_it(self):
        for rank in (1, 2):
            with self.subTest(rank=rank):
                done = faults("stay-out", rank)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, f"rank {rank} on node{1 + rank // 2} .*it ran as a singleton")


if __name__ == "__main__":
    unittest.main()
