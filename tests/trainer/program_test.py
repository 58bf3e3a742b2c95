#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the built trainer as users do: program_test.py PROGRAM [UNITTEST ARGUMENT...]."""
import contextlib
import fcntl
import glob
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
JOB_VARIABLES = ("RANK_", "DEVICE_", "MINDSPORE_", "SERVER_ID", "OMPI_", "PMIX_", "DATA_PATH", "ADARUN_RESTART_COUNT",
                 "ADARUN_FIRST_JOB_ID")


def alone():
    """The environment without the variables of a job."""
    return {k: v for k, v in os.environ.items() if not k.startswith(JOB_VARIABLES)}


def trainer(*arguments, **variables):
    """Runs a trainer to its end; of a job's variables it sees only `variables`."""
    return subprocess.run([PROGRAM, *arguments], env={**alone(), **variables}, text=True, capture_output=True,
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
        self.check(trainer(ADARUN_FIRST_JOB_ID="a job"), 2, "ADARUN_FIRST_JOB_ID: wanted up to 64 letters")

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

    def test_a_job_that_is_told_to_end_continues_to_the_bit(self):
        job = ("--log-every", "1", "--batch-size", "4", "--max-steps", "400")
        with tempfile.TemporaryDirectory() as folder:
            whole = trainer(*job)
            kept = (*job, "--checkpoint-dir", folder)
            with subprocess.Popen([PROGRAM, *kept], env=alone(), text=True, stdout=subprocess.PIPE) as told:
                # A small pipe blocks it, so that it cannot finish before the signal, however slowly its lines are read.
                fcntl.fcntl(told.stdout, fcntl.F_SETPIPE_SZ, 4096)
                while "epoch: 1 step: 5," not in (line := told.stdout.readline()):
                    self.assertNotEqual(line, "", "ended without step 5")
                told.send_signal(signal.SIGTERM)
                rest = told.stdout.read()
                self.assertEqual(told.wait(60), 128 + signal.SIGTERM)
            self.assertRegex(rest, r"stopped: epoch 1 step \d+, a checkpoint is written\n$")
            resumed = trainer(*kept, "--resume")
            self.assertRegex(resumed.stdout, r"resumed: epoch 1, \d+ steps of it done\n")
            self.assertEqual(resumed.stdout.splitlines()[-1], whole.stdout.splitlines()[-1])
            self.check(trainer(*kept, "--resume", "--model", "mlp"), 3, "its model is lenet5, this one's is mlp")
            names = sorted(name for name in os.listdir(folder) if name.startswith("step_"))
            self.assertEqual((len(names), names[-1]), (2, "step_000000000400.rank_0"))  # the signal's, and that of the end
            for name in names:
                os.truncate(os.path.join(folder, name), 1000)
            self.check(trainer(*kept, "--resume"), 3, names[-1] + ": torn: its end is missing")

    def test_a_job_that_is_told_to_end_while_it_measures_ends_at_once(self):
        """An evaluation that would take minutes."""
        job = ("--model", "resnet20", "--batch-size", "8", "--hold-out", "16000", "--max-steps", "2", "--eval")
        with tempfile.TemporaryDirectory() as folder:
            kept = (*job, "--checkpoint-dir", folder)
            for more, first in (((), "throughput: "), (("--resume",), "resumed: ")):
                with subprocess.Popen([PROGRAM, *kept, *more], env=alone(), text=True, stdout=subprocess.PIPE) as told:
                    while not (line := told.stdout.readline()).startswith(first):
                        self.assertNotEqual(line, "", f"ended without {first}")
                    told.send_signal(signal.SIGTERM)
                    rest = told.stdout.read()
                    self.assertEqual(told.wait(60), 128 + signal.SIGTERM)
                self.assertNotIn("Eval result", rest)
                self.assertRegex(rest, r"stopped: epoch 1 step 2, a checkpoint is written\n$")

    def test_a_damaged_checkpoint_costs_the_steps_since_the_one_before(self):
        with tempfile.TemporaryDirectory() as folder:
            job = ("--checkpoint-dir", folder, "--max-steps")
            trainer(*job, "8", "--checkpoint-every", "4")
            newest = os.path.join(folder, "step_000000000008.rank_0")
            with open(newest, "r+b") as file:
                file.seek(5000)
                file.write(bytes(195000))
            resumed = trainer(*job, "9", "--resume")
            self.assertIn(f"damaged, the checkpoint before it is taken: {newest}: torn: its checksum is another\n"
                          "resumed: epoch 1, 4 steps of it done\n", resumed.stdout)
            self.assertEqual(resumed.stdout.splitlines()[-1], trainer("--max-steps", "9").stdout.splitlines()[-1])

    def test_a_restarted_job_continues_without_being_told(self):
        with tempfile.TemporaryDirectory() as folder:
            job = ("--max-steps", "4", "--checkpoint-dir", folder, "--checkpoint-every", "2")
            again = {"ADARUN_RESTART_COUNT": "1", "ADARUN_FIRST_JOB_ID": "20261123-0900-a"}
            self.assertIn(f"resumed: {folder} has no checkpoint", trainer(*job, **again).stdout)
            self.assertIn("resumed: epoch 1, 4 steps", trainer(*job, **again).stdout)
            refused = f"{folder}: has the checkpoints of run 20261123-0900-a: continue from them with --resume, or give another folder"
            self.check(trainer(*job), 1, refused)
            self.check(trainer(*job, **{**again, "ADARUN_FIRST_JOB_ID": "20261123-0900-b"}), 1, refused)
            self.check(trainer(*job, ADARUN_RESTART_COUNT="1"), 1, refused)
            self.assertIn("resumed: epoch 1, 4 steps", trainer(*job, "--resume").stdout)

    def test_sets_are_drawn_inspected_and_learned_from(self):
        with tempfile.TemporaryDirectory() as folder:
            for form, name, model in (("idx", "mnist", "lenet5"), ("cifar10", "cifar10", "resnet20"),
                                      ("imagefolder", "imagefolder", "resnet18")):
                place = os.path.join(folder, form)
                self.check(trainer("data", "draw", "--format", form, "--out", place, "--train", "40", "--test", "20"), 0, "")
                source = ("--dataset", name, "--data-path", place, "--batch-size", "8")
                seen = trainer("data", "inspect", *source, "--json", "--ranks", "2")
                self.check(seen, 0, "")
                facts = json.loads(seen.stdout)
                self.assertEqual((facts["train"]["samples"], facts["test"]["samples"]), (40, 20))
                self.assertEqual((facts["steps_per_epoch"], facts["train"]["corrupt"]), (2, []))
                learned = trainer(*source, "--model", model, "--image-size", "32", "--max-steps", "2", "--eval")
                self.check(learned, 0, "")
                self.assertIn("Eval result: epoch 1", learned.stdout)
            converted = os.path.join(folder, "converted")
            self.check(trainer("data", "convert", "--dataset", "imagefolder", "--data-path", place, "--format", "cifar10",
                               "--out", converted), 0, "")
            self.assertEqual(os.path.getsize(os.path.join(converted, "test_batch.bin")), 20 * 3073)

    def test_a_bar_is_on_a_terminal_only(self):
        with tempfile.TemporaryDirectory() as folder:
            draw = ("data", "draw", "--format", "cifar10", "--out", folder, "--train", "30", "--test", "10")
            written = f"train: 30 images written to {folder}\ntest: 10 images written to {folder}\n"
            done = trainer(*draw)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, written, ""))
            main, terminal = pty.openpty()
            done = subprocess.run([PROGRAM, *draw], env=alone(), stdout=subprocess.PIPE, stderr=terminal, text=True,
                                  check=False, timeout=60)
            os.close(terminal)
            self.assertEqual((done.returncode, done.stdout), (0, written))
            shown = ""
            with contextlib.suppress(OSError):  # EIO: nobody has the other end open
                while piece := os.read(main, 4096):
                    shown += piece.decode()
            os.close(main)
            self.assertIn("\radarun-trainer: writing train: [....................] 1 of 30 images\x1b[K", shown)
            self.assertIn("\radarun-trainer: writing test: [##..................] 1 of 10 images\x1b[K", shown)
            self.assertTrue(shown.endswith("\r\x1b[K"), shown)

    def test_a_device_that_is_not_there_is_refused(self):
        done = trainer("--device", "auto", "--max-steps", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^device: (cpu, since .*CUDA.*|cuda:0)\n")
        if done.stdout.startswith("device: cpu"):
            self.check(trainer("--device", "cuda"), 1, "adarun-trainer: --device cuda: ")

    def test_corrupt_images_are_named_and_skipped_where_allowed(self):
        with tempfile.TemporaryDirectory() as folder:
            trainer("data", "draw", "--format", "imagefolder", "--out", folder, "--train", "24", "--test", "8")
            corrupt = sorted(glob.glob(os.path.join(folder, "train", "*", "*.JPEG")))[3]
            with open(corrupt, "r+b") as file:
                file.truncate(300)
            source = ("--dataset", "imagefolder", "--data-path", folder, "--batch-size", "24")
            job = (*source, "--model", "mlp", "--max-steps", "1")
            self.check(trainer(*job), 3, corrupt + ": ")
            done = trainer(*job, "--skip-corrupt", "1")
            self.check(done, 0, "")
            self.assertIn(f"skipped: {corrupt}: ", done.stdout)
            seen = trainer("data", "inspect", *source)
            self.assertEqual((seen.returncode, f"corrupt: {corrupt}: " in seen.stdout), (1, True), seen.stdout)

    def test_what_happens_is_written_as_json_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            metrics = os.path.join(folder, "metrics.jsonl")
            done = trainer("--max-steps", "3", "--sink", "--metrics", metrics)
            self.assertEqual(done.stdout.count("loss is"), 1)
            with open(metrics, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            self.assertEqual([line["event"] for line in lines], ["step", "step", "step", "epoch"])
            self.assertIn(f"epoch: 1 step: 3, loss is {lines[2]['loss']}\n", done.stdout)

    def test_what_the_program_does_is_shown_and_written_where_that_is_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "trainer.log")
            done = trainer("--max-steps", "1", "--log-file", log)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(log, encoding="utf-8") as file:
                said = file.read()
            for line in (r"Z info    - rank 0 of 1, device 0, pid \d+\n", r"Z debug   - model lenet5, data set digits, seed 1\n",
                         r"Z info    - ends with status 0\n"):
                self.assertRegex(said, line)
            trainer("--dataset", "mnist", "--data-path", "/nowhere", "--log-file", log)
            with open(log, encoding="utf-8") as file:
                self.assertRegex(file.read().removeprefix(said), "Z error   - .*/nowhere")
        shown = trainer("--max-steps", "1", "-v").stderr
        self.assertRegex(shown, r"^adarun-trainer: rank 0 of 1, device 0, pid \d+\nadarun-trainer: ends with status 0\n$")
        self.assertIn("adarun-trainer: model lenet5", trainer("--max-steps", "1", "-vv").stderr)

    def test_a_loss_that_is_not_finite_ends_it(self):
        done = trainer("--lr", "1e6", "--max-steps", "20")
        self.assertEqual(done.returncode, 3)
        self.assertTrue(done.stdout.endswith(
            ", loss is NAN or INF, training process cannot continue, terminating training.\n"), done.stdout)


if __name__ == "__main__":
    unittest.main()
