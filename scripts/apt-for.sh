# SPDX-License-Identifier: Apache-2.0
#
# apt for any processor, with a state of its own, from the sources of this machine's apt and with the same signature checks.
# Changes nothing on this machine, runs nothing of a package, needs no root. For sourcing: the script sets `apt_folder`.
# shellcheck shell=bash disable=SC2154

# apt_begin DEBIAN_NAME [SUITE]: gets the lists for amd64 or arm64, those of source packages among them; of another Debian than this
# machine's without its updates.
apt_begin() {
  apt_architecture=$1
  mkdir -p "$apt_folder"/{lists,cache/archives,sources}/partial
  : >"$apt_folder/status"
  # What this machine runs after it has new lists is not for these.
  printf '#clear APT::Update::%s;\n' Pre-Invoke Post-Invoke Post-Invoke-Success >"$apt_folder/apt.conf"
  if [ "${2:-bookworm}" = bookworm ]; then apt_sources; else apt_sources_of "$2"; fi
  apt_for apt-get update >"$apt_folder/log" 2>&1 || fail "apt-get update: $(tail -n 5 "$apt_folder/log")"
}

# Debian's own, with updates and security, from where this machine's apt takes them.
# shellcheck disable=SC2016  # apt-get fills in $(...).
apt_sources() {
  local uri suite
  apt-get indextargets --format '$(REPO_URI) $(SUITE) $(CODENAME)' 'Created-By: Packages' 'Origin: Debian' |
    grep ' bookworm[^ ]*$' | sort -u | while read -r uri _ suite; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main"
  done >"$apt_folder/sources/debian.list"
}

# shellcheck disable=SC2016  # apt-get fills in $(REPO_URI).
apt_sources_of() {
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >"$apt_folder/sources/suite.list"
}

# apt_for TOOL...: an apt tool with that state.
apt_for() {
  local tool=$1
  shift
  "$tool" -c "$apt_folder/apt.conf" -o APT::Architecture="$apt_architecture" -o APT::Architectures::="$apt_architecture" -o APT::Sandbox::User= \
    -o Dir::State="$apt_folder" -o Dir::State::status="$apt_folder/status" -o Dir::Cache="$apt_folder/cache" \
    -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt_folder/sources" "$@"
}
