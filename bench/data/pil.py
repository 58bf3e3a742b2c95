# SPDX-License-Identifier: Apache-2.0
"""The peer of bench-data: the same images by PIL, as torchvision's transforms use it, in a PyTorch DataLoader."""
import argparse
import json
import math
import pathlib
import random
import time

import numpy
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

MEAN = numpy.array([0.485, 0.456, 0.406], dtype=numpy.float32)
DEVIATION = numpy.array([0.229, 0.224, 0.225], dtype=numpy.float32)


def random_part(width, height):
    """(left, top, right, bottom): 8 to 100 % of the area, 3:4 to 4:3."""
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        columns, rows = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < columns <= width and 0 < rows <= height:
            left, top = random.randint(0, width - columns), random.randint(0, height - rows)
            return left, top, left + columns, top + rows
    side = min(width, height)
    return (width - side) // 2, (height - side) // 2, (width + side) // 2, (height + side) // 2


class Folder(Dataset):
    def __init__(self, folder, side):
        self.files = sorted((pathlib.Path(folder) / "train").glob("*/*"))
        self.labels = {name: i for i, name in enumerate(sorted({file.parent.name for file in self.files}))}
        self.side = side

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        picture = Image.open(self.files[index]).convert("RGB")
        picture = picture.crop(random_part(*picture.size)).resize((self.side, self.side), Image.BILINEAR)
        if random.random() < 0.5:
            picture = picture.transpose(Image.FLIP_LEFT_RIGHT)
        values = (numpy.asarray(picture, dtype=numpy.float32) / 255 - MEAN) / DEVIATION
        return torch.from_numpy(values.transpose(2, 0, 1).copy()), self.labels[self.files[index].parent.name]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    random.seed(1)
    loader = DataLoader(Folder(options.folder, options.side), options.batch_size, shuffle=True, drop_last=True,
                        num_workers=options.workers, persistent_workers=options.workers > 0)
    total = squares = count = images = seconds = 0
    for epoch in range(options.epochs):
        begin = time.monotonic()
        for batch, _ in loader:
            if epoch > 0:
                images += len(batch)
                continue
            wide = batch.double()
            total, squares, count = total + wide.sum().item(), squares + (wide * wide).sum().item(), count + wide.numel()
        if epoch > 0:
            seconds += time.monotonic() - begin
    mean = total / count
    print(json.dumps({"images_s": round(images / seconds, 1), "mean": round(mean, 4),
                      "deviation": round(math.sqrt(squares / count - mean * mean), 4)}))


if __name__ == "__main__":
    main()
