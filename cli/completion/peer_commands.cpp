// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/peer_commands.h"

#include <algorithm>
#include <array>

namespace adarun::cli {
namespace {

struct PeerCommand {
  std::string_view name;
  std::string_view own;
};

constexpr std::array commands{
    PeerCommand{"run", "launch"},
    PeerCommand{"exec", "launch"},
    PeerCommand{"srun", "launch"},
    PeerCommand{"mpirun", "launch"},
    PeerCommand{"mpiexec", "launch"},
    PeerCommand{"torchrun", "launch"},
    PeerCommand{"kill", "stop"},
    PeerCommand{"cancel", "stop"},
    PeerCommand{"scancel", "stop"},
    PeerCommand{"delete", "stop"},
    PeerCommand{"rm", "prune"},
    PeerCommand{"clean", "prune"},
    PeerCommand{"list", "ps"},
    PeerCommand{"ls", "ps"},
    PeerCommand{"jobs", "ps"},
    PeerCommand{"squeue", "ps"},
    PeerCommand{"get", "ps"},
    PeerCommand{"inspect", "status"},
    PeerCommand{"describe", "status"},
    PeerCommand{"wait", "attach"},
    PeerCommand{"top", "monitor"},
    PeerCommand{"stats", "monitor"},
    PeerCommand{"gen", "ranktable gen"},
    PeerCommand{"merge", "ranktable merge"},
    PeerCommand{"validate", "ranktable validate"},
    PeerCommand{"convert", "ranktable convert"},
    PeerCommand{"diff", "ranktable diff"},
    PeerCommand{"subset", "ranktable subset"},
};

}  // namespace

std::string own_command_for(std::string_view word) {
  const auto found = std::ranges::find(commands, word, &PeerCommand::name);
  return found == commands.end() ? std::string() : std::string(found->own);
}

}  // namespace adarun::cli
