// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// A build of the agent that comes with adarun and can be uploaded to a node.
struct AgentBuild {
  std::string name;          ///< "agent", "agent-static", or "agent-static-" and another kind of machine.
  std::string_view content;  ///< The whole program.
  std::string hash;          ///< Of the content: see base::Blake2b.
  std::string machine;       ///< The kind it runs on, as `uname -m` prints it.
  std::shared_ptr<const std::string> owner = nullptr;  ///< Holds the content, unless that is part of adarun.
};

/// The builds inside this program: all of them if it is the portable one, else none.
std::vector<AgentBuild> embedded_agents();

/// Where the agent of a node comes from: a program that is installed there, else one of our builds.
struct AgentSource {
  /// Who chose the path. Whatever exists at a path chosen by the user is not replaced by a build of ours.
  enum class PathChoice { by_default, by_user };

  std::string path;  ///< Where it may be installed on the node; without '/' it is looked up in PATH there.
  PathChoice path_choice = PathChoice::by_default;
  std::vector<AgentBuild> builds = {};  ///< In the order in which they are tried.
};

/// The builds inside this program, else those beside it.
std::vector<AgentBuild> own_agents();

/// Path of the agent on nodes: `chosen`, which may be a name to look up in PATH there; empty: where the one
/// of this program lies on this machine.
std::string agent_path(const std::string& chosen);

/// The agent at that path; in place of one that is not chosen, own_agents().
AgentSource agent_source(const std::string& chosen);

/// The command for a node, as program and arguments. It executes the installed agent if
/// that is of our version and runs; at a path chosen by default, only if no other user can have put it there.
/// Else, of the builds for its kind of machine, it executes one from the user's cache on the node, if only
/// the user can have put it there and its hash is right (a temporary folder is tried only if the home cannot
/// hold or run programs). Else it requests a build that might run by one line on stdout, `wanted_mark` NAME,
/// reads its content from stdin, caches it and executes it. If all this fails, it prints the reason in one
/// line on stderr and exits with status 3.
std::vector<std::string> agent_command(const AgentSource& source);

/// The same for the login shell of a node, of any kind (sh, csh, fish). It prints `begun_mark` first.
std::string agent_call(const AgentSource& source);

/// The line by which the command shows that the login shell has begun to run it.
inline constexpr const char* begun_mark =
    "\x01"
    "adarun-agent begins\n";

/// The beginning of a line that requests a build: the name follows.
inline constexpr const char* wanted_mark =
    "\x01"
    "adarun-agent wanted: ";

}  // namespace adarun::launcher
