# SPDX-License-Identifier: Apache-2.0
"""Pages about running jobs."""
from cases import Case, Page, Substitute, replaced, set_up_by
from samples import Unlike
from setting import CARDS, OWN_FOLDERS, PROGRAMS, job, last_job_id, table

PAGES = {}

NOT_ON_ALL = 'for node in 1 2 5 6 7 8; do scp -q train "node$node:$ADARUN_TEST_OWN/" & done; wait'
SAME_SYSTEM = "all nodes are this machine, with its libraries and its kernel"
FEWER_RANKS = "lines of 64 ranks on a busy machine are further apart than a fold waits"
LAUNCH_SETTING = PROGRAMS + "adarun ranktable gen -q --plain --hosts node[1-2]:8 -o rank_table.json"

PAGES["docs/launch.md"] = Page(LAUNCH_SETTING, unlikes=[
    Unlike(r"warning +libmpi .*", SAME_SYSTEM),
    Unlike("8 nodes: 1 wrong, 1 warnings", SAME_SYSTEM, r"8 nodes: 1 wrong, \d warnings"),
    Unlike(r"\[0-63\] hello", FEWER_RANKS, r"\[0-3\] hello"),
    Unlike(r"\[0-7,16-63\] 6.1.0-18-amd64", SAME_SYSTEM, r"\[0-3\] .*"),
    Unlike(r"\[8-15\] 6.1.0-13-amd64", SAME_SYSTEM),
], cases=[
    replaced("adarun train  -r rank_table.json -- --model lenet5 --epochs 2",
             "adarun train -r rank_table.json -- --model lenet5 --epochs 2 --max-steps 1", "the same with one step"),
    Case("adarun launch --hosts node[1-2]:8 -- ./train --lr 0.1", shows="loss is 0.815"),
    replaced("adarun check --hosts node[1-8]:8 -- ./train", 'cd "$ADARUN_TEST_OWN" && adarun check --hosts node[1-8]:8 -- ./train',
             "two nodes are to have no ./train", before=NOT_ON_ALL, status=1),
    replaced("adarun launch --hosts node[1-8]:8 --fold -- sh -c 'echo hello; uname -r'",
             "adarun launch --hosts node1:4 --fold -- sh -c 'echo hello; uname -r'", FEWER_RANKS, shows=r"^\[0-3\] hello$"),
])

SSH_SETTING = r"""
python3 - >config <<'END'
import re
page = open("docs/ssh.md").read()
print(re.search(r"```\n(Host bastion.*?)```", page, re.S)[1].replace("bastion.example.com", "node8").replace("User me", "User root"))
END
grep -q ProxyJump config && cat "$ADARUN_TEST_SSH_CONFIG" >>config && cp config "$ADARUN_TEST_SSH_CONFIG"
sed -n 's/^node8,\|^node8 /bastion /p' "$ADARUN_TEST_KNOWN_HOSTS" >>"$ADARUN_TEST_KNOWN_HOSTS"
"""

# Node8 is the bastion, and the ssh configuration is that on the page.
PAGES["docs/ssh.md"] = Page(SSH_SETTING, cases=[
    Case("adarun check --hosts node[1-4]:8", shows=r"4 nodes: 0 wrong"),
    Case("adarun launch --hosts node[1-4]:8 -- hostname", shows="node4"),
])

PAGES["docs/ranks.md"] = Page(PROGRAMS + "echo BATCH=8 >job.env", cases=[
    Case("adarun launch --hosts node[1-2]:8 --env LR=0.1 --env-file job.env -- ./train", shows="loss is 0.815"),
    replaced("adarun launch --hosts node[1-2]:8 --bind numa --ulimit nofile=65536 --umask 027 -- ./train",
             "adarun launch --hosts node[1-2]:8 --bind numa --ulimit nofile=256 --umask 027 -- ./train",
             "this machine may allow fewer", shows="loss is 0.815"),
])

MPI_SETTING = "printf '#!/bin/sh\\necho \"rank $RANK: $PMI_SIZE ranks, $(wc -l) lines\"\\n' >solver; chmod +x solver; seq 3 >input"

PAGES["docs/mpi.md"] = Page(MPI_SETTING, cases=[
    Case("adarun check --hosts node[1-4]:8 -- ./solver", shows="libmpi"),
    Case("adarun launch --hosts node[1-4]:8 -- ./solver --steps 100", shows="rank 31: 32 ranks, 0 lines"),
    Case("adarun launch -n 4 ./solver < input", shows="rank 0: 4 ranks, 3 lines"),
])

# ./train runs until it is stopped.
LIFE_SETTING = "printf '#!/bin/sh\\necho step 1\\nexec sleep 600\\n' >train; chmod +x train"
EIGHT = "three nodes of two ranks instead of eight of eight, and a program that ends"
QUICK = "which ranks are quick enough to fail before they are stopped is another matter each time"

PAGES["docs/life-cycle.md"] = Page(LIFE_SETTING, substitutes=[
    last_job_id("20261121-104502"),
    Substitute("/data/run1", "{folder}/run1", "a folder of the test"),
], unlikes=[
    Unlike("node1: rank 0: .* brought home", "no supervisor has died: e2e.cut kills one", "node1: nothing was kept there"),
    Unlike("adarun: rank 0 on node1 .*", QUICK, r"adarun: rank \d on node\d \(device \d\) failed first: exit code 9"),
], cases=[
    Case("adarun launch --detach --hosts node[1-2]:8 --name run7 -- ./train", shows=r"^\d{8}-\d{6}-\w+$"),
    Case("adarun status run7", shows=r"running +\[0-15\]"),
    Case("adarun attach run7", shows="adarun attach .* --from", until="step 1"),
    replaced("adarun wait run7", "adarun wait run7 --timeout 0.1s", "the job runs on", status=124, shows=""),
    Case("adarun stop run7", shows="16 of 16 ranks stopped"),
    replaced("adarun launch --hosts node[1-8]:8 --resilient -- ./train",
             "adarun launch --hosts node[1-3]:2 --resilient -- true", EIGHT),
    replaced("adarun launch --hosts node[1-8]:8 --timeout 2h --hang-timeout 10m -- ./train",
             "adarun launch --hosts node[1-3]:2 --timeout 2h --hang-timeout 10m -- true", EIGHT),
    replaced("adarun launch --hosts node[1-8]:8 --restarts 2 -- ./train",
             "adarun launch --hosts node[1-3]:2 --restarts 2 -- true", EIGHT),
    replaced("adarun launch --hosts node[1-8]:8 --spare node9 -- ./train",
             "adarun launch --hosts node[1-2]:2 --spare node3 -- true", EIGHT),
    replaced("adarun launch --hosts node[1-8]:8 --min-nodes 6 -- ./train",
             "adarun launch --hosts node[1-3]:2 --min-nodes 2 -- true", EIGHT),
    Case("adarun logs 20261121-104502 --collect", shows="nothing was kept there"),
    Case("adarun launch --hosts node[1-2]:2 --restarts 1 -- sh -c 'test $ADARUN_RESTART_COUNT = 1 || exit 9; echo continuing'",
         shows=r"restart 1 of 1[\s\S]*continuing"),
    replaced("adarun train --hosts node[1-2]:8 --restarts 2 -- --checkpoint-dir /data/run1 --checkpoint-minutes 10",
             "adarun train --hosts node[1-2]:8 --restarts 2 -- --checkpoint-dir /data/run1 --checkpoint-minutes 10 "
             "--checkpoint-every 1 --max-steps 2", "the same with few steps"),
    replaced("adarun launch --hosts node[1-10]:8 --spare 2 --min-nodes 6 --restarts 3 -- ./train",
             "adarun launch --hosts node[1-3]:2 --spare 1 --min-nodes 1 --restarts 3 -- true", EIGHT),
])

ELASTIC_SETTING = "printf '#!/bin/sh\\nexec sleep 600\\n' >train; chmod +x train"

PAGES["docs/elastic.md"] = Page(ELASTIC_SETTING, substitutes=[
    Substitute("--epochs 3", "--epochs 1", "the same, shorter"),
], cases=[
    Case("adarun resize run7 --add node3 --now", shows="node3 joins, and the job continues with 24 ranks on 3 nodes"),
    Case("adarun resize run7 --remove node1 --now", shows="node1 leaves, and the job continues with 16 ranks on 2 nodes"),
])

# The programs tell who they are; a worker waits for the proxy, if there is one.
ROLES_SETTING = CARDS + r"""
for name in prefill decode server; do
  printf '#!/bin/sh\necho "%s: rank $RANK, $ADARUN_ROLE $ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE"\n' $name >$name
done
cat >worker <<'END'
#!/bin/sh
until test "$ADARUN_ROLE" != worker || test -e up; do sleep 0.01; done
echo "worker: rank $RANK, $ADARUN_ROLE $ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE"
END
cat >proxy <<'END'
#!/bin/sh
echo ready
: >up
exec sleep 600
END
cat >job.json <<'END'
{"roles": [{"name": "prefill", "hosts": "node1:8", "program": ["./prefill"]},
           {"name": "decode", "hosts": "node2:8", "program": ["./decode"]}]}
END
chmod +x prefill decode server worker proxy
"""

PAGES["docs/roles.md"] = Page(ROLES_SETTING, substitutes=[
    Substitute("gen --hosts", "gen --hccn-tool {folder}/programs/hccn_tool --server-id name --hosts",
               "the nodes have no cards, and are known by their names"),
], cases=[
    Case("adarun launch --hosts node[1-2]:8 --role prefill=0-7 -- ./prefill --batch 8 --role decode=8-15 -- ./decode",
         shows="^decode: rank 15, decode 7 of 8"),
    Case("adarun launch -r global_ranktable.json --role prefill=0-7 -- ./prefill --role decode=8-15 -- ./decode",
         shows="^decode: rank 15, decode 7 of 8"),
    Case("adarun launch --hosts node[1-2]:8 -n 1 ./server : -n 3 ./worker", shows="^worker: rank 3, app1 2 of 3"),
    Case("adarun launch --tag-output -n 2 --role proxy=0:background,restarts=3 -- ./proxy --role worker=1 -- ./worker",
         shows=r"^\[1 worker\] worker: rank 1, worker 0 of 1"),
    Case("adarun launch --spec job.json --timeout 2h", shows="^decode: rank 15, decode 7 of 8"),
])

# A log folder of 64 ranks with line times of this afternoon.
AFTERNOON = r"""
rm -rf log_output && python3 - <<'END'
import datetime, os
os.mkdir("log_output")
came = int(datetime.datetime.now().replace(hour=15, minute=0).timestamp()) * 1000
lines = [("epoch: 1 step: 100, loss is 2.3", range(64)), ("[WARNING] slow read of /data/part-17", [17]),
         ("saved", [rank for rank in range(64) if rank != 17])]
for rank in range(64):
    with open(f"log_output/worker_{rank}.log", "w") as log:
        log.writelines(line + "\n" for line, ranks in lines if rank in ranks)
with open("log_output/line_times.txt", "w") as times:
    times.write("adarun line times 1 -\n")
    for line, ranks in lines:
        came += 1000
        times.write(f"{came} " + " ".join(f"{rank}:{len(line) + 1}" for rank in ranks) + "\n")
END
"""

LOGS_SETTING = PROGRAMS + job() + """
mkdir -p data/run7 npu && echo "an Error" | tee npu/a.log >data/run7/a.log
for rank in 1 2 3 4 5 6 7; do echo "rank $rank" >data/run7/$rank.log; done
"""

PAGES["docs/logs.md"] = Page(LOGS_SETTING, substitutes=[
    last_job_id("20261121-010203"),
    *OWN_FOLDERS,
], cases=[
    Case("adarun logs --node node3,node[5-8] -n 5", shows="worker_4.log"),
    Case("adarun logs --since 10m --grep 'NaN|nan'", shows="momentum is nan"),
    Case("adarun logs --hosts node[1-8] --path '/data/run7/*.log' --collect DIR", shows=r"node\[1-8\]: 8 files"),
    set_up_by("adarun logs --merge --since 14:30", AFTERNOON),
    Case("adarun logs --hosts node[1-8] --path '/data/run7/*.log' --grep Error", shows="an Error"),
    set_up_by("adarun prune log_output", "rm -rf log_output\n" + job()),
])

# trainer-0 is node1. tests/e2e/preset_test.py has stand-ins that read their command lines as the real programs do.
STAND_INS = r"""
cat >programs/kubectl <<'END'
#!/bin/sh
pod=$3
while [ "$1" != -- ]; do shift; done
shift
exec ip netns exec "node$((${pod#trainer-} + 1))" "$@"
END
printf '#!/bin/sh\nshift 3\nexec "$@"\n' >programs/docker
chmod +x programs/kubectl programs/docker
echo "PATH=$PWD/programs:\$PATH" >"$HOME/.bashrc"
"""

# Pods are test hosts, and so are the hosts of containers.
PAGES["docs/transports.md"] = Page(PROGRAMS + STAND_INS, tidying='rm "$HOME/.bashrc"', cases=[
    Case("adarun launch --via openssh --hosts node[1-4]:8 -- ./train", shows="loss is 0.831"),
    Case("adarun launch --via kubectl --hosts trainer-[0-3]:8 -- python3 train.py", shows="rank 31"),
    Case("adarun launch --via 'exec:ip netns exec {host}' --hosts node[1-4]:8 -- ./train", shows="loss is 0.831"),
    Case("adarun launch --via 'exec:ssh -T {host} docker exec -i trainer {command}' --hosts node[1-4]:8 -- python3 train.py",
         shows="rank 31"),
])

# On a Slurm cluster of two nodes.
ENDED = "until test -z \"$(squeue -h)\"; do sleep 0.1; done; ls log_output.*/worker_15.log"

PAGES["docs/slurm.md"] = Page(PROGRAMS, tidying=ENDED, cases=[
    replaced("salloc -N2 --ntasks-per-node=8 adarun train --via slurm -- --model lenet5 --epochs 2",
             "salloc -Q -N2 --ntasks-per-node=8 adarun train --via slurm -- --model lenet5 --max-steps 1",
             "the same with one step"),
    set_up_by("sbatch job.sh", "true"),
])

PAGES["docs/script.md"] = Page(PROGRAMS + CARDS + table("hccl_2s_16p.json", "node[1-2]:8"), substitutes=[
    Substitute("python /share/train.py", "python3 {folder}/train.py", "a folder that all nodes share"),
])
