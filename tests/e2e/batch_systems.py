# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for qsub, bsub and flux batch: read the options in a script as their manuals say, and run it on the test hosts
with the environment that a job has. A line that the real ones would not take raises an error."""
import argparse
import os
import re
import shlex

from e2e import read, run, write_lines

NODES = os.environ["ADARUN_TEST_HOSTS"].split(",")


class Options(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(message)


def run_script(command, folder, **variables):
    """What the script prints and its status; it gets no standard input."""
    return run(*command, cwd=folder, env=variables)


def qsub(script):
    """PBS: options stand before the first line that is neither empty nor a comment; -S names the shell, and the job begins in the
    home folder. It reads 4,095 bytes at once: what a line has beyond them is a line that ends the options. OpenPBS,
    doc/man1/qsub.1B, get_script."""
    parser = Options(allow_abbrev=False)
    for name in "-N", "-S", "-j":
        parser.add_argument(name, required=True)
    parser.add_argument("-l", action="append", required=True)
    words = []
    for line in (line[at:at + 4095] for line in read(script).split("\n") for at in range(0, len(line) or 1, 4095)):
        if line.lstrip().startswith("#PBS"):
            words += shlex.split(line.lstrip()[len("#PBS"):])
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    options = parser.parse_args(words)
    limits = dict(each.split("=", 1) for each in options.l)
    if limits["place"] != "scatter" or not set(limits) <= {"place", "select", "walltime"}:
        raise ValueError(limits)
    slots, free = [], list(NODES)
    for chunk in limits["select"].split("+"):
        count, *resources = chunk.split(":")
        resources = dict(each.split("=") for each in resources)
        if not set(resources) <= {"host", "ncpus", "mpiprocs", "ngpus"}:
            raise ValueError(chunk)
        for _ in range(int(count)):
            host = resources.get("host", free[0])
            free.remove(host)
            slots += [host] * int(resources["mpiprocs"])
    write_lines("nodefile", slots)
    done = run_script([options.S, os.path.abspath(script)], os.environ["HOME"], PBS_JOBID="7.server", PBS_O_WORKDIR=os.getcwd(),
                      PBS_NODEFILE=os.path.abspath("nodefile"))
    return options, limits, done


def bsub(script):
    """LSF: each line that begins with #BSUB has options, wherever it stands; #! names the shell, and the job begins in the folder
    where bsub was called. https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=reference-bsub"""
    parser = Options(allow_abbrev=False)
    for name in "-J", "-R", "-o":
        parser.add_argument(name, required=True)
    parser.add_argument("-n", type=int, required=True)
    parser.add_argument("-W", type=int)
    for name in "-m", "-gpu", "-wa", "-wt":
        parser.add_argument(name)
    lines = read(script).split("\n")
    options = parser.parse_args([word for line in lines if line.startswith("#BSUB") for word in shlex.split(line[len("#BSUB"):])])
    each = int(re.fullmatch(r"span\[ptile=(\d+)\]", options.R)[1])
    allowed = options.m.split() if options.m else NODES
    write_lines("hostfile", [allowed[i // each] for i in range(options.n)])
    done = run_script([lines[0].removeprefix("#!"), os.path.abspath(script)], ".", LSB_JOBID="7",
                      LSB_DJOB_HOSTFILE=os.path.abspath("hostfile"))
    return options, done


def flux_batch(script):
    """Flux: lines with a common beginning that ends in flux:, one after the other; a further one behind other lines is an error.
    https://flux-framework.readthedocs.io/projects/flux-rfc/en/latest/spec_36.html"""
    parser = Options(allow_abbrev=False)
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--exclusive", action="store_true", required=True)
    for name in "--job-name", "--requires", "--time-limit":
        parser.add_argument(name)
    words, found, ended = [], None, False
    for line in read(script).split("\n"):
        sentinel = re.match(r"[^A-Za-z0-9]*(?:flux|FLUX):", line)
        if sentinel and (ended or found not in (None, sentinel[0])):
            raise ValueError(f"orphan '{sentinel[0]}' detected")
        if sentinel:
            found = sentinel[0]
            words += shlex.split(line[len(found):], comments=True)
        elif found and line.strip() and not line.startswith(found[0]):
            ended = True
    options = parser.parse_args(words)
    done = run_script([os.path.abspath(script)], ".", FLUX_URI="local:///run/flux/local", FLUX_ENCLOSING_ID="f7")
    return options, done
