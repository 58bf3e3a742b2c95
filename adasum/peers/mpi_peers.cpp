// SPDX-License-Identifier: Apache-2.0
#include "adasum/peers/mpi_peers.h"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "adasum/error.h"
#include "adasum/fiber.h"
#include "adasum/peers/chunks.h"
#include "adasum/peers/mpi_comm.h"
#include "adasum/peers/mpi_pending.h"

namespace adasum {
namespace {

constexpr std::size_t chunk_limit = std::size_t{1} << 30;  // bytes, or elements of a sum
constexpr int message_tag = 7;

template <typename T>
MPI_Datatype mpi_type();
template <>
MPI_Datatype mpi_type<float>() {
  return MPI_FLOAT;
}
template <>
MPI_Datatype mpi_type<double>() {
  return MPI_DOUBLE;
}

class MpiPeers : public Peers {
 public:
  // Takes over `comm`, which is a duplicate or a part: our messages meet nobody else's.
  explicit MpiPeers(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~MpiPeers() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Comm_free(&comm_);
  }
  MpiPeers(const MpiPeers&) = delete;
  MpiPeers& operator=(const MpiPeers&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override;
  void exchange_all(std::span<const std::span<const std::byte>> out,
                    std::span<const std::span<std::byte>> in) override;
  void send(int peer, std::span<const std::byte> out) override;
  void receive(int peer, std::span<std::byte> in) override;
  void broadcast(std::span<std::byte> data, int root) override;
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void sum(std::span<double> values) override { sum_of(values); }
  void sum(std::span<float> values) override { sum_of(values); }
  std::unique_ptr<Peers> split(int color) override;
  std::unique_ptr<Peers> split_by_node() override;

 private:
  std::string with(int peer) const {
    return "rank " + std::to_string(rank_) + " with rank " + std::to_string(peer);
  }
  void start_send(int peer, std::span<const std::byte> out, Pending& messages);
  void start_receive(int peer, std::span<std::byte> in, Pending& messages);
  template <typename Blocking, typename Starting>
  static void collective(const char* name, const Blocking& blocking, const Starting& starting);
  template <typename T>
  void sum_of(std::span<T> values);

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
};

void MpiPeers::exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) {
  Pending messages(with(peer));
  start_receive(peer, in, messages);
  start_send(peer, out, messages);
  messages.wait();
}

// Each begins with the rank behind it, so that not all send to the same one first.
void MpiPeers::exchange_all(std::span<const std::span<const std::byte>> out,
                            std::span<const std::span<std::byte>> in) {
  Pending messages("rank " + std::to_string(rank_) + " with all ranks");
  for (int turn = 1; turn < size_; ++turn) {
    const int peer = (rank_ - turn + size_) % size_;
    start_receive(peer, in[static_cast<std::size_t>(peer)], messages);
  }
  for (int turn = 1; turn < size_; ++turn) {
    const int peer = (rank_ + turn) % size_;
    start_send(peer, out[static_cast<std::size_t>(peer)], messages);
  }
  messages.wait();
}

void MpiPeers::send(int peer, std::span<const std::byte> out) {
  Pending messages(with(peer));
  start_send(peer, out, messages);
  messages.wait();
}

void MpiPeers::receive(int peer, std::span<std::byte> in) {
  Pending messages(with(peer));
  start_receive(peer, in, messages);
  messages.wait();
}

void MpiPeers::start_send(int peer, std::span<const std::byte> out, Pending& messages) {
  for_each_chunk(out.size(), chunk_limit, [&](std::size_t offset, int length) {
    check(MPI_Isend(out.data() + offset, length, MPI_BYTE, peer, message_tag, comm_, messages.add()), with(peer));
  });
}

void MpiPeers::start_receive(int peer, std::span<std::byte> in, Pending& messages) {
  for_each_chunk(in.size(), chunk_limit, [&](std::size_t offset, int length) {
    check(MPI_Irecv(in.data() + offset, length, MPI_BYTE, peer, message_tag, comm_, messages.add(length)), with(peer));
  });
}

// MPI's collectives that block and those that do not are strangers to each other: in a fiber all ranks are in one.
template <typename Blocking, typename Starting>
void MpiPeers::collective(const char* name, const Blocking& blocking, const Starting& starting) {
  if (!Fiber::inside()) return check(blocking(), name);
  Pending pending(name);
  check(starting(pending.add()), name);
  pending.wait();
}

void MpiPeers::broadcast(std::span<std::byte> data, int root) {
  for_each_chunk(data.size(), chunk_limit, [&](std::size_t offset, int length) {
    std::byte* begin = data.data() + offset;
    collective(
        "broadcast", [&] { return MPI_Bcast(begin, length, MPI_BYTE, root, comm_); },
        [&](MPI_Request* request) { return MPI_Ibcast(begin, length, MPI_BYTE, root, comm_, request); });
  });
}

void MpiPeers::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  if (all.size() != mine.size() * static_cast<std::size_t>(size_)) {
    throw Error("all-gather of " + std::to_string(mine.size()) + " bytes from each of " +
                std::to_string(size_) + " ranks: room for " + std::to_string(all.size()));
  }
  if (mine.size() <= chunk_limit) {
    const int length = static_cast<int>(mine.size());
    return collective(
        "all-gather",
        [&] { return MPI_Allgather(mine.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, comm_); },
        [&](MPI_Request* request) {
          return MPI_Iallgather(mine.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, comm_, request);
        });
  }
  for (int root = 0; root < size_; ++root) {
    const std::span place(all.data() + static_cast<std::size_t>(root) * mine.size(), mine.size());
    if (root == rank_) std::copy(mine.begin(), mine.end(), place.begin());
    broadcast(place, root);
  }
}

// Open MPI's allreduce adds commuting pairs, or each element on one rank: bit-equal everywhere.
template <typename T>
void MpiPeers::sum_of(std::span<T> values) {
  for_each_chunk(values.size(), chunk_limit, [&](std::size_t offset, int length) {
    T* begin = values.data() + offset;
    collective(
        "sum", [&] { return MPI_Allreduce(MPI_IN_PLACE, begin, length, mpi_type<T>(), MPI_SUM, comm_); },
        [&](MPI_Request* request) {
          return MPI_Iallreduce(MPI_IN_PLACE, begin, length, mpi_type<T>(), MPI_SUM, comm_, request);
        });
  });
}

std::unique_ptr<Peers> MpiPeers::split(int color) {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(comm_, color, rank_, &part), "split");
  return std::make_unique<MpiPeers>(part);
}

std::unique_ptr<Peers> MpiPeers::split_by_node() {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part), "split by node");
  return std::make_unique<MpiPeers>(part);
}

}  // namespace

std::unique_ptr<Peers> mpi_peers(MPI_Comm comm) {
  MPI_Comm ours = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm, &ours), "communicator");
  return std::make_unique<MpiPeers>(ours);
}

MpiSession::MpiSession() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) return;
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  ours_ = true;
}

MpiSession::~MpiSession() {
  if (ours_) MPI_Finalize();
}

std::unique_ptr<Peers> MpiSession::world() const { return mpi_peers(MPI_COMM_WORLD); }

void MpiSession::abort(int status) const {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

}  // namespace adasum
