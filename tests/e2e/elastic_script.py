# SPDX-License-Identifier: Apache-2.0
"""A program that continues without ranks that end, and with those that come back, by adasum.World: it adds 1 to its numbers
ten times, once a step. Rank 2 ends in the middle, with ENDS=node all that runs on its node. With AT_LEAST=N the last
number is added when there are N ranks.
"""
import array
import os
import signal

import adasum

STEPS = 10


def share(world, address, size):
    """Gives all ranks the numbers of the oldest one; returns how often the ranks have changed meanwhile."""
    changes = 0
    while True:
        try:
            world.broadcast(address, size, world.oldest)
            return changes
        except adasum.MembersChanged:
            changes += 1


def main():
    world = adasum.World.join(elastic=True)
    numbers = array.array("d", [0] * 1000)
    address, size = numbers.buffer_info()
    restarts = int(os.environ.get("ADARUN_RANK_RESTARTS", "0"))
    changes = share(world, address, 8 * size) + (1 if restarts else 0)  # Its own coming is one.
    at_least = int(os.environ.get("AT_LEAST", "1"))
    while numbers[0] < STEPS:
        if numbers[0] == 5 and os.environ["RANK"] == "2" and not restarts:
            os.kill(os.getppid() if os.environ.get("ENDS") == "node" else os.getpid(), signal.SIGKILL)
            signal.pause()
        waits = numbers[0] == STEPS - 1 and world.size < at_least
        step = array.array("d", [numbers[0] + (not waits)] * size)
        try:
            world.allreduce([(step.buffer_info()[0], size)], adasum.FLOAT64, any_world=True)  # the mean of equals
            numbers[:] = step
        except adasum.MembersChanged:
            changes += 1 + share(world, address, 8 * size)
    print(f"rank {world.rank} of {world.size}: {numbers[0]:.0f} after {changes} changes", flush=True)
    world.close()


if __name__ == "__main__":
    main()
