// SPDX-License-Identifier: Apache-2.0
#include "trainer/same_data.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trainer/base/error.h"
#include "trainer/base/fnv1a.h"

namespace adarun::trainer {
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
  std::vector<FoundData> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  const auto other = std::ranges::find_if(all, [&](const FoundData& each) { return each != all.front(); });
  if (other == all.end()) return;
  const int rank = communicator.world_rank(static_cast<int>(other - all.begin()));
  throw Error(difference(rank, *other, communicator.world_rank(0), all.front(), part) +
                  ": wanted the same files on every node",
              Exit::refused);
}

}  // namespace adarun::trainer
