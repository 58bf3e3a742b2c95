#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How nodes are reached where the way is not plain."""
import unittest

from e2e import Case, hosts, launch, own_sshd


class OwnMachine(Case):
    def test_the_others_are_told_an_address_of_node_0_that_they_can_reach(self):
        # The launcher's name leads to 127.0.0.1 in /etc/hosts.
        script = "echo $MASTER_ADDR $OMPI_MCA_btl_tcp_if_include"
        with own_sshd(self) as config:
            done = launch("--ssh-config", config, "--", "sh", "-c", script, hosts=hosts(1, "launcher", "node1"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "10.77.0.1 10.77.0.0/30\n" * 2)


if __name__ == "__main__":
    unittest.main()
