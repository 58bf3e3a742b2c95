# SPDX-License-Identifier: Apache-2.0
"""docs/ranktable.md, on nodes whose cards are a hccn_tool of the test's."""
from cases import Case, Substitute, ends_with, set_up_by
from setting import CARDS, table

BROKEN = "printf 'case $(hostname) in node3|node5) echo no card; exit 1;; esac\n' | sed -i '1r /dev/stdin' programs/hccn_tool"
OF_TWO_SERVERS = "rm -f hccl_*p_*.json; for server in 2 10; do adarun ranktable gen -q --plain --server-ip 10.0.0.$server; done"

SETTING = CARDS + table("good.json", "node[1-2]:8") + table("old.json", "node[1-2]:8") + table("new.json", "node[2-3]:8") + \
    table("rank_table.json", "node[1-4]:8") + table("hccl_4s_32p.json", "node[1-4]:8") + r"""
sed 's/"10\.1\.1\.[0-2]"/"-.-.-.-"/' good.json >bad.json
cp tests/fuzz/seeds/rank_table/super_pods.json pods.json && cp pods.json super_pods.json
adarun ranktable convert -q good.json --to cloud -o job.json
echo node1 >healthy.txt
"""
SUBSTITUTES = [Substitute("gen --hosts", "gen --hccn-tool {folder}/programs/hccn_tool --hosts", "the nodes have no cards"),
               Substitute("gen --compare", "gen --compare --hccn-tool {folder}/programs/hccn_tool --hccn-conf {folder}/hccn.conf",
                          "the nodes have no cards")]
CASES = [
    Case("adarun ranktable gen --hosts node[1-8]:8", shows="^hccl_8s_64p.json"),
    ends_with("adarun ranktable gen --hosts node[1-8]:8", 3, "2 of 8 nodes failed; nothing was written", before=BROKEN),
    set_up_by("adarun ranktable gen", CARDS, shows="hccl_8p_01234567_"),
    set_up_by("adarun ranktable merge --order numeric hccl_*p_*.json", OF_TWO_SERVERS, shows="^hccl_2s_16p.json"),
    set_up_by("adarun ranktable gen --plain --hosts node[1-2]:8", "rm hccl_2s_16p.json", shows="^hccl_2s_16p.json"),
    ends_with("adarun ranktable gen --compare --hosts node[1-2]:2", 1, "node2 +1 .* differ"),
    ends_with("adarun ranktable merge old.json pods.json", 3, "adarun ranktable convert old.json --to 1.2 -o 1.2-old.json"),
    ends_with("adarun ranktable validate good.json bad.json", 1, r"and \d more like it|not a placeholder"),
    ends_with("adarun ranktable validate rank_table.json --hosts node[1-4] --path /job/rank_table.json", 1,
              r"found node\[1-4\]: /job/rank_table.json: No such file"),
    Case("adarun ranktable convert super_pods.json --to 1.0 -o plain.json", shows="lost: .*super_device_id"),
    ends_with("adarun ranktable diff old.json new.json", 1, "^removed: "),
    ends_with("adarun ranktable diff -q old.json new.json && echo no", 1, "^$"),
    Case("adarun ranktable show --json hccl_2s_16p.json | jq '.ranks[] | select(.node == 1) | .rank'", shows="^15$"),
]
