// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/mpi_communicator.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "adasum/communicators/fiber.h"
#include "adasum/types/error.h"

namespace adasum {

void check_mpi(int status, const std::string& what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Error(what + ": " + std::string(text, static_cast<std::size_t>(length)));
}

MpiRequests::~MpiRequests() {
  int done = 1;
  MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  if (done == 0) std::abort();
}

void MpiRequests::wait() {
  std::vector<MPI_Status> statuses(requests_.size());
  const int result = finish(statuses);
  if (result != MPI_ERR_IN_STATUS) check_mpi(result, what_);
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (result == MPI_ERR_IN_STATUS) check_mpi(statuses[i].MPI_ERROR, what_);
    if (wanted_[i] < 0) continue;
    int got = 0;
    MPI_Get_count(&statuses[i], MPI_BYTE, &got);
    if (got != wanted_[i])
      throw Error(what_ + ": got " + std::to_string(got) + " bytes, wanted " + std::to_string(wanted_[i]));
  }
}

int MpiRequests::finish(std::vector<MPI_Status>& statuses) {
  const int count = static_cast<int>(requests_.size());
  while (Fiber::inside()) {
    int done = 0;
    const int result = MPI_Testall(count, requests_.data(), &done, statuses.data());
    if (done != 0 || result != MPI_SUCCESS) return result;
    if (!Fiber::pause()) break;
  }
  return MPI_Waitall(count, requests_.data(), statuses.data());
}

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

class MpiCommunicator : public Communicator {
 public:
  // Owns `comm`, a duplicate or a part, so that our messages never match those of other code.
  explicit MpiCommunicator(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }

  ~MpiCommunicator() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Comm_free(&comm_);
  }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return rank_; }
  int world_rank(int rank) const override {
    MPI_Group here = MPI_GROUP_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(comm_, &here);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int in_world = MPI_UNDEFINED;
    MPI_Group_translate_ranks(here, 1, &rank, world, &in_world);
    MPI_Group_free(&here);
    MPI_Group_free(&world);
    return in_world == MPI_UNDEFINED ? rank : in_world;
  }

  int size() const override { return size_; }

  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    MpiRequests messages(with(peer));
    start_receive(peer, in, messages);
    start_send(peer, out, messages);
    messages.wait();
  }

  // Posts all messages at once. Each rank begins with its neighbour, so that not all ranks send to the same
  // one first: the all-to-all for medium sizes of Thakur, Rabenseifner, Gropp, "Optimization of Collective
  // Communication Operations in MPICH", 2005.
  void exchange_all(std::span<const std::span<const std::byte>> out,
                    std::span<const std::span<std::byte>> in) override {
    MpiRequests messages("rank " + std::to_string(rank_) + " with all ranks");
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

  void send(int peer, std::span<const std::byte> out) override {
    MpiRequests messages(with(peer));
    start_send(peer, out, messages);
    messages.wait();
  }

  void receive(int peer, std::span<std::byte> in) override {
    MpiRequests messages(with(peer));
    start_receive(peer, in, messages);
    messages.wait();
  }

  void broadcast(std::span<std::byte> data, int root) override {
    for_each_chunk(data.size(), chunk_limit, [&](std::size_t offset, int length) {
      std::byte* begin = data.data() + offset;
      collective(
          "broadcast", [&] { return MPI_Bcast(begin, length, MPI_BYTE, root, comm_); },
          [&](MPI_Request* request) { return MPI_Ibcast(begin, length, MPI_BYTE, root, comm_, request); });
    });
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    require_room(mine, all, size_);
    if (mine.size() <= chunk_limit) {
      const int length = static_cast<int>(mine.size());
      return collective(
          "all-gather",
          [&] { return MPI_Allgather(mine.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, comm_); },
          [&](MPI_Request* request) {
            return MPI_Iallgather(mine.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, comm_,
                                  request);
          });
    }
    for (int root = 0; root < size_; ++root) {
      const std::span place(all.data() + static_cast<std::size_t>(root) * mine.size(), mine.size());
      if (root == rank_) std::copy(mine.begin(), mine.end(), place.begin());
      broadcast(place, root);
    }
  }

  void sum(std::span<double> values) override { sum_of(values); }
  void sum(std::span<float> values) override { sum_of(values); }

  std::unique_ptr<Communicator> split(int color) override {
    MPI_Comm part = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(comm_, color, rank_, &part), "split");
    return std::make_unique<MpiCommunicator>(part);
  }

  std::unique_ptr<Communicator> split_by_node() override {
    MPI_Comm part = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part), "split by node");
    return std::make_unique<MpiCommunicator>(part);
  }

 private:
  std::string with(int peer) const {
    return "rank " + std::to_string(rank_) + " with rank " + std::to_string(peer);
  }

  void start_send(int peer, std::span<const std::byte> out, MpiRequests& messages) {
    for_each_chunk(out.size(), chunk_limit, [&](std::size_t offset, int length) {
      check_mpi(MPI_Isend(out.data() + offset, length, MPI_BYTE, peer, message_tag, comm_, messages.add()),
                with(peer));
    });
  }

  void start_receive(int peer, std::span<std::byte> in, MpiRequests& messages) {
    for_each_chunk(in.size(), chunk_limit, [&](std::size_t offset, int length) {
      check_mpi(
          MPI_Irecv(in.data() + offset, length, MPI_BYTE, peer, message_tag, comm_, messages.add(length)),
          with(peer));
    });
  }

  // A blocking collective never matches a nonblocking one (MPI 3.1, 5.12), so either all ranks call this in a
  // fiber or none does.
  template <typename Blocking, typename Nonblocking>
  static void collective(const char* name, const Blocking& blocking, const Nonblocking& nonblocking) {
    if (!Fiber::inside()) return check_mpi(blocking(), name);
    MpiRequests requests(name);
    check_mpi(nonblocking(requests.add()), name);
    requests.wait();
  }

  // Open MPI's allreduce adds commuting pairs, or adds each element on one rank: bit-equal everywhere.
  template <typename T>
  void sum_of(std::span<T> values) {
    for_each_chunk(values.size(), chunk_limit, [&](std::size_t offset, int length) {
      T* begin = values.data() + offset;
      collective(
          "sum", [&] { return MPI_Allreduce(MPI_IN_PLACE, begin, length, mpi_type<T>(), MPI_SUM, comm_); },
          [&](MPI_Request* request) {
            return MPI_Iallreduce(MPI_IN_PLACE, begin, length, mpi_type<T>(), MPI_SUM, comm_, request);
          });
    });
  }

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

std::unique_ptr<Communicator> mpi_communicator(MPI_Comm comm) {
  MPI_Comm ours = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(comm, &ours), "communicator");
  return std::make_unique<MpiCommunicator>(ours);
}

}  // namespace adasum
