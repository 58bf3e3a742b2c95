// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/mpi_exchange.h"

#include "launcher/protocol/error.h"

namespace adarun::launcher {

void MpiExchange::enter(std::uint32_t node, const protocol::Fence& fence, Nodes& nodes) {
  auto complete = fences_.enter(node, fence);
  if (!complete) return;
  observer_.on_fence(complete->message);
  keep(complete->message);
  nodes.send(std::move(complete->nodes), std::move(complete->message));
}

void MpiExchange::keep(const protocol::FenceDone& done) {
  if (!published_ || done.service != protocol::Service::pmi) return;
  *published_ += done.data;
  if (published_->size() > most_kept_bytes) published_.reset();
}

void MpiExchange::request(std::uint32_t node, const protocol::ModexRequest& request, Nodes& nodes) {
  if (request.asking_node != node) throw protocol::Error("a request of another node");
  if (request.rank >= plan_.world_size()) return;  // PMIx wildcards are not ranks.
  auto& open = open_requests_[node];
  if (open.size() >= most_open_requests) throw protocol::Error("more requests than may wait for a reply");
  if (!open.emplace(request.id, plan_.node_of_rank[request.rank]).second)
    throw protocol::Error("a second request of one number");
  nodes.send(plan_.node_of_rank[request.rank], request);
}

void MpiExchange::reply(std::uint32_t node, const protocol::ModexReply& reply, Nodes& nodes) {
  const auto asking = open_requests_.find(reply.asking_node);
  const bool is_open = asking != open_requests_.end() && asking->second.count(reply.id) != 0;
  if (!is_open || asking->second.at(reply.id) != node)
    throw protocol::Error("a reply to what it was not asked");
  asking->second.erase(reply.id);
  nodes.send(reply.asking_node, reply);
}

}  // namespace adarun::launcher
