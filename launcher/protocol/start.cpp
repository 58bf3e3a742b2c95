// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/start.h"

#include <utility>

namespace adarun::launcher::protocol {

Start complete(Start start, const JobSpec& spec) {
  if (start.nodes.empty()) start.nodes = spec.nodes;
  if (start.mpi_secret.empty()) start.mpi_secret = spec.mpi_secret;
  if (start.application_of_rank.empty()) start.application_of_rank = spec.application_of_rank;
  start.files.insert(start.files.end(), spec.files.begin(), spec.files.end());
  for (RankSpec& part : start.ranks) part = complete(std::move(part), spec);
  return start;
}

RankSpec complete(RankSpec part, const JobSpec& spec) {
  if (part.argv.empty()) part.argv = spec.argv;
  if (part.workdir.empty()) part.workdir = spec.workdir;
  part.environment.insert(part.environment.end(), spec.environment.begin(), spec.environment.end());
  return part;
}

}  // namespace adarun::launcher::protocol
