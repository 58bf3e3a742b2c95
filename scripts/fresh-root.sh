# SPDX-License-Identifier: Apache-2.0
#
# Makes a minimal Debian in a scratch folder. For sourcing: the script sets `root` to the folder, and defines `say` and
# `fail`. Needs root and debootstrap, and takes packages from the sources of this machine's apt.
# shellcheck shell=bash disable=SC2154,SC2016

# Fails if this machine cannot make one.
require_fresh_root() {
  local tool
  [ "$(id -u)" -eq 0 ] || fail "needs root: debootstrap makes a system of its own"
  for tool in debootstrap unshare "$@"; do
    command -v "$tool" >/dev/null || fail "$tool not found: apt-get install $tool"
  done
  # apt-get fills in $(REPO_URI).
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
  [ -n "$mirror" ] || fail "apt has no source for bookworm"
}

# make_fresh_root [SUITE]: of Debian 12 if none is given.
make_fresh_root() {
  local suite=${1:-bookworm}
  chmod 755 "$root"
  say "Debian $suite from $mirror in $root"
  debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" || fail "debootstrap: see $root.log"
  rm "$root.log"
  if [ -e /etc/resolv.conf ]; then cp -L /etc/resolv.conf "$root/etc/resolv.conf"; fi
  # debootstrap does not write this file.
  echo "127.0.0.1 localhost" >"$root/etc/hosts"
}

# Call it in a separate mount and process namespace.
mount_fresh_root() {
  # The root must be a mount point, so that programs in it can make mount namespaces.
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
}

# in_fresh_root FOLDER COMMAND...: runs a command in a folder of the new system, with a clean environment.
in_fresh_root() {
  local folder=$1
  shift
  chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin FOLDER="$folder" \
    /bin/sh -c 'cd "$FOLDER" && unset FOLDER && exec "$@"' sh "$@"
}
