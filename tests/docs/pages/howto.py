# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/howto."""
from cases import Case, Page, Substitute, ends_with, not_run, replaced, set_up_by
from samples import Unlike
from setting import CARDS, FAILING_RANK, PROGRAMS, job

PAGES = {}

TOOL = "--hccn-tool {folder}/programs/hccn_tool"
ASCEND_SETTING = PROGRAMS + CARDS + "echo ASCEND_HOME_PATH=/usr/local/Ascend >ascend.env\n"

# On nodes with a fake hccn_tool.
PAGES["docs/howto/ascend.md"] = Page(ASCEND_SETTING, substitutes=[
    Substitute("gen --hosts", f"gen {TOOL} --hosts", "the nodes have no cards"),
    Substitute("gen --compare", f"gen {TOOL} --hccn-conf {{folder}}/hccn.conf --compare", "the nodes have no cards"),
    Substitute("validate hccl_2s_16p.json --hosts", f"validate {TOOL} --hccn-conf /none hccl_2s_16p.json --hosts", "the nodes have no cards"),
    Substitute("--nodes node1", "--nodes 10.77.0.2", "the table names servers by their addresses"),
    Substitute("/share/train.py", "{folder}/train.py", "a folder that all nodes share"),
], cases=[
    Case("adarun ranktable gen --hosts node[1-2]:8", shows="^adarun: wrote hccl_2s_16p.json$"),
    Case("adarun ranktable validate --profile hccl --generation 910 hccl_2s_16p.json", shows="valid, 2 servers"),
    ends_with("adarun ranktable gen --compare --hosts node[1-2]:8", 1, "node1 +7 .* same\nnode2 +0 .* differ"),
])

NODE3_IS_DEAF = "sed -i '1i Host node3\\n  Port 9' \"$ADARUN_TEST_SSH_CONFIG\""
BASTION_IS_GONE = "sed -i 's/HostName node8/HostName node8\\n  Port 9/' \"$ADARUN_TEST_SSH_CONFIG\""

BASTION_SETTING = r"""
python3 - >config <<'END'
import re
page = open("docs/howto/bastion.md").read()
print(re.search(r"```\n(Host bastion.*?)```", page, re.S)[1].replace("bastion.example.com", "node8").replace("User me", "User root"))
END
grep -q ProxyJump config && cat "$ADARUN_TEST_SSH_CONFIG" >>config && cp config "$ADARUN_TEST_SSH_CONFIG"
sed -n 's/^node8,\|^node8 /bastion /p' "$ADARUN_TEST_KNOWN_HOSTS" >>"$ADARUN_TEST_KNOWN_HOSTS"
"""

# Node8 is the bastion, and the ssh configuration is that on the page.
PAGES["docs/howto/bastion.md"] = Page(BASTION_SETTING, cases=[
    Case("adarun check --hosts node[1-4]:8", shows=r"4 nodes: 0 wrong"),
    Case("adarun launch --hosts node[1-4]:8 -- hostname", shows="node4"),
    ends_with("adarun check --hosts node[1-4]:8", 1, "node3: cannot connect to node3 port 9, as seen from bastion: Connection refused",
              before=NODE3_IS_DEAF),
    ends_with("adarun check --hosts node[1-4]:8", 1, "the jump host bastion: cannot connect to .* Connection refused",
              before=BASTION_IS_GONE),
])

PAGES["docs/howto/cpu-cluster.md"] = Page(PROGRAMS, cases=[
    Case("adarun launch --hosts node[1-4]:2 --bind numa -- ./train", shows="loss is"),
    replaced("adarun train --hosts node[1-4]:4 -- --epochs 5 --eval",
             "adarun train --hosts node[1-4]:4 -- --epochs 5 --eval --max-steps 1", "the same with one step"),
])

EIGHT = "three nodes of two ranks instead of eight of eight"

PAGES["docs/howto/node-loss.md"] = Page(substitutes=[
    Substitute("/share/run1", "{folder}/run1", "a folder that all nodes share"),
], unlikes=[
    Unlike("rank . on node.1,3.", "ranks print in any order", r"rank \d on node\[1,3\]"),
], cases=[
    replaced("adarun launch --hosts node[1-8]:8 --spare node9 -- ./train",
             "adarun launch --hosts node[1-2]:2 --spare node3 -- true", EIGHT),
    replaced("adarun launch --hosts node[1-8]:8 --min-nodes 6 -- ./train",
             "adarun launch --hosts node[1-3]:2 --min-nodes 2 -- true", EIGHT),
    replaced("adarun launch --hosts node[1-10]:8 --spare 2 --min-nodes 6 --restarts 3 -- ./train",
             "adarun launch --hosts node[1-3]:2 --spare 1 --min-nodes 1 --restarts 3 -- true", EIGHT),
    Case("adarun launch --hosts node[1-2]:2 --spare node3 -- sh -c 'if test $ADARUN_RESTART_COUNT = 0; then sleep 1; "
         'test $RANK_ID = 3 && kill -9 $PPID; sleep 60; fi; echo "rank $RANK_ID on $ADARUN_ATTEMPT_NODES"\'',
         shows="node2 is lost; node3 joins"),
    replaced("adarun train --hosts node[1-4]:8 --min-nodes 2 -- --checkpoint-dir /share/run1 --checkpoint-minutes 5",
             "adarun train --hosts node[1-4]:4 --min-nodes 2 -- --checkpoint-dir /share/run1 --checkpoint-minutes 5 --max-steps 2",
             "four nodes of four ranks, and few steps"),
])

PYTHON = "env PYTHONPATH={folder}/build/release/python /usr/bin/python3"
LOSS = r"epoch: 1 step: 60, loss is 0\.\d+"

# The build's Python package, under the Python that has Debian's torch.
PAGES["docs/howto/pytorch.md"] = Page(substitutes=[
    Substitute("python3 examples", PYTHON + " examples", "not installed, and the Python that has torch"),
    Substitute("torchrun", PYTHON + " -m torch.distributed.run --redirects 2 --tee 2 --log_dir {folder}/torchrun",
               "the same; its 1.13 needs that with Python 3.11"),
], cases=[
    Case("adarun launch --hosts node[1-2]:2 -- python3 examples/pytorch/train.py", shows=LOSS),
    Case("adarun launch --hosts node[1-2]:2 -- python3 examples/pytorch/train.py --mean", shows=LOSS),
    Case("adarun monitor --once", shows="4 with loss lines"),
    Case("adarun launch --hosts node[1-2]:2 --min-ranks 2 --rank-restarts 10 -- python3 examples/pytorch/elastic.py", shows=LOSS),
    Case("torchrun --nproc_per_node 2 examples/pytorch/train.py", shows=LOSS),
])

READING_A_FAILURE_SETTING = FAILING_RANK + r"""
printf '#!/bin/sh\nfor step in 1 2 3; do echo "epoch: 1 step: $step, loss is 0.$((9 - step))$RANK"; done\n' >train
chmod +x train
"""

PAGES["docs/howto/reading-a-failure.md"] = Page(READING_A_FAILURE_SETTING, cases=[
    ends_with("adarun launch --hosts node[1-2]:8 -- ./train.sh", 7, "rank 11 on node2 .* failed first: exit code 7"),
    Case("adarun logs --rank 11 --tail 50", shows="device lost"),
    Case("jq '.first_failure' log_output/job.json", shows='"kind": "rank_failed"'),
    Case(r"""jq -r '.ranks[] | select(.state == "failed") | "\(.rank) \(.node) \(.end)"' log_output/job.json""",
         shows="^11 node2 exit code 7$"),
    ends_with("adarun launch --hosts node[1-2]:8 --hang-timeout 10m -- ./train.sh", 7, "failed first"),
    set_up_by("adarun monitor --once", job("node[1-2]:8"), shows="16 with loss lines"),
    Case("adarun monitor --check && echo nothing found", shows="nothing found"),
])

PID = """adarun status run7 --json | jq -r '.ranks[] | select(.rank == 3) | "\\(.node) \\(.pid)"'"""
UNDER_GDB = """adarun launch -n 4 -- sh -c 'test $RANK_ID != 3 || exec gdb -q -batch -ex run -ex bt --args "$@"; exec "$@"' sh"""
ANY = "ranks print in any order"

# node1 and node2 have a program that runs until it is stopped.
RECIPES_SETTING = PROGRAMS + "printf '#!/bin/sh\\nexec sleep 600\\n' >waiting && chmod +x waiting\n"

PAGES["docs/howto/recipes.md"] = Page(RECIPES_SETTING, substitutes=[
    Substitute("--name run7 -- ./train", "--name run7 -- ./waiting", "./train ends at once"),
], unlikes=[
    Unlike("server", ANY, "server|worker"),
    Unlike("worker", ANY, "server|worker"),
], cases=[
    Case("""adarun launch -n 3 sh -c 'test $RANK_ID = 0 && exec echo server; exec echo worker'""", shows="^server$"),
    Case("""adarun launch -n 4 -- sh -c 'exec strace -f -o trace.$RANK_ID "$@"' sh ./train --lr 0.1""", shows="loss is"),
    not_run("adarun launch -n 4 -- nsys profile -o report.%q{RANK_ID} ./train", "nsys is NVIDIA's, and not in Debian"),
    not_run("adarun launch -n 4 -- numactl --localalloc ./train", "numactl is not among the packages that the tests need"),
    Case("""adarun launch -n 4 -- sh -c 'test $RANK_ID != 0 || exec strace -c -o calls "$@"; exec "$@"' sh ./train""", shows="loss is"),
    Case("""adarun launch -n 4 -- sh -c 'CUDA_VISIBLE_DEVICES=$DEVICE_ID exec "$@"' sh ./train""", shows="loss is"),
    Case(PID, shows=r"^node2 \d+$"),
    replaced("ssh -t node2 gdb -p 12874", f"gdb -q -batch -ex bt -p $({PID} | cut -d ' ' -f 2)",
             "the pid is new each time, and the nodes are on one machine", shows="^#0 "),
    replaced(f"{UNDER_GDB} ./train", f"{UNDER_GDB} ./shell -c 'test $RANK_ID != 3 || kill -SEGV $$'", "./train is a script",
             before="cp /bin/sh shell", shows="^#0 "),
])

SHORT = "the same with few steps"
QUICK = "which ranks are quick enough to fail before they are stopped is another matter each time"

PAGES["docs/howto/restarts.md"] = Page(substitutes=[
    Substitute("/data/run1", "{folder}/run1", "a folder of the test"),
], unlikes=[
    Unlike("adarun: rank 0 on node1 .*", QUICK, r"adarun: rank \d on node\d \(device \d\) failed first: exit code 9"),
    Unlike("adarun: rank 0 printed nothing", QUICK, r"adarun: rank \d printed nothing"),
    Unlike("adarun: rank 1 on node1 failed .*", QUICK),
    Unlike("adarun: ranks 2-3 on node2: .*", QUICK),
], cases=[
    replaced("adarun train --hosts node[1-2]:8 --restarts 2 -- --checkpoint-dir /data/run1 --checkpoint-minutes 10",
             "adarun train --hosts node[1-2]:8 --restarts 2 -- --checkpoint-dir /data/run1 --checkpoint-minutes 10 "
             "--checkpoint-every 1 --max-steps 2", SHORT),
    Case("adarun launch --hosts node[1-2]:2 --restarts 1 -- sh -c 'test $ADARUN_RESTART_COUNT = 1 || exit 9; echo continuing'",
         shows=r"restart 1 of 1[\s\S]*continuing"),
    replaced("adarun train --hosts node[1-2]:8 -- --checkpoint-dir /data/run1 --resume",
             "adarun train --hosts node[1-2]:8 -- --checkpoint-dir /data/run1 --resume --max-steps 3 && adarun logs --rank 0", SHORT,
             shows="resumed: epoch 1, 2 steps"),
])
