# SPDX-License-Identifier: Apache-2.0
"""A scenario of ranks.py: backward passes that add to the gradients of earlier ones."""
import functools

import torch
import torch.distributed as dist

import adasum.torch as ada
from models import listed


class Passes:
    """Backward passes of a model that add to its gradients."""

    def __init__(self, model, gradients):
        self.model, self.gradients = model, gradients
        self.model.register_comm_hook(ada.State(), ada.hook)

    def local(self, *steps):
        with self.model.no_sync():
            for step in steps:
                self.model(self.gradients(step)).backward()

    def combined(self, step, without=None):
        inputs = self.gradients(step)
        if without is not None:
            inputs[without] = None
        self.model(inputs).backward()
        return listed(weight.grad for weight in self.model.parameters())


def found(model_of, mine):
    """In ranks whose models and gradients these make."""
    all_ways = {}
    for name, dtype, options in (("plain", torch.float32, {}), ("views", torch.float64, {"gradient_as_bucket_view": True}),
                                 ("static", torch.float64, {"static_graph": True}),
                                 ("unused", torch.float64, {"find_unused_parameters": True})):
        passes = Passes(model_of(dtype, bucket_cap_mb=1e-5, **options), functools.partial(mine, dtype))
        zero = functools.partial(passes.model.zero_grad, set_to_none=False)
        twice = [passes.combined(step) for step in (0, 1, 2)]
        passes.local(3)
        mixed = passes.combined(4)
        passes.model.zero_grad(set_to_none=True)
        passes.local(0, 1)
        none = passes.combined(2)
        zero()
        zeros = [passes.combined(step) for step in (1, 2)]
        passes.local(3)
        zero()
        passes.local(4)
        dropped = passes.combined(0)
        all_ways[name] = {"twice": twice, "mixed": mixed, "none": none, "zeros": zeros, "dropped": dropped}
    zero()
    all_ways["of rank 0"] = [passes.combined(0), passes.combined(1, without=2 if dist.get_rank() else None),
                             passes.combined(2, without=2)]
    return all_ways
