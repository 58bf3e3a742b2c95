# SPDX-License-Identifier: Apache-2.0
"""One rank of hook_test.py: ranks.py DEVICE SCENARIO..., with torch's RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. Prints JSON.
"""
import contextlib
import copy
import ctypes
import functools
import gc
import io
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from unittest import mock

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import adasum
import adasum.torch as ada
import passes
from models import STRIDED_SIZES, Products, drawn, kind_raised, listed, said


def mine(dtype=torch.float32, step=0):
    return [gradient.to(DEVICE) for gradient in drawn(dist.get_rank(), dtype, step)]


def model_of(dtype=torch.float32, **options):
    return DistributedDataParallel(Products(dtype).to(DEVICE), **options)


def backward(model, inputs):
    for weight in model.parameters():
        weight.grad = None
    model(inputs).backward()
    return listed(weight.grad for weight in model.parameters())


class Buckets:
    """A model with a bucket for each parameter, from the second step on; what the hook was called for in the last step."""

    def __init__(self, dtype, state=None):
        self.model = model_of(dtype, bucket_cap_mb=1e-5)
        self.model.register_comm_hook(state, self.hook)
        self.futures = []

    def hook(self, state, bucket):
        self.futures.append(ada.hook(state, bucket))
        return self.futures[-1]

    def backward(self, inputs):
        self.futures = []
        return backward(self.model, inputs)


def gradients_of_every_type():
    found, buckets = {}, []
    for dtype in (torch.float32, torch.float64, torch.float16):
        tried = Buckets(dtype)
        found[str(dtype)] = [tried.backward(mine(dtype, step)) for step in range(3)]
        buckets.append(len(tried.futures))
    gradients = mine(torch.bfloat16)  # gloo does not send a model of them.
    ada.State().combine(gradients)
    return {"gradients": {**found, "torch.bfloat16": [listed(gradients)]}, "buckets": buckets}


def backward_passes_that_add_up():
    return passes.found(model_of, mine)


def gradients_in_groups():
    model = model_of(torch.float64)
    model.register_comm_hook(ada.State(group_size=2), ada.hook)
    return backward(model, mine(torch.float64))


def gradients_of_a_subgroup():
    """Of ranks 2 and 3, which are not at MASTER_ADDR, an address that no machine has (RFC 5737)."""
    group = dist.new_group([2, 3])
    if dist.get_rank() < 2:
        return said(ada.State, group)
    model = model_of(torch.float64, process_group=group)
    with mock.patch.dict(os.environ, MASTER_ADDR="203.0.113.1"):
        model.register_comm_hook(ada.State(group), ada.hook)
    return backward(model, mine(torch.float64))


def own_addresses():
    found = {}
    for master in ("localhost", "203.0.113.1"):
        with mock.patch.dict(os.environ, MASTER_ADDR=master):
            found[master] = ada._own_address()
    return found


def ways_to_meet():
    """With the PMI of another program, which has not passed its socket on; and if rank 0 cannot listen."""
    gradients = mine(torch.float64)
    with mock.patch.dict(os.environ, PMI_FD="999", PMI_RANK=str(dist.get_rank()), PMI_SIZE=str(dist.get_world_size())):
        ada.State().combine(gradients)
    with mock.patch.object(ada, "Listener", side_effect=ada.Error("no ports are left")):
        return {"gradients": listed(gradients), "no listener": said(ada.State)}


def nan_of_one_rank():
    inputs = mine()
    if dist.get_rank() == 2:
        inputs[1][0] = float("inf")
    model = model_of(torch.float32)
    model.register_comm_hook(None, ada.hook)
    raised = said(backward, model, inputs)
    model = model_of(torch.float32)
    model.register_comm_hook(ada.State(spread_nan=True), ada.hook)
    return {"raised": raised, "finite": bool(torch.isfinite(torch.tensor(backward(model, inputs)[1])).any())}


def nan_in_some_buckets():
    """In the first one, of rank 2, and in the last one, of rank 1."""
    tried = Buckets(torch.float64)
    tried.backward(mine(torch.float64))
    inputs = mine(torch.float64, 1)
    if dist.get_rank() in (1, 2):
        inputs[0 if dist.get_rank() == 1 else 2][0] = float("nan")
    raised = said(tried.backward, inputs)
    done = [future.done() for future in tried.futures]
    return {"raised": raised, "done": done, "next": tried.backward(mine(torch.float64, 2))}


def nan_with_unused_parameters():
    """In a step in which no rank uses the last parameter, which rank 0 alone uses in the next one, and none in the third."""
    model = model_of(torch.float64, find_unused_parameters=True)
    model.register_comm_hook(ada.State(), ada.hook)
    steps = []
    for step, users in enumerate(([], [0], [])):
        inputs = mine(torch.float64, step)
        if dist.get_rank() not in users:
            inputs[2] = None
        if step == 0 and dist.get_rank() == 2:
            inputs[0][0] = float("nan")
        steps.append(kind_raised(backward, model, inputs) if step == 0 else backward(model, inputs))
    return steps


def nan_in_one_of_two_models(**options):
    """That have a backward pass together, in the first and in the last step."""
    state, models = ada.State(), [model_of(torch.float64, bucket_cap_mb=1e-5, **options) for _ in range(2)]
    for model in models:
        model.register_comm_hook(state, ada.hook)

    def step(number, bad=None):
        inputs = [mine(torch.float64, number), mine(torch.float64, number)]
        if dist.get_rank() == 1 and bad is not None:
            inputs[bad][1][0] = float("nan")
        for model in models:
            model.zero_grad()
        sum(model(given) for model, given in zip(models, inputs)).backward()
        return [listed(weight.grad for weight in model.parameters()) for model in models]

    return [kind_raised(step, 0, 0), step(1), kind_raised(step, 2, 1), kind_raised(step, 3, 0), step(4)]


def nan_in_one_of_two_static_models():
    return nan_in_one_of_two_models(static_graph=True)


class LastButOne:
    """A bucket behind which DistributedDataParallel leaves out the last one, as it may where no rank uses its parameters."""

    def __init__(self, gradient):
        self.gradient = gradient

    def buffer(self):
        return self.gradient

    def gradients(self):
        return [self.gradient]

    def parameters(self):
        return []

    def is_last(self):
        return False


def nan_without_a_last_bucket():
    state, weight = ada.State(), torch.ones(3, device=DEVICE, requires_grad=True)
    weight.register_hook(lambda gradient: state.combine_bucket(LastButOne(gradient.clone())).wait())
    factor = float("nan") if dist.get_rank() == 1 else 1.0
    return [kind_raised((weight * factor).sum().backward), kind_raised((weight * 1.0).sum().backward)]


def nan_of_a_bucket_outside_a_backward_pass():
    """As DistributedDataParallel.join() has them combined."""
    state = ada.State()
    last = LastButOne(torch.full((3,), float("nan" if dist.get_rank() == 1 else 1), device=DEVICE))
    last.is_last = lambda: True
    return said(state.combine_bucket(last).wait)


def hooks_of_an_optimizer():
    """That later versions of PyTorch keep in lists of the optimizer."""
    weight = torch.nn.Parameter(torch.ones(2, device=DEVICE))
    optimizer = ada.Optimizer(torch.optim.SGD([weight], lr=1))
    optimizer.optimizer.later = "a list"
    return [optimizer.later, said(lambda: optimizer.never), said(lambda: ada.Optimizer.__new__(ada.Optimizer).later)]


def copies_of_an_optimizer():
    """And what is copied instead."""
    weight = torch.nn.Parameter(torch.ones(2, device=DEVICE))
    optimizer = ada.Optimizer(torch.optim.SGD([weight], lr=1))
    return {"ways": said_of_copies(optimizer), "state": said(copy.deepcopy, optimizer.state_dict())}


def said_of_copies(value):
    return [said(way, value) for way in (copy.deepcopy, copy.copy, lambda value: torch.save(value, io.BytesIO()))]


def copies_of_a_state():
    """And of the world below it."""
    state = ada.State(any_world=True)
    return [said_of_copies(state), said_of_copies(state._world)]


def steps_of_deltas():
    """Parameters that differ before the optimizer is wrapped, three steps of it with a scheduler, and a step with NaN."""
    model = Products(torch.float64).to(DEVICE)
    with torch.no_grad():
        model.weights[0].fill_(dist.get_rank() + 1)
    optimizer = ada.Optimizer(torch.optim.SGD(model.parameters(), lr=1, momentum=0.5))
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for step in range(3):
        optimizer.zero_grad()
        model(mine(torch.float64, step)).backward()
        optimizer.step()
        schedule.step()
    weights, memory = listed(model.parameters()), momentum(optimizer)
    if dist.get_rank() == 1:
        model.weights[1].grad[0] = float("nan")
    raised = said(optimizer.step)
    return {"weights": weights, "raised": raised, "as before": listed(model.parameters()) == weights,
            "memory as before": momentum(optimizer) == memory,
            "spread_nan": said(ada.Optimizer, optimizer.optimizer, ada.State(spread_nan=True))}


def steps_with_a_closure():
    """One, and one in which rank 1 has NaN."""
    model, inputs = Products(torch.float64).to(DEVICE), mine(torch.float64)
    optimizer = ada.Optimizer(torch.optim.SGD(model.parameters(), lr=1))

    def closure():
        optimizer.zero_grad()
        loss = model(inputs)
        loss.backward()
        return loss

    loss = sum(gradient.sum().item() for gradient in inputs)  # of weights that are 1
    returned = optimizer.step(closure).item()
    weights = listed(model.parameters())
    if dist.get_rank() == 1:
        inputs[1][0] = float("nan")
    raised = said(optimizer.step, closure)
    return {"returns the loss": abs(returned - loss) < 1e-9, "weights": weights, "raised": raised,
            "as before": listed(model.parameters()) == weights}


def steps_of_strided_parameters():
    """A transposed weight, and one whose channels come last, which differ before the optimizer is wrapped."""
    values = torch.ones(5, 3), torch.ones(2, 3, 2, 2).to(memory_format=torch.channels_last)
    first, second = (value.to(DEVICE, torch.float64) * (dist.get_rank() + 1) for value in values)
    weights = [torch.nn.Parameter(first.t()), torch.nn.Parameter(second)]
    optimizer = ada.Optimizer(torch.optim.SGD(weights, lr=1))
    for weight, gradient in zip(weights, drawn(dist.get_rank(), torch.float64, sizes=STRIDED_SIZES)):
        weight.grad = gradient.to(DEVICE)
    optimizer.step()
    return {"weights": listed(weights), "contiguous": [weight.is_contiguous() for weight in weights]}


def momentum(optimizer):
    return listed(memory["momentum_buffer"] for memory in optimizer.state.values())


def refusals():
    state, is_one = ada.State(), dist.get_rank() == 1
    lists = ([torch.zeros(2, dtype=torch.int32)], [torch.zeros(4, 4).t()[:2]], [torch.zeros(1), torch.zeros(1).double()],
             [torch.zeros(1, device="meta")], [torch.zeros(2).to_sparse()], [torch.zeros(3 if is_one else 2)],
             [torch.zeros(1)] if is_one else [], [], [torch.zeros(1)], [torch.zeros(1, device=DEVICE), None], [None])
    return [said(state.combine, tensors) for tensors in lists]


def refusals_of_rank_one():
    """Which the others notice, and all continue."""
    state, gradients = ada.State(), mine(torch.float64)
    refused = said(state.combine, [torch.zeros(1, dtype=torch.int32 if dist.get_rank() == 1 else torch.float32)])
    state.empty(0 if dist.get_rank() == 1 else 5, torch.float32)
    state.combine(gradients)
    return {"refused": refused, "gradients": listed(gradients)}


def no_memory_of_rank_one():
    """For a copy of its tensors, which the others notice, and all continue."""
    state, gradients = ada.State(), mine(torch.float64)
    short = mock.patch.object(torch, "cat", side_effect=RuntimeError("out of memory")) if DEVICE == "cuda" else \
        mock.patch.object(ada, "flat_on_gpu", side_effect=ada.Refused("no copy of tensors on cuda:0: out of memory"))
    with short if dist.get_rank() == 1 else contextlib.nullcontext():
        refused = said(state.combine, mine(torch.float64))
    state.combine(gradients)
    return {"refused": refused, "gradients": listed(gradients)}


def values_that_are_not_shared():
    """One that rank 0 cannot send, one that rank 1 cannot build, and tensors of rank 1 that are none."""
    not_sent = said(ada.State().share, {"step": lambda: 0} if dist.get_rank() == 0 else 1)
    building, sending = ada.State(), ada.State()
    failing = mock.patch.object(ada.values, "built", side_effect=ValueError("cannot be built here"))
    with failing if dist.get_rank() == 1 else contextlib.nullcontext():
        not_built = said(building.share, 1) or said(building.combine, [torch.zeros(1)])
    no_tensor = said(sending.broadcast, [None if dist.get_rank() == 1 else torch.zeros(1)], 1)
    return {"not sent": not_sent, "not built": not_built, "later": said(building.combine, [torch.zeros(1)]),
            "no tensor": no_tensor}


def value_that_would_run_code():
    """Rank 0 sends what torch.save() makes of it, in place of what share() sends."""
    state, ran = ada.State(), []
    folder = state.share(tempfile.mkdtemp() if dist.get_rank() == 0 else None)
    dist.barrier()  # A rank that refuses what comes next gives up, which others may hear while they wait for this.
    code = type("Code", (), {"__reduce__": lambda self: (os.mkdir, (f"{folder}/ran",))})
    if dist.get_rank() == 0:
        torch.save(code(), file := io.BytesIO())
        for sent in (len(file.getvalue()).to_bytes(8, "little"), file.getvalue()):
            memory = ctypes.create_string_buffer(sent, len(sent))
            state._world.broadcast(ctypes.addressof(memory), len(sent))
    refused = said(state.share, 1) if dist.get_rank() > 0 else ""
    dist.barrier()
    if dist.get_rank() == 0:
        ran = os.listdir(folder)
        shutil.rmtree(folder)
    return {"refused": refused, "ran": ran}


def values_that_are_shared():
    """By the thread that has told a GPU to compute them, to ranks without numpy; what a rank has passed it gets back itself."""
    state, threads, describe = ada.State(), [], ada.values.described
    value = {"weights": mine(torch.float64)}

    def described(given):
        threads.append(threading.current_thread().name)
        return describe(given)

    with mock.patch.object(torch.Tensor, "numpy", side_effect=RuntimeError("Numpy is not available")), \
            mock.patch.object(ada.values, "described", described):
        shared = state.share(value)
    return {"is its own": shared is value, "threads": threads, "weights": listed(shared["weights"])}


def copy_that_fails_on_rank_one():
    """Back to its tensor, whose elements are one in memory: the others hear of it."""
    state = ada.State()
    failed = said(state.broadcast, [torch.zeros(1).expand(3) if dist.get_rank() == 1 else torch.zeros(3)])
    return {"failed": failed, "later": said(state.combine, [torch.zeros(1)])}


def elastic_state():
    """Of ranks that do not change, in groups that do not divide them."""
    with mock.patch.object(ada, "_elastic_world", ada._world_of):
        state = ada.State(elastic=True, group_size=3)
    gradients, model = mine(torch.float64), model_of(torch.float32)
    state.combine(gradients)
    shared = state.share(dist.get_rank())
    model.register_comm_hook(state, ada.hook)
    return {"gradients": listed(gradients), "shared": shared, "memory": said(state.empty, 1, torch.float32),
            "hook": said(backward, model, mine()),
            "optimizer": said(ada.Optimizer, torch.optim.SGD(model.parameters(), lr=1), state)}


def memory_without_its_state():
    """Where tensors are made on another device than the CPU unless they name theirs."""
    state = ada.State()
    with mock.patch.object(torch, "empty", functools.partial(torch.empty, device="meta")):
        memory, none = state.empty(3, torch.float32), state.empty(0, torch.float32)
    del state
    gc.collect()
    return [memory.fill_(1).tolist(), str(none.device)]


def broadcast():
    """Of a strided tensor of rank 1."""
    tensor = torch.arange(12, device=DEVICE).view(3, 4).t() * (1 if dist.get_rank() == 1 else -1)
    ada.State().broadcast([tensor], 1)
    return tensor.tolist()


def gradients_on_unlike_devices():
    """On a GPU, but those of rank 1 in main memory."""
    gradients = [gradient.to("cpu" if dist.get_rank() == 1 else DEVICE) for gradient in drawn(dist.get_rank(), torch.float64)]
    ada.State().combine(gradients)
    return listed(gradients)


def gradients_behind_work():
    """That the GPU still computes when it is told to combine them, in a stream that is not the default."""
    found = []
    with torch.cuda.stream(torch.cuda.Stream()):
        state = ada.State()
        for step in range(20):
            slow = torch.eye(1000, device=DEVICE)
            for _ in range(20):
                slow = slow @ slow
            gradients = [gradient * slow[0, 0] for gradient in mine(torch.float64, step)]
            state.broadcast([sent := slow * dist.get_rank()], 3)
            shared = state.share(gradients[0].clone())
            state.combine(gradients)
            found.append([*listed(gradients), sent[0, :2].tolist(), *listed([shared])])
    return found


def sparse_gradients():
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(4, 2, sparse=True), torch.nn.Linear(2, 1)).to(DEVICE))
    model.register_comm_hook(None, ada.hook)
    return said(lambda: model(torch.tensor([1, 3], device=DEVICE)).sum().backward())


def worlds_that_are_closed():
    """A listener that is not used ends; a world that a forked child closes continues; one that is closed refuses all calls."""
    port = adasum.Listener("", "localhost").root.port
    with socket.socket() as caller:
        ended = caller.connect_ex(("localhost", port)) != 0
    listener = adasum.Listener("", "localhost") if dist.get_rank() == 0 else None
    told = [listener and listener.root]
    dist.broadcast_object_list(told)
    world = adasum.World.connect(dist.get_rank(), dist.get_world_size(), told[0], listener)
    child = os.fork()
    if child == 0:
        world.close()
        os._exit(0)
    os.waitpid(child, 0)
    dist.barrier()
    gradient = torch.ones(1)
    world.allreduce([(gradient.data_ptr(), 1)], adasum.FLOAT32)
    dist.barrier()
    world.close()
    return {"told": adasum.Listener("").root.host == socket.gethostname(), "ended": ended, "combined": gradient.tolist(),
            "closed": [said(lambda: world.rank), said(lambda: world.size), said(world.allreduce, [], adasum.FLOAT32),
                       said(world.broadcast, 0, 0), said(world.allocate, 1), said(world.give_up), said(world.close)],
            "used": said(listener.take) if listener else None}


def end_of_the_last_rank():
    others = dist.new_group(range(dist.get_world_size() - 1))
    state = ada.State(any_world=True)
    model = model_of(torch.float32)
    model.register_comm_hook(state, ada.hook)
    for _ in range(2):  # DistributedDataParallel uses gloo in the second one.
        backward(model, mine())
    if dist.get_rank() == dist.get_world_size() - 1:
        os._exit(0)
    raised = said(backward, model, mine())
    dist.barrier(others)  # Neither ends before the other has noticed.
    return {"raised": raised, "later": said(state.combine, [torch.zeros(1)])}


def world_of_three():
    model = model_of(torch.float32)
    model.register_comm_hook(None, ada.hook)
    refused = said(backward, model, mine())
    model = model_of(torch.float64)
    model.register_comm_hook(ada.State(any_world=True), ada.hook)
    return {"refused": refused, "gradients": backward(model, mine(torch.float64))}


if __name__ == "__main__":
    DEVICE = sys.argv[1]
    torch.set_num_threads(1)
    dist._DEFAULT_FIRST_BUCKET_BYTES = 1
    dist.init_process_group("gloo")
    print(json.dumps({name: globals()[name]() for name in sys.argv[2:]}), flush=True)
    os._exit(0)  # gloo may wait for a rank that has ended.
