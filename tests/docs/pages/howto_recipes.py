# SPDX-License-Identifier: Apache-2.0
"""docs/howto/recipes.md."""
from cases import Case, Substitute, not_run, replaced
from samples import Unlike
from setting import PROGRAMS

# node1 and node2 have a program that runs until it is stopped.
SETTING = PROGRAMS + "printf '#!/bin/sh\\nexec sleep 600\\n' >waiting && chmod +x waiting\n"
SUBSTITUTES = [Substitute("--name run7 -- ./train", "--name run7 -- ./waiting", "./train ends at once")]
PID = """adarun status run7 --json | jq -r '.ranks[] | select(.rank == 3) | "\\(.node) \\(.pid)"'"""
UNDER_GDB = """adarun launch -n 4 -- sh -c 'test $RANK_ID != 3 || exec gdb -q -batch -ex run -ex bt --args "$@"; exec "$@"' sh"""
ANY = "ranks print in any order"
UNLIKE = [Unlike("server", ANY, "server|worker"), Unlike("worker", ANY, "server|worker")]
CASES = [
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
]
