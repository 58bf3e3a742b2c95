# SPDX-License-Identifier: Apache-2.0
"""adarun plan, and adarun train with layers split over ranks of two hosts, beside whole replicas with the same images."""
import json
import os
import re
import shutil

from e2e import Case, adarun, hosts, write

LAYERS = {"mlp": ["fc1", "fc2", "fc3"], "lenet5": ["conv1", "conv2", "fc1", "fc2", "fc3"]}
SPLITS = {"mlp": ["outputs", "inputs", "outputs"], "lenet5": ["outputs", "inputs", "outputs", "inputs", "outputs"]}


def plan_by_hand(model, replicas, parts, splits=None, **changes):
    """Writes plan.json: every layer on the same mesh."""
    layers = [{"name": name, "replicas": replicas, "parts": parts, "split": split if parts > 1 else "none"}
              for name, split in zip(LAYERS[model], splits or SPLITS[model])]
    plan = {"schema": "adarun-plan-1", "model": model, "ranks": replicas * parts, "batch": 8, "layers": layers, **changes}
    write("plan.json", json.dumps(plan))


class Parallel(Case):
    def train(self, ranks, batch, *more, until=12, done_before=0):
        """Trains up to step 12 on both hosts; returns the losses of each rank."""
        self.start(ranks, "--batch-size", batch, "--max-steps", until, "--log-every", 1, "--eval", "--adasum-world", "any",
                   "--optimizer", "momentum", "--lr", 0.05, *more).expect(0)
        losses = [re.findall(r"loss is (\S+)", self.log_of(rank)) for rank in range(ranks)]
        self.assertEqual([len(each) for each in losses], [until - done_before] * ranks, self.log_of(0))
        return [[float(text) for text in each] for each in losses]

    def start(self, ranks, *options):
        return adarun("train", "--hosts", hosts(ranks // 2), "--env", "ASAN_OPTIONS=detect_leaks=0", "--", *options)

    def accuracy(self):
        return float(re.findall(r"^accuracy: (\S+)", self.log_of(0), re.MULTILINE)[0])

    def test_split_layers_train_as_whole_replicas_do(self):
        for model in LAYERS:
            for reduce in ("adasum", "mean"):
                whole = self.train(2, 16, "--model", model, "--reduce", reduce)
                accuracy = self.accuracy()
                plan_by_hand(model, 2, 2)
                split = self.train(4, 8, "--model", model, "--reduce", reduce, "--plan", "plan.json")
                self.assertIn(f"plan: {len(LAYERS[model])} of {len(LAYERS[model])} layers are split (plan.json)", self.log_of(0))
                # Sums of floats in another order: a few eps a step.
                for rank, losses in enumerate(split):
                    for wanted, found in zip(whole[rank // 2], losses):
                        self.assertAlmostEqual(found, wanted, delta=2e-4 * wanted)
                self.assertAlmostEqual(self.accuracy(), accuracy, delta=0.005)

    def test_a_plan_that_was_found_is_trained_by(self):
        done = adarun("plan", "--hosts", hosts(2), "--model", "mlp", "-o", "plan.json", "--", "--channels", "1").expect(0)
        self.assertRegex(done.stdout, r"fc1 +(outputs|data) ")
        self.train(4, 8, "--model", "mlp", "--plan", "plan.json")

    def test_a_training_makes_its_own_plan(self):
        slow = {"schema": "adarun-links-1", "operations_per_s": 1e10, "levels": [
            {"name": "node", "message_s": 1e-6, "byte_s": 1e-10, "shared": False},
            {"name": "cluster", "message_s": 1e-4, "byte_s": 1e-8, "shared": True}]}
        write("slow.json", json.dumps(slow))
        self.train(4, 8, "--model", "mlp", "--parallel-mode", "auto_parallel", "--costs", "slow.json")
        self.assertRegex(self.log_of(0), r"plan: [1-3] of 3 layers are split \(auto_parallel, slow.json\)")
        self.assertNotIn("plan:", self.log_of(1))

    def test_a_checkpoint_is_of_the_whole_model_for_any_plan(self):
        by_plan = ("--model", "lenet5", "--reduce", "mean", "--plan", "plan.json")
        kept = ("--checkpoint-dir", os.path.join(self.folder, "kept"))
        plan_by_hand("lenet5", 2, 2)
        straight = self.train(4, 8, *by_plan)
        self.train(4, 8, *by_plan, *kept, "--checkpoint-every", 6, until=6)
        shutil.copytree("kept", "kept_first")
        resumed = self.train(4, 8, *by_plan, *kept, "--resume", done_before=6)
        self.assertEqual(resumed, [losses[6:] for losses in straight], "the same plan: the same bits")
        plan_by_hand("lenet5", 1, 4)
        for more in (by_plan, by_plan[:4]):  # All ranks are one replica; without a plan, each rank is one.
            shutil.rmtree("kept")
            shutil.copytree("kept_first", "kept")
            others = self.train(4, 8, *more, *kept, "--resume", done_before=6)
            for found, wanted in zip(zip(*others), list(zip(*straight))[6:]):
                self.assertAlmostEqual(sum(found), sum(wanted), delta=2e-4 * sum(wanted))

    def test_a_plan_that_does_not_fit_is_refused_in_a_line(self):
        plan_by_hand("mlp", 2, 2)
        cases = [
            (["--model", "lenet5"], 'plan.json: a plan for model "mlp", and this is "lenet5"'),
            (["--plan", "none.json"], "none.json: No such file or directory"),
            (["--optimizer", "lamb"], "not with --optimizer lamb"),
            (["--adasum-on", "delta"], "not with --adasum-on delta"),
        ]
        for more, wanted in cases:
            done = self.start(4, "--model", "mlp", "--plan", "plan.json", "--adasum-world", "any", *more)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(wanted, done.stderr + self.log_of(0))
        for changes, wanted in (({"ranks": 8}, "a plan for 8 ranks, and there are 4"), ({"layers": []}, "a plan of 0 layers"),
                                ({"schema": "x"}, 'schema: "x", wanted "adarun-plan-1"')):
            plan_by_hand("mlp", 2, 2, **changes)
            done = self.start(4, "--model", "mlp", "--plan", "plan.json", "--adasum-world", "any")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(wanted, done.stderr + self.log_of(0))

    def test_a_model_without_room_for_all_of_it_is_trained_by_a_plan(self):
        if "sanitizers" in adarun("--version").stdout:
            self.skipTest("a sanitizer reserves more address space than is left to ranks here")

        def train(bytes_each, *more):
            return adarun("train", "--hosts", hosts(2), "--ulimit", f"as={bytes_each}", "--", "--model", "wide_mlp", "--reduce",
                          "mean", "--batch-size", 8, "--max-steps", 2, *more)
        train(600_000_000).expect(1)
        # Any of the four may be the first to find it, and the others are ended then.
        said = "".join(self.log_of(rank) for rank in range(4))
        wanted = (r"a step of 8 images needs 374.9 MB on each rank, and ulimit -v leaves ([0-9.]+) MB: split it by a plan: adarun plan "
                  r"--ranks 4 .*--memory \d+M -o plan.json")
        self.assertRegex(said, wanted)
        # As much as is counted, and no room for buffers of the allreduce.
        left = min(float(of_rank) for of_rank in re.findall(wanted, said))
        too_large = train(600_000_000 + int((378 - left) * 1e6))
        self.assertNotEqual(too_large.returncode, 0)
        self.assertIn("can't allocate memory", too_large.stderr)
        self.assertNotIn("frame #", too_large.stderr)
        adarun("plan", "--hosts", hosts(2), "--model", "wide_mlp", "--batch-size", 8, "--memory", "130M", "-o", "plan.json", "--",
               "--image-size", 28, "--channels", 1, "--num-classes", 10)
        train(700_000_000, "--plan", "plan.json").expect(0)
        self.assertIn("loss is", self.log_of(3))


class Plan(Case):
    def test_needs_to_know_for_which_ranks(self):
        for arguments, wanted in (([], "say for which ranks"), (["--ranks", 4, "--hosts", hosts(2)], "--ranks: not with a table or hosts"),
                                  (["--ranks", 0], "--ranks"),
                                  (["--hosts", hosts(2), "--node-ranks", 4], "--node-ranks: only with --ranks"),
                                  (["--ranks", 4, "--evaluate", "p.json", "--memory", "1G"], "--evaluate: not with --memory or --search"),
                                  (["--ranks", 4, "--search", "best"], "wanted dp|recursive|exhaustive")):
            done = adarun("plan", "--model", "mlp", *arguments).expect(2)
            self.assertIn(wanted, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_names_what_is_wrong_with_its_files(self):
        write("bad.json", '{"schema": "adarun-links-1", "levels": [{"name": "node"}]}')
        done = adarun("plan", "--ranks", 4, "--model", "mlp", "--costs", "bad.json")
        self.assertEqual((done.returncode, done.stderr), (2, "adarun: bad.json: levels[0]: message_s is missing\n"))
        done = adarun("plan", "--ranks", 4, "--model", "bad.json")
        self.assertIn('bad.json: schema: "adarun-links-1", wanted "adarun-model-1"', done.stderr)
        done = adarun("plan", "--ranks", 4, "--model", "vgg61").expect(2)
        self.assertIn("vgg61 not in {lenet5,", done.stderr)
        self.assertEqual(adarun("plan", "--ranks", 4, "--model", "no.json").returncode, 2)

    def test_evaluates_a_plan_by_hand(self):
        plan_by_hand("mlp", 2, 2)
        done = adarun("plan", "--ranks", 4, "--model", "mlp", "--evaluate", "plan.json", "--json")
        self.assertEqual([layer["split"] for layer in json.loads(done.stdout)["layers"]], SPLITS["mlp"])
        done = adarun("plan", "--ranks", 8, "--model", "mlp", "--evaluate", "plan.json")
        self.assertEqual((done.returncode, done.stderr), (2, "adarun: plan.json: a plan for 4 ranks, and there are 8\n"))

    def test_has_the_activations_of_one_micro_batch(self):
        plan_by_hand("mlp", 2, 2)
        plan = ("plan", "--ranks", 4, "--model", "mlp", "--batch-size", 64, "--json", "--evaluate", "plan.json", "--micro-batches")
        whole, parts = (json.loads(adarun(*plan, count).stdout)["layers"] for count in (1, 8))
        self.assertEqual([layer["kept_bytes"] / 8 for layer in whole], [layer["kept_bytes"] for layer in parts])
        self.assertGreater(sum(layer["seconds"] for layer in parts), sum(layer["seconds"] for layer in whole), "messages of each")
        refused = adarun(*plan, 3).expect(2)
        self.assertIn("--batch-size 64: not a multiple of --micro-batches 3", refused.stderr)

    def test_says_when_nothing_fits_and_writes_nothing(self):
        done = adarun("plan", "--ranks", 4, "--model", "mlp", "--memory", "1M", "-o", "plan.json").expect(1)
        self.assertRegex(done.stderr, r"no plan for 4 ranks needs less than \S+ MB of memory on each, and the limit is 1 MB")
        self.assertFalse(os.path.exists("plan.json"))
