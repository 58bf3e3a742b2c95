# SPDX-License-Identifier: Apache-2.0
"""Which tensors AdaSum takes, and lists of them."""
from typing import Iterable, List, Optional, Sequence

import torch

from adasum.library import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Refused

_DTYPES = {torch.float32: FLOAT32, torch.float64: FLOAT64, torch.float16: FLOAT16, torch.bfloat16: BFLOAT16}


def checked(tensors: Sequence[torch.Tensor]) -> int:
    """The number of their type in adasum.h. Raises Refused if AdaSum does not take them."""
    for place, tensor in enumerate(tensors):
        if not isinstance(tensor, torch.Tensor):
            raise Refused(f"item {place} of the list is a {type(tensor).__name__}: AdaSum takes tensors")
    dtype = tensors[0].dtype if tensors else torch.float32
    if dtype not in _DTYPES:
        raise Refused(f"a tensor of {dtype}: AdaSum takes {', '.join(str(known) for known in _DTYPES)}")
    for tensor in tensors:
        if tensor.device.type not in ("cpu", "cuda"):
            raise Refused(f"a tensor on {tensor.device}: AdaSum takes tensors in main memory and on CUDA devices")
        if tensor.device != tensors[0].device:
            raise Refused(f"tensors on {tensors[0].device} and {tensor.device}: AdaSum takes those of one device")
        if tensor.layout != torch.strided:
            raise Refused("sparse gradients: AdaSum takes dense tensors")
        if tensor.dtype != dtype or not tensor.is_contiguous():
            raise Refused("AdaSum takes contiguous tensors of one type")
    return _DTYPES[dtype]


def flat_on_gpu(tensors: Sequence[torch.Tensor]) -> Optional[torch.Tensor]:
    """The tensors one after the other, if they are on a GPU. Raises Refused if AdaSum does not take them, or without memory."""
    if not tensors or not isinstance(tensors[0], torch.Tensor) or not tensors[0].is_cuda:
        return None
    checked(tensors)
    try:
        return torch.cat([tensor.detach().flatten() for tensor in tensors])
    except RuntimeError as error:
        raise Refused(f"no copy of tensors on {tensors[0].device}: {error}") from error


def alike(tensors: Sequence[torch.Tensor]) -> Iterable[List[torch.Tensor]]:
    """Those of one type and device each."""
    for kind in dict.fromkeys((tensor.dtype, tensor.device) for tensor in tensors):
        yield [tensor for tensor in tensors if (tensor.dtype, tensor.device) == kind]


def is_finite(gradient: torch.Tensor) -> bool:
    return bool(torch.isfinite(gradient.coalesce().values() if gradient.is_sparse else gradient).all())
