// SPDX-License-Identifier: Apache-2.0
#include "trainer/same_options.h"

#include <sstream>

#include "trainer/base/collective.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

/// The first line that differs in two texts that do: `"lr": 0.1, rank 0 "lr": 0.2`. `other`: "rank 0".
std::string first_difference(const std::string& mine, const std::string& other, const std::string& first) {
  std::istringstream of_mine(mine);
  std::istringstream of_other(first);
  std::string line;
  std::string line_of_other;
  const std::string none = "nothing more";
  for (;;) {
    const bool has_mine = static_cast<bool>(std::getline(of_mine, line));
    const bool has_other = static_cast<bool>(std::getline(of_other, line_of_other));
    if (has_mine != has_other || line != line_of_other || !has_mine)
      return (has_mine ? line : none) + ", " + other + " " + (has_other ? line_of_other : none);
  }
}

}  // namespace

void check_same_setup(const std::string& mine, const std::string& of_steps) {
  if (mine != of_steps)
    throw Error("cannot go on with the steps of the others: this rank has " +
                    first_difference(mine, "they", of_steps) +
                    ": wanted the options and data that the training began with",
                Exit::refused);
}

void check_same_options(const std::string& mine, adasum::Communicator& communicator) {
  const std::string first = text_of_first_rank(mine, communicator);
  const std::string rank = std::to_string(communicator.world_rank(communicator.rank()));
  const std::string problem = first_text(
      mine == first ? "" : "rank " + rank + " has " + first_difference(mine, "rank 0", first), communicator);
  if (!problem.empty())
    throw Error(
        "options: " + problem + ": wanted the same on every rank (--config reads a file on each node)",
        Exit::refused);
}

}  // namespace adarun::trainer
