# SPDX-License-Identifier: Apache-2.0
"""docs/roles.md."""
from cases import Case, Substitute, ends_with
from setting import CARDS

# ./serve of rank 3 fails when all others run; the other programs tell who they are.
SETTING = CARDS + r"""
for name in prefill decode server; do
  printf '#!/bin/sh\necho "%s: rank $RANK, $ADARUN_ROLE $ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE"\n' $name >$name
done
cat >worker <<'END'
#!/bin/sh
until test "$ADARUN_ROLE" != worker || test -e up; do sleep 0.01; done
echo "worker: rank $RANK, $ADARUN_ROLE $ADARUN_ROLE_RANK of $ADARUN_ROLE_SIZE"
END
cat >serve <<'END'
#!/bin/sh
: >began$RANK
test $RANK = 3 || exec sleep 600
until test -e began0 -a -e began1 -a -e began2; do sleep 0.01; done
echo 'CUDA error: device lost'
exit 7
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
chmod +x prefill decode server worker serve proxy
"""

SUBSTITUTES = [Substitute("gen --hosts", "gen --hccn-tool {folder}/programs/hccn_tool --server-id name --hosts",
                          "the nodes have no cards, and are known by their names")]
CASES = [
    Case("adarun launch --hosts node[1-2]:8 --role prefill=0-7 -- ./prefill --batch 8 --role decode=8-15 -- ./decode",
         shows="^decode: rank 15, decode 7 of 8"),
    Case("adarun launch -r global_ranktable.json --role prefill=0-7 -- ./prefill --role decode=8-15 -- ./decode",
         shows="^decode: rank 15, decode 7 of 8"),
    Case("adarun launch --hosts node[1-2]:8 -n 1 ./server : -n 3 ./worker", shows="^worker: rank 3, app1 2 of 3"),
    Case("adarun launch --tag-output -n 2 --role proxy=0:background,restarts=3 -- ./proxy --role worker=1 -- ./worker",
         shows=r"^\[1 worker\] worker: rank 1, worker 0 of 1"),
    Case("adarun launch --spec job.json --timeout 2h", shows="^decode: rank 15, decode 7 of 8"),
    ends_with("adarun launch -q --hosts node[1-2]:2 --role prefill=0-1 -- ./serve --role decode=2-3 -- ./serve", 7, "role decode"),
]
