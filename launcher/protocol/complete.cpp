// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/complete.h"

#include <utility>

namespace adarun::launcher::protocol {

Start complete(Start start, const Common& common) {
  if (start.nodes.empty()) start.nodes = common.nodes;
  if (start.mpi_secret.empty()) start.mpi_secret = common.mpi_secret;
  start.files.insert(start.files.end(), common.files.begin(), common.files.end());
  for (RankPart& part : start.ranks) part = complete(std::move(part), common);
  return start;
}

RankPart complete(RankPart part, const Common& common) {
  if (part.argv.empty()) part.argv = common.argv;
  if (part.workdir.empty()) part.workdir = common.workdir;
  part.environment.insert(part.environment.end(), common.environment.begin(), common.environment.end());
  return part;
}

}  // namespace adarun::launcher::protocol
