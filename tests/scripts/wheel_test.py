#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/wheel, with tarballs that hold next to nothing."""
import base64
import hashlib
import io
import os
import pathlib
import re
import struct
import subprocess
import tarfile
import tempfile
import unittest
import zipfile

TOP = pathlib.Path(__file__).resolve().parents[2]
MACHINES = {"x86_64": 62, "aarch64": 183}
README = "# adarun\n\nEnglish | [other](README.zh.md)\n\nTables and [launching](docs/launch.md).\nTwo lines.\n\n## More\n\nWords.\n"
SBOM = '{"packages": [{"licenseConcluded": "MIT"}, {"licenseConcluded": "Apache-2.0"}, {"licenseConcluded": "MIT"}]}'


def static_program(processor):
    """The head of an ELF file without libraries."""
    return b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, MACHINES[processor], 1, 0, 0, 0, 0, 64, 56, 0, 64, 0, 0)


def read(path):
    with zipfile.ZipFile(path) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tarball(self, processor="x86_64", **other):
        files = {"LICENSE": "Apache", "LICENSES/zlib1g-dev.txt": "Zlib", "adarun.spdx.json": SBOM,
                 "bin/adarun": static_program(processor), "share/doc/adarun/README.md": README, "share/man/man1/adarun.1": ".TH", **other}
        stem = f"adarun-1.2.3-linux-{processor}"
        with tarfile.open(self.folder / f"{stem}.tar.gz", "w:gz") as archive:
            for name, content in files.items():
                content = content.encode() if isinstance(content, str) else content
                if content:
                    member = tarfile.TarInfo(f"{stem}/{name}")
                    member.size, member.mtime = len(content), 1700000000
                    archive.addfile(member, io.BytesIO(content))
        return self.folder / f"{stem}.tar.gz"

    def run_wheel(self, *words, into="dist", **environment):
        (self.folder / into).mkdir(exist_ok=True)
        return subprocess.run([TOP / "scripts/wheel", self.folder / into, *words], capture_output=True, text=True, check=False,
                              env={**os.environ, **environment})

    def wheel(self, *words, **how):
        done = self.run_wheel(*words, **how)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return pathlib.Path(done.stdout.strip())

    def refused(self, *words):
        done = self.run_wheel(*words)
        self.assertEqual((done.returncode, done.stdout, os.listdir(self.folder / "dist")), (1, "", []))
        return done.stderr

    def test_lists_every_file_with_its_hash(self):
        files = read(self.wheel("adarun", self.tarball()))
        record = "adarun-1.2.3.dist-info/RECORD"
        lines = sorted(line.split(",") for line in files[record].decode().splitlines())
        wanted = [[name, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("="), str(len(content))]
                  for name, content in files.items() if name != record]
        self.assertEqual(lines, sorted([*wanted, [record, "", ""]]))

    def test_has_the_program_as_a_script_and_what_belongs_to_it(self):
        path = self.wheel("adarun", self.tarball())
        files = read(path)
        self.assertEqual(files["adarun-1.2.3.data/scripts/adarun"], static_program("x86_64"))
        self.assertEqual(files["adarun-1.2.3.data/data/share/man/man1/adarun.1"], b".TH")
        self.assertEqual(files["adarun-1.2.3.dist-info/licenses/LICENSES/zlib1g-dev.txt"], b"Zlib")
        with zipfile.ZipFile(path) as archive:
            self.assertEqual(archive.getinfo("adarun-1.2.3.data/scripts/adarun").external_attr >> 16, 0o100755)
        heads, text = files["adarun-1.2.3.dist-info/METADATA"].decode().split("\n\n", 1)
        self.assertEqual(text, "Tables and launching.\nTwo lines.\n")
        self.assertIn("License: Apache-2.0 AND MIT\n", heads)
        self.assertIn("License-File: LICENSES/zlib1g-dev.txt\n", heads)
        self.assertNotIn("Requires-Dist", heads)

    def test_tags_say_that_it_needs_no_library(self):
        for processor, tags in {"x86_64": "manylinux_2_5_x86_64.manylinux1_x86_64.musllinux_1_1_x86_64",
                                "aarch64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"}.items():
            with self.subTest(processor):
                path = self.wheel("adarun", self.tarball(processor))
                self.assertEqual(path.name, f"adarun-1.2.3-py3-none-{tags}.whl")
                lines = read(path)["adarun-1.2.3.dist-info/WHEEL"].decode().splitlines()
                self.assertEqual([line for line in lines if line.startswith("Tag")], [f"Tag: py3-none-{tag}" for tag in tags.split(".")])

    def test_the_same_tarball_gives_the_same_bytes(self):
        tarball = self.tarball()
        one, other, later = (self.wheel("adarun", tarball, into=folder, SOURCE_DATE_EPOCH=epoch).read_bytes()
                             for folder, epoch in {"one": "1700000000", "other": "", "later": "1700000100"}.items())
        self.assertTrue(one == other)
        self.assertFalse(one == later)

    def test_refuses_what_no_program_for_any_linux_is_in(self):
        shell = pathlib.Path("/bin/sh").read_bytes()
        for content, why in {shell: r"bin/adarun needs libc\.so\.6: want a static program", b"#!/bin/sh\n": "not a program or library",
                             b"": "no bin/adarun in it"}.items():
            with self.subTest(why):
                self.assertRegex(self.refused("adarun", self.tarball(**{"bin/adarun": content})), f"^wheel: .*{why}\n$")

    def test_a_library_lies_in_the_package_and_gives_the_tag(self):
        library = subprocess.run(["g++", "-print-file-name=libstdc++.so.6"], capture_output=True, text=True, check=True).stdout.strip()
        symbols = subprocess.run(["objdump", "-T", library], capture_output=True, text=True, check=True).stdout
        newest = max(int(minor) for minor in re.findall(r"\(GLIBC_2\.(\d+)\)", symbols))
        path = self.wheel("adasum", "1.2.3", library)
        self.assertRegex(path.name, f"^adasum-1.2.3-py3-none-manylinux_2_{newest}_[a-z0-9_]+.whl$")
        files = read(path)
        self.assertEqual(files["adasum/libstdc++.so.6"], pathlib.Path(library).read_bytes())
        self.assertEqual(files["adasum/library.py"], (TOP / "adasum/python/adasum/library.py").read_bytes())
        place = {"__file__": "/venv/adasum/location.py"}
        exec(files["adasum/location.py"], place)  # pylint: disable=exec-used
        self.assertEqual(place["LIBRARY"], "/venv/adasum/libadasum.so.0")

    def test_refuses_a_library_that_needs_one_which_not_every_system_has(self):
        built = pathlib.Path(os.environ["ADARUN_TEST_BIN"], "../adasum/libadasum.so").resolve()
        self.assertRegex(self.refused("adasum", "1.2.3", built), r"^wheel: .*libadasum\.so.*: needs lib\w+\.so\.\d+, which not every")


if __name__ == "__main__":
    unittest.main()
