#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logs of jobs that adarun did not start: megabytes each, with the lines that such logs have beside losses."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ADARUN = sys.argv.pop(1)
STEPS = 20_000

MINDSPORE_NOISE = [
    "[WARNING] ME({pid}:140012,MainProcess):2026-11-21-10:00:{s:02d}.518.204 [mindspore/train/model.py:1078] For LossCallBack, the "
    "loss scale of step {step} is 1024.0, epoch time is measured from here.\n",
    "[WARNING] DEVICE({pid},ffff8d4f,python):2026-11-21-10:00:{s:02d}.100.001 [mindspore/ccsrc/plugin/device/ascend/hal/device/"
    "ascend_memory_adapter.cc:88] Initialize] Device HBM Size:65536M, Device free HBM size: 64000M\n",
    "[ERROR] KERNEL({pid},ffff8d4f,python):2026-11-21-10:00:{s:02d}.100.002 [acl_kernel_mod.cc:42] step 7 retried\n"
    "----------------------------------------------------\n- C++ Call Stack: (For framework developers)\n"
    "----------------------------------------------------\nmindspore/ccsrc/runtime/loss_scale.cc:77 UpdateLossScale\n\n",
]
TORCH_NOISE = [
    "/usr/lib/python3/dist-packages/torch/nn/modules/loss.py:536: UserWarning: Using a target size (torch.Size([32])) that is "
    "different to the input size (torch.Size([32, 1])).\n  return F.mse_loss(input, target, reduction=self.reduction)\n",
    "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0\n",
    "NCCL INFO Channel 0{s} : 0[1a0] -> 1[1b0] via P2P/IPC/read time 12.5 ms\n",
    "Test set: Average loss: 0.0489, Accuracy: 9850/10000 (98%)\n",
]
TRACEBACK = """Traceback (most recent call last):
  File "train.py", line 212, in <module>
    main()
  File "train.py", line 120, in train_step
    loss = 0.5 * F.mse_loss(left, right, reduction='sum')
RuntimeError: CUDA error: out of memory at step 3 (loss.cpp:42)
"""


def loss_of(step, rank=0):
    return round(3 * 0.9998**step + 0.001 * rank, 6)


class Foreign(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="adarun-foreign-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.chance = random.Random(7)

    def write(self, name, lines, noise):
        """Writes a log; after about every second line comes a piece of noise."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as log:
            for step, line in enumerate(lines, 1):
                log.write(line)
                if self.chance.random() < 0.5:
                    log.write(self.chance.choice(noise).format(pid=4711, s=step % 10, step=step))
        self.assertGreater(path.stat().st_size, 1_000_000)
        return path

    def summary(self, *places, status=0):
        done = subprocess.run([ADARUN, "monitor", "--json", "--check", *map(str, places or [self.folder])], capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=60, env={"XDG_STATE_HOME": str(self.folder)}, check=False)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def assert_loss_curve(self, summary, ranks, steps, first, last):
        self.assertEqual((summary["ranks"], summary["ranks_with_loss"], summary["steps"]), (ranks, ranks, steps))
        self.assertAlmostEqual(summary["first"]["median"], first, places=5)
        self.assertAlmostEqual(summary["last"]["median"], last, places=5)

    def mindspore(self, rank, steps=STEPS):
        for step in range(1, steps + 1):
            yield f"epoch: {(step - 1) // 1000 + 1} step: {(step - 1) % 1000 + 1}, loss is {loss_of(step, rank)}\n"
            if step % 1000 == 0:
                yield "Train epoch time: 12345.678 ms, per step time: 12.346 ms\n"

    def test_msrun_s_folder(self):
        for rank in range(4):
            self.write(f"worker_{rank}.log", self.mindspore(rank), MINDSPORE_NOISE)
        (self.folder / "scheduler.log").write_text("epoch: 1 step: 1, loss is 99\n", encoding="utf-8")
        summary = self.summary()
        self.assert_loss_curve(summary, 4, STEPS, loss_of(1) + 0.0015, loss_of(STEPS) + 0.0015)
        self.assertEqual((summary["findings"], summary["step_ms"]), ([], 12.346))

    def test_a_rank_that_ended_with_a_traceback(self):
        for rank in range(4):
            path = self.write(f"worker_{rank}.log", self.mindspore(rank, STEPS if rank != 2 else STEPS // 2), MINDSPORE_NOISE)
            if rank == 2:
                with open(path, "a", encoding="utf-8") as log:
                    log.write(TRACEBACK)
        [finding] = self.summary(status=1)["findings"]
        self.assertEqual((finding["fault"], finding["rank"], finding["epoch"], finding["step"]), ("stopped", 2, STEPS // 2000, 1000))

    def test_ranks_that_print_into_one_file(self):
        for tag in ("[1,{}]<stdout>:", "{}: ", "[{}] ", "[default{}]:"):
            def lines(tag=tag):
                for step in range(1, STEPS // 4 + 1):
                    for rank in range(4):
                        yield tag.format(rank) + f"iter {step - 1}: loss {loss_of(step, rank)}, time 12.3ms, mfu 1.2%\n"
            summary = self.summary(self.write("all.log", lines(), ["srun: a line of the launcher itself, which has no tag; {step}\n" * 2]))
            self.assert_loss_curve(summary, 4, STEPS // 4, loss_of(1) + 0.0015, loss_of(STEPS // 4) + 0.0015)
            self.assertEqual(summary["findings"], [])

    def test_a_log_of_powershell(self):
        path = self.folder / "train.log"
        path.write_bytes("".join(self.mindspore(0, 1000)).replace("\n", "\r\n").encode("utf-16"))
        self.assert_loss_curve(self.summary(path), 1, 1000, loss_of(1), loss_of(1000))

    def test_a_rank_that_runs_is_slow_not_stopped(self):
        for rank in range(2):
            self.write(f"worker_{rank}.log", self.mindspore(rank, STEPS if rank == 0 else STEPS // 2), [" " * 199 + "\n"])
            os.utime(self.folder / f"worker_{rank}.log", (1e9 + rank, 1e9 + rank))
        ranks = [{"rank": rank, "state": "running", "node": "n"} for rank in range(2)]
        (self.folder / "job.json").write_text(json.dumps({"id": "j", "state": "failed", "world_size": 2, "ranks": ranks}), encoding="utf-8")
        self.assertEqual(self.summary()["findings"], [])
        os.utime(self.folder / "worker_1.log", (1e9 - 60, 1e9 - 60))
        self.assertEqual([(each["fault"], each["rank"]) for each in self.summary(status=1)["findings"]], [("stopped", 1)])

    def test_a_table_that_is_named(self):
        path = self.folder / "train.log"
        path.write_text("epoch     train_loss  valid_loss  time    \n0         1.102223    0.367693    00:12     \n", encoding="utf-8")
        done = subprocess.run([ADARUN, "monitor", "--once", path], capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"no loss line in 1 log; it looks like a table of fastai, which this reads: --pattern '.*'\n$")

    def test_device_folders(self):
        for device in range(2):
            self.write(f"device{device}/log{device}", self.mindspore(device), MINDSPORE_NOISE)
        self.assert_loss_curve(self.summary(), 2, STEPS, loss_of(1) + 0.0005, loss_of(STEPS) + 0.0005)

    def test_a_log_of_pytorch(self):
        def lines():
            for step in range(STEPS):
                yield (f"Epoch: [{step // 5000}][{step % 5000:4d}/5000]\tTime  0.{step % 900:03d} ( 0.500)\t"
                       f"Loss {loss_of(step):.4e} (2.1000e+00)\tAcc@1  {step % 99:6.2f} ( 50.00)\n")
            yield TRACEBACK
        summary = self.summary(self.write("train.log", lines(), TORCH_NOISE))
        self.assert_loss_curve(summary, 1, STEPS, loss_of(0), float(f"{loss_of(STEPS - 1):.4e}"))

    def test_a_log_of_progress_bars(self):
        # As tqdm draws them: each state overwrites the one before, in colours; now and then a log line comes in between.
        def lines():
            for step in range(STEPS):
                done = step % 500 + 1
                bar = "\u2588" * (done // 50) + " " * (10 - done // 50)
                end = "\n" if done == 500 else ""
                yield (f"\r\x1b[32mEpoch {step // 500 + 1}:\x1b[0m {done / 5:3.0f}%|{bar}| {done}/500 "
                       f"[00:{step % 60:02d}<00:10, 49.5it/s, v_num=3, loss={loss_of(step)}]{end}")
            yield "\n" + TRACEBACK
        summary = self.summary(self.write("lightning.log", lines(), ["\n" + each for each in TORCH_NOISE]))
        self.assert_loss_curve(summary, 1, STEPS, loss_of(0), loss_of(STEPS - 1))

    def test_a_log_of_keras(self):
        # Each state of its bar overwrites the one before, in colours; the epoch is on a line of its own.
        def lines():
            for epoch in range(1, STEPS // 1000 + 1):
                yield f"Epoch {epoch}/{STEPS // 1000}\n"
                for step in range(1, 1001):
                    loss = loss_of((epoch - 1) * 1000 + step - 1)
                    end = f" - val_loss: {epoch}.5\n" if step == 1000 else ""
                    yield ("\b\b\b\r\x1b[1m" + f"{step:4d}/1000" + "\x1b[0m \x1b[32m\u2501\u2501\x1b[0m\x1b[37m\u2501\x1b[0m "
                           f"\x1b[1m2s\x1b[0m 2ms/step - accuracy: 0.8106 - loss: {loss}{end}")
            yield "313/313 - 0s - loss: 0.0822 - accuracy: 0.9776\n" + TRACEBACK
        summary = self.summary(self.write("keras.log", lines(), [""]))
        self.assert_loss_curve(summary, 1, STEPS, loss_of(0), loss_of(STEPS - 1))
        self.assertEqual((summary["last"]["epoch"], summary["last"]["step"]), (STEPS // 1000, 1000))
        validation = summary["validation"]
        self.assertEqual((validation["points"], validation["first"]["median"], validation["last"]["median"]), (STEPS // 1000, 1.5, 0.0822))

    def test_a_log_of_hugging_face(self):
        def lines():
            for step in range(1, STEPS + 1):
                epoch = step / 1000
                yield f"{{'loss': {loss_of(step - 1)}, 'grad_norm': 1.25, 'learning_rate': 5e-05, 'epoch': {epoch}}}\n"
                if step % 1000 == 0:
                    yield f"{{'eval_loss': {loss_of(step) + 1}, 'eval_runtime': 5.0, 'epoch': {epoch}}}\n"
            yield f"{{'train_runtime': 274.4703, 'train_samples_per_second': 65.187, 'train_loss': 9.5, 'epoch': {STEPS / 1000}}}\n"
            yield "***** train metrics *****\n  train_loss               =        9.5\n"
        summary = self.summary(self.write("trainer.log", lines(), TORCH_NOISE[:3]))
        self.assert_loss_curve(summary, 1, STEPS, loss_of(0), loss_of(STEPS - 1))
        self.assertEqual((summary["last"]["epoch"], summary["last"]["step"]), (STEPS // 1000, 1000))
        self.assertEqual(summary["validation"]["points"], STEPS // 1000)
        self.assertAlmostEqual(summary["validation"]["best"]["median"], loss_of(STEPS) + 1, places=5)


if __name__ == "__main__":
    unittest.main()
