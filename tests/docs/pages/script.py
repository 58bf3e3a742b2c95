# SPDX-License-Identifier: Apache-2.0
"""docs/script.md."""
from cases import Substitute
from setting import CARDS, PROGRAMS, table

SETTING = PROGRAMS + CARDS + table("hccl_2s_16p.json", "node[1-2]:8")
SUBSTITUTES = [Substitute("python /share/train.py", "python3 {folder}/train.py", "a folder that all nodes share")]
