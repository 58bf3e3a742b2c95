// SPDX-License-Identifier: Apache-2.0
#include "trainer/same_data.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

struct FoundData {
  std::uint64_t samples = 0;
  std::int64_t classes = 0;
  std::int64_t channels = 0;

  bool operator==(const FoundData&) const = default;
};

/// `1000 training samples of 10 classes in 3 channels`.
std::string found_text(const FoundData& found, DatasetPart part) {
  return std::to_string(found.samples) + (part == DatasetPart::train ? " training" : " test") +
         " samples of " + std::to_string(found.classes) + " classes in " + std::to_string(found.channels) +
         (found.channels == 1 ? " channel" : " channels");
}

}  // namespace

void check_same_data(const Dataset& dataset, DatasetPart part, adasum::Communicator& communicator) {
  const FoundData mine{dataset.size(), dataset.classes(), dataset.channels()};
  std::vector<FoundData> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  const auto other = std::ranges::find_if(all, [&](const FoundData& each) { return each != all.front(); });
  if (other == all.end()) return;
  const int rank = communicator.world_rank(static_cast<int>(other - all.begin()));
  throw Error("rank " + std::to_string(rank) + " finds " + found_text(*other, part) + ", rank " +
                  std::to_string(communicator.world_rank(0)) + " " + found_text(all.front(), part) +
                  ": wanted the same files on every node",
              Exit::refused);
}

}  // namespace adarun::trainer
