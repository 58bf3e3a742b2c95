// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/kept_output.h"

#include "launcher/agent/connection/spool_place.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher::agent {

KeptOutput::KeptOutput(const protocol::Recall& order)
    : path_(spool_path(order.job_id, order.node)), stream_(path_) {}

std::optional<protocol::Message> KeptOutput::next() {
  while (!over_) {
    while (auto message = reader_.next())
      if (std::holds_alternative<protocol::Output>(*message) ||
          std::holds_alternative<protocol::Exited>(*message))
        return message;
    const auto piece = stream_.found() ? stream_.next() : std::nullopt;
    if (piece) {
      reader_.feed(*piece);
      continue;
    }
    over_ = true;
    return protocol::Recalled{stream_.found()};
  }
  return std::nullopt;
}

void KeptOutput::forget() const {
  remove_spool(path_);
}

}  // namespace adarun::launcher::agent
