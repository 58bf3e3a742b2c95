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
#include "base/process.h"
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
// Its variables begin with "_": a variable that the user has exported would reach the ranks with our value.
//
// The script is sent as one line, since csh takes no others: each line here must end so that a blank may
// follow. csh also takes an exclamation mark only before a blank.
constexpr const char* script = R"sh(
_p=$1; _version=$2; _named=$3; _most=$4; shift 4;
ask() { cd /proc && exec "$@" </dev/null 2>&1; };
refuse() { echo "$*" >&2; exit 3; };

closed() {
  _up=$1;
  set -- /proc/self/. /;
  while [ -n "$_up" ]; do set -- "$@" "$_up"; _up=${_up%/*}; done;
  _facts=$(stat -c %u:%A "$@" 2>/dev/null) || return;
  set -- $_facts;
  _self=${1%%:*}; _top=${2%%:*};
  shift;
  for _fact; do
    case $_fact in 0:* | "$_self":* | "$_top":*) ;; *) return 1 ;; esac;
    case ${_fact#*:} in l* | [d-]????-??-* | d????????[tT]*) ;; *) return 1 ;; esac;
  done;
};
guarded() {
  for _turn in 1 2 3 4 5 6 7 8; do
    _folder=$(cd -P "${_p%/*}/" 2>/dev/null && pwd -P) || return;
    _p=${_folder%/}/${_p##*/};
    closed "$_p" || return;
    [ -L "$_p" ] || return 0;
    _to=$(readlink "$_p") || return;
    case $_to in /*) _p=$_to ;; *) _p=$_folder/$_to ;; esac;
  done;
  false;
};

_chosen=$_named;
case $_p in
  /*) ;;
  */*) _p=$PWD/$_p ;;
  *) _chosen=by-path; _p=$(command -v "$_p" || echo "$_p") ;;
esac;
_given=$_p;
_why="$_given is not there";
if [ -e "$_p" ]; then
  if [ -n "$_chosen" ] || guarded; then
    _said=$(ask "$_p" --version);
    case $_said in "$_version" | "$_version"[[:cntrl:]]*) exec "$_p" ;; esac;
    _why="$_given does not do: $(echo "$_said" | head -n 1)";
    [ -z "$_named" ] || refuse "$_why, wanted $_version";
  else
    _why="$_given is not run: others can change it or a folder above it";
  fi;
fi;
[ $# -gt 0 ] || refuse "$_why";
_machine=$(uname -m); _machines=; _count=$#;
for _build; do
  case $_build in
    *" $_machine") set -- "$@" "$_build" ;;
    *) case "$_machines " in *" ${_build##* } "*) ;; *) _machines="$_machines ${_build##* }" ;; esac ;;
  esac;
done;
shift "$_count";
[ $# -gt 0 ] || refuse "$_why, and ours is for$_machines, this is $_machine: install adarun-agent there";

_me=$(id -u);
own() { case $(stat -c %u:%A "$1" 2>/dev/null) in "$_me":[d-]????-??-*) ;; *) false ;; esac; };
safe() {
  (umask 077 && mkdir -p "$_d") || return;
  [ -O "$_d" ] && [ ! -L "$_d" ] || { echo "$_d: it belongs to somebody else"; return 1; };
  own "$_d" && closed "$(cd -P "$_d" && pwd -P)" || { echo "$_d: others can write there or above"; return 1; };
};
sum() { b2sum -l 256 <"$1" 2>/dev/null | head -c 64; };
cached() {
  _f=$_d/$1-$4;
  [ -x "$_f" ] && own "$_f" && [ "$(sum "$_f")" = "$2" ] && [ "$(ask "$_f" --hash)" = "$2" ] &&
    exec "$_f" --note "found in $_d, as $_why";
};
usable() {
  _try=$(mktemp "$_d/.try.XXXXXX") || return;
  { printf "#\041/bin/sh\nexit\n" && head -c "$_most" /dev/zero; } >"$_try" && chmod 700 "$_try" &&
    { "$_try" || { echo "$_d: no program can be run from there (mounted noexec?)"; false; }; };
  _status=$?;
  rm -f "$_try";
  return $_status;
};
_room=; _unfit=;
for _d in "${XDG_CACHE_HOME:-$HOME/.cache}/adarun" "${TMPDIR:-/tmp}/adarun-$_me"; do
  if _words=$(safe 2>&1); then
    _d=$(cd -P "$_d" && pwd -P);
    for _build; do cached $_build; done;
    if _words=$(usable 2>&1); then _room=$_d; break; fi;
  fi;
  _unfit="$_unfit; $_d: ${_words##*: }";
done;
[ -n "$_room" ] || refuse "$_why, and ours finds no place there:${_unfit#;}";

bring() {
  _new=$(mktemp "$_d/.agent.XXXXXX") || exit 3;
  printf "\001adarun-agent wanted: %s\n" "$1";
  if head -c "$3" >"$_new" && chmod 700 "$_new"; then
    _said=$(sum "$_new");
    if [ "${_said:-$2}" = "$2" ]; then _said=$(ask "$_new" --hash); fi;
    if [ "$_said" = "$2" ]; then
      mv -f "$_new" "$_d/$1-$4" && exec "$_d/$1-$4" --note "brought to $_d, as $_why";
    fi;
  fi;
  rm -f "$_new";
};
for _build; do bring $_build; done;
refuse "$_why, and ours does not run there: $(echo "$_said" | head -n 1)"
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
  return base::own_program().parent_path();
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
  const auto content = std::make_shared<const std::string>(content_of(file));
  base::Blake2b hash;
  hash.update(*content);
  return {name, *content, hash.hex(), machine, content};
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

std::vector<AgentBuild> own_agents() {
  std::vector<AgentBuild> builds = embedded_agents();
  return builds.empty() ? builds_in(own_folder()) : builds;
}

AgentSource agent_source(const std::string& chosen) {
  using PathChoice = AgentSource::PathChoice;
  return {agent_path(chosen), chosen.empty() ? PathChoice::by_default : PathChoice::by_user, own_agents()};
}

std::vector<std::string> agent_command(const AgentSource& source) {
  return command_with("", source);
}

std::string agent_call(const AgentSource& source) {
  return "exec " + base::shell_words(command_with(say_begun, source));
}

}  // namespace adarun::launcher
