# SPDX-License-Identifier: Apache-2.0
"""docs/tutorial.md: node1 and node2 are two of the test hosts."""
from cases import Case, ends_with, not_run, replaced
from samples import Unlike

INSTALLS = "it builds and installs packages: scripts/check-packages does, on a fresh Debian 12"
FIRST = "./build/release/packages/adarun_*.deb ./build/release/packages/adarun-trainer_*.deb"

UNLIKE = [Unlike(r"\[(0-7|8-15)\] hello from node\d", "either may come first", r"\[(0-7|8-15)\] hello from node\d")]
CASES = [
    not_run("scripts/bootstrap", INSTALLS),
    not_run("scripts/build && cpack --preset release", INSTALLS),
    not_run(f"apt-get install {FIRST}", INSTALLS),
    not_run("""for node in node1 node2; do
  scp build/release/packages/adarun_*.deb build/release/packages/adarun-trainer_*.deb $node:
  ssh $node apt-get install -y ./adarun_*.deb ./adarun-trainer_*.deb
done""", INSTALLS),
    replaced("ssh-keygen -t ed25519", "ssh-keygen -t ed25519 -N '' -f another", "it asks where to, and for a passphrase"),
    Case("adarun check --hosts node[1-2]:8", shows=r"2 nodes: 0 wrong"),
    Case("adarun ranktable validate --profile adasum rank_table.json", shows="valid, 2 servers, 16 devices"),
    Case("""adarun launch -r rank_table.json --fold -- sh -c 'echo "hello from $(hostname)"'""",
         shows=r"(?=[\s\S]*^\[0-7\] hello from node1$)(?=[\s\S]*^\[8-15\] hello from node2$)"),
    Case("adarun train -r rank_table.json -- --epochs 2 --eval", shows=r"^accuracy +0\.9"),
    Case("adarun monitor --once", shows="16 with loss lines"),
    ends_with("""adarun launch -r rank_table.json -- sh -c 'echo step 1; test $RANK = 11 || exec sleep 600; sleep 1; echo "out of cheese" >&2; exit 7'""",
              7, r"rank 11 on node2 \(device 3\) failed first: exit code 7"),
    Case("echo $?", shows="^7$"),
    Case("adarun logs --rank 11", shows="out of cheese"),
    Case("jq -c '.first_failure | {rank, node, last_lines}' log_output/job.json", shows='"rank":11,"node":"node2"'),
    Case("adarun status", shows="running"),
]
