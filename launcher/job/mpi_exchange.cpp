// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/mpi_exchange.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "launcher/base/error.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_complete_bytes = protocol::max_payload_bytes - (1U << 20U);  // Room for its ranks.

std::size_t weight(const protocol::Fence& fence) {
  return fence.data.size() + fence.participants.size() * sizeof(std::uint32_t);
}

}  // namespace

void MpiExchange::enter(std::uint32_t node, const protocol::Fence& fence, Nodes& nodes) {
  std::vector<std::uint32_t> ranks = fence.participants;
  std::sort(ranks.begin(), ranks.end());
  if (ranks.size() > plan_.world_size() || (!ranks.empty() && ranks.back() >= plan_.world_size()))
    throw protocol::Error("a fence of ranks that are not there");
  load(node, weight(fence));
  const auto [found, is_new] = fences_.try_emplace({fence.service, ranks});
  Fences& fences = found->second;
  if (is_new) fences.nodes = nodes_of(ranks);
  if (!std::binary_search(fences.nodes.begin(), fences.nodes.end(), node)) {
    if (fences.parts.empty()) fences_.erase(found);
    throw protocol::Error("a fence of ranks of other nodes");
  }
  fences.parts[node].push_back(fence.data);
  if (fences.parts.size() < fences.nodes.size()) return;
  protocol::FenceDone done = take_first(fence, fences);
  std::vector<std::uint32_t> receivers = fences.nodes;
  if (fences.parts.empty()) fences_.erase(found);
  observer_.on_fence(done);
  keep(done);
  nodes.send(std::move(receivers), std::move(done));
}

void MpiExchange::load(std::uint32_t node, std::size_t bytes) {
  Load& load = loads_[node];
  if (++load.fences > most_waiting || (load.bytes += bytes) > most_waiting_bytes)
    throw protocol::Error("more fences than may wait for other nodes");
}

// The collected data of one that every node has entered.
protocol::FenceDone MpiExchange::take_first(const protocol::Fence& fence, Fences& fences) {
  protocol::FenceDone done{fence.participants, "", fence.service};
  const std::size_t ranks_bytes = weight({fence.participants, "", fence.service});
  for (auto part = fences.parts.begin(); part != fences.parts.end();) {
    auto& [node, data] = *part;
    Load& load = loads_[node];
    --load.fences;
    load.bytes -= ranks_bytes + data.front().size();
    done.data += data.front();
    data.pop_front();
    part = data.empty() ? fences.parts.erase(part) : std::next(part);
  }
  if (done.data.size() > most_complete_bytes)
    throw Error("MPI: the ranks put " + std::to_string(done.data.size()) +
                " bytes into one exchange, at most " + std::to_string(most_complete_bytes) + " are possible");
  return done;
}

std::vector<std::uint32_t> MpiExchange::nodes_of(const std::vector<std::uint32_t>& ranks) const {
  std::set<std::uint32_t> nodes;
  if (ranks.empty()) nodes.insert(plan_.node_of_rank.begin(), plan_.node_of_rank.end());
  for (const std::uint32_t rank : ranks) nodes.insert(plan_.node_of_rank[rank]);
  return {nodes.begin(), nodes.end()};
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
