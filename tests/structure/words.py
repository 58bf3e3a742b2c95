#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that names in sources are the field's: words.py TOP prints each name that was tried here and is not, with what engineers
say instead, and exits 1 when there is one."""
import re
import sys

from sources import code_of, in_room, is_cpp, source_files

# A name of a type, as a whole -> what to say.
INSTEAD = {
    "Course": "AllreduceOp", "Flight": "Request", "Peers": "Communicator", "Board": "SharedReduce, RunRegistry",
    "Guardian": "Watchdog", "Lifeline": "HeartbeatPipe", "Setback": "ExecError", "Gathering": "OutputBatcher",
    "RankPart": "RankSpec", "Common": "JobSpec", "JobDesk": "ControlServer", "Seat": "JobSession",
    "Reception": "StatusObserver", "Standing": "JobStatus", "Greeting": "SshBanner", "Approach": "SshConnector",
    "Admission": "SshHandshake", "Comeback": "Reconnector", "Errand": "BlockingTask", "Passage": "Tunnel",
    "Interview": "NodeProbe", "Survey": "ProbeSession", "LogEar": "LogListener", "MetricEar": "MetricListener",
    "ChartWish": "ChartQuery", "Homecoming": "RecoveredOutput", "Look": "ViewState", "Roster": "DeviceIndex",
    "ProcessCare": "ProcessLimits", "RankCare": "RankResources", "Patience": "SilenceTimeout", "Pulses": "Heartbeats",
    "Narrator": "ProgressReporter", "Departure": "DetachChannel", "Inquiries": "QueryRunner", "HalfFile": "PartialFile",
    "HangInquiry": "HangDiagnosis",
}
# A part of any name, between underscores -> what to say.
PARTS = {
    "guardian": "watchdog", "lifeline": "heartbeat", "setback": "exec_error", "comeback": "reconnector", "errand": "task",
    "fates": "rank_outcomes", "survey": "probe", "interview": "probe", "homecoming": "recovered_output",
    "patience": "timeout", "bequeath": "add", "desk": "control_server",
}
NAME = re.compile(r"[A-Za-z_]\w*")


def meant_by(name):
    """What to say instead of a name; None where it is good."""
    if name in INSTEAD:
        return INSTEAD[name]
    return next((PARTS[part] for part in name.split("_") if part in PARTS), None)


def findings(files):
    found = []
    for path in sorted(files):
        if not (is_cpp(path) and (in_room(path) or path.startswith(("tests/", "bench/")))):
            continue
        for name in sorted(set(NAME.findall(code_of(files[path])))):
            meant = meant_by(name)
            if meant:
                found.append(f"{path}: {name}: say {meant}")
    return found


def main():
    found = findings(source_files(sys.argv[1]))
    print("\n".join(found) or "no name that is not the field's")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
