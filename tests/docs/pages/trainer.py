# SPDX-License-Identifier: Apache-2.0
"""docs/trainer.md: each training runs one or two steps."""
from cases import Case, Substitute, replaced, set_up_by
from setting import MNIST

SHORT = "the same with few steps"

SETTING = MNIST
SUBSTITUTES = [Substitute("DIR", "data/mnist", "the folder of some data"),
               Substitute("/data/kept", "{folder}/kept", "a folder of the test")]
CASES = [
    replaced("adarun-trainer", "adarun-trainer --max-steps 20", SHORT, shows="loss is"),
    replaced("mpirun -n 16 adarun-trainer", "mpirun -n 16 adarun-trainer --max-steps 1", SHORT, shows="rank 15 of 16"),
    replaced("mpirun -n 4 adarun-trainer --adasum-world any", "mpirun -n 4 adarun-trainer --adasum-world any --max-steps 1", SHORT),
    replaced("adarun train --hosts node[1-2]:8 -- --epochs 5 --eval",
             "adarun train --hosts node[1-2]:8 -- --epochs 5 --eval --max-steps 1", SHORT),
    set_up_by("adarun logs --rank 0", "adarun train -q --hosts node[1-2]:8 -- --epochs 1 --eval"),
    replaced("adarun train --hosts node[1-2]:8 -- --preset adasum-resnet50-imagenet --data-path /data/imagenet",
             "adarun train --dry-run --hosts node[1-2]:8 -- --preset adasum-resnet50-imagenet --data-path /data/imagenet && "
             "adarun-trainer --print-config --preset adasum-resnet50-imagenet --data-path /data/imagenet",
             "ImageNet is not here: what would run, and whether the trainer takes its words", shows='"data-path": "/data/imagenet"'),
    replaced("adarun train --hosts node[1-2]:8 --restarts 2 -- --checkpoint-dir /data/kept --checkpoint-minutes 10",
             "adarun train --hosts node[1-2]:8 --restarts 2 -- --checkpoint-dir /data/kept --checkpoint-minutes 10 --max-steps 1",
             SHORT),
    replaced("adarun-trainer data draw --format imagefolder --out DIR # a small set of images, to try things with",
             "adarun-trainer data draw --format imagefolder --out drawn", "a folder of its own"),
    Case("adarun-trainer --preset lenet5-mnist --lr 0.02 --print-config > job.json"),
    replaced("adarun train --hosts node[1-2]:8 -- --config job.json --epochs 3",
             "adarun train --hosts node[1-2]:8 -- --config job.json --epochs 3 --data-path DIR --max-steps 1", SHORT),
]
