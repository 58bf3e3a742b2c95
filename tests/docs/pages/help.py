# SPDX-License-Identifier: Apache-2.0
"""The examples of every --help of adarun."""
from cases import Case, Page, Substitute, ends_with, not_run, replaced, set_up_by
from setting import CARDS, GEN_WITH_TOOL, OWN_FOLDERS, PROGRAMS, job, last_job_id, table

PAGES = {}

SHORT = "the same with a single step"
KEPT = "adarun launch -q --detach --hosts node1:2 -- sh -c 'seq 20000; echo up; exec sleep 600' >/dev/null\n"
TWO_NODES = "adarun launch -q --detach --restarts 1 --hosts node[1-2]:2 -- sleep 600 >/dev/null\n"
TWO_FILES = "rm -f hccl_*p_*.json; for server in 2 10; do adarun ranktable gen -q --plain --server-ip 10.0.0.$server; done\n"
PLAIN = "adarun ranktable gen -q --plain --hosts 10.0.0.2:8,10.0.0.10:8 -o hccl_2s_16p.json"

LOSSES = """
mkdir -p run1 run2
for log in run1/0.log run2/0.log train_a.log train_b.log; do
  for step in 1 2 3; do echo "epoch: 1 step: $step, loss is 0.$step"; done >$log
done
for step in 1 2 3; do echo "it $step and train=0.$step"; done >train.log
"""


def resized(command, shows):
    """A command that changes the nodes of a job, which is then stopped."""
    return Case(command, why="ends the job", run=f"{command} && adarun stop --now", before=TWO_NODES, shows=shows)


HELP_SETTING = PROGRAMS + CARDS + LOSSES + "".join(
    table(f"hccl_{count}s_{8 * count}p.json", f"node[1-{count}]:8") for count in (2, 4, 8)) + """
cp hccl_2s_16p.json table.json && cp hccl_2s_16p.json old.json && cp hccl_4s_32p.json new.json
cp tests/fuzz/seeds/rank_table/super_pods.json super_pods.json
adarun ranktable convert -q hccl_2s_16p.json --to cloud -o job.json
adarun ranktable convert -q hccl_2s_16p.json --to server_group --role prefill=0-7 --role decode=8-15 -o groups.json
cp program prefill && cp program decode && cp program hello && cp "$ADARUN_TEST_HOSTFILE" cluster && printf 'node1 slots=2\nnode2 slots=2\n' >hostfile && echo node1 >healthy.txt
adarun launch --hosts node[1-2]:1 --print-spec --role prefill=0 -- ./prefill --role decode=1 -- ./decode >serve.json
for node in 1 2 3 4 5 6 7 8; do echo "node$node node$node"; done >hosts.txt
adarun-trainer profile --no-times --model lenet5 --channels 1 -o vgg.json >/dev/null
echo '{"schema": "adarun-links-1", "levels": [{"name": "node", "message_s": 1e-6, "byte_s": 1e-10, "shared": false},
  {"name": "cluster", "message_s": 3e-5, "byte_s": 1e-9, "shared": true}]}' >costs.json
mkdir -p data/run7 npu && echo "an Error" >data/run7/a.log && cp data/run7/a.log npu
"""

PAGES["help"] = Page(HELP_SETTING, substitutes=[
    last_job_id("20261121-010203"),
    last_job_id("20261121-104502"),
    GEN_WITH_TOOL,
    *OWN_FOLDERS,
    Substitute("/tmp/adarun-demo", "demo", "a folder of the test"),
    Substitute("node[01-64]:8 --exclude node07", "node[1-8]:8 --exclude node7", "there are eight nodes"),
    Substitute("python train.py", "python3 {folder}/train.py", "Debian's name, in a folder that all nodes share"),
    Substitute("python /share/train.py", "python3 {folder}/train.py", "Debian's name, in a folder that all nodes share"),
    Substitute("kubectl create -f -", "python3 -c 'import sys, yaml; list(yaml.safe_load_all(sys.stdin))'", "there is no Kubernetes"),
], cases=[
    ends_with("adarun ranktable gen --hosts node[1-4] --compare", 1, "differ",
              run="adarun ranktable gen --hosts node[1-4]:8 --compare --hccn-conf $PWD/hccn.conf", why="the nodes' drivers do not say which cards they have"),
    Case("adarun config --allow", "defaults of the folder would change the commands that follow",
         """mkdir -p cloned && cd cloned && echo '{"hosts": "node[1-4]:8"}' >.adarun.json && adarun config --allow"""),
    set_up_by("adarun ranktable merge node1.json node2.json",
              "for node in 1 2; do adarun ranktable gen -q --plain --server-ip 10.0.1.$node -o node$node.json; done"),
    set_up_by("adarun ranktable merge --order numeric hccl_*p_*.json", TWO_FILES),
    ends_with("adarun ranktable validate --profile hccl --generation 910 hccl_*.json", 1, "not valid",
              before="adarun ranktable gen -q --plain --server-ip 10.0.0.2"),
    ends_with("adarun ranktable validate hccl_2s_16p.json --hosts node[1-2] --path /job/rank_table.json", 1, "No such file",
              before=table("hccl_2s_16p.json", "node[1-2]:8")),
    ends_with("adarun ranktable convert --strict super_pods.json --to 1.0 > plain.json", 1, "lost"),
    ends_with("adarun ranktable diff hccl_2s_16p.json new.json", 1, "^added: ranks 16-23"),
    set_up_by("adarun ranktable subset hccl_4s_32p.json --nodes node[1-2] -o two_nodes.json", table("hccl_4s_32p.json", "node[1-4]:8")),
    set_up_by("adarun ranktable subset hccl_4s_32p.json --nodes 10.0.0.2,10.0.0.10", PLAIN.replace("2s_16p", "4s_32p")),
    set_up_by("adarun ranktable subset hccl_4s_32p.json --nodes @healthy.txt --devices 0-3", table("hccl_4s_32p.json", "node[1-4]:8")),
    set_up_by("adarun ranktable env hccl_2s_16p.json --node 10.0.0.2", PLAIN),
    set_up_by("adarun check --hosts node[1-8]:8", table("hccl_2s_16p.json", "node[1-2]:8")),
    # On a busy machine ranks print more than 200 ms apart, and fold into several lines; one of them has the last of 56.
    Case("adarun launch --hosts node[01-64]:8 --exclude node07 --fold -- uname -r", shows=r"^\[(\d[-,\d]*[-,])?55\] "),
    replaced("adarun train --hosts node[1-2]:8", "adarun train --hosts node[1-2]:8 -- --max-steps 1", SHORT),
    not_run("adarun train -r hccl_2s_16p.json -- --dataset mnist --data-path /data/mnist --eval",
            "README.md has the like of it with more options, and there it is run"),
    replaced("adarun train --hosts node[1-2]:8 -- --model resnet20 --recipe best",
             "adarun train --dry-run --hosts node[1-2]:8 -- --model resnet20 --recipe best && "
             "RANK_ID=0 RANK_SIZE=16 adarun-trainer --model resnet20 --recipe best --print-config",
             "what would run, and whether the trainer takes its words", shows='"adasum-per": "row"'),
    replaced("adarun wait", "XDG_STATE_HOME=$PWD/other sh -c 'adarun launch -q --log-dir waited -n 1 true; adarun wait'",
             "other jobs run until they are stopped", shows="done after"),
    replaced("adarun prune --yes", "XDG_STATE_HOME=$PWD/other adarun prune --yes", "other examples need the logs", shows="removed 1 job"),
    set_up_by("adarun wait run7 && ./evaluate",
              "adarun launch -q --name run7 -n 1 true; printf '#!/bin/sh\\n' >evaluate; chmod +x evaluate"),
    set_up_by("adarun wait lr1 lr2 --timeout 2h", "for name in lr1 lr2; do adarun launch -q --name $name -n 1 true; done"),
    replaced("adarun train --hosts node[1-2]:8 -- --reduce mean --lr 0.1",
             "adarun train --dry-run --hosts node[1-2]:8 -- --reduce mean --lr 0.1 && "
             "RANK_ID=0 RANK_SIZE=16 adarun-trainer --reduce mean --lr 0.1 --print-config",
             "what would run, and whether the trainer takes its words", shows='"lr": 0.1|"lr": "0.1"'),
    set_up_by("adarun attach", KEPT, until="^up$"),
    Case("adarun attach 20261121-104502 --from 81920", until="^up$"),
    Case("adarun attach 20261121-104502 --tail 20", until="^up$"),
    set_up_by("adarun stop 20261121-104502", KEPT),
    resized("adarun resize --add node3:8", "node3 joins at the next restart"),
    resized("adarun resize --remove node2 --now", "with 2 ranks on 1 node"),
    resized("adarun resize 20261121-104502 --add node[3-4] --remove node2 --now", "with 6 ranks on 3 nodes"),
    set_up_by("adarun stop --all", KEPT, shows="interrupted after"),
    set_up_by("adarun stop --now", KEPT),
    set_up_by("adarun logs --rank 0,8-15", job()),
    replaced("adarun logs --role decode --grep Error",
             "adarun launch -q -n 2 --role prefill=0 -- true --role decode=1 -- echo Error && "
             f"adarun logs --role decode --grep Error && {job().strip()}", "the other examples are about a job of one program"),
    Case("adarun monitor train_a.log train_b.log", until="step 3 ", status=130),
    Case(r"adarun monitor --pattern 'it (?<step>\d+) .*train=(?<loss>\S+)' train.log", until="step 3 ", status=130),
    Case("adarun monitor --serve 127.0.0.1:0", until="http://", status=130),
    Case("adarun monitor --serve 8080 --compare run1 run2", until="http://", status=130),
    replaced("adarun script rankfile -r hccl_2s_16p.json -o ranks && mpirun --rankfile ranks -n 16 ./program",
             "adarun script rankfile --hosts node[1-2]:1 -o ranks && mpirun --rankfile ranks -n 2 ./program",
             "a rankfile binds each rank to a processor of its own, and this machine may have two", shows="^node2$"),
    replaced("sbatch job.sh", "shellcheck job.sh", "docs.slurm gives it to a Slurm"),
    not_run("adarun demo", "it is run for README.md"),
    replaced("adarun demo --dir /tmp/adarun-demo -- --epochs 3", "adarun demo --dir /tmp/adarun-demo -- --epochs 3 --max-steps 1",
             SHORT),
    replaced("adarun demo --no-train", "adarun demo --no-train -- --steps 2", "the same in fewer steps", shows="16 with loss lines"),
    ends_with("adarun demo --fail", 7, r"rank 11 on 127.0.1.2 \(device 3\) failed first: exit code 7",
              run="adarun demo --fail -- --steps 2", why="the same in fewer steps"),
])
