# SPDX-License-Identifier: Apache-2.0
"""A program that goes on without ranks that end, by adasum.World: it adds 1 to its numbers ten times, once a step."""
import array
import os
import signal

import adasum

STEPS = 10


def share(world, address, size):
    """Gives all ranks the numbers of the first one; returns how often the ranks have changed until all have them."""
    changes = 1
    while True:
        try:
            world.broadcast(address, size)
            return changes
        except adasum.MembersChanged:
            changes += 1


def main():
    world = adasum.World.join(elastic=True)
    numbers = array.array("d", [0] * 1000)
    address, size = numbers.buffer_info()
    changes = 0
    while numbers[0] < STEPS:
        if numbers[0] == 5 and os.environ["RANK"] == "2":
            os.kill(os.getpid(), signal.SIGKILL)
        step = array.array("d", [numbers[0] + 1] * size)
        try:
            world.allreduce([(step.buffer_info()[0], size)], adasum.FLOAT64, any_world=True)  # the mean of equals
            numbers[:] = step
        except adasum.MembersChanged:
            changes += share(world, address, 8 * size)
    print(f"rank {world.rank} of {world.size}: {numbers[0]:.0f} after {changes} changes", flush=True)
    world.close()


if __name__ == "__main__":
    main()
