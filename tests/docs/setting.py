# SPDX-License-Identifier: Apache-2.0
"""What several pages use: shell scripts that create a program to run, cards, tables, logs; words that the tests replace."""
from cases import Substitute

# ./train prints losses, then a line with nan that is no loss; ./program prints its host name.
PROGRAMS = r"""
cat >train <<'END'
#!/bin/sh
for step in 1 2 3; do echo "epoch: 1 step: $step, loss is 0.$((9 - step))${RANK:-0}"; done
echo "momentum is nan"
END
printf '#!/bin/sh\nhostname\n' >program
printf 'import os\nprint("rank", os.environ.get("RANK"))\n' >train.py
chmod +x train program
mkdir -p data && seq 100 >data/numbers
"""

# ./train.sh fails on rank 11 once all 16 have begun; the others would run on for long.
FAILING_RANK = r"""
cat >train.sh <<'END'
#!/bin/sh
echo step 1
: >began$RANK
test "$RANK" = 11 || exec sleep 600
until test "$(ls | grep -c '^began')" = 16; do sleep 0.01; done
echo 'CUDA error: device lost'
exit 7
END
chmod +x train.sh
"""

# A hccn_tool that gives card N of node I the address 10.1.I.N, and a hccn.conf that has node1's.
CARDS = r"""
cat >programs/hccn_tool <<'END'
#!/bin/sh
node=$(hostname | tr -dc 0-9)
echo "ipaddr:10.1.${node:-0}.$2"
echo netmask:255.255.0.0
END
chmod +x programs/hccn_tool
for card in 0 1 2 3 4 5 6 7; do echo "address_$card=10.1.1.$card"; done >hccn.conf
"""


def table(file, hosts):
    """A rank table of the cards that CARDS made; servers are named as in the host list."""
    return f'adarun ranktable gen -q --hccn-tool "$PWD/programs/hccn_tool" --server-id name --hosts {hosts} -o {file}\n'


def job(hosts="node[1-8]:2", log_dir="log_output"):
    """Runs ./train to its end as a job."""
    return f"adarun launch -q --hosts {hosts} --log-dir {log_dir} -- ./train >/dev/null\n"


# The newest job.
LAST_JOB = "$(adarun ps --json | jq -r '.[0].id')"

# Data sets for the trainer, of one or two steps.
MNIST = "adarun-trainer data draw --format idx --out data/mnist --train 1024 --test 64\n"

GEN_WITH_TOOL = Substitute("gen --hosts", "gen --hccn-tool {folder}/programs/hccn_tool --hosts", "the nodes have no cards")
OWN_FOLDERS = [Substitute("/data/run7", "{folder}/data/run7", "a folder of the test"),
               Substitute("/var/log/npu", "{folder}/npu", "a folder of the test")]


def last_job_id(shown):
    """The id of a job that a page shows stands for the newest job."""
    return Substitute(shown, LAST_JOB, "an id is new each time")
