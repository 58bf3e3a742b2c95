# SPDX-License-Identifier: Apache-2.0
#
# A minimal Debian 12 in a scratch folder, for scripts that source this: they set `root` to the folder, and define
# `say` and `fail`. Needs root and debootstrap, and takes packages from where this machine's apt takes them.
# shellcheck shell=bash disable=SC2154,SC2016

# Fails where this machine cannot make one.
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

make_fresh_root() {
  chmod 755 "$root"
  say "Debian 12 from $mirror in $root"
  debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" || fail "debootstrap: see $root.log"
  rm "$root.log"
  if [ -e /etc/resolv.conf ]; then cp -L /etc/resolv.conf "$root/etc/resolv.conf"; fi
  # debootstrap leaves this one to the installer.
  echo "127.0.0.1 localhost" >"$root/etc/hosts"
}

# Inside a mount and process namespace of the script's own.
mount_fresh_root() {
  # A root that is a mount of its own, so that programs in it can make mount namespaces.
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
}

# Runs a command in the new system, in a folder of it, with nothing of our environment.
in_fresh_root() {
  local folder=$1
  shift
  chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin FOLDER="$folder" \
    /bin/sh -c 'cd "$FOLDER" && unset FOLDER && exec "$@"' sh "$@"
}
