# SPDX-License-Identifier: Apache-2.0
"""What State.share() sends: a value as a text that says how it is built, and its tensors. What arrives becomes a value of these
types and nothing else: unlike what pickle reads, and torch.load() with it, it names no function to call.
"""
import collections
import json
from typing import Any, List, Sequence, Tuple

import torch

_DTYPES = {str(found).split(".")[-1]: found for found in vars(torch).values() if isinstance(found, torch.dtype)}
_LISTS = {"list": list, "tuple": tuple, "set": set, "Size": torch.Size}
_DICTS = {"dict": dict, "OrderedDict": collections.OrderedDict}


def described(value: Any) -> Tuple[bytes, List[torch.Tensor]]:
    """A text of `value`, and its tensors, in main memory. Raises TypeError for what share() does not take."""
    tensors: List[torch.Tensor] = []
    parts = _described(value, tensors)
    kinds = [[str(tensor.dtype).split(".")[-1], list(tensor.shape)] for tensor in tensors]
    return json.dumps({"value": parts, "tensors": kinds}).encode(), tensors


def tensors_for(text: bytes) -> List[torch.Tensor]:
    """Tensors as those of the value that a text describes, undefined as yet. Raises ValueError."""
    try:
        return [torch.empty(shape, dtype=_DTYPES[name], device="cpu") for name, shape in json.loads(text)["tensors"]]
    except (ArithmeticError, LookupError, RecursionError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"share(): what came describes no tensors: {str(error)[:100]}") from error


def built(text: bytes, tensors: Sequence[torch.Tensor]) -> Any:
    """The value that a text describes. Raises ValueError."""
    try:
        return _built(json.loads(text)["value"], tensors)
    except (ArithmeticError, LookupError, RecursionError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"share(): what came describes no value: {str(error)[:100]}") from error


def _described(value: Any, tensors: List[torch.Tensor]) -> Any:
    kind = type(value)
    if value is None or isinstance(value, (bool, int, float, str)):  # Also those of numpy that are floats: they become plain ones.
        return value
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized:
            raise TypeError("share() takes dense tensors")
        tensors.append(value.detach().resolve_conj().resolve_neg().cpu().contiguous())
        return {"tensor": len(tensors) - 1}
    if kind in _LISTS.values():
        return {kind.__name__: [_described(each, tensors) for each in value]}
    if kind in _DICTS.values():
        items = [[_described(key, tensors), _described(each, tensors)] for key, each in value.items()]
        # The versions of modules that a state_dict() has.
        return {kind.__name__: items, "metadata": _described(getattr(value, "_metadata", None), tensors)}
    if kind is bytes:
        return {"bytes": value.hex()}
    if kind in (torch.dtype, torch.device):
        return {kind.__name__: str(value).split(".")[-1]}
    raise TypeError(f"a {kind.__module__}.{kind.__qualname__}: share() takes tensors, numbers, texts, bytes, and lists, tuples, sets "
                    "and dicts of them")


def _built(part: Any, tensors: Sequence[torch.Tensor]) -> Any:
    if not isinstance(part, dict):
        if isinstance(part, list):
            raise ValueError("a list without a type")
        return part
    kind, content = next(iter(part.items()), ("nothing", None))
    if kind == "tensor":
        return tensors[content]
    if kind in _LISTS:
        return _LISTS[kind](_built(each, tensors) for each in content)
    if kind in _DICTS:
        made = _DICTS[kind]((_built(key, tensors), _built(each, tensors)) for key, each in content)
        metadata = _built(part["metadata"], tensors)
        if metadata is not None:
            made._metadata = metadata
        return made
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind == "dtype":
        return _DTYPES[content]
    if kind == "device":
        return torch.device(content)
    raise ValueError(f"a {kind}")
