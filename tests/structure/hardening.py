#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what was built: hardening.py FOLDER [PROGRAM...] prints what is wrong and exits 1 if something is.

Programs and shared libraries below FOLDER look for others in absolute folders, or in their own. An empty or relative element of
their search path is the current folder or one in it, "$ORIGIN/.." depends on where a copy lies: both may be another user's.

Each PROGRAM has what cmake/hardening.cmake asks for. In a static program only what the linker did is checked: its C library
contains the other symbols anyway.
"""
import os
import re
import subprocess
import sys

ENDBR64 = "f30f1efa"  # The first instruction of a function that may be called indirectly.


def readelf(program, *options):
    return subprocess.run(["readelf", "-W", *options, program], check=True, capture_output=True, text=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, timeout=30).stdout


def search_path_findings(dynamic):
    """Folders for libraries, by the text of readelf --dynamic, that are neither absolute nor that of the file itself."""
    folders = ":".join(re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic) or ["$ORIGIN"]).split(":")
    return [f"looks for libraries in \"{folder}\"" for folder in dict.fromkeys(folders)
            if not folder.startswith("/") and folder != "$ORIGIN"]


def is_loaded(path):
    """Whether a file is an ELF program or shared library, for whatever processor."""
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        start = file.read(18)
    return start[:4] == b"\x7fELF" and int.from_bytes(start[16:18], "little") in (2, 3)


def loaded_files(folder):
    return sorted(path for where, _, names in os.walk(folder) for name in names if is_loaded(path := os.path.join(where, name)))


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
    files = loaded_files(sys.argv[1])
    found = [(file, finding) for file in files for finding in search_path_findings(readelf(file, "--dynamic"))]
    found += [(program, finding) for program in sys.argv[2:] for finding in findings(program)]
    for where, finding in found:
        print(f"{where}: {finding}")
    if found or not files:
        sys.exit(1)
    print(f"{len(sys.argv) - 2} hardened programs, {len(files)} programs and libraries, nothing wrong")


if __name__ == "__main__":
    main()
