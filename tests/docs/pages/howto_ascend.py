# SPDX-License-Identifier: Apache-2.0
"""docs/howto/ascend.md, on nodes with a fake hccn_tool."""
from cases import Case, Substitute, ends_with
from setting import CARDS, PROGRAMS

TOOL = "--hccn-tool {folder}/programs/hccn_tool"
SETTING = PROGRAMS + CARDS + "echo ASCEND_HOME_PATH=/usr/local/Ascend >ascend.env\n"
SUBSTITUTES = [
    Substitute("gen --hosts", f"gen {TOOL} --hosts", "the nodes have no cards"),
    Substitute("gen --compare", f"gen {TOOL} --hccn-conf {{folder}}/hccn.conf --compare", "the nodes have no cards"),
    Substitute("validate hccl_2s_16p.json --hosts", f"validate {TOOL} --hccn-conf /none hccl_2s_16p.json --hosts", "the nodes have no cards"),
    Substitute("--nodes node1", "--nodes 10.77.0.2", "the table names servers by their addresses"),
    Substitute("/share/train.py", "{folder}/train.py", "a folder that all nodes share"),
]
CASES = [
    Case("adarun ranktable gen --hosts node[1-2]:8", shows="^adarun: wrote hccl_2s_16p.json$"),
    Case("adarun ranktable validate --profile hccl --generation 910 hccl_2s_16p.json", shows="valid, 2 servers"),
    ends_with("adarun ranktable gen --compare --hosts node[1-2]:8", 1, "node1 +7 .* same\nnode2 +0 .* differ"),
]
