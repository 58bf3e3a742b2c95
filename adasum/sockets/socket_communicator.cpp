// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/socket_communicator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "adasum/sockets/endpoint.h"
#include "adasum/types/error.h"

namespace adasum {
namespace {

constexpr std::size_t small_bytes = 16'384;  // of a gathered list: few messages matter more than few bytes

/// What ranks that share a machine have in common: this start of its kernel, and, for containers, its name.
std::string this_node() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id + sockets::host_name();
}

/// What all communicators of one rank share.
struct MeshOfRank {
  MeshOfRank(int rank, std::vector<sockets::Link> connections, const sockets::MeshOptions& options,
             std::string its_node)
      : mesh(rank, std::move(connections), options), node(std::move(its_node)) {}

  sockets::Mesh mesh;
  std::string node;
  std::uint32_t free_world = 1;  // no communicator of this rank has this number, or a higher one
};

/// Some ranks of the mesh.
class SocketCommunicator : public Communicator {
 public:
  /// `members`: their ranks in the mesh, in the order of their ranks here. `world`: the number that their
  /// messages have, which no two communicators with a rank in common share.
  SocketCommunicator(std::shared_ptr<MeshOfRank> shared, std::vector<int> members, int rank,
                     std::uint32_t world)
      : shared_(std::move(shared)), members_(std::move(members)), rank_(rank), world_(world) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(members_.size()); }
  int world_rank(int rank) const override { return shared_->mesh.names().number(in_mesh(rank)); }
  WaitLimits wait_limits() const override { return shared_->mesh.wait_limits(); }
  void give_up() override { shared_->mesh.give_up(); }

  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    const std::array<Mesh::Outgoing, 1> outgoing = {{{in_mesh(peer), out}}};
    const std::array<Mesh::Incoming, 1> incoming = {{{in_mesh(peer), in}}};
    shared_->mesh.transfer(world_, outgoing, incoming);
  }

  // All messages at once, beginning with the neighbours, as in MpiCommunicator::exchange_all.
  void exchange_all(std::span<const std::span<const std::byte>> out,
                    std::span<const std::span<std::byte>> in) override {
    std::vector<Mesh::Outgoing> outgoing;
    std::vector<Mesh::Incoming> incoming;
    for (int turn = 1; turn < size(); ++turn) {
      const int to = (rank_ + turn) % size();
      const int from = (rank_ - turn + size()) % size();
      outgoing.push_back({in_mesh(to), out[static_cast<std::size_t>(to)]});
      incoming.push_back({in_mesh(from), in[static_cast<std::size_t>(from)]});
    }
    shared_->mesh.transfer(world_, outgoing, incoming);
  }

  void send(int peer, std::span<const std::byte> out) override {
    const std::array<Mesh::Outgoing, 1> outgoing = {{{in_mesh(peer), out}}};
    shared_->mesh.transfer(world_, outgoing, {});
  }

  void receive(int peer, std::span<std::byte> in) override {
    const std::array<Mesh::Incoming, 1> incoming = {{{in_mesh(peer), in}}};
    shared_->mesh.transfer(world_, {}, incoming);
  }

  // A binomial tree: in round k, the 2^k ranks that have the data send it 2^k ranks further.
  void broadcast(std::span<std::byte> data, int root) override {
    in_mesh(root);
    if (size() == 1) return shared_->mesh.transfer(world_, {}, {});
    const int relative = (rank_ - root + size()) % size();
    const int received = std::bit_floor(static_cast<unsigned>(relative));
    if (relative != 0) receive((relative - received + root) % size(), data);
    for (int step = relative == 0 ? 1 : 2 * received; relative + step < size(); step *= 2)
      send((relative + step + root) % size(), data);
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    require_room(mine, all, size());
    if (all.size() <= small_bytes) return gather_in_rounds(mine, all);
    std::ranges::copy(mine, all.subspan(static_cast<std::size_t>(rank_) * mine.size()).begin());
    const std::vector<std::span<const std::byte>> out(members_.size(), mine);
    std::vector<std::span<std::byte>> in;
    for (std::size_t peer = 0; peer < members_.size(); ++peer)
      in.push_back(all.subspan(peer * mine.size(), mine.size()));
    exchange_all(out, in);
  }

  void sum(std::span<double> values) override { sum_of(values); }
  void sum(std::span<float> values) override { sum_of(values); }

  // The new communicator's number is the least that is free on all of its members.
  std::unique_ptr<Communicator> split(int color) override {
    struct Choice {
      std::int32_t color;
      std::uint32_t free_world;
    };
    const std::vector<Choice> all = gather(*this, Choice{color, shared_->free_world});
    std::vector<int> members;
    int rank = 0;
    std::uint32_t world = 0;
    for (std::size_t peer = 0; peer < all.size(); ++peer) {
      if (all[peer].color != color) continue;
      if (static_cast<int>(peer) == rank_) rank = static_cast<int>(members.size());
      members.push_back(members_[peer]);
      world = std::max(world, all[peer].free_world);
    }
    shared_->free_world = world + 1;
    return std::make_unique<SocketCommunicator>(shared_, std::move(members), rank, world);
  }

  std::unique_ptr<Communicator> split_by_node() override {
    const std::uint64_t mine = std::hash<std::string>()(shared_->node);
    const std::vector<std::uint64_t> all = gather(*this, mine);
    return split(static_cast<int>(std::ranges::find(all, mine) - all.begin()));
  }

 private:
  using Mesh = sockets::Mesh;

  int in_mesh(int peer) const {
    if (peer < 0 || peer >= size())
      throw Error("rank " + std::to_string(peer) + ": not in a world of " + std::to_string(size()) +
                  " ranks");
    return members_[static_cast<std::size_t>(peer)];
  }

  // Bruck's all-gather: after round k each rank has the values of 2^k ranks, its own first. Bruck et al.,
  // "Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems", 1997,
  // section 4.
  void gather_in_rounds(std::span<const std::byte> mine, std::span<std::byte> all) {
    if (size() == 1) shared_->mesh.transfer(world_, {}, {});
    std::vector<std::byte> rotated(all.size());
    std::ranges::copy(mine, rotated.begin());
    const std::span<std::byte> values(rotated);
    for (int have = 1; have < size(); have *= 2) {
      const std::size_t bytes = static_cast<std::size_t>(std::min(have, size() - have)) * mine.size();
      const std::array<Mesh::Outgoing, 1> outgoing = {
          {{in_mesh((rank_ - have + size()) % size()), values.first(bytes)}}};
      const std::array<Mesh::Incoming, 1> incoming = {
          {{in_mesh((rank_ + have) % size()),
            values.subspan(static_cast<std::size_t>(have) * mine.size(), bytes)}}};
      shared_->mesh.transfer(world_, outgoing, incoming);
    }
    const std::size_t before = static_cast<std::size_t>(rank_) * mine.size();
    std::ranges::copy(values.last(before), all.begin());
    std::ranges::copy(values.first(all.size() - before), all.begin() + static_cast<std::ptrdiff_t>(before));
  }

  // Each rank adds its share of the values of all, in rank order, and the shares are gathered.
  template <typename T>
  void sum_of(std::span<T> values) {
    if (values.size_bytes() * members_.size() <= small_bytes) return sum_small(values);
    const auto ranks = members_.size();
    const auto begin_of = [&](std::size_t rank) { return values.size() * rank / ranks; };
    const auto share_of = [&](std::size_t rank) {
      return values.subspan(begin_of(rank), begin_of(rank + 1) - begin_of(rank));
    };
    const auto mine = static_cast<std::size_t>(rank_);
    const std::size_t length = share_of(mine).size();
    std::vector<T> theirs(ranks * length);
    std::vector<std::span<const std::byte>> out;
    std::vector<std::span<std::byte>> in;
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      out.push_back(std::as_bytes(share_of(peer)));
      in.push_back(std::as_writable_bytes(std::span(theirs).subspan(peer * length, length)));
    }
    exchange_all(out, in);
    std::ranges::copy(share_of(mine), theirs.begin() + static_cast<std::ptrdiff_t>(mine * length));
    for (std::size_t i = 0; i < length; ++i) {
      T sum = theirs[i];
      for (std::size_t peer = 1; peer < ranks; ++peer) sum += theirs[peer * length + i];
      share_of(mine)[i] = sum;
    }
    std::vector<std::span<const std::byte>> results(ranks, std::as_bytes(share_of(mine)));
    for (std::size_t peer = 0; peer < ranks; ++peer) in[peer] = std::as_writable_bytes(share_of(peer));
    exchange_all(results, in);
  }

  template <typename T>
  void sum_small(std::span<T> values) {
    std::vector<T> all(values.size() * members_.size());
    gather_in_rounds(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
    std::copy_n(all.begin(), values.size(), values.begin());
    for (std::size_t i = values.size(); i < all.size(); ++i) values[i % values.size()] += all[i];
  }

  std::shared_ptr<MeshOfRank> shared_;
  std::vector<int> members_;
  int rank_;
  std::uint32_t world_;
};

}  // namespace

std::unique_ptr<Communicator> socket_communicator(const SocketWorld& world, Descriptor listener) {
  sockets::RankConnections meeting = sockets::meet({.rank = world.rank,
                                                    .size = world.size,
                                                    .generation = world.generation,
                                                    .root = world.root,
                                                    .secret = world.secret,
                                                    .listener = std::move(listener),
                                                    .messages = world.messages},
                                                   Deadline(world.connect_timeout));
  return connected_communicator(world.rank, std::move(meeting.connections), world.mesh, world.node);
}

std::unique_ptr<Communicator> connected_communicator(int rank, std::vector<sockets::Link> connections,
                                                     const sockets::MeshOptions& options,
                                                     const std::string& node) {
  std::vector<int> members(connections.size());
  std::iota(members.begin(), members.end(), 0);
  auto shared =
      std::make_shared<MeshOfRank>(rank, std::move(connections), options, node.empty() ? this_node() : node);
  return std::make_unique<SocketCommunicator>(std::move(shared), std::move(members), rank, 0);
}

}  // namespace adasum
