# SPDX-License-Identifier: Apache-2.0
"""A PyTorch script of four ranks, of which rank 2 ends at step 5 and comes back. Ends ten steps after it is there again."""
import os
import signal

import torch

import adasum.torch as ada

AGAIN = int(os.environ.get("ADARUN_RANK_RESTARTS", "0")) > 0


def main():
    torch.manual_seed(int(os.environ["RANK"]))
    weights = torch.nn.Parameter(torch.randn(100))
    optimizer = torch.optim.SGD([weights], lr=0.1, momentum=0.9)
    state = ada.State(elastic=True, any_world=True)
    step, whole, alike, changes = 0, 0, False, []
    while whole < 10:
        try:
            if not alike:
                step, whole, values, memory = state.share((step, 0, weights.detach(), optimizer.state_dict()))
                weights.data.copy_(values)
                optimizer.load_state_dict(memory)
                alike = True
            if step == 5 and os.environ["RANK"] == "2" and not AGAIN:
                os.kill(os.getpid(), signal.SIGKILL)
            weights.grad = torch.randn(100)
            state.combine([weights.grad])
        except ada.MembersChanged:
            changes.append(state.size)
            alike = False
            continue
        optimizer.step()
        step += 1
        if step > 5 and state.size == 4:
            whole += 1
    print(f"changes: {changes}, weights: {weights.detach().double().sum().item().hex()}", flush=True)


if __name__ == "__main__":
    main()
