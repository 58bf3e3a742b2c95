// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/whole_tensors.h"

#include <algorithm>

#include "trainer/parallel/tensor_part.h"

namespace adarun::trainer {
namespace {

std::size_t count_of(const std::vector<TensorShape>& tensors) {
  std::size_t count = 0;
  for (const TensorShape& tensor : tensors) count += static_cast<std::size_t>(tensor.count());
  return count;
}

bool is_whole(const TensorPart& part) {
  return part.range.size() == part.whole[part.dimension];
}

/// Removes and returns the first `count` values; nothing where there are none, on ranks but the first.
template <typename Value>
std::span<Value> take_first(std::span<Value>& values, std::size_t count) {
  if (values.empty()) return {};
  const std::span<Value> first = values.first(count);
  values = values.subspan(count);
  return first;
}

/// The values of a tensor among those of all tensors of each rank.
template <typename Value>
std::span<Value> slot_of(std::span<Value> of_all, std::size_t of_rank, std::int64_t rank, std::size_t offset,
                         std::size_t count) {
  return of_all.subspan(of_rank * static_cast<std::size_t>(rank) + offset, count);
}

}  // namespace

WholeTensors::WholeTensors(const Model& whole, const std::vector<planner::Strategy>& strategies,
                           adasum::Communicator& world)
    : whole_(whole), strategies_(strategies), world_(world) {}

std::size_t WholeTensors::weights() const {
  return count_of(whole_.parameters);
}

std::size_t WholeTensors::buffers() const {
  return count_of(whole_.buffers);
}

void WholeTensors::gather(std::span<const float> parts, std::span<float> whole) {
  for (const TensorShape& tensor : whole_.parameters) {
    const TensorPart own = part_of_tensor(whole_, tensor, strategies_, world_.rank());
    const std::span<const float> mine = take_first(parts, own.count());
    const std::span<float> all = take_first(whole, static_cast<std::size_t>(tensor.count()));
    // The ranks of the first replica hold all of it.
    const std::int64_t holders = is_whole(own) ? 1 : strategies_[tensor.layer].parts;
    if (world_.rank() == 0) put_part(mine, own, all);
    if (world_.rank() > 0 && world_.rank() < holders) world_.send(0, std::as_bytes(mine));
    std::vector<float> received;
    for (int rank = 1; world_.rank() == 0 && rank < holders; ++rank) {
      const TensorPart part = part_of_tensor(whole_, tensor, strategies_, rank);
      received.resize(part.count());
      world_.receive(rank, std::as_writable_bytes(std::span(received)));
      put_part(received, part, all);
    }
  }
}

void WholeTensors::scatter(std::span<const float> whole, std::span<float> parts) {
  for (const TensorShape& tensor : whole_.parameters) {
    const TensorPart own = part_of_tensor(whole_, tensor, strategies_, world_.rank());
    const std::span<float> mine = take_first(parts, own.count());
    const std::span<const float> all = take_first(whole, static_cast<std::size_t>(tensor.count()));
    if (world_.rank() != 0) {
      world_.receive(0, std::as_writable_bytes(mine));
      continue;
    }
    std::vector<float> sent;
    for (int rank = 1; rank < world_.size(); ++rank) {
      const TensorPart part = part_of_tensor(whole_, tensor, strategies_, rank);
      sent.resize(part.count());
      take_part(all, part, sent);
      world_.send(rank, std::as_bytes(std::span(sent)));
    }
    take_part(all, own, mine);
  }
}

void WholeTensors::gather_buffers(std::span<const float> parts, std::span<float> of_all) {
  const std::size_t of_rank = count_of(whole_.buffers);
  std::size_t offset = 0;
  for (const TensorShape& tensor : whole_.buffers) {
    const auto count = static_cast<std::size_t>(tensor.count());
    const std::span<const float> mine =
        take_first(parts, part_of_tensor(whole_, tensor, strategies_, world_.rank()).count());
    if (world_.rank() != 0) world_.send(0, std::as_bytes(mine));
    std::vector<float> received;
    for (int rank = 0; world_.rank() == 0 && rank < world_.size(); ++rank) {
      const TensorPart part = part_of_tensor(whole_, tensor, strategies_, rank);
      received.resize(part.count());
      if (rank == 0)
        std::ranges::copy(mine, received.begin());
      else
        world_.receive(rank, std::as_writable_bytes(std::span(received)));
      // Into the buffers of all ranks of its replica.
      const std::int64_t sharers = is_whole(part) ? 1 : strategies_[tensor.layer].parts;
      for (std::int64_t of = rank / sharers * sharers; of < (rank / sharers + 1) * sharers; ++of)
        put_part(received, part, slot_of(of_all, of_rank, of, offset, count));
    }
    offset += count;
  }
}

void WholeTensors::scatter_buffers(std::span<const float> of_all, std::span<float> parts) {
  const std::size_t of_rank = count_of(whole_.buffers);
  std::size_t offset = 0;
  for (const TensorShape& tensor : whole_.buffers) {
    const auto count = static_cast<std::size_t>(tensor.count());
    const TensorPart own = part_of_tensor(whole_, tensor, strategies_, world_.rank());
    const std::span<float> mine = take_first(parts, own.count());
    if (world_.rank() != 0) world_.receive(0, std::as_writable_bytes(mine));
    std::vector<float> sent;
    for (int rank = 0; world_.rank() == 0 && rank < world_.size(); ++rank) {
      const TensorPart part = part_of_tensor(whole_, tensor, strategies_, rank);
      sent.resize(part.count());
      take_part(slot_of(of_all, of_rank, rank, offset, count), part, sent);
      if (rank == 0)
        std::ranges::copy(sent, mine.begin());
      else
        world_.send(rank, std::as_bytes(std::span(sent)));
    }
    offset += count;
  }
}

}  // namespace adarun::trainer
