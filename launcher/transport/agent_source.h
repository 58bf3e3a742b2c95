// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::launcher {

/// A build of the agent that lies beside adarun and can be brought to a node.
struct AgentBuild {
  std::string name;     ///< "agent", "agent-static" or "agent-static-aarch64".
  std::string content;  ///< The whole program.
  std::string hash;     ///< Of the content, as base::Blake2b has it.
  std::string machine;  ///< Which it runs on, as uname -m says it.

  bool operator==(const AgentBuild&) const = default;
};

/// Where the agent of a node comes from: a program that is installed there, else one of ours.
struct AgentSource {
  /// Who has chosen the path: where there is something at one by the user, that is not replaced.
  enum class PathChoice { by_default, by_user };

  std::string path;  ///< Where it may be installed on the node; without '/' it is looked up in PATH there.
  PathChoice path_choice = PathChoice::by_default;
  std::vector<AgentBuild> builds = {};  ///< In the order in which they are tried.
};

/// The builds of the agent in `folder`: for machines as this one, the one that needs a libc there first, and
/// for others; those that are not there, or cannot be read, are left out.
std::vector<AgentBuild> builds_in(const std::string& folder);

/// What the login shell of a node is to run, of any kind (sh, csh, fish): it turns into the installed agent
/// if that is of our version and runs; else, of those for its kind of machine, into a build of ours from the
/// user's cache on the node, where only the user can have put it and its hash is right (a temporary folder is
/// looked at only where the home takes no programs); else it asks for one on stdout, one line `wanted_mark`
/// NAME a build that might run, reads its content from stdin, keeps it in the cache and turns into it. Where
/// all fails it says why in one line on stderr and ends with status 3.
std::string agent_call(const AgentSource& source);

/// How a line begins that asks for a build: the name follows.
inline constexpr const char* wanted_mark =
    "\x01"
    "adarun-agent wanted: ";

}  // namespace adarun::launcher
