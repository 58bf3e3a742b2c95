# SPDX-License-Identifier: Apache-2.0
"""What benchmarks of adarun beside other programs share: options, test hosts, processor time."""
import argparse
import os
import pathlib
import resource
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
LIMIT_S = 600


def on_hosts(doc, numbers, with_hosts):
    """Reads the options of a benchmark, and runs it again inside the test hosts that with_hosts(options) describes; returns the
    options there. `numbers`: options that are numbers -> (default, what it is)."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, (default, what) in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{what} (default {default})")
    parser.add_argument("--adarun", default=str(TOP / "build/release/bin/adarun"), help="the program to measure")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.inside:
        words = ["with_hosts", *map(str, with_hosts(options)), "--", sys.executable, *sys.argv, "--inside"]
        os.execv(TOP / "tests/hosts/with_hosts", words)
    return options


def run(*command, **more):
    """What a command prints; ends the benchmark if it fails. `more`: arguments of subprocess.run."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def processor_time():
    """Of this process's children that have ended: the launcher's side alone."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
