#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the built trainer as users do: program_test.py PROGRAM [UNITTEST ARGUMENT...]."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
JOB_VARIABLES = ("RANK_", "DEVICE_", "MINDSPORE_", "SERVER_ID", "OMPI_", "PMIX_", "DATA_PATH")


def trainer(*arguments, **variables):
    """The finished process of a trainer that sees only `variables` of a job."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(JOB_VARIABLES)}
    return subprocess.run([PROGRAM, *arguments], env={**environment, **variables}, text=True, capture_output=True,
                          check=False, timeout=60)


class Program(unittest.TestCase):
    def check(self, done, status, words):
        self.assertEqual((done.returncode, words in done.stderr), (status, True), done.stderr + done.stdout)

    def test_runs_alone_with_nothing_said(self):
        done = trainer("--max-steps", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("epoch: 1 step: 2, loss is ", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_help_and_version_are_answers(self):
        for flag in ("--help", "--version"):
            done = trainer(flag)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertNotEqual(done.stdout, "")

    def test_wrong_usage_is_status_2(self):
        self.check(trainer("--reduce", "max"), 2, "--reduce")
        self.check(trainer("--dataset", "mnist"), 2, "DATA_PATH")
        self.check(trainer(RANK_ID="1"), 2, "RANK_SIZE")

    def test_refused_worlds_are_status_1_before_mpi(self):
        rule = "The device_num must be at least 16 and must be the power of 2 when applying adasum."
        self.check(trainer(RANK_ID="0", RANK_SIZE="12"), 1, rule)
        self.check(trainer(RANK_ID="0", RANK_SIZE="8"), 1, rule)
        self.check(trainer("--reduce", "adasum"), 1, "Stand alone mode is not supported to apply adasum.")

    def test_a_table_that_cannot_be_read_is_status_3(self):
        for name in ("RANK_TABLE_FILE", "MINDSPORE_HCCL_CONFIG_PATH"):
            self.check(trainer(**{name: "/nowhere/table.json"}), 3, "/nowhere/table.json")

    def test_a_lab_table_in_the_older_variable_must_agree(self):
        group = {"device_num": "1", "server_num": "1", "group_name": "", "instance_count": "1", "instance_list": [
            {"devices": [{"device_id": "4", "device_ip": ""}], "rank_id": "0", "server_id": "10.0.0.1"}]}
        lab = {"board_id": "0x0000", "chip_info": "910", "deploy_mode": "lab", "group_count": "1", "group_list": [group],
               "para_plane_nic_location": "device", "para_plane_nic_name": ["eth4"], "para_plane_nic_num": "1",
               "status": "completed"}
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "lab.json")
            with open(table, "w", encoding="utf-8") as file:
                json.dump(lab, file)
            named = {"MINDSPORE_HCCL_CONFIG_PATH": table, "RANK_ID": "0", "RANK_SIZE": "1"}
            self.check(trainer("--max-steps", "1", DEVICE_ID="4", SERVER_ID="0", DEVICE_NUM="1", **named), 0, "")
            self.check(trainer(DEVICE_NUM="8", **named), 1, "10.0.0.1 of rank 0 has 1 device, but DEVICE_NUM=8")

    def test_missing_data_is_status_3(self):
        self.check(trainer("--dataset", "mnist", DATA_PATH="/nowhere"), 3, "/nowhere: has no train-images-idx3-ubyte")

    def test_a_singleton_is_named(self):
        self.check(trainer(RANK_ID="3", RANK_SIZE="16"), 1, "MPI singleton")

    def test_a_loss_that_is_not_finite_ends_it(self):
        done = trainer("--lr", "1e6", "--max-steps", "20")
        self.assertEqual(done.returncode, 3)
        self.assertTrue(done.stdout.endswith(
            ", loss is NAN or INF, training process cannot continue, terminating training.\n"), done.stdout)


if __name__ == "__main__":
    unittest.main()
