#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What bench/trainer compares with: PyTorch's DistributedDataParallel over gloo, as in PyTorch's tutorials.

One process per rank, with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set. Trains on the same files as adarun-trainer,
held in memory, batch 32, momentum 0.9; prints `step: 1, loss is L` and, for each epoch, the images a second of all ranks.
"""
import argparse
import importlib
import pathlib
import sys
import time

import numpy
import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F

BATCH = 32


def read_idx(folder, part="train"):
    """(images, 1, 28, 28) and labels of a set in MNIST's format."""
    images = numpy.fromfile(folder / f"{part}-images-idx3-ubyte", numpy.uint8)[16:].reshape(-1, 1, 28, 28)
    labels = numpy.fromfile(folder / f"{part}-labels-idx1-ubyte", numpy.uint8)[8:]
    pixels = (torch.from_numpy(images).float() / 255 - 0.1307) / 0.3081
    return pixels, torch.from_numpy(labels).long()


def read_cifar10(folder):
    """(images, 3, 32, 32) and labels of a set in CIFAR-10's binary format."""
    records = numpy.concatenate([numpy.fromfile(folder / f"data_batch_{i}.bin", numpy.uint8) for i in range(1, 6)])
    records = torch.from_numpy(records.reshape(-1, 3073))
    mean, deviation = (torch.tensor(values).view(1, 3, 1, 1)
                       for values in ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)))
    return (records[:, 1:].reshape(-1, 3, 32, 32).float() / 255 - mean) / deviation, records[:, 0].long()


def enlarged(images, labels):
    """The images with 224 x 224 pixels."""
    return F.interpolate(images, size=(224, 224), mode="bilinear", align_corners=False), labels


def lenet5():
    return nn.Sequential(nn.ConstantPad2d(2, -0.1307 / 0.3081), nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(),
                         nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(),
                         nn.Linear(512, 10))


class Block(nn.Module):
    """Two 3x3 convolutions and a shortcut, which is a 1x1 convolution where the shape changes."""

    def __init__(self, inside, out, stride):
        super().__init__()
        self.way = nn.Sequential(nn.Conv2d(inside, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(),
                                 nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
        self.shortcut = nn.Sequential()
        if stride != 1 or inside != out:
            self.shortcut = nn.Sequential(nn.Conv2d(inside, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.way(x) + self.shortcut(x))


def residual(stem, width, blocks, classes):
    """Stages of blocks; each but the first halves rows and columns and doubles the width."""
    layers, inside, out = stem, width, width
    for stage, count in enumerate(blocks):
        for block in range(count):
            layers.append(Block(inside, out, 2 if stage > 0 and block == 0 else 1))
            inside = out
        out *= 2
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, classes))


def resnet20():
    return residual([nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()], 16, (3, 3, 3), 10)


def resnet18():
    return residual([nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64,
                    (2, 2, 2, 2), 10)


def tell(line):
    """Prints with a single write, so that lines of several ranks do not mix."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


MODELS = {"lenet5": (lenet5, read_idx), "mlp": (mlp, read_idx), "resnet20": (resnet20, read_cifar10),
          "resnet18": (resnet18, lambda folder: enlarged(*read_cifar10(folder)))}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("epochs", type=int)
    parser.add_argument("--hook", action="store_true", help="AdaSum by adasum.torch.hook instead of the mean")
    parser.add_argument("--rate", type=float, default=0.02, help="learning rate (default 0.02)")
    parser.add_argument("--seed", type=int, default=1, help="of the weights and the order of images (default 1)")
    parser.add_argument("--test-every", type=int, metavar="STEPS", help="prints the accuracy on the test images (lenet5, mlp)")
    return parser.parse_args()


def accuracy(model, images, labels):
    """Of all ranks together, each of which is given its share."""
    with torch.no_grad():
        right = torch.cat([model(part) for part in images.split(500)]).argmax(1) == labels
    counts = torch.tensor([right.sum().item(), len(labels)], dtype=torch.double)
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def main():
    options = arguments()
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="env://")
    rank, world = dist.get_rank(), dist.get_world_size()
    make, read = MODELS[options.model]
    images, labels = read(options.folder)
    test = [part[rank::world] for part in read_idx(options.folder, "t10k")] if options.test_every else []
    torch.manual_seed(options.seed)
    model = nn.parallel.DistributedDataParallel(make())
    if options.hook:
        model.register_comm_hook(None, importlib.import_module("adasum.torch").hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=options.rate, momentum=0.9)
    taken = 0
    for epoch in range(1, options.epochs + 1):
        shuffled = torch.Generator().manual_seed(1000 * options.seed + epoch)
        order = torch.randperm(len(images), generator=shuffled)[rank::world]
        begin = time.perf_counter()
        steps = len(images) // world // BATCH
        for step in range(steps):
            batch = order[step * BATCH:(step + 1) * BATCH]
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images[batch]), labels[batch])
            loss.backward()
            optimizer.step()
            taken += 1
            if taken == 1:
                tell(f"epoch: 1 step: 1, loss is {loss.item()}")
            if options.test_every and taken % options.test_every == 0:
                share = accuracy(model.module, *test)
                if rank == 0:
                    tell(f"step: {taken} accuracy: {share:.4f}")
        speed = torch.tensor([steps * BATCH / (time.perf_counter() - begin)])
        dist.all_reduce(speed)
        if rank == 0:
            tell(f"throughput: {speed.item():.0f} images/s")


if __name__ == "__main__":
    main()
