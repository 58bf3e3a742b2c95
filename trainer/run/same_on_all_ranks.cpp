// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/same_on_all_ranks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/base/fnv1a.h"

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
    throw Error("cannot continue with the steps of the others: this rank has " +
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

namespace {

/// Over the names of the files and the labels of all samples, in order.
std::uint64_t checksum_of_list(const Dataset& dataset) {
  std::uint64_t sum = fnv1a_of_nothing;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const std::string name = dataset.file_name(i);
    const int label = dataset.label(i);
    sum = fnv1a(std::as_bytes(std::span(&label, 1)), fnv1a(std::as_bytes(std::span(name)), sum));
  }
  return sum;
}

/// `1000 training samples of 10 classes in 3 channels`.
std::string found_text(const FoundData& found, DatasetPart part) {
  return std::to_string(found.samples) + (part == DatasetPart::train ? " training" : " test") +
         " samples of " + std::to_string(found.classes) + " classes in " + std::to_string(found.channels) +
         (found.channels == 1 ? " channel" : " channels");
}

/// `first` is that of the first rank, whose number is `first_rank`.
std::string difference(int rank, const FoundData& found, int first_rank, const FoundData& first,
                       DatasetPart part) {
  const std::string text = found_text(found, part);
  const std::string who = "rank " + std::to_string(rank) + " finds ";
  const std::string other = "rank " + std::to_string(first_rank);
  if (text == found_text(first, part)) return who + text + ", as " + other + ", but of other names or labels";
  return who + text + ", " + other + " " + found_text(first, part);
}

}  // namespace

FoundData found_in(const Dataset& dataset) {
  return {dataset.size(), dataset.classes(), dataset.channels(), checksum_of_list(dataset)};
}

std::string line_of(const FoundData& found, DatasetPart part) {
  return found_text(found, part) + ", checksum " + std::to_string(found.listed) + "\n";
}

void check_same_data(const FoundData& mine, DatasetPart part, adasum::Communicator& communicator) {
  const std::vector<FoundData> all = adasum::gather(communicator, mine);
  const auto other = std::ranges::find_if(all, [&](const FoundData& each) { return each != all.front(); });
  if (other == all.end()) return;
  const int rank = communicator.world_rank(static_cast<int>(other - all.begin()));
  throw Error(difference(rank, *other, communicator.world_rank(0), all.front(), part) +
                  ": wanted the same files on every node",
              Exit::refused);
}

}  // namespace adarun::trainer
