# SPDX-License-Identifier: Apache-2.0
"""Pages about rank tables, on nodes with a fake hccn_tool."""
from cases import Case, Page, Substitute, ends_with, set_up_by
from samples import Unlike
from setting import CARDS, GEN_WITH_TOOL, table

PAGES = {}


def says(where, words):
    """Makes the fake hccn_tool print these words for a card; `where` is NODE/CARD, a shell pattern."""
    return f"printf 'case $(hostname)/$2 in {where}) echo {words}; exit;; esac\n' | sed -i '1r /dev/stdin' programs/hccn_tool\n"


NO_ADDRESS = "ipaddr:-.-.-.-"

NODE3_IS_DOWN = """
cp "$ADARUN_TEST_SSH_CONFIG" ssh_config
(printf 'Host node3\n  Port 9\n'; cat ssh_config) >"$ADARUN_TEST_SSH_CONFIG"
"""

NODE3_IS_UP = r"""
cp ssh_config "$ADARUN_TEST_SSH_CONFIG"
hosts=$(sed 's/^127.0.0.1 localhost launcher$/127.0.0.1 localhost\n10.77.0.1 launcher/' /etc/hosts) && echo "$hosts" >/etc/hosts
"""

# An old and a new table of two servers, and one with super pods.
TABLES = r"""
python3 - <<'END'
import json

def device(rank, number, ip, **more):
    return {"device_id": str(number), "device_ip": ip, "rank_id": str(rank), **more}

def write(path, version, servers, **more):
    servers = [{"server_id": name, "device": devices} for name, devices in servers.items()]
    with open(path, "w") as file:
        json.dump({"version": version, "server_count": str(len(servers)), "server_list": servers, "status": "completed", **more}, file)

write("old.json", "1.0", {"10.0.0.2": [device(i, i, f"192.168.1.{i + 1}") for i in range(4)],
                          "10.0.0.10": [device(4 + i, i, f"192.168.2.{i + 1}") for i in range(4)]})
write("new.json", "1.0", {"10.0.0.2": [device(i, i, f"192.168.1.{9 if i == 2 else i + 1}") for i in range(3)],
                          "10.0.0.10": [device(3 + i, i, f"192.168.2.{i + 1}") for i in range(4)]})
write("super_pods.json", "1.2", {f"10.0.0.{s + 1}": [device(2 * s + i, i, f"192.168.{s}.{i + 1}", super_device_id=str(i))
                                                     for i in range(2)] for s in range(2)},
      super_pod_list=[{"super_pod_id": f"pod{s}", "server_list": [{"server_id": f"10.0.0.{s + 1}"}]} for s in range(2)])
END
"""

OF_TWO_SERVERS = "rm -f hccl_*p_*.json; for server in 2 10; do adarun ranktable gen -q --plain --server-ip 10.0.0.$server; done"

RANKTABLE_SETTING = CARDS + TABLES + table("good.json", "node[1-2]:8") + table("rank_table.json", "node[1-4]:2") + \
    table("hccl_4s_32p.json", "node[1-4]:8") + r"""
sed 's/"10\.1\.[12]\.[0-7]"/"-.-.-.-"/; s/"completed"/"initializing"/' good.json >bad.json
adarun ranktable convert -q good.json --to cloud -o job.json
"""

# On nodes with a fake hccn_tool.
PAGES["docs/ranktable.md"] = Page(RANKTABLE_SETTING, substitutes=[
    GEN_WITH_TOOL,
    Substitute("gen --compare", "gen --compare --hccn-tool {folder}/programs/hccn_tool --hccn-conf {folder}/hccn.conf",
               "the nodes have no cards"),
    Substitute("validate rank_table.json --hosts",
               "validate --hccn-tool {folder}/programs/hccn_tool --hccn-conf /none rank_table.json --hosts",
               "the nodes have no cards"),
], unlikes=[
    Unlike("  node5: hccn_tool: .*", "the tool has another path", "node5: PATH: card 3: has no address"),
], cases=[
    Case("adarun ranktable gen --hosts node[1-8]:8", shows="^adarun: wrote hccl_8s_64p.json"),
    ends_with("adarun ranktable gen --hosts node[1-8]:8", 3, "2 of 8 nodes failed; nothing was written", before=NODE3_IS_DOWN + says("node5/3", NO_ADDRESS)),
    set_up_by("adarun ranktable gen", NODE3_IS_UP + CARDS, shows="hccl_8p_01234567_"),
    set_up_by("adarun ranktable merge --order numeric hccl_*p_*.json", OF_TWO_SERVERS, shows="^adarun: wrote hccl_2s_16p.json"),
    set_up_by("adarun ranktable gen --plain --hosts node[1-2]:8", "rm hccl_2s_16p.json", shows="^adarun: wrote hccl_2s_16p.json"),
    ends_with("adarun ranktable gen --compare --hosts node[1-2]:2", 1, "node2 +0 .* differ", before=says("node2/1", NO_ADDRESS)),
    ends_with("adarun ranktable validate good.json bad.json", 1, r"and \d more like it|not a placeholder"),
    ends_with("adarun ranktable validate rank_table.json --hosts node[1-4] --path /job/rank_table.json", 1,
              r"found node\[1-4\]: /job/rank_table.json: No such file", before=CARDS + says("node4/1", "ipaddr:10.1.4.9")),
    Case("adarun ranktable convert super_pods.json --to 1.0 -o plain.json", shows="lost: .*super_device_id"),
    ends_with("adarun ranktable diff -q old.json new.json && echo no", 1, "^$"),
    Case("adarun ranktable show --json hccl_2s_16p.json | jq '.ranks[] | select(.node == 1) | .rank'", shows="^15$"),
])

# On nodes with a fake hccn_tool.
PAGES["docs/server-groups.md"] = Page(CARDS, substitutes=[GEN_WITH_TOOL], cases=[
    Case("adarun ranktable gen --hosts node[1-2]:4 --role prefill=0-3 --role decode=4-7 --router 10.0.0.9",
         shows="^adarun: wrote global_ranktable.json"),
])
