#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks built programs for what cmake/hardening.cmake asks for: hardening.py PROGRAM... prints what is missing and exits
1 if something is.

In a static program only what the linker did is checked: its C library contains the other symbols anyway.
"""
import re
import subprocess
import sys

ENDBR64 = "f30f1efa"  # The first instruction of a function that may be called indirectly.


def readelf(program, *options):
    return subprocess.run(["readelf", "-W", *options, program], check=True, capture_output=True, text=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, timeout=30).stdout


def link_findings(headers, segments, dynamic):
    """Hardening that the linker did not apply."""
    stack = re.search(r"GNU_STACK +(?:0x\w+ +){5}([RWE ]+?) +0x", segments)
    return [what for what, there in [
        ("no random address (PIE)", "DYN (" in headers and " PIE" in dynamic),
        ("addresses of functions can be written (no relro)", "GNU_RELRO" in segments),
        ("addresses of functions are found while it runs (no -z now)", "BIND_NOW" in dynamic or re.search(r"Flags:.* NOW", dynamic)),
        ("a stack that can be executed", stack and "E" not in stack[1]),
        ("code that can be written (text relocations)", "TEXTREL" not in dynamic),
    ] if not there]


def code_findings(symbols, machine, first_bytes_of_main, compilers):
    """Hardening that the compiler did not apply, judged by the symbols used. clang 14 replaces fewer calls by checked ones
    than g++: a small program may have none."""
    found = []
    if "__stack_chk_fail" not in symbols:
        found.append("no stack protector")
    if "clang version" not in compilers and not re.search(
            r"__(mem|str|v?sn?printf|v?fprintf|read|recv|pread|fd|realpath|poll|get)\w*_chk\b", symbols):
        found.append("no checked library calls (_FORTIFY_SOURCE)")
    if "X86-64" in machine and first_bytes_of_main != ENDBR64:
        found.append("no marks where branches may lead (-fcf-protection)")
    return found


def first_bytes_of(program, function):
    """The first four bytes of a function in hexadecimal; None if the program was stripped."""
    symbol = re.search(rf"(?m)^ *\d+: (\w+) +\d+ FUNC .* {function}$", readelf(program, "--symbols"))
    text = re.search(r"\] \.text +PROGBITS +(\w+) (\w+) ", readelf(program, "--sections"))
    if not symbol:
        return None
    with open(program, "rb") as file:
        file.seek(int(symbol[1], 16) - int(text[1], 16) + int(text[2], 16))
        return file.read(4).hex()


def findings(program):
    headers, segments, dynamic = (readelf(program, option) for option in ("--file-header", "--segments", "--dynamic"))
    found = link_findings(headers, segments, dynamic)
    if "INTERP" in segments:
        found += code_findings(readelf(program, "--dyn-syms"), headers, first_bytes_of(program, "main") or ENDBR64,
                               readelf(program, "-p", ".comment"))
    return found


def main():
    failed = False
    for program in sys.argv[1:]:
        for finding in findings(program):
            print(f"{program}: {finding}")
            failed = True
    if failed:
        sys.exit(1)
    print(f"{len(sys.argv) - 1} programs, nothing lacks")


if __name__ == "__main__":
    main()
