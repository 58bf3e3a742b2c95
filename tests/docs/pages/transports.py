# SPDX-License-Identifier: Apache-2.0
"""docs/transports.md: pods are test hosts, and so are the hosts of containers."""
from cases import Case
from setting import PROGRAMS

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

SETTING = PROGRAMS + STAND_INS
CASES = [
    Case("adarun launch --via openssh --hosts node[1-4]:8 -- ./train", shows="loss is 0.831"),
    Case("adarun launch --via kubectl --hosts trainer-[0-3]:8 -- python3 train.py", shows="rank 31"),
    Case("adarun launch --via 'exec:ip netns exec {host}' --hosts node[1-4]:8 -- ./train", shows="loss is 0.831"),
    Case("adarun launch --via 'exec:ssh -T {host} docker exec -i trainer {command}' --hosts node[1-4]:8 -- python3 train.py",
         shows="rank 31"),
]
TIDYING = 'rm "$HOME/.bashrc"'
