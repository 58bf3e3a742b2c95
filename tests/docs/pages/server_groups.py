# SPDX-License-Identifier: Apache-2.0
"""docs/server-groups.md, on nodes with a fake hccn_tool."""
from cases import Case, Substitute
from setting import CARDS

SETTING = CARDS
SUBSTITUTES = [Substitute("gen --hosts", "gen --hccn-tool {folder}/programs/hccn_tool --hosts", "the nodes have no cards")]
CASES = [
    Case("adarun ranktable gen --hosts node[1-2]:4 --role prefill=0-3 --role decode=4-7 --router 10.0.0.9",
         shows="^adarun: wrote global_ranktable.json"),
]
