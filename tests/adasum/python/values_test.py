#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what State.share() sends, without ranks: values_test.py BUILD_FOLDER."""
import collections
import io
import json
import math
import sys
import unittest

import torch

sys.path.append(f"{sys.argv.pop()}/python")

from adasum import values  # noqa: E402

PLAIN = (None, True, 0, -2**70, 1.5, -0.0, "text \u00e4 \ud800", b"\0\xff", [], (), {}, set(), [1, (2.0, [None])], {1: "a", (2, "b"): {3, "c"}},
         torch.Size([2, 3]), torch.bfloat16, torch.device("cuda:1"))
TENSORS = (torch.tensor(7), torch.empty(0, 3), torch.arange(12.0).view(3, 4).t(), torch.ones(2, dtype=torch.bfloat16), torch.tensor([True]),
           torch.tensor([1 + 2j]).conj(), torch.tensor([1], dtype=torch.int8))
HOSTILE = (b"", b"\x80\x02cos\nsystem\n.", b"1", b"{}", b"[" * 10**5, b'{"tensors": [["hub", [1]]], "value": 1}',
           b'{"tensors": [["float32", [-1]]], "value": 1}', b'{"tensors": [["float32", [1e99]]], "value": 1}', b'{"tensors": 3, "value": 1}')
NO_VALUES = ("[]", "{}", '{"tensor": 0}', '{"eval": "1"}', '{"list": 1}', '{"dict": []}', '{"dict": [[1]], "metadata": null}',
             '{"set": [{"list": []}]}', '{"dtype": "load"}', '{"device": "x"}', '{"bytes": "0"}', '{"__class__": 1}')


def sent(value):
    """What another rank makes of it."""
    text, tensors = values.described(value)
    copies = values.tensors_for(text)
    for copy, tensor in zip(copies, tensors):
        copy.copy_(tensor)
    return values.built(text, copies)


class Values(unittest.TestCase):
    def test_arrive_as_they_are(self):
        for value in PLAIN:
            self.assertEqual((type(sent(value)), sent(value)), (type(value), value))
        self.assertTrue(math.isnan(sent(math.nan)) and sent(-math.inf) == -math.inf and math.copysign(1, sent(-0.0)) == -1)

    def test_tensors_arrive_in_main_memory_with_type_and_shape(self):
        arrived = sent(TENSORS)
        for tensor, copy in zip(TENSORS, arrived):
            self.assertEqual((copy.dtype, copy.shape, copy.tolist()), (tensor.dtype, tensor.shape, tensor.tolist()))
        self.assertIs(type(sent(torch.nn.Parameter(torch.ones(1)))), torch.Tensor)

    def test_states_of_models_and_optimizers_can_be_loaded(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2))
        optimizer = torch.optim.Adam(model.parameters())
        model(torch.randn(2, 1, 5, 5)).sum().backward()
        optimizer.step()
        weights, memory = sent((model.state_dict(), optimizer.state_dict()))
        self.assertIsInstance(weights, collections.OrderedDict)
        self.assertEqual(weights._metadata, model.state_dict()._metadata)
        self.assertEqual(str(memory), str(optimizer.state_dict()))
        model.load_state_dict(weights)
        optimizer.load_state_dict(memory)

    def test_others_are_refused_by_their_type(self):
        for value, name in ((print, "builtins.builtin_function_or_method"), ([object()], "builtins.object"),
                            (collections.defaultdict(list), "collections.defaultdict"), (torch.Generator(), "torch._C.Generator")):
            with self.assertRaisesRegex(TypeError, f"a {name}: share"):
                values.described(value)
        for tensor in (torch.ones(1).to_sparse(), torch.quantize_per_tensor(torch.ones(1), 1, 0, torch.qint8)):
            with self.assertRaisesRegex(TypeError, "dense tensors"):
                values.described(tensor)

    def test_what_no_rank_sends_is_an_error(self):
        file = io.BytesIO()
        torch.save({"a": torch.ones(1)}, file)
        for text in (*HOSTILE, file.getvalue()):
            with self.assertRaisesRegex(ValueError, "what came describes no tensors"):
                values.tensors_for(text)
        for part in NO_VALUES:
            text = f'{{"value": {part}, "tensors": []}}'.encode()
            self.assertEqual(values.tensors_for(text), [])
            with self.assertRaisesRegex(ValueError, "what came describes no value", msg=part):
                values.built(text, [])
        self.assertEqual(json.loads(values.described([1])[0]), {"value": {"list": [1]}, "tensors": []})


if __name__ == "__main__":
    unittest.main()
