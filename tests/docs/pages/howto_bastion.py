# SPDX-License-Identifier: Apache-2.0
"""docs/howto/bastion.md: node8 is the bastion, and the ssh configuration is that on the page."""
from cases import Case, ends_with

SETTING = r"""
python3 - >config <<'END'
import re
page = open("docs/howto/bastion.md").read()
print(re.search(r"```\n(Host bastion.*?)```", page, re.S)[1].replace("bastion.example.com", "node8").replace("User me", "User root"))
END
grep -q ProxyJump config && cat "$ADARUN_TEST_SSH_CONFIG" >>config && cp config "$ADARUN_TEST_SSH_CONFIG"
sed -n 's/^node8,\|^node8 /bastion /p' "$ADARUN_TEST_KNOWN_HOSTS" >>"$ADARUN_TEST_KNOWN_HOSTS"
"""
NODE3_IS_DEAF = "sed -i '1i Host node3\\n  Port 9' \"$ADARUN_TEST_SSH_CONFIG\""
BASTION_IS_GONE = "sed -i 's/HostName node8/HostName node8\\n  Port 9/' \"$ADARUN_TEST_SSH_CONFIG\""
CASES = [
    Case("adarun check --hosts node[1-4]:8", shows=r"4 nodes: 0 wrong"),
    Case("adarun launch --hosts node[1-4]:8 -- hostname", shows="node4"),
    ends_with("adarun check --hosts node[1-4]:8", 1, "node3: cannot connect to node3 port 9, as seen from bastion: Connection refused",
              before=NODE3_IS_DEAF),
    ends_with("adarun check --hosts node[1-4]:8", 1, "the jump host bastion: cannot connect to .* Connection refused",
              before=BASTION_IS_GONE),
]
