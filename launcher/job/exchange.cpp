// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/exchange.h"

namespace adarun::launcher {

void Exchange::route(std::uint32_t node, const wire::Message& message, Nodes& nodes) {
  if (const auto* fence = std::get_if<wire::Fence>(&message)) {
    if (auto complete = fences_.enter(node, *fence)) {
      observer_.on_fence(complete->message);
      nodes.send(std::move(complete->nodes), std::move(complete->message));
    }
  } else if (const auto* request = std::get_if<wire::ModexRequest>(&message)) {
    if (request->rank < plan_.world_size()) nodes.send(plan_.node_of_rank[request->rank], *request);
  } else if (const auto* reply = std::get_if<wire::ModexReply>(&message)) {
    if (reply->asking_node < nodes.count()) nodes.send(reply->asking_node, *reply);
  }
}

}  // namespace adarun::launcher
