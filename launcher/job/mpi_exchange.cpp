// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/mpi_exchange.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_complete_bytes = protocol::max_payload_bytes - (1U << 20U);  // Room for its ranks.

std::size_t weight(const protocol::Fence& fence) {
  return fence.data.size() + fence.participants.size() * sizeof(std::uint32_t);
}

}  // namespace

Fences::Fences(const std::vector<std::uint32_t>& node_of_rank) : node_of_rank_(node_of_rank) {}

std::optional<Fences::Complete> Fences::enter(std::uint32_t node, const protocol::Fence& fence) {
  const std::size_t world_size = node_of_rank_.size();
  Key key{fence.service, fence.participants};
  std::sort(key.second.begin(), key.second.end());
  if (key.second.size() > world_size || (!key.second.empty() && key.second.back() >= world_size))
    throw protocol::Error("a fence of ranks that are not there");
  load(node, weight(fence));
  auto found = waiting_.find(key);
  if (found == waiting_.end()) found = waiting_.emplace(key, Waiting{nodes_of(key.second), {}}).first;
  Waiting& waiting = found->second;
  if (!std::binary_search(waiting.nodes.begin(), waiting.nodes.end(), node)) {
    if (waiting.parts.empty()) waiting_.erase(found);
    throw protocol::Error("a fence of ranks of other nodes");
  }
  waiting.parts[node].push_back(fence.data);
  if (waiting.parts.size() < waiting.nodes.size()) return std::nullopt;
  Complete complete = take_first(fence, waiting);
  if (waiting.parts.empty()) waiting_.erase(found);
  return complete;
}

void Fences::load(std::uint32_t node, std::size_t bytes) {
  Load& load = loads_[node];
  if (++load.fences > most_waiting || (load.bytes += bytes) > most_waiting_bytes)
    throw protocol::Error("more fences than may wait for other nodes");
}

Fences::Complete Fences::take_first(const protocol::Fence& fence, Waiting& waiting) {
  Complete complete{{fence.participants, "", fence.service}, waiting.nodes};
  const std::size_t ranks_bytes = weight({fence.participants, "", fence.service});
  for (auto part = waiting.parts.begin(); part != waiting.parts.end();) {
    auto& [node, data] = *part;
    Load& load = loads_[node];
    --load.fences;
    load.bytes -= ranks_bytes + data.front().size();
    complete.message.data += data.front();
    data.pop_front();
    part = data.empty() ? waiting.parts.erase(part) : std::next(part);
  }
  if (complete.message.data.size() > most_complete_bytes)
    throw Error("MPI: the ranks put " + std::to_string(complete.message.data.size()) +
                " bytes into one exchange, at most " + std::to_string(most_complete_bytes) + " are possible");
  return complete;
}

std::vector<std::uint32_t> Fences::nodes_of(const std::vector<std::uint32_t>& ranks) const {
  std::set<std::uint32_t> nodes;
  if (ranks.empty()) nodes.insert(node_of_rank_.begin(), node_of_rank_.end());
  for (const std::uint32_t rank : ranks)
    if (rank < node_of_rank_.size()) nodes.insert(node_of_rank_[rank]);
  return {nodes.begin(), nodes.end()};
}

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
