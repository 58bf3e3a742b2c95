// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/spool.h"

#include <algorithm>

#include "launcher/protocol/error.h"

namespace adarun::launcher::protocol {
namespace {

// Small frames share a chunk of up to this size.
constexpr std::size_t chunk_bytes = 64U << 10U;

}  // namespace

void Spool::spill(std::string file, std::uint64_t memory_bytes, std::uint64_t file_bytes) {
  file_ = SpoolFile(std::move(file), file_bytes);
  most_in_memory_ = memory_bytes;
}

void Spool::append(std::string frames) {
  const std::uint64_t begin = end_;
  end_ += frames.size();
  if (in_memory_ + frames.size() > most_in_memory_) {
    if (const auto at = file_.append(begin, frames)) {
      chunks_.push_back({begin, frames.size(), "", at});
      return;
    }
  }
  in_memory_ += frames.size();
  if (!chunks_.empty() && !chunks_.back().file_at && chunks_.back().size + frames.size() <= chunk_bytes) {
    chunks_.back().bytes += frames;
    chunks_.back().size += frames.size();
  } else {
    const std::uint64_t size = frames.size();
    chunks_.push_back({begin, size, std::move(frames)});
  }
}

bool Spool::has_room() const {
  const bool goes_to_file = !chunks_.empty() && chunks_.back().file_at;
  return (!goes_to_file && in_memory_ < most_in_memory_) || file_.has_room();
}

std::string_view Spool::unsent() {
  if (sent_ == end_) return {};
  const auto chunk = std::partition_point(
      chunks_.begin(), chunks_.end(), [this](const Chunk& each) { return each.begin + each.size <= sent_; });
  return bytes_of(*chunk).substr(sent_ - chunk->begin);
}

std::string_view Spool::bytes_of(const Chunk& chunk) {
  if (!chunk.file_at) return chunk.bytes;
  if (loaded_.empty() || loaded_at_ != chunk.begin) {
    loaded_ = file_.read(*chunk.file_at, chunk.size);
    loaded_at_ = chunk.begin;
  }
  return loaded_;
}

void Spool::acknowledge(std::uint64_t position) {
  if (position > end_) throw Error("stream: more was received than was sent");
  acknowledged_ = std::max(acknowledged_, position);
  sent_ = std::max(sent_, acknowledged_);
  bool had_file = false;
  while (!chunks_.empty() && chunks_.front().begin + chunks_.front().size <= acknowledged_) {
    had_file = had_file || chunks_.front().file_at;
    if (!chunks_.front().file_at) in_memory_ -= chunks_.front().size;
    chunks_.pop_front();
  }
  if (had_file &&
      std::none_of(chunks_.begin(), chunks_.end(), [](const Chunk& each) { return each.file_at; }))
    file_.clear();
}

void Spool::rewind(std::uint64_t position) {
  if (position < acknowledged_ || position > end_)
    throw Error("stream: cannot go on from byte " + std::to_string(position));
  sent_ = position;
}

void Spool::keep() {
  for (const Chunk& chunk : chunks_)
    if (!chunk.file_at && !file_.append(chunk.begin, chunk.bytes))
      throw Error(file_.path() + ": cannot write to this spool file");
}

}  // namespace adarun::launcher::protocol
