# SPDX-License-Identifier: Apache-2.0
"""docs/howto/pytorch.md: the build's Python package, under the Python that has Debian's torch."""
from cases import Case, Substitute

PYTHON = "env PYTHONPATH={folder}/build/release/python /usr/bin/python3"
LOSS = r"epoch: 1 step: 60, loss is 0\.\d+"
SUBSTITUTES = [Substitute("python3 examples", PYTHON + " examples", "not installed, and the Python that has torch"),
               Substitute("torchrun", PYTHON + " -m torch.distributed.run --redirects 2 --tee 2 --log_dir {folder}/torchrun",
                          "the same; its 1.13 needs that with Python 3.11")]
CASES = [
    Case("adarun launch --hosts node[1-2]:2 -- python3 examples/pytorch/train.py", shows=LOSS),
    Case("adarun launch --hosts node[1-2]:2 -- python3 examples/pytorch/train.py --mean", shows=LOSS),
    Case("adarun monitor --once", shows="4 with loss lines"),
    Case("adarun launch --hosts node[1-2]:2 --min-ranks 2 --rank-restarts 10 -- python3 examples/pytorch/elastic.py", shows=LOSS),
    Case("torchrun --nproc_per_node 2 examples/pytorch/train.py", shows=LOSS),
]
