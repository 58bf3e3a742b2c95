# SPDX-License-Identifier: Apache-2.0
"""adarun train --min-ranks: ranks and nodes end in the middle of a training, and the others continue within the job."""
import json
import os
import re
import signal

from e2e import adarun, await_that, events, hosts, job_file, write
from disturbed import CONTINUES, MLP, SMALL, ElasticCase


class Elastic(ElasticCase):
    """Jobs of four ranks on two hosts, of which two are enough."""

    def resumed(self, hosts_left, count, steps, model):
        """What `count` ranks reach that resume from a checkpoint which four ranks write after so many steps."""
        kept = ("--checkpoint-dir", os.path.join(self.folder, "kept"), "--checkpoint-every", steps)
        adarun("train", "--hosts", hosts(2), "--log-dir", "four", "--", *SMALL, *model, *kept, "--max-steps", steps).expect(0)
        adarun("train", "--hosts", hosts_left, "--log-dir", "fewer", "--", *SMALL, *model, *kept, "--resume").expect(0)
        return self.ends_of(range(count), "fewer")

    def check_that_they_go_on(self, left, hosts_left, model):
        """The ranks that are left lost at most a step, and have what a run has that was resumed there."""
        steps, = {int(re.findall(CONTINUES, self.log_of(rank))[-1]) for rank in left}
        gone, = set(range(4)) - set(left) if len(left) == 3 else {max(set(range(4)) - set(left))}
        begun = int(re.findall(r"step: (\d+), loss is", self.log_of(gone))[-1]) + 1
        self.assertIn(begun - steps, (0, 1))
        self.assertEqual(self.ends_of(left), self.resumed(hosts_left, len(left), steps, model))

    def slots(self, *counts):
        return ",".join(f"{name}:{count}" for name, count in zip(os.environ["ADARUN_TEST_HOSTS"].split(","), counts))

    def test_a_rank_that_is_killed(self):
        stderr = self.disturbed(MLP, lambda: self.kill(3, at_step=20))
        self.assertRegex(stderr, r"adarun: rank 3 on node2 \(device 1\): SIGKILL \(Killed\).*; the job continues with 3 of 4 ranks")
        self.check_that_they_go_on((0, 1, 2), self.slots(2, 1), MLP)
        self.assertEqual([(event["generation"], event["ranks"]) for event in events("members")], [(2, [0, 1, 2])])

    def test_the_first_rank_of_a_model_with_statistics_of_its_data(self):
        model = ("--model", "resnet20", "--max-steps", "16")
        stderr = self.disturbed(model, lambda: self.kill(0, at_step=6))
        self.check_that_they_go_on((1, 2, 3), self.slots(1, 2), model)

    def test_a_node_that_is_lost(self):
        stderr = self.disturbed(MLP, lambda: self.end_agent(3, signal.SIGKILL))
        self.assertRegex(stderr, r"adarun: node2: .*; the job continues with 2 of 4 ranks")
        self.check_that_they_go_on((0, 1), self.slots(2), MLP)

    def test_a_node_whose_agent_is_told_to_end(self):
        stderr = self.disturbed(MLP, lambda: self.end_agent(3, signal.SIGTERM))
        self.assertRegex(stderr, r"adarun: node2: the agent was told to end: Terminated; the job continues with 2 of 4 ranks")
        self.assertEqual(stderr.count("the job continues"), 1, stderr)
        self.check_that_they_go_on((0, 1), self.slots(2), MLP)

    def test_ranks_that_are_told_to_stop_do_so_together(self):
        model = ("--model", "mlp", "--checkpoint-dir", os.path.join(self.folder, "kept"))
        stderr = self.disturbed(model, lambda: self.kill(0, 1, 2, 3, at_step=20, by=signal.SIGTERM), status=128 + signal.SIGTERM)
        self.assertNotRegex(stderr, "continues|others have ended")
        self.assertRegex(self.log_of(0), r"stopped: epoch 1 step \d+, a checkpoint is written")

    def test_an_error_that_ranks_report_ends_the_job(self):
        done = adarun("train", "--hosts", hosts(2), "--min-ranks", 2, "--", *SMALL, *MLP, "--lr", "1e6").expect(3)
        self.assertIn("hold NaN or infinity", done.stderr)
        self.assertNotRegex(done.stderr, "continues|others have ended")

    def test_groups_that_do_not_come_out_even_any_more(self):
        model = (*MLP, "--device-number", "2", "--group-gain", "spread")
        stderr = self.disturbed(model, lambda: self.kill(3, at_step=20))
        self.assertIn("3 ranks in groups of 2: do not come out even: from here on without groups and --group-gain\n",
                      self.log_of(0))
        self.assertEqual(len(self.ends_of((0, 1, 2))), 1)

    def test_an_option_by_which_a_rank_has_something_of_its_own(self):
        refused = adarun("train", "--hosts", hosts(2), "--min-ranks", 2, "--", *SMALL, "--adasum-on", "delta")
        self.assertEqual((refused.returncode, refused.stderr),
                         (2, "adarun: train: --adasum-on delta: not with --elastic (--min-ranks): what a rank alone has is lost "
                             "when it ends\n"))

    def test_two_at_once(self):
        stderr = self.disturbed(MLP, lambda: self.kill(1, 2, at_step=20))
        self.check_that_they_go_on((0, 3), self.slots(1, 1), MLP)

    def test_a_program_of_ones_own(self):
        done = self.run_script("elastic_script.py", "--min-ranks", 3)
        self.assertIn("the job continues with 3 of 4 ranks", done.stderr)
        self.assertEqual([self.log_of(rank) for rank in (0, 1, 3)],
                         [f"rank {rank} of 3: 10 after 1 changes\n" for rank in range(3)])

    def test_a_program_of_ones_own_that_comes_back(self):
        done = self.run_script("elastic_script.py", "--min-ranks", 3, "--rank-restarts", 1, "--env", "AT_LEAST=4")
        self.assertIn("rank 2 on node2 (device 0) has come back; the job continues with 4 of 4 ranks", done.stderr)
        self.assertEqual(self.logs(4),
                         [f"rank {rank} of 4: 10 after {1 if rank == 2 else 2} changes\n" for rank in range(4)])

    def test_a_pytorch_script_whose_rank_comes_back(self):
        self.run_script("elastic_torch_script.py", "--min-ranks", 3, "--rank-restarts", 1)
        said = [re.fullmatch(r"changes: (.*), weights: (\S+)\n", self.log_of(rank)).groups() for rank in range(4)]
        self.assertEqual([changes for changes, _ in said], ["[3, 4]", "[3, 4]", "[]", "[3, 4]"])
        self.assertEqual(len({weights for _, weights in said}), 1, said)

    def test_a_rank_that_comes_back(self):
        model = ("--model", "mlp", "--max-steps", "400")
        stderr = self.disturbed(model, lambda: self.kill(3, at_step=20), ("--rank-restarts", 1))
        self.assertRegex(stderr, r"the job continues with 3 of 4 ranks; it is started again \(restarts left: 0\)\n")
        self.assertIn("rank 3 on node2 (device 1) has come back; the job continues with 4 of 4 ranks\n", stderr)
        self.assertEqual(re.findall(CONTINUES, self.log_of(3)), re.findall(CONTINUES, self.log_of(0))[-1:])
        members = [event["ranks"] for event in events("members")]
        self.assertEqual((members[0], members[-1]), ([0, 1, 2], [0, 1, 2, 3]))
        self.assertEqual({rank["state"] for rank in job_file()["ranks"]}, {"done"})
        self.assertEqual(len(self.ends_of(range(4))), 1)

    def test_a_rank_that_comes_back_with_other_options_does_so_alone(self):
        config = os.path.join(self.folder, "job.json")

        def write_rate(rate):
            write(config + ".new", json.dumps({"lr": rate}))
            os.replace(config + ".new", config)

        def disturb():
            self.await_step(3, 1)
            write_rate(0.5)
            self.kill(3, at_step=20)
            await_that(lambda: "cannot continue" in self.log_of(3))
            write_rate(0.01)

        write_rate(0.01)
        model = ("--model", "mlp", "--batch-size", "8", "--max-steps", "1500", "--config", config)
        stderr = self.disturbed(model, disturb, ("--rank-restarts", 5))
        self.assertIn('cannot continue with the steps of the others: this rank has "lr": 0.5, they "lr": 0.01', self.log_of(3))
        self.assertIn("rank 3 on node2 (device 1) has come back; the job continues with 4 of 4 ranks\n", stderr)
        self.assertEqual(len(self.ends_of(range(4))), 1)

    def test_fewer_than_are_needed(self):
        kept = ("--checkpoint-dir", os.path.join(self.folder, "kept"))
        stderr = self.disturbed((*MLP, *kept), lambda: self.kill(1, 2, 3, at_step=20), status=128 + signal.SIGKILL)
        self.assertRegex(self.log_of(0), r"stopped: epoch 1 step \d+, a checkpoint is written")
        self.assertRegex(stderr, r"rank \d on node\d \(device \d\): SIGKILL \(Killed\).*; fewer than --min-ranks 2 are left")
        self.assertRegex(stderr, r"ranks \S+ on node\S+ ended before, and the others continued: SIGKILL \(Killed\)")
        self.assertRegex(stderr, r"the job of 4 ranks on 2 nodes ended after")
