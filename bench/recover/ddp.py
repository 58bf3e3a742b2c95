# SPDX-License-Identifier: Apache-2.0
"""A PyTorch script that trains with DDP over gloo, and continues from its checkpoint; independent of what starts it."""
import os
import pathlib
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

FOLDER = pathlib.Path(sys.argv[1])
CHECKPOINT = FOLDER / "checkpoint"
EVERY = 10


def main():
    dist.init_process_group("gloo", init_method="env://")
    rank = dist.get_rank()
    model = DistributedDataParallel(torch.nn.Linear(64, 64))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step = 0
    if CHECKPOINT.exists():
        state = torch.load(CHECKPOINT)
        step = state["step"]
        model.load_state_dict(state["model"])
    first = FOLDER / f"step.{os.environ['TORCHELASTIC_RESTART_COUNT']}.{rank}"
    while True:
        loss = model(torch.rand(32, 64)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if not first.exists():
            first.touch()
        if rank == 0 and step % EVERY == 0:
            torch.save({"step": step, "model": model.state_dict()}, CHECKPOINT.with_suffix(".part"))
            CHECKPOINT.with_suffix(".part").rename(CHECKPOINT)


if __name__ == "__main__":
    main()
