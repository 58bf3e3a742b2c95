#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains as train.py does, without DistributedDataParallel: it continues when ranks end, and with those that come back.

    adarun launch --hosts node[1-2]:2 --min-ranks 2 --rank-restarts 10 -- python3 elastic.py
"""
import argparse

import torch
from torch.nn.functional import cross_entropy

import adasum.torch as ada

BATCH = 32


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    options = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(1)
    centres = torch.randn(10, 16)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    state = ada.State(elastic=True, any_world=True)

    step, alike = 0, False  # A rank that comes back begins so, too.
    while True:
        try:
            if not alike:
                step, weights, memory = state.share((step, model.state_dict(), optimizer.state_dict()))
                model.load_state_dict(weights)
                optimizer.load_state_dict(memory)
                torch.manual_seed(1000 * step + state.rank)  # Each rank draws other points.
                alike = True
            if step == options.steps:
                state.combine([torch.zeros(1)])  # None leaves before all have taken the last step.
                break
            labels = torch.randint(10, (BATCH,))
            loss = cross_entropy(model(centres[labels] + torch.randn(BATCH, 16) / 2), labels)
            optimizer.zero_grad()
            loss.backward()
            state.combine([parameter.grad for parameter in model.parameters()])
        except ada.MembersChanged as change:
            print(change, flush=True)
            alike = False
            continue
        optimizer.step()
        step += 1
        if step == 1 or step % 20 == 0:
            print(f"epoch: 1 step: {step}, loss is {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
