// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/reach/agent_source.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <system_error>
#include <utility>

#include "base/blake2b.h"
#include "base/shell_word.h"
#include "base/version.h"

namespace adarun::launcher {
namespace {

// Arguments: path, version, "by user" or nothing, the size of the largest build; then per build one word
// "NAME HASH SIZE SHORT MACHINE".
//
// At the path of ours another user may have put a program: it is not run unless only root, we, or the owner
// of "/" can have put it there, and what is checked is what is run, behind all links. A path that the user
// has named, and what is found in PATH, are the user's choice.
//
// A program that may be the wrong one is asked for its version in /proc, where no file can be created: a
// shell runs as a script whatever the kernel cannot execute. A cached build of ours is not run at all before
// its hash is checked, and only from where nobody else can have put it: it must be ours, no link and closed
// to others, below folders that only root, we, or the owner of "/" can change (or that are sticky, as /tmp).
// Without b2sum the hash cannot be checked, and builds are uploaded each time. Before a build is requested,
// its folder is tested: is there room, and can programs run from it?
//
// The script is sent as one line, since csh takes no others: each line here must end so that a blank may
// follow. csh also takes an exclamation mark only before a blank.
constexpr const char* script = R"sh(
p=$1; version=$2; named=$3; most=$4; shift 4;
ask() { cd /proc && exec "$@" </dev/null 2>&1; };
refuse() { echo "$*" >&2; exit 3; };

closed() {
  up=$1;
  set -- /proc/self/. /;
  while [ -n "$up" ]; do set -- "$@" "$up"; up=${up%/*}; done;
  facts=$(stat -c %u:%A "$@" 2>/dev/null) || return;
  set -- $facts;
  self=${1%%:*}; top=${2%%:*};
  shift;
  for fact; do
    case $fact in 0:* | "$self":* | "$top":*) ;; *) return 1 ;; esac;
    case ${fact#*:} in l* | [d-]????-??-* | d????????[tT]*) ;; *) return 1 ;; esac;
  done;
};
guarded() {
  for turn in 1 2 3 4 5 6 7 8; do
    folder=$(cd -P "${p%/*}/" 2>/dev/null && pwd -P) || return;
    p=${folder%/}/${p##*/};
    closed "$p" || return;
    [ -L "$p" ] || return 0;
    to=$(readlink "$p") || return;
    case $to in /*) p=$to ;; *) p=$folder/$to ;; esac;
  done;
  false;
};

chosen=$named;
case $p in
  /*) ;;
  */*) p=$PWD/$p ;;
  *) chosen=by-path; p=$(command -v "$p" || echo "$p") ;;
esac;
given=$p;
why="$given is not there";
if [ -e "$p" ]; then
  if [ -n "$chosen" ] || guarded; then
    said=$(ask "$p" --version);
    case $said in "$version" | "$version"[[:cntrl:]]*) exec "$p" ;; esac;
    why="$given does not do: $(echo "$said" | head -n 1)";
    [ -z "$named" ] || refuse "$why, wanted $version";
  else
    why="$given is not run: others can change it or a folder above it";
  fi;
fi;
[ $# -gt 0 ] || refuse "$why";
machine=$(uname -m); machines=; count=$#;
for build; do
  case $build in
    *" $machine") set -- "$@" "$build" ;;
    *) case "$machines " in *" ${build##* } "*) ;; *) machines="$machines ${build##* }" ;; esac ;;
  esac;
done;
shift "$count";
[ $# -gt 0 ] || refuse "$why, and ours is for$machines, this is $machine: install adarun-agent there";

me=$(id -u);
own() { case $(stat -c %u:%A "$1" 2>/dev/null) in "$me":[d-]????-??-*) ;; *) false ;; esac; };
safe() {
  (umask 077 && mkdir -p "$d") || return;
  [ -O "$d" ] && [ ! -L "$d" ] || { echo "$d: it belongs to somebody else"; return 1; };
  own "$d" && closed "$(cd -P "$d" && pwd -P)" || { echo "$d: others can write there or above"; return 1; };
};
sum() { b2sum -l 256 <"$1" 2>/dev/null | head -c 64; };
cached() {
  f=$d/$1-$4;
  [ -x "$f" ] && own "$f" && [ "$(sum "$f")" = "$2" ] && [ "$(ask "$f" --hash)" = "$2" ] &&
    exec "$f" --note "found in $d, as $why";
};
usable() {
  try=$(mktemp "$d/.try.XXXXXX") || return;
  { printf "#\041/bin/sh\nexit\n" && head -c "$most" /dev/zero; } >"$try" && chmod 700 "$try" &&
    { "$try" || { echo "$d: no program can be run from there (mounted noexec?)"; false; }; };
  status=$?;
  rm -f "$try";
  return $status;
};
room=; unfit=;
for d in "${XDG_CACHE_HOME:-$HOME/.cache}/adarun" "${TMPDIR:-/tmp}/adarun-$me"; do
  if words=$(safe 2>&1); then
    d=$(cd -P "$d" && pwd -P);
    for build; do cached $build; done;
    if words=$(usable 2>&1); then room=$d; break; fi;
  fi;
  unfit="$unfit; $d: ${words##*: }";
done;
[ -n "$room" ] || refuse "$why, and ours finds no place there:${unfit#;}";

bring() {
  new=$(mktemp "$d/.agent.XXXXXX") || exit 3;
  printf "\001adarun-agent wanted: %s\n" "$1";
  if head -c "$3" >"$new" && chmod 700 "$new"; then
    said=$(sum "$new");
    if [ "${said:-$2}" = "$2" ]; then said=$(ask "$new" --hash); fi;
    if [ "$said" = "$2" ]; then
      mv -f "$new" "$d/$1-$4" && exec "$d/$1-$4" --note "brought to $d, as $why";
    fi;
  fi;
  rm -f "$new";
};
for build; do bring $build; done;
refuse "$why, and ours does not run there: $(echo "$said" | head -n 1)"
)sh";

// Prints `begun_mark`.
constexpr const char* say_begun = R"sh(printf "\001adarun-agent begins\n"; )sh";

constexpr std::size_t short_hash_digits = 16;

std::string machine() {
  utsname names{};
  uname(&names);
  return names.machine;
}

std::filesystem::path own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

// The content of a program; empty if it is missing or cannot be read.
std::string content_of(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) return "";
  std::string content(size, '\0');
  std::ifstream in(file, std::ios::binary);
  return in.read(content.data(), static_cast<std::streamsize>(size)) ? content : "";
}

AgentBuild read_build(const std::string& name, const std::string& machine, const std::string& file) {
  AgentBuild build{name, content_of(file), "", machine};
  base::Blake2b hash;
  hash.update(build.content);
  build.hash = hash.hex();
  return build;
}

// The builds of the agent in `folder`: first those for machines like this one, the one that needs a libc
// there before the static one, then those for others. Missing and unreadable ones are left out. Each is read
// and hashed by a thread: one after another takes 12 ms, which is much of a short job.
std::vector<AgentBuild> builds_in(const std::string& folder) {
  const std::pair<std::string, std::string> known[] = {
      {"agent", machine()}, {"agent-static", machine()}, {"agent-static-aarch64", "aarch64"}};
  std::vector<std::future<AgentBuild>> readers;
  for (const auto& [name, runs_on] : known)
    readers.push_back(std::async(std::launch::async, read_build, name, runs_on, folder + "/adarun-" + name));
  std::vector<AgentBuild> builds;
  for (std::future<AgentBuild>& reader : readers)
    if (AgentBuild build = reader.get(); !build.content.empty()) builds.push_back(std::move(build));
  return builds;
}

// The command, whose script does something else first.
std::vector<std::string> command_with(const std::string& first, const AgentSource& source) {
  std::string one_line = first + script;
  std::replace(one_line.begin(), one_line.end(), '\n', ' ');
  std::size_t most_bytes = 0;
  for (const AgentBuild& build : source.builds) most_bytes = std::max(most_bytes, build.content.size());
  const std::string version = "adarun-agent " + base::version();
  std::vector<std::string> words{"/bin/sh",
                                 "-c",
                                 one_line,
                                 "adarun-agent",
                                 source.path,
                                 version,
                                 source.path_choice == AgentSource::PathChoice::by_user ? "by user" : "",
                                 std::to_string(most_bytes)};
  for (const AgentBuild& build : source.builds)
    words.push_back(build.name + " " + build.hash + " " + std::to_string(build.content.size()) + " " +
                    build.hash.substr(0, short_hash_digits) + " " + build.machine);
  return words;
}

}  // namespace

std::string agent_path(const std::string& chosen) {
  return chosen.empty() ? own_folder() / "adarun-agent" : std::filesystem::path(chosen);
}

AgentSource agent_source(const std::string& chosen) {
  using PathChoice = AgentSource::PathChoice;
  return {agent_path(chosen), chosen.empty() ? PathChoice::by_default : PathChoice::by_user,
          builds_in(own_folder())};
}

std::vector<std::string> agent_command(const AgentSource& source) {
  return command_with("", source);
}

std::string agent_call(const AgentSource& source) {
  return "exec " + base::shell_words(command_with(say_begun, source));
}

}  // namespace adarun::launcher
