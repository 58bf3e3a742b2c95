# SPDX-License-Identifier: Apache-2.0
"""What hook_test.py and its ranks have in common: a model, its gradients, and what a call raises."""
import torch

SIZES = ((3, 5), (7,), (2, 2, 2))
STRIDED_SIZES = ((3, 5), (2, 3, 2, 2))


class Products(torch.nn.Module):
    """Parameters whose gradients are the inputs."""

    def __init__(self, dtype):
        super().__init__()
        self.weights = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(size, dtype=dtype)) for size in SIZES])

    def forward(self, inputs):
        return sum((weight * given).sum() for weight, given in zip(self.weights, inputs) if given is not None)


def drawn(rank, dtype=torch.float32, step=0, sizes=SIZES):
    """The gradients of a rank, which hook_test.py draws as well."""
    generator = torch.Generator().manual_seed(100 * step + rank)
    return [torch.randn(size, generator=generator, dtype=torch.float64).to(dtype) for size in sizes]


def listed(tensors):
    return [None if tensor is None else tensor.detach().double().flatten().tolist() for tensor in tensors]


def first_line(error):
    return str(error).splitlines()[0]


def said(call, *arguments):
    """The error of a call."""
    try:
        call(*arguments)
        return ""
    except Exception as error:  # pylint: disable=broad-exception-caught
        return first_line(error)


def kind_raised(call, *arguments):
    try:
        call(*arguments)
        return None
    except Exception as error:  # pylint: disable=broad-exception-caught
        return type(error).__name__
