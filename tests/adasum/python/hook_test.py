#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests adasum.torch with ranks that find each other by env://, without adarun: hook_test.py BUILD_FOLDER DEVICE.

DEVICE: cpu, or cuda, which all ranks then share. Exit status 77 without CUDA.
"""
import json
import os
import socket
import subprocess
import sys
import unittest

import torch

DEVICE = sys.argv.pop()
BUILD = sys.argv.pop()
sys.path.append(f"{BUILD}/python")

from models import STRIDED_SIZES, drawn  # noqa: E402

RANKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ranks.py")
DEADLINE_S = 100
DOUBLE = torch.float64


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


def run_ranks(size, *scenarios):
    """What each rank printed, as JSON; None if it printed nothing."""
    world = {"WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "PYTHONPATH": f"{BUILD}/python"}
    processes = [subprocess.Popen([sys.executable, "-B", RANKS, DEVICE, *scenarios], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  env={**os.environ, **world, "RANK": str(rank)}) for rank in range(size)]
    try:
        said = [process.communicate(timeout=DEADLINE_S)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return [json.loads(text) if text else None for text in said]


def adasum(vectors):
    """AdaSum of some vectors over a balanced tree of neighbours; of an odd number the last one waits for the next level."""
    while len(vectors) > 1:
        vectors = [pair(*vectors[i:i + 2]) if i + 1 < len(vectors) else vectors[i] for i in range(0, len(vectors), 2)]
    return vectors[0]


def pair(a, b):
    dot = a @ b
    return (1 - dot / (2 * a @ a)) * a + (1 - dot / (2 * b @ b)) * b


def flat(gradients):
    return [gradient.double().flatten() for gradient in gradients]


def combined(gradients_of_ranks):
    return [adasum(list(vectors)) for vectors in zip(*map(flat, gradients_of_ranks))]


class Ranks(unittest.TestCase):
    def near(self, found, wanted, tolerance=1e-12):
        self.assertEqual(len(found), len(wanted))
        for values, vector in zip(found, wanted):
            error = (torch.tensor(values, dtype=DOUBLE) - vector).abs().max().item()
            self.assertLessEqual(error, tolerance * vector.abs().max().item())


class FourRanks(Ranks):
    @classmethod
    def setUpClass(cls):
        cls.ranks = run_ranks(4, "gradients_of_every_type", "backward_passes_that_add_up", "gradients_in_groups",
                              "gradients_of_a_subgroup", "own_addresses", "ways_to_meet", "nan_of_one_rank", "nan_in_some_buckets", "nan_with_unused_parameters",
                              "nan_in_one_of_two_models", "nan_in_one_of_two_static_models", "nan_without_a_last_bucket",
                              "nan_of_a_bucket_outside_a_backward_pass", "hooks_of_an_optimizer", "copies_of_an_optimizer",
                              "copies_of_a_state", "steps_of_deltas", "steps_with_a_closure",
                              "steps_of_strided_parameters", "refusals", "refusals_of_rank_one", "no_memory_of_rank_one",
                              "values_that_are_not_shared", "value_that_would_run_code", "values_that_are_shared", "copy_that_fails_on_rank_one",
                              "memory_without_its_state", "broadcast", "gradients_on_unlike_devices", "sparse_gradients",
                              "elastic_state", "worlds_that_are_closed",
                              *(["gradients_behind_work"] if DEVICE == "cuda" else []))

    def of(self, scenario, ranks=range(4)):
        """What these ranks found, which is the same on all."""
        found = [self.ranks[rank][scenario] for rank in ranks]
        self.assertEqual(found, found[:1] * len(found))
        return found[0]

    def test_gradients_of_every_type_in_several_buckets_and_steps(self):
        tolerances = {"torch.float32": 1e-6, "torch.float64": 1e-12, "torch.float16": 4e-3, "torch.bfloat16": 3e-2}
        found = self.of("gradients_of_every_type")
        self.assertEqual(found["buckets"], [3, 3, 3])
        self.assertEqual(found["gradients"].keys(), tolerances.keys())
        for name, steps in found["gradients"].items():
            dtype = getattr(torch, name.removeprefix("torch."))
            for step, gradients in enumerate(steps):
                self.near(gradients, combined([drawn(rank, dtype, step) for rank in range(4)]), tolerances[name])

    def test_each_pass_combines_what_was_added_since_the_last_one(self):
        def sums(*passes):
            """Of the AdaSum of each: of the sums of some steps, of all ranks."""
            drawns = [[[flat(drawn(rank, DOUBLE, step)) for step in steps] for rank in range(4)] for steps in passes]
            return [sum(vectors) for vectors in zip(*(combined([[sum(parts) for parts in zip(*steps)] for steps in of_ranks])
                                                      for of_ranks in drawns))]

        found = self.of("backward_passes_that_add_up")
        of_rank_0 = found.pop("of rank 0")
        for name, tolerance in ("plain", 1e-6), ("views", 1e-12), ("static", 1e-12), ("unused", 1e-12):
            with self.subTest(name):
                ways = found[name]
                for step, gradients in enumerate(ways["twice"]):
                    self.near(gradients, sums(*([each] for each in range(step + 1))), tolerance)
                self.near(ways["mixed"], sums([0], [1], [2], [3, 4]), tolerance)
                self.near(ways["none"], sums([0, 1, 2]), tolerance)
                self.near(ways["zeros"][0], sums([1]), tolerance)
                self.near(ways["zeros"][1], sums([1], [2]), tolerance)
                self.near(ways["dropped"], sums([4, 0]), tolerance)
        last = [sums([0])[2], sums([0])[2] + flat(drawn(0, DOUBLE, 1))[2]]
        for gradients, passes, third in zip(of_rank_0, (1, 2, 3), (last[0], last[1], last[1])):
            self.near(gradients, [*sums(*([each] for each in range(passes)))[:2], third])

    def test_groups_are_averaged_first(self):
        drawns = [flat(drawn(rank, DOUBLE)) for rank in range(4)]
        means = [[(a + b) / 2 for a, b in zip(*drawns[i:i + 2])] for i in (0, 2)]
        self.near(self.of("gradients_in_groups"), [pair(*vectors) for vectors in zip(*means)])

    def test_a_process_group_of_some_ranks(self):
        self.assertEqual(self.of("gradients_of_a_subgroup", (0, 1)), "this rank is not in the process group")
        self.near(self.of("gradients_of_a_subgroup", (2, 3)), combined([drawn(rank, DOUBLE) for rank in (2, 3)]))

    def test_the_first_rank_tells_an_address_that_others_reach(self):
        self.assertEqual(self.of("own_addresses", (0,)), {"localhost": "localhost", "203.0.113.1": "203.0.113.1"})
        found = self.of("own_addresses", (1, 2, 3))
        self.assertEqual(found["localhost"], "localhost")
        self.assertNotIn(found["203.0.113.1"], ("203.0.113.1", "127.0.0.1"))

    def test_ranks_meet_by_the_process_group_if_some_have_no_pmi(self):
        self.near(self.of("ways_to_meet")["gradients"], combined([drawn(rank, DOUBLE) for rank in range(4)]))

    def test_all_ranks_hear_why_rank_0_cannot_listen(self):
        self.assertEqual(self.of("ways_to_meet")["no listener"], "rank 0 cannot listen: no ports are left")

    def test_nan_is_an_error_that_names_the_rank_or_reaches_all(self):
        found = self.of("nan_of_one_rank")
        self.assertIn("rank 2 has NaN or an infinity (with a GradScaler: State(spread_nan=True))", found["raised"])
        self.assertFalse(found["finite"])

    def test_the_first_nan_of_a_backward_pass_is_told_when_all_its_buckets_are_done(self):
        found = self.of("nan_in_some_buckets")
        self.assertIn("rank 2 has NaN or an infinity", found["raised"])
        self.assertEqual(found["done"], [True] * 3)
        self.near(found["next"], combined([drawn(rank, DOUBLE, 2) for rank in range(4)]))

    def test_a_parameter_that_one_rank_uses_after_a_step_with_nan_has_its_gradient_on_all(self):
        raised, used, unused = self.of("nan_with_unused_parameters")
        self.assertEqual(raised, "NotFinite")
        self.near(used[2:], flat(drawn(0, DOUBLE, 1))[2:])
        self.near(unused[:2], combined([drawn(rank, DOUBLE, 2) for rank in range(4)])[:2])
        self.assertIsNone(unused[2])

    def test_models_that_share_a_backward_pass_go_on_after_nan_in_one_of_them(self):
        for scenario in ("nan_in_one_of_two_models", "nan_in_one_of_two_static_models"):
            first, second, third, fourth, fifth = self.of(scenario)
            self.assertEqual([first, third, fourth], ["NotFinite"] * 3)
            for step, found in (1, second), (4, fifth):
                for gradients in found:
                    self.near(gradients, combined([drawn(rank, DOUBLE, step) for rank in range(4)]))

    def test_an_error_is_raised_whatever_bucket_is_the_last(self):
        self.assertEqual(self.of("nan_without_a_last_bucket"), ["NotFinite", None])
        self.assertIn("rank 1 has NaN or an infinity", self.of("nan_of_a_bucket_outside_a_backward_pass"))

    def test_the_optimizer_has_what_the_one_that_it_wraps_has(self):
        known, never, unmade = self.of("hooks_of_an_optimizer")
        self.assertEqual(known, "a list")
        self.assertIn("never", never)
        self.assertEqual(unmade, "optimizer")

    def test_the_optimizer_says_that_it_cannot_be_copied_and_what_can(self):
        found = self.of("copies_of_an_optimizer")
        text = "an adasum.torch.Optimizer cannot be copied or saved: copy or save its state_dict()"
        self.assertEqual(found, {"ways": [text] * 3, "state": ""})

    def test_the_state_says_that_it_cannot_be_copied(self):
        found = self.of("copies_of_a_state")
        self.assertEqual(found, [["an adasum.torch.State cannot be copied or saved: make another on all ranks"] * 3,
                                 ["an adasum World cannot be copied or saved: connect another on all ranks"] * 3])

    def test_the_optimizer_combines_what_its_steps_change(self):
        found = self.of("steps_of_deltas")
        weights = flat([torch.ones(15), torch.ones(7), torch.ones(8)])
        momentum = [[torch.zeros_like(weight) for weight in weights] for _ in range(4)]
        for step, rate in enumerate((1, 0.5, 0.25)):
            deltas = []
            for rank in range(4):
                momentum[rank] = [0.5 * m + g for m, g in zip(momentum[rank], flat(drawn(rank, DOUBLE, step)))]
                deltas.append([-rate * m for m in momentum[rank]])
            weights = [weight + delta for weight, delta in zip(weights, combined(deltas))]
        self.near(found["weights"], weights)
        self.assertEqual(found["raised"], "rank 1 has NaN or an infinity")
        self.assertTrue(found["as before"])
        self.assertIn("is for gradients: an Optimizer raises NotFinite", found["spread_nan"])

    def test_a_step_with_nan_leaves_the_memory_of_the_optimizer_alone(self):
        for rank in self.ranks:
            self.assertTrue(rank["steps_of_deltas"]["memory as before"])

    def test_a_step_with_a_closure_combines_what_it_changes(self):
        found = self.of("steps_with_a_closure")
        self.assertTrue(found["returns the loss"])
        self.near(found["weights"], [1 - vector for vector in combined([drawn(rank, DOUBLE) for rank in range(4)])])
        self.assertEqual(found["raised"], "rank 1 has NaN or an infinity")
        self.assertTrue(found["as before"])

    def test_parameters_may_be_strided(self):
        found = self.of("steps_of_strided_parameters")
        vectors = combined([drawn(rank, DOUBLE, sizes=STRIDED_SIZES) for rank in range(4)])
        self.near(found["weights"], [1 - vector for vector in vectors])
        self.assertEqual(found["contiguous"], [False, False])

    def test_what_is_refused_and_why(self):
        self.assertEqual(self.of("refusals"), [
            "a tensor of torch.int32: AdaSum takes torch.float32, torch.float64, torch.float16, torch.bfloat16",
            "AdaSum takes contiguous tensors of one type", "AdaSum takes contiguous tensors of one type",
            "a tensor on meta: AdaSum takes tensors in main memory and on CUDA devices", "sparse gradients: AdaSum takes dense tensors",
            "ranks have been given different lists of tensors", "ranks have been given different lists of tensors", "", "",
            "item 1 of the list is a NoneType: AdaSum takes tensors", "item 0 of the list is a NoneType: AdaSum takes tensors"])

    def test_what_one_rank_is_refused_the_others_notice(self):
        texts = [rank["refusals_of_rank_one"]["refused"] for rank in self.ranks]
        self.assertIn("a tensor of torch.int32", texts.pop(1))
        self.assertEqual(texts, ["ranks have been given different lists of tensors"] * 3)
        for rank in self.ranks:
            self.near(rank["refusals_of_rank_one"]["gradients"], combined([drawn(each, DOUBLE) for each in range(4)]))

    def test_a_copy_for_which_one_rank_has_no_memory_is_refused_on_all(self):
        texts = [rank["no_memory_of_rank_one"]["refused"] for rank in self.ranks]
        self.assertRegex(texts.pop(1), "^no copy of tensors on cuda:0: out of memory")
        self.assertEqual(texts, ["ranks have been given different lists of tensors"] * 3)
        for rank in self.ranks:
            self.near(rank["no_memory_of_rank_one"]["gradients"], combined([drawn(each, DOUBLE) for each in range(4)]))

    def test_all_ranks_hear_that_a_value_cannot_be_sent(self):
        texts = [rank["values_that_are_not_shared"]["not sent"] for rank in self.ranks]
        self.assertRegex(texts.pop(0), r"^share\(\): rank 0 could not send its value: a builtins.function: share\(\) takes tensors")
        self.assertEqual(texts, ["share(): rank 0 could not send its value: its own error says why"] * 3)

    def test_the_others_hear_what_fails_on_one_rank_alone(self):
        found = [rank["values_that_are_not_shared"] for rank in self.ranks]
        alone = found.pop(1)
        self.assertEqual((alone["not built"], alone["later"]), ("cannot be built here", "cannot be built here"))
        self.assertIn("NoneType", alone["no tensor"])
        for others in found:
            for text in (others["not built"], others["later"], others["no tensor"]):
                self.assertRegex(text, r"rank \d gave up")

    def test_what_is_shared_runs_no_code(self):
        found = [rank["value_that_would_run_code"] for rank in self.ranks]
        self.assertEqual([each["ran"] for each in found], [[]] * 4)
        for others in found[1:]:
            self.assertRegex(others["refused"], r"what came describes no tensors|rank \d gave up")

    def test_a_value_is_described_by_the_thread_that_shares_it_and_built_without_numpy(self):
        self.near(self.of("values_that_are_shared", (1, 2, 3))["weights"], flat(drawn(0, DOUBLE)))
        self.assertEqual([rank["values_that_are_shared"]["threads"] for rank in self.ranks], [["MainThread"], [], [], []])
        self.assertEqual([rank["values_that_are_shared"]["is its own"] for rank in self.ranks], [True, False, False, False])

    def test_the_others_hear_that_a_copy_back_has_failed(self):
        found = [rank["copy_that_fails_on_rank_one"] for rank in self.ranks]
        alone = found.pop(1)
        self.assertIn("single memory location", alone["failed"])
        self.assertEqual(alone["later"], alone["failed"])
        for others in found:
            self.assertEqual(others["failed"], "")
            self.assertRegex(others["later"], r"rank \d gave up")

    def test_an_elastic_state_continues_without_groups_and_refuses_hooks_and_memory(self):
        found = self.of("elastic_state")
        self.near(found["gradients"], combined([drawn(rank, DOUBLE) for rank in range(4)]))
        self.assertEqual(found["shared"], 0)
        self.assertEqual(found["memory"], "State(elastic=True) has no memory of its own: its ranks may change")
        self.assertIn("State(elastic=True) cannot be used with a hook", found["hook"])
        self.assertIn("State(elastic=True) is for gradients", found["optimizer"])

    def test_memory_is_there_as_long_as_its_tensor(self):
        self.assertEqual(self.of("memory_without_its_state")[0], [1, 1, 1])

    def test_memory_is_that_of_the_host(self):
        self.assertEqual(self.of("memory_without_its_state")[1], "cpu")

    def test_a_tensor_of_one_rank_is_sent_to_all(self):
        self.assertEqual(self.of("broadcast"), torch.arange(12).view(3, 4).t().tolist())

    def test_gradients_in_main_memory_and_on_a_gpu_are_combined(self):
        self.near(self.of("gradients_on_unlike_devices"), combined([drawn(rank, DOUBLE) for rank in range(4)]))

    @unittest.skipIf(DEVICE == "cpu", "needs a device that computes beside the program")
    def test_gradients_are_waited_for(self):
        for step, gradients in enumerate(self.of("gradients_behind_work")):
            self.near([gradients.pop()], flat(drawn(0, DOUBLE, step))[:1])  # was shared
            self.assertEqual(gradients.pop(), [3, 0])  # was sent
            self.near(gradients, combined([drawn(rank, DOUBLE, step) for rank in range(4)]))

    def test_sparse_gradients_are_refused(self):
        self.assertIn("sparse gradients: AdaSum takes dense tensors", self.of("sparse_gradients"))

    def test_a_world_is_closed_by_the_process_that_made_it_and_then_refuses_all_calls(self):
        for rank in self.ranks:
            self.assertTrue(rank["worlds_that_are_closed"]["ended"] and rank["worlds_that_are_closed"]["told"])
            self.assertEqual(rank["worlds_that_are_closed"]["combined"], [1])
            self.assertEqual(rank["worlds_that_are_closed"]["closed"], ["this world is closed"] * 6 + [""])
        self.assertEqual(self.ranks[0]["worlds_that_are_closed"]["used"], "this listener has been used")


class ThreeRanks(Ranks):
    @classmethod
    def setUpClass(cls):
        cls.ranks = run_ranks(3, "world_of_three", "end_of_the_last_rank")

    def test_a_world_that_is_no_power_of_two_is_refused_unless_any_is(self):
        for rank in self.ranks[:2]:
            self.assertIn("world of 3 ranks: AdaSum combines a power of two", rank["world_of_three"]["refused"])
            self.near(rank["world_of_three"]["gradients"], combined([drawn(rank, DOUBLE) for rank in range(3)]))

    def test_a_rank_that_ends_is_named_on_the_others(self):
        self.assertIsNone(self.ranks[2])
        for rank in self.ranks[:2]:
            found = rank["end_of_the_last_rank"]
            self.assertIn("rank 2", found["raised"])
            self.assertTrue(found["later"] and found["raised"].endswith(found["later"]), found)


if __name__ == "__main__":
    if DEVICE == "cuda" and not torch.cuda.is_available():
        sys.exit(77)
    unittest.main(verbosity=2)
