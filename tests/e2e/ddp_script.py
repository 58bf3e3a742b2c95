# SPDX-License-Identifier: Apache-2.0
"""A typical PyTorch script, independent of adarun: fits y = 2x + 1 with DDP over gloo, env://."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def main():
    dist.init_process_group("gloo", init_method="env://")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(rank)
    model = DistributedDataParallel(torch.nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    for step in range(100):
        x = torch.rand(32, 1) * 2 - 1
        loss = ((model(x) - (2 * x + 1)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    weight, bias = (value.item() for value in model.parameters())
    print(f"rank {rank} of {world}: y = {weight:.3f} x + {bias:.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
