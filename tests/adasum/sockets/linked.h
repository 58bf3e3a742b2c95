// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "adasum/sockets/link.h"

namespace adasum::sockets {

/// Both ends of a connection, as after a handshake.
inline std::pair<Link, Link> linked(Descriptor one, Descriptor other) {
  const Secret there = random_secret();
  const Secret back = random_secret();
  const auto tags = [](const Secret& sent, const Secret& received) {
    return std::make_unique<Link::Tags>(Link::Tags{MessageTags(sent), MessageTags(received)});
  };
  return {Link{std::move(one), tags(there, back)}, Link{std::move(other), tags(back, there)}};
}

}  // namespace adasum::sockets
