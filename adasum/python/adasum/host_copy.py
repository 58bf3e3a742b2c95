# SPDX-License-Identifier: Apache-2.0
"""Tensors of a GPU in pinned memory of the host, to and from which the GPU copies at the full speed of its bus."""
from typing import List, Sequence

import torch


class HostCopy:
    """A copy of a contiguous tensor of a CUDA device, made once the device has come to an event."""

    def __init__(self, whole: torch.Tensor, ready: torch.cuda.Event) -> None:
        self._whole = whole
        self._host = torch.empty(whole.numel(), dtype=whole.dtype, device="cpu", pin_memory=True)
        self._stream = torch.cuda.Stream(whole.device)
        self._stream.wait_event(ready)
        self._copy(self._host, whole.detach().view(-1))

    def of(self, parts: Sequence[torch.Tensor]) -> List[torch.Tensor]:
        """The copies of contiguous parts of the tensor."""
        begin = self._whole.storage_offset()
        return [self._host.narrow(0, part.storage_offset() - begin, part.numel()) for part in parts]

    def write_back(self) -> None:
        """Changes the tensor on its device to the copy."""
        self._copy(self._whole.detach().view(-1), self._host)

    # Returns when the device has copied.
    def _copy(self, target: torch.Tensor, source: torch.Tensor) -> None:
        with torch.cuda.stream(self._stream):
            target.copy_(source, non_blocking=True)
        self._stream.synchronize()
