# SPDX-License-Identifier: Apache-2.0
"""Gradients to which a further backward pass adds."""
import weakref
from typing import Dict, Optional

import torch


class CombinedGradients:
    """What the gradients of parameters hold that all ranks have combined already, and which is not to be combined again.

    A backward pass adds to the gradient that is there, and DistributedDataParallel hands over the sum. Of that, what was there
    after the last pass outside no_sync() is the same on all ranks. It is copied before the next pass adds to it, and so only
    where it is neither None nor (in main memory) zero. The first pass with a hook combines all that is there.
    """

    def __init__(self) -> None:
        self._of: Dict[int, _Gradient] = {}

    def take(self, parameter: torch.Tensor, gradient: torch.Tensor) -> Optional[torch.Tensor]:
        """The part of `gradient`, that of `parameter` in a bucket, that is combined already; None: nothing. Then all of it is."""
        known = self._of.get(id(parameter))
        if known is None or known.parameter() is not parameter:
            self._of[id(parameter)] = _Gradient(parameter)
            return None
        return known.take(gradient)


class _Gradient:
    """Of one parameter, all of which has been combined."""

    def __init__(self, parameter: torch.Tensor) -> None:
        self.parameter = weakref.ref(parameter)
        self._combined: Optional[torch.Tensor] = None  # since a backward pass has added to it
        self._has_grown = False
        itself = weakref.ref(self)  # The parameter may outlive the State.

        def before_it_grows(_: torch.Tensor) -> None:
            known = itself()
            if known is not None:
                known.before_it_grows()

        parameter.register_hook(before_it_grows)

    def before_it_grows(self) -> None:
        parameter = self.parameter()
        held = parameter.grad if parameter is not None else None
        if not self._has_grown:
            self._has_grown = True
            self._combined = held.detach().clone() if held is not None and (held.is_cuda or bool(held.any())) else None
        elif self._combined is not None and (held is None or not held.any()):
            self._combined = None  # zero_grad() after a pass within no_sync()

    def take(self, gradient: torch.Tensor) -> Optional[torch.Tensor]:
        combined = self._combined if self._has_grown else gradient.clone()  # This rank has not used the parameter.
        self._combined, self._has_grown = None, False
        return combined
