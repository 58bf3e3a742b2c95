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

PAGES["docs/howto/cpu-cluster.md"] = Page(PROGRAMS, cases=[
    Case("adarun launch --hosts node[1-4]:2 --bind numa -- ./train", shows="loss is"),
    replaced("adarun train --hosts node[1-4]:4 -- --epochs 5 --eval",
             "adarun train --hosts node[1-4]:4 -- --epochs 5 --eval --max-steps 1", "the same with one step"),
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
    Substitute("/tmp/run7", "{folder}/run7", "a folder of the test"),
], unlikes=[
    Unlike("server", ANY, "server|worker"),
    Unlike("worker", ANY, "server|worker"),
], cases=[
    Case("""adarun launch -n 3 sh -c 'test $RANK_ID = 0 && exec echo server; exec echo worker'""", shows="^server$"),
    Case("""adarun launch -n 4 -- sh -c 'exec strace -f -o trace.$RANK_ID "$@"' sh ./train --lr 0.1""", shows="loss is"),
    not_run("adarun launch -n 4 -- nsys profile -o report.%q{RANK_ID} ./train", "nsys is NVIDIA's, and not in Debian"),
    Case("""adarun launch -n 4 -- sh -c 'test $RANK_ID != 0 || exec strace -c -o calls "$@"; exec "$@"' sh ./train""", shows="loss is"),
    Case("adarun launch --hosts node[1-2]:8 --visible-devices cuda -- ./train", shows="loss is"),
    Case(PID, shows=r"^node2 \d+$"),
    replaced("ssh -t node2 gdb -p 12874", f"gdb -q -batch -ex bt -p $({PID} | cut -d ' ' -f 2)",
             "the pid is new each time, and the nodes are on one machine", shows="^#0 "),
    replaced(f"{UNDER_GDB} ./train", f"{UNDER_GDB} ./shell -c 'test $RANK_ID != 3 || kill -SEGV $$'", "./train is a script",
             before="cp /bin/sh shell", shows="^#0 "),
    not_run("""adarun launch -n 2 -- sh -c 'exec perf record -q -o perf.$RANK_ID "$@"' sh ./train""", "not every kernel lets perf measure"),
    not_run("""adarun launch --hosts node[1-2]:8 -- sh -c 'exec py-spy record -o profile.$RANK_ID.svg -- python3 "$@"' sh train.py""",
            "py-spy is not in Debian"),
    Case("printf '%s\\n' 0.1 0.2 0.4 0.8 | xargs -P 3 -I{} adarun launch -q --name lr{} -n 2 -- ./train --lr {}", shows="loss is"),
    Case("adarun monitor --once --compare lr0.1 lr0.2 lr0.4 lr0.8", shows=r"lr0\.8 +2 "),
    Case("for seed in 1 2 3; do adarun launch --detach --name seed$seed -n 2 -- ./train --lr 0.1; done"),
    Case("adarun wait seed1 seed2 seed3", shows="job seed3: done"),
    replaced("""adarun wait run7; echo "run7 has ended with status $?" | mail -s run7 me@example.org""",
             """adarun wait run7; echo "run7 has ended with status $?" """, "nobody is to get mail", shows="run7 has ended with status 130"),
    Case("adarun launch --hosts node[1-2]:2 -- sh -c '. ./env.$SERVER_ID; exec ./train'",
         before="for node in 0 1; do echo export PLACE=$node >env.$node; done", shows="loss is"),
    Case("adarun launch --hosts node[1-2]:8 --env NCCL_SOCKET_IFNAME=eth0 --env GLOO_SOCKET_IFNAME=eth0 --env HCCL_SOCKET_IFNAME=eth0 -- ./train",
         shows="loss is"),
    not_run("podman run --rm --network host -v ~/.ssh:/root/.ssh:ro -v $PWD:$PWD -w $PWD IMAGE adarun launch --hosts node[1-2]:8 -- ./train",
            "there is no image"),
    Case("adarun launch --hosts node[1-2]:8 --ulimit as=8G -- ./train", shows="loss is"),
    not_run("adarun launch --hosts node[1-2]:8 -- systemd-run --user --scope -q -p MemoryMax=8G ./train", "test hosts have no systemd"),
    Case("adarun launch --hosts node[1-8]:1 --tag-output -- sh -c 'uptime; free -h | grep Mem'", shows=r"^\[7\] Mem: "),
    Case("adarun launch --hosts node[1-2]:2 -- sh -c 'exec ./train >/tmp/run7.$RANK_ID.log 2>&1'"),
    Case("adarun logs --hosts node[1-2] --path '/tmp/run7.*.log' --grep loss", shows="loss is"),
    replaced("adarun launch --hosts node[1-2]:8 -- ~/miniconda3/envs/torch/bin/python train.py",
             "adarun launch --hosts node[1-2]:2 -- /usr/bin/python3 -c 'print(\"loss is 1\")'", "there is no conda", shows="loss is"),
])
