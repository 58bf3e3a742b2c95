# SPDX-License-Identifier: Apache-2.0
"""MNIST's files for trainings of many workers."""
import gzip
import shutil


def unpack(folder, scratch):
    """MNIST's files, plain, so that 32 workers need not unpack them 32 times."""
    for packed in folder.glob("*-ubyte.gz"):
        with gzip.open(packed) as source, open(scratch / packed.stem, "wb") as target:
            shutil.copyfileobj(source, target)
    return scratch if any(scratch.iterdir()) else folder
