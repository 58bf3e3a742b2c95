# SPDX-License-Identifier: Apache-2.0
"""docs/parallel.md."""
from cases import Case

CASES = [Case("adarun plan --ranks 16 --model mlp.json --memory 1G --json", shows='"bound_by"')]
