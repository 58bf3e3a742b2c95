# SPDX-License-Identifier: Apache-2.0
"""An unmodified PyTorch script (ddp_script.py) trains under adarun launch."""
import os

from e2e import Case, hosts, launch

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ddp_script.py")


class Torch(Case):
    def test_an_unmodified_ddp_script_trains_over_two_hosts(self):
        launch("--", "/usr/bin/python3", "-B", SCRIPT, hosts=hosts(2)).expect(0)
        lines = [self.log_of(rank).splitlines()[-1] for rank in range(4)]
        # All ranks hold the same weights, so all print the same fit as rank 0.
        fitted = lines[0].split(": ")[1]
        self.assertEqual(lines, [f"rank {rank} of 4: {fitted}" for rank in range(4)])
        weight, bias = (float(part.split()[0]) for part in fitted.removeprefix("y = ").split("x + "))
        # 100 steps at rate 0.3 each multiply the weight's error (curvature 2/3) by 0.8: it ends below the printed digits.
        self.assertAlmostEqual(weight, 2, delta=0.01)
        self.assertAlmostEqual(bias, 1, delta=0.01)
