# SPDX-License-Identifier: Apache-2.0
"""docs/install.md."""
from cases import not_run
from samples import Unlike

PACKAGES = "it builds or installs packages: e2e.install and scripts/check-packages do"
UNLIKE = [
    Unlike("commit .*", "a test build may be of no commit"),
    Unlike("build .*", "a test build is another", "build .*"),
]
CASES = [
    not_run("scripts/bootstrap", "it installs packages"),
    not_run("scripts/build", "it builds everything"),
    not_run("cmake --install build/release --prefix /usr/local", "e2e.install does so in a folder of its own"),
    not_run("scripts/build && cpack --preset release", PACKAGES),
    not_run("cd build/release/packages", PACKAGES),
    not_run("apt-get install ./adarun_*.deb ./adarun-trainer_*.deb openssh-server", PACKAGES),
    not_run("adarun demo", "it is run for README.md"),
]
