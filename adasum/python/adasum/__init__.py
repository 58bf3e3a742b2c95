# SPDX-License-Identifier: Apache-2.0
"""AdaSum of the tensors of all ranks of a job. For PyTorch: adasum.torch."""
from adasum.library import (BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Error, Listener, MembersChanged, NotFinite, Refused, Root,
                            World)

__all__ = ["BFLOAT16", "FLOAT16", "FLOAT32", "FLOAT64", "Error", "Listener", "MembersChanged", "NotFinite", "Refused", "Root",
           "World"]
