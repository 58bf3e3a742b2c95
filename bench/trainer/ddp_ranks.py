# SPDX-License-Identifier: Apache-2.0
"""How ddp.py is started, once for each rank."""
import pathlib
import socket

DDP = pathlib.Path(__file__).resolve().parent / "ddp.py"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def ddp_ranks(python, build, ranks, *arguments):
    """A command and what it adds to the environment, for each rank; `build` has the Python package of the hook."""
    port = str(free_port())
    return [([python, DDP, *arguments],
             {"RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
              "OMP_NUM_THREADS": "1", "PYTHONPATH": str(build / "python")})
            for rank in range(ranks)]
