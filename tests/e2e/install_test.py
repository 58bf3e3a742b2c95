#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what is installed and packaged: install_test.py BUILD_FOLDER."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = sys.argv.pop()
HAS_TRAINER = os.path.exists(f"{BUILD}/bin/adarun-trainer")
HARDENING = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "structure", "hardening.py")
DEADLINE_S = 200
HEAVY = ("torch", "mpi", "pmix", "opencv")


def run(*command, folder=None, env=None):
    done = subprocess.run(list(map(str, command)), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=DEADLINE_S, check=False, env={**os.environ, **(env or {})})
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def files_in(folder):
    return sorted(os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="adarun-install-")
        self.addCleanup(shutil.rmtree, self.folder)


class Installed(Scratch):
    def install(self, prefix, *component):
        run("cmake", "--install", BUILD, "--prefix", prefix, *component)

    def test_runs_wherever_it_is_moved(self):
        self.install(f"{self.folder}/first", "--component", "adarun")
        os.mkdir(f"{self.folder}/elsewhere")
        prefix = f"{self.folder}/elsewhere/it"
        os.rename(f"{self.folder}/first", prefix)
        home = {"HOME": self.folder, "XDG_STATE_HOME": self.folder}
        self.assertTrue(run(f"{prefix}/bin/adarun", "--version").startswith("adarun "))
        said = run(f"{prefix}/bin/adarun", "launch", "--via", "local", "--hosts", "localhost:2", "--", "echo", "hello",
                   folder=self.folder, env=home)
        self.assertEqual(said, "hello\nhello\n")
        installed = files_in(prefix)
        for wanted in ("bin/adarun-agent", "share/man/man1/adarun.1", "share/man/man1/adarun-script-sbatch.1",
                       "share/bash-completion/completions/adarun", "share/zsh/site-functions/_adarun",
                       "share/fish/vendor_completions.d/adarun.fish", "share/doc/adarun/copyright"):
            self.assertIn(wanted, installed)
        self.assertNotIn("bin/adarun-trainer", installed)

    def test_programs_say_which_build_they_are(self):
        for program, fact in (("adarun", r"libssh +[\d.]+"), ("adarun-agent", r"processor +\w+"),
                              ("adarun-agent-static", r"processor +\w+"), ("adarun-trainer", r"libtorch +[\d.]+\nMPI +\w.+")):
            if not os.path.exists(f"{BUILD}/bin/{program}"):
                continue
            said = run(f"{BUILD}/bin/{program}", "--version")
            name = program.removesuffix("-static")
            self.assertRegex(said, rf"^{name} \d+\.\d+\.\d+\n(commit +[0-9a-f]{{12}}(, changed)?\n)?compiler +\w.* [\d.]+\n")
            self.assertRegex(said, rf"(?m)^{fact}$")
            self.assertNotIn(os.sep, said)  # No paths: the text does not depend on where it was built.

    def test_takes_libraries_from_absolute_folders_or_its_own(self):
        for component in ("adarun", "adasum", *(("adasum_mpi", "trainer") if HAS_TRAINER else ())):
            self.install(self.folder, "--component", component)
        run(sys.executable, "-B", HARDENING, self.folder)

    @unittest.skipUnless(HAS_TRAINER, "skipped: this build has no trainer")
    def test_the_trainer_finds_its_libraries_without_the_build_folder(self):
        self.install(self.folder, "--component", "trainer")
        self.assertNotRegex(run("readelf", "-d", f"{self.folder}/bin/adarun-trainer"), "R(UN)?PATH")
        for page in ("adarun-trainer.1", "adarun-trainer-data-draw.1"):
            self.assertIn(f"share/man/man1/{page}", files_in(self.folder))
        loaded = run("ldd", f"{self.folder}/bin/adarun-trainer")
        self.assertNotIn("not found", loaded)
        self.assertNotIn(BUILD, loaded)


@unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "skipped: dpkg-dev is not installed")
class Packaged(Scratch):
    def package(self, component, name):
        """Makes the package of a component in this test's folder; returns its path."""
        run("cpack", "--config", f"{BUILD}/CPackConfig.cmake", "-B", self.folder, "-D", f"CPACK_COMPONENTS_ALL={component}",
            "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")
        [file] = [file for file in os.listdir(self.folder) if file.endswith(".deb")]
        self.assertTrue(file.startswith(f"{name}_"), file)
        return f"{self.folder}/{file}"

    def field(self, package, name):
        return run("dpkg-deb", "--field", package, name).strip()

    def files(self, package):
        lines = run("dpkg-deb", "--contents", package).splitlines()
        return [line.split()[5][1:] for line in lines if not line.startswith("d")]

    def test_adarun_needs_neither_mpi_nor_torch(self):
        package = self.package("adarun", "adarun")
        needs = self.field(package, "Depends")
        self.assertIn("libssh-4", needs)
        self.assertIn("libc6", needs)
        for heavy in HEAVY:
            self.assertNotIn(heavy, needs)
        files = self.files(package)
        for wanted in ("/usr/bin/adarun", "/usr/bin/adarun-agent", "/usr/share/man/man1/adarun-launch.1",
                       "/usr/share/zsh/vendor-completions/_adarun", "/usr/share/doc/adarun/copyright"):
            self.assertIn(wanted, files)
        self.assertEqual([file for file in files if not file.startswith(("/usr/bin/adarun", "/usr/share/"))], [])
        self.assertEqual([file for file in files if "/usr/bin/" in file and "trainer" in file], [])

    @unittest.skipUnless(HAS_TRAINER, "skipped: this build has no trainer")
    def test_the_trainer_brings_its_pages_and_needs_adarun(self):
        package = self.package("trainer", "adarun-trainer")
        self.assertRegex(self.field(package, "Depends"), r"adarun \(= ")
        files = self.files(package)
        for wanted in ("/usr/bin/adarun-trainer", "/usr/share/man/man1/adarun-trainer.1", "/usr/share/man/man1/adarun-trainer-data.1"):
            self.assertIn(wanted, files)

    @unittest.skipUnless(HAS_TRAINER, "skipped: this build has no trainer")
    def test_the_library_is_for_those_who_build_with_it(self):
        package = self.package("adasum", "libadasum-dev")
        needs = self.field(package, "Depends")
        for wanted in ("libhwy-dev", "libsodium-dev"):
            self.assertIn(wanted, needs)
        self.assertNotIn("mpi", needs)
        files = self.files(package)
        self.assertIn("/usr/include/adasum.h", files)
        self.assertEqual([file for file in files if file.startswith("/usr/bin/") or "mpi" in file], [])

    @unittest.skipUnless(HAS_TRAINER, "skipped: this build has no trainer")
    def test_what_needs_mpi_is_a_package_of_its_own(self):
        package = self.package("adasum_mpi", "libadasum-mpi-dev")
        needs = self.field(package, "Depends")
        for wanted in ("libadasum-dev", "libopenmpi-dev", "libopenmpi3"):
            self.assertIn(wanted, needs)
        files = self.files(package)
        for wanted in ("/usr/include/adasum_mpi.h", "/usr/share/doc/libadasum-mpi-dev/examples/CMakeLists.txt"):
            self.assertIn(wanted, files)

    @unittest.skipUnless(HAS_TRAINER, "skipped: this build has no trainer")
    def test_python_finds_its_package_without_being_told(self):
        package = self.package("python", "python3-adasum")
        self.assertIn("libadasum-dev", self.field(package, "Depends"))
        files = self.files(package)
        for wanted in ("/usr/lib/python3/dist-packages/adasum/torch.py", "/usr/share/doc/python3-adasum/examples/train.py"):
            self.assertIn(wanted, files)


if __name__ == "__main__":
    unittest.main(verbosity=2)
