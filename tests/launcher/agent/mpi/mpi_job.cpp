// SPDX-License-Identifier: Apache-2.0
#include "tests/launcher/agent/mpi/mpi_job.h"

#include <poll.h>

#include <algorithm>
#include <numeric>

namespace adarun::launcher::agent {

MpiJob::MpiJob(const std::vector<std::uint32_t>& ranks_of, const std::vector<std::string>& argv) {
  std::vector<protocol::NodeRanks> map;
  std::uint32_t world = 0;
  for (const std::uint32_t count : ranks_of) {
    protocol::NodeRanks& node = map.emplace_back();
    node.hostname = "127.0.1." + std::to_string(map.size());
    for (std::uint32_t i = 0; i < count; ++i) node.ranks.push_back(world++);
  }
  for (const protocol::NodeRanks& ranks : map) {
    auto node = std::make_unique<Node>();
    protocol::Start start = node->folder.start({});
    if (!nodes_.empty()) start.job_id = nodes_.front()->start.job_id;  // One job has one PMIx namespace.
    start.node = static_cast<std::uint32_t>(nodes_.size());
    start.nodes = map;
    start.world_size = world;
    start.mpi = protocol::Mpi::on;
    start.mpi_secret = "0123456789abcdef0123456789abcdef";
    std::uint32_t local = 0;
    for (const std::uint32_t rank : ranks.ranks) start.ranks.push_back({rank, local++, argv, {}, "", {}});
    node->start = start;
    nodes_.push_back(std::move(node));
  }
  // All nodes are on one kernel here, and its loopback is their network.
  set("OMPI_MCA_btl_tcp_if_include=lo");
  set("OMPI_MCA_btl=self,vader,tcp");
  set("OMPI_MCA_btl_vader_single_copy_mechanism=none");
  set("OMPI_MCA_mpi_yield_when_idle=1");
}

void MpiJob::set(const std::string& assignment) {
  for (auto& node : nodes_)
    for (protocol::RankSpec& rank : node->start.ranks) rank.environment.push_back(assignment);
}

bool MpiJob::run(const std::function<bool()>& enough) {
  for (auto& node : nodes_) node->agent.send(node->start);
  return route(enough);
}

bool MpiJob::stop() {
  for (auto& node : nodes_) node->agent.send(protocol::Stop{true});
  return route([] { return false; });
}

bool MpiJob::route(const std::function<bool()>& enough) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!all_done()) {
    if (enough() || std::chrono::steady_clock::now() > deadline || !route_once()) return false;
  }
  return true;
}

bool MpiJob::route_once() {
  std::vector<pollfd> waiting;
  for (auto& node : nodes_) waiting.push_back({node->agent.fd(), POLLIN, 0});
  const std::chrono::milliseconds limit = timeout;
  if (::poll(waiting.data(), waiting.size(), static_cast<int>(limit.count())) <= 0) return false;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (waiting[i].revents != 0)
      for (const protocol::Message& message : nodes_[i]->agent.read_ready()) take(message);
  return true;
}

void MpiJob::take(const protocol::Message& message) {
  if (const auto* fence = std::get_if<protocol::Fence>(&message)) join_fence(*fence);
  if (const auto* request = std::get_if<protocol::ModexRequest>(&message)) {
    ++modex_requests_;
    for (const std::size_t host : hosts_of({request->rank})) nodes_[host]->agent.send(*request);
  }
  if (const auto* reply = std::get_if<protocol::ModexReply>(&message))
    nodes_[reply->asking_node]->agent.send(*reply);
}

void MpiJob::join_fence(const protocol::Fence& fence) {
  std::vector<std::string>& parts = fences_[{fence.service, fence.participants}];
  parts.push_back(fence.data);
  const std::vector<std::size_t> hosts = hosts_of(fence.participants);
  // To be ignored: a server that took it for its own would let its ranks leave without what others publish.
  const bool is_pmi = fence.service == protocol::Service::pmi;
  const protocol::Service other = is_pmi ? protocol::Service::pmix : protocol::Service::pmi;
  for (const std::size_t host : hosts)
    nodes_[host]->agent.send(protocol::FenceDone{fence.participants, {}, other});
  if (parts.size() < hosts.size()) return;
  protocol::FenceDone done{fence.participants, {}, fence.service};
  for (const std::string& part : parts) done.data += part;
  fences_.erase({fence.service, fence.participants});
  for (const std::size_t host : hosts) nodes_[host]->agent.send(done);
}

std::vector<std::size_t> MpiJob::hosts_of(const std::vector<std::uint32_t>& ranks) const {
  std::vector<std::size_t> hosts;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::vector<protocol::RankSpec>& here = nodes_[i]->start.ranks;
    const auto runs_here = [&ranks](const protocol::RankSpec& part) {
      return ranks.empty() || std::find(ranks.begin(), ranks.end(), part.rank) != ranks.end();
    };
    if (std::any_of(here.begin(), here.end(), runs_here)) hosts.push_back(i);
  }
  return hosts;
}

std::uint32_t world_of(const std::vector<std::uint32_t>& ranks_of) {
  return std::accumulate(ranks_of.begin(), ranks_of.end(), 0U);
}

void expect_right_lines(MpiJob& job, const std::vector<std::uint32_t>& ranks_of) {
  const std::uint32_t world = world_of(ranks_of);
  std::uint32_t rank = 0;
  for (std::size_t node = 0; node < ranks_of.size(); ++node)
    for (std::uint32_t i = 0; i < ranks_of[node]; ++i, ++rank) {
      EXPECT_EQ(job.agent(node).output(rank), "rank " + std::to_string(rank) + " of " +
                                                  std::to_string(world) + " sum " +
                                                  std::to_string(world * (world - 1) / 2) + "\n");
      EXPECT_EQ(job.agent(node).output(rank, protocol::Stream::err), "");
    }
}

void expect_good_ends(const MpiJob& job, std::size_t world) {
  const auto exits = job.all<protocol::Exited>();
  EXPECT_EQ(exits.size(), world);
  EXPECT_EQ(job.all<protocol::Joined>().size(), world);
  for (const protocol::Exited& exited : exits) {
    EXPECT_EQ(exited.code, 0);
    EXPECT_EQ(exited.signal, 0);
    EXPECT_TRUE(exited.mpi_connected);
    EXPECT_TRUE(exited.mpi_finalized);
  }
}

void expect_abort_of_rank_1(const MpiJob& job) {
  const auto aborts = job.all<protocol::Abort>();
  ASSERT_EQ(aborts.size(), 1U);
  EXPECT_EQ(aborts[0].rank, 1U);
  EXPECT_EQ(aborts[0].status, 7);
}

}  // namespace adarun::launcher::agent
