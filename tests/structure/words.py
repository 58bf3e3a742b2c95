#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that names in sources use the field's terms: words.py TOP prints each name with a rejected word and the usual term
instead, and exits 1 if there is one. It does not read comments and literals, since formats must not change."""
import re

from sources import check, code_of, is_cpp

# The whole name of a type -> what to say. These are everyday words, which may be fine as part of a name.
TYPES = {
    "Board": "SharedReduce, RunRegistry", "Common": "JobSpec", "Departure": "DetachChannel", "Flight": "Request",
    "Greeting": "SshBanner", "HalfFile": "PartialFile", "HangInquiry": "HangDiagnosis", "Inquiries": "QueryRunner",
    "Look": "ViewState", "Peers": "Communicator", "Pulses": "Heartbeats", "RankPart": "RankSpec", "Standing": "JobStatus",
}
# A word in any name -> what to say.
WORDS = {
    "admission": "handshake (SshHandshake)", "approach": "connector (SshConnector)", "bequeath": "add",
    "care": "limits, resources (ProcessLimits, RankResources)", "comeback": "reconnector",
    "course": "operation, curve, scenario (AllreduceOp, LossCurve)", "desk": "server (ControlServer)", "ear": "listener",
    "errand": "task (BlockingTask)", "fate": "outcome (rank_outcomes)", "gathering": "batch (OutputBatcher)",
    "guardian": "watchdog", "helper": "what it does", "homecoming": "recovered output", "interview": "probe (NodeProbe)",
    "lifeline": "heartbeat", "manager": "what it does", "narrator": "reporter (ProgressReporter)", "passage": "tunnel",
    "patience": "timeout", "reception": "session, observer (JobSession, StatusObserver)", "roster": "index (DeviceIndex)",
    "seat": "session (JobSession)", "setback": "error (ExecError)", "survey": "probe (ProbeSession)", "util": "what it does",
    "wish": "options, query (ChartQuery)",
}
NAME = re.compile(r"[A-Za-z_]\w*")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # SSHErrand_count: SSH, Errand, count.


def meant_by(name):
    """What to say instead of a name; None if the name is fine."""
    if name in TYPES:
        return TYPES[name]
    parts = [part.lower() for part in PART.findall(name)]
    forms = [form for part in parts for form in (part, part.removesuffix("s"), part.removesuffix("es"))]
    return next((WORDS[form] for form in forms if form in WORDS), None)


def findings(files):
    found = []
    for path in sorted(filter(is_cpp, files)):
        for name in sorted(set(NAME.findall(code_of(files[path])))):
            meant = meant_by(name)
            if meant:
                found.append(f"{path}: {name}: say {meant}")
    return found


if __name__ == "__main__":
    check(findings, "no name that is not the field's")
