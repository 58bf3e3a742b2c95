#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network by DistributedDataParallel over gloo, on points that it draws itself: which of ten centres is nearest?

    adarun launch --hosts node[1-2]:2 -- python3 train.py
    adarun launch --hosts node[1-2]:2 -- python3 train.py --mean

Gradients are combined by AdaSum, or with --mean by DistributedDataParallel itself.
"""
import argparse

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

import adasum.torch as ada

BATCH = 32


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mean", action="store_true", help="the mean instead of AdaSum")
    parser.add_argument("--steps", type=int, default=60)
    options = parser.parse_args()

    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    torch.manual_seed(1)
    centres = torch.randn(10, 16)
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)))
    if not options.mean:
        model.register_comm_hook(None, ada.hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    torch.manual_seed(2 + dist.get_rank())  # each rank draws other points
    for step in range(1, options.steps + 1):
        labels = torch.randint(10, (BATCH,))
        loss = cross_entropy(model(centres[labels] + torch.randn(BATCH, 16) / 2), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == 1 or step % 20 == 0:
            print(f"epoch: 1 step: {step}, loss is {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
