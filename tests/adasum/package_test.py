#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the installed library as users find it: builds the installed examples against it alone and runs them under MPI.

package_test.py BUILD_DIR MPIEXEC
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, MPIEXEC = sys.argv[1:3]
ALONE = {"LD_LIBRARY_PATH": "", "PKG_CONFIG_PATH": "", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*command, env=None):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=110, check=False, env={**os.environ, **(env or {})})
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def mpi(*program, env=None):
    return run(MPIEXEC, "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "4", *program,
               env=env)


class Package(unittest.TestCase):
    def test_examples_build_from_it_and_run(self):
        with tempfile.TemporaryDirectory() as scratch:
            prefix = pathlib.Path(scratch, "prefix")
            for component in ("adasum", "adasum_mpi"):
                run("cmake", "--install", BUILD, "--prefix", prefix, "--component", component)
            library = next(prefix.glob("lib*/**/libadasum_mpi.so"))
            paths = {"PKG_CONFIG_PATH": str(library.parent / "pkgconfig"), "LD_LIBRARY_PATH": str(library.parent)}
            examples, build = prefix / "share/doc/libadasum-mpi-dev/examples", pathlib.Path(scratch, "build")
            run("cmake", "-S", examples, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", env=paths)
            run("cmake", "--build", build, env=paths)
            self.assertEqual(mpi(build / "adasum-c", env=paths), "4 ranks: 1 1 2 3 4 5\n")
            self.assertEqual(mpi(build / "adasum-cpp", env=paths), "step 1, 4 ranks: 2 1 1\nstep 2, 4 ranks: 2 1 1\n")
            self.assertEqual(mpi("/usr/bin/python3", examples / "allreduce.py", library, env=paths), "2.0 2.0 1.0 1.0\n")
            self.check_which_library_python_loads(library, prefix, examples / "allreduce.py")

    def check_which_library_python_loads(self, library, prefix, installed):
        """Runs one rank, without a launcher."""
        for env in ({"ADASUM_LIBRARY": str(library)}, {"LD_LIBRARY_PATH": str(library.parent)},
                    {"PKG_CONFIG_PATH": str(library.parent / "pkgconfig")}):
            self.assertEqual(run("/usr/bin/python3", "-B", installed, env={**ALONE, **env}), "2.0 2.0 1.0 0.0\n", env)
        # A library beside a copy of it may be anybody's.
        copied = prefix.parent / "bin" / "allreduce.py"
        (prefix.parent / "lib").mkdir()
        copied.parent.mkdir()
        shutil.copy(installed, copied)
        shutil.copy(library, prefix.parent / "lib")
        for env, words in (({}, "libadasum_mpi.so.0: cannot open"), ({"ADASUM_LIBRARY": "/absent.so"}, "/absent.so: cannot open")):
            with self.assertRaises(AssertionError) as lost:
                run("/usr/bin/python3", "-B", copied, env={**ALONE, **env})
            for word in ("status 1", "no AdaSum library", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", words):
                self.assertIn(word, str(lost.exception))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
