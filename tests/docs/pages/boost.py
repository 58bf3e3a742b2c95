# SPDX-License-Identifier: Apache-2.0
"""docs/boost.md."""
from cases import Case

CASES = [
    Case("adarun-trainer --boost-level O1 --boost '{\"boost\": {\"mode\": \"manual\", \"less_bn\": false}, \"grad_freeze\": {\"param_groups\": 3}}'",
         shows="loss is"),
]
