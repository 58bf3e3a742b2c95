# SPDX-License-Identifier: Apache-2.0
"""Pages about the trainer and AdaSum; each training runs one or two steps."""
from cases import Case, Page, Substitute, not_run, replaced, set_up_by
from setting import MNIST

PAGES = {}
OF_DATA = Substitute("DIR", "data/mnist", "the folder of some data")

SHORT = "the same with few steps"

PAGES["docs/trainer.md"] = Page(MNIST, substitutes=[
    OF_DATA,
    Substitute("/data/kept", "{folder}/kept", "a folder of the test"),
], cases=[
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
    Case("adarun-trainer --preset lenet5-mnist --lr 0.02 --print-config > job.json"),
    replaced("adarun train --hosts node[1-2]:8 -- --config job.json --epochs 3",
             "adarun train --hosts node[1-2]:8 -- --config job.json --epochs 3 --data-path DIR --max-steps 1", SHORT),
])

PAGES["docs/trainer-data.md"] = Page(MNIST, substitutes=[OF_DATA], cases=[
    replaced("adarun-trainer data draw --format idx|cifar10|imagefolder --out DIR [--train 1000] [--test 200]",
             "for format in idx cifar10 imagefolder; do adarun-trainer data draw --format $format --out of_$format --train 10 "
             "--test 2; done", "a synopsis"),
    replaced("adarun-trainer data convert --dataset mnist --data-path DIR --format imagefolder --out DIR",
             "adarun-trainer data convert --dataset mnist --data-path DIR --format imagefolder --out folders", "two folders"),
    replaced("adarun-trainer data inspect --dataset imagefolder --data-path DIR [--ranks 16] [--batch-size 256] [--json]",
             "adarun-trainer data inspect --dataset imagefolder --data-path folders --ranks 16 --batch-size 256 --json", "a synopsis"),
])

PAGES["trainer-help"] = Page(MNIST, substitutes=[OF_DATA], cases=[
    replaced("adarun-trainer", "adarun-trainer --max-steps 20", SHORT, shows="loss is"),
    *(not_run(command, "docs/trainer.md shows it as well, and it is run there") for command in (
        "mpirun -n 16 adarun-trainer", "mpirun -n 4 adarun-trainer --adasum-world any", "adarun train --hosts node[1-2]:8 -- --epochs 5")),
    replaced("adarun-trainer data draw --format cifar10 --out DIR", "adarun-trainer data draw --format cifar10 --out cifar",
             "a folder of its own"),
    set_up_by("adarun-trainer data convert --dataset mnist --data-path mnist --format cifar10 --out mnist10",
              "ln -s data/mnist mnist"),
    replaced("adarun-trainer profile --model resnet50 --batch-size 8 -o resnet50.json",
             "adarun-trainer profile --model resnet50 --batch-size 1 --passes 1 --image-size 64 -o resnet50.json", "the same with small images"),
    replaced("adarun-trainer profile --model wide_mlp --parts 4 -o wide_mlp.json",
             "adarun-trainer profile --model wide_mlp --parts 4 --batch-size 1 --passes 1 -o wide_mlp.json", SHORT),
    Case("adarun-trainer data inspect --dataset imagefolder --data-path flowers", shows="classes: "),
])

PAGES["docs/adasum.md"] = Page(cases=[
    not_run("mpirun -n 4 adasum-c", "mpi.adasum_package builds the examples from the installed library and runs them"),
])

PAGES["docs/boost.md"] = Page(cases=[
    Case("adarun-trainer --boost-level O1 --boost '{\"boost\": {\"mode\": \"manual\", \"less_bn\": false}, \"grad_freeze\": {\"param_groups\": 3}}'",
         shows="loss is"),
])

PAGES["docs/convergence.md"] = Page(cases=[
    not_run("bench/convergence/run --data-path MNIST --out docs/convergence/results.jsonl", "it trains for half an hour"),
    not_run("bench/convergence/explore --data-path MNIST --out docs/convergence/explore.jsonl --seeds 1",
            "it trains for half an hour"),
    replaced("bench/convergence/report docs/convergence/results.jsonl --plots docs/convergence",
             "bench/convergence/report docs/convergence/results.jsonl --plots plots",
             "the plots of the source are not to be written by a test", before="mkdir plots"),
])

PAGES["docs/parallel.md"] = Page(cases=[
    Case("adarun plan --ranks 16 --model mlp.json --memory 1G --json", shows='"bound_by"'),
])
