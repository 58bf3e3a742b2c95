#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that names in sources use the field's terms, and that messages, comments and pages have no phrase that engineers do not use:
words.py TOP prints each with the usual term, and exits 1 if there is one. Names in comments and literals are left out, since
formats must not change, and so are the phrases of CHANGELOG.md, which tells what was."""
import re
import sys

from sources import check, code_of, is_cpp, paths_of, read

# The whole name of a type -> what to say. These are everyday words, which may be fine as part of a name.
TYPES = {
    "Board": "SharedReduce, RunRegistry", "Brief": "BoundedText", "CardQuestions": "CardQuery", "CardWord": "CardAddressReply",
    "Common": "JobSpec", "Dead": "CrashedProcess", "Departure": "DetachChannel", "Diversion": "LogRedirect", "Fact": "SchemaField",
    "Flight": "Request", "Forget": "DropUndelivered", "Given": "ProcessSettings", "Greeting": "SshBanner",
    "Grey": "GrayscaleDataset", "HalfFile": "PartialFile", "HandedOver": "ExecState", "HangInquiry": "HangDiagnosis",
    "HeldTable": "ReferenceTable", "HomeFolder": "DownloadFolder", "HomePlace": "DownloadPath", "Inquiries": "QueryRunner",
    "JobParts": "JobContext", "Look": "ViewState", "Meeting": "RankConnections", "NoneFits": "Infeasible",
    "OneRank": "SingleProcessCommunicator", "OptionCost": "StrategyCost", "PassingFile": "TemporaryCopy", "Peers": "Communicator",
    "Pulses": "Heartbeats", "Quit": "ExitError", "RankPart": "RankSpec", "Recall": "UndeliveredRequest",
    "Recalled": "UndeliveredReply", "Standing": "JobStatus", "Tolerant": "SkipCorruptDataset",
    "TooManySums": "SearchLimitExceeded", "Topic": "FieldKind", "Untimed": "StepTimeSource", "Wants": "JobRequirements",
}
# A word in any name -> what to say.
WORDS = {
    "admission": "handshake (SshHandshake)", "approach": "connector (SshConnector)", "bequeath": "add",
    "care": "limits, resources (ProcessLimits, JobResources)", "comeback": "reconnector",
    "course": "operation, curve, scenario (AllreduceOp, MergedCurve)", "desk": "server (ControlServer)", "ear": "listener",
    "errand": "task (BlockingTask)", "fate": "outcome (rank_outcomes)", "gathering": "batch (OutputBatcher)",
    "guardian": "watchdog", "helper": "what it does", "homecoming": "recovered output", "interview": "probe (NodeProbe)",
    "lifeline": "heartbeat", "manager": "what it does", "narrator": "reporter (ProgressReporter)", "passage": "tunnel",
    "patience": "timeout", "reception": "session, observer (ProbeSession, JobObserver)", "roster": "index (DeviceIndex)",
    "seat": "session (ProbeSession)", "setback": "error (ExecError)", "survey": "probe (ProbeSession)", "util": "what it does",
    "wish": "options, query (ChartQuery)",
}
# A phrase anywhere -> what to say.
PHRASES = {
    r"(?i)\b(?:goes|go|went|gone|going)[\s/#]+on\b": "continue", r"(?i)\b(?:stands?|stood|standing)[\s/#]+still\b": "hangs, is suspended, is blocked",
    r"\bsaid what no agent says\b": "sent an invalid message", r"\bbeing[\s/#]+looked[\s/#]+for\b": "reconnecting",
    r"\ball that it ran\b": "all its processes", r"\bsays? of (?:it|them)sel(?:f|ves)\b": "the verb that is meant",
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
    for path in sorted(files):
        found += phrase_findings(path, files[path])
    return found


def phrase_findings(path, text):
    return [f"{path}: {phrase[0]}: say {meant}" for pattern, meant in PHRASES.items() for phrase in re.finditer(pattern, text)
            if not path.startswith("tests/structure/words")]


def pages(top):
    """Path -> text of every page."""
    return {path: read(top, path).decode() for path in paths_of(top) if path.endswith(".md") and path != "CHANGELOG.md"}


if __name__ == "__main__":
    check(lambda files: findings(files | pages(sys.argv[1])), "no name and no phrase that is not the field's")
