// SPDX-License-Identifier: Apache-2.0
#include "launcher/stage/staging.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher {
namespace {

constexpr std::uint64_t part_bytes = 128U << 10U;

// Limits of parts (128 KiB each) in flight to one node, and of nodes sent to at once.
constexpr int most_parts = 8;
constexpr int most_nodes = 64;

// The first 16 hexadecimal digits of a hash, as a number: of thousands of files on thousands of nodes all the
// digits would not fit in memory. 0 if it is none. A node that makes up another file's digits deceives itself
// alone.
std::uint64_t first_digits(std::string_view hash) {
  std::uint64_t digits = 0;
  const std::string_view first = hash.substr(0, 16);
  const auto read = std::from_chars(first.data(), first.data() + first.size(), digits, 16);
  return first.size() == 16 && read.ec == std::errc() && read.ptr == first.data() + 16 ? digits : 0;
}

}  // namespace

StagedFile::StagedFile(const StageSource& source)
    : name_(source.file),
      file_(::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)),
      size_bytes_(source.item.size),
      changed_ns_(source.changed_ns) {
  if (!file_) throw Error(name_ + ": " + base::system_text(errno));
}

protocol::StagePart StagedFile::next(std::uint32_t item) {
  begun_ = true;
  protocol::StagePart part{item, offset_, std::string(std::min(part_bytes, size_bytes_ - offset_), '\0')};
  std::size_t filled = 0;
  while (filled < part.bytes.size()) {
    const ssize_t size = ::pread(file_.get(), part.bytes.data() + filled, part.bytes.size() - filled,
                                 static_cast<off_t>(offset_ + filled));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw Error(name_ + ": " + base::system_text(errno));
    if (size == 0) break;
    filled += static_cast<std::size_t>(size);
  }
  offset_ += filled;
  if (filled < part.bytes.size() || offset_ == size_bytes_) require_unchanged();
  return part;
}

void StagedFile::require_unchanged() const {
  struct stat facts {};
  const bool known = ::fstat(file_.get(), &facts) == 0;
  const bool same = known && static_cast<std::uint64_t>(facts.st_size) == size_bytes_ &&
                    facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec == changed_ns_;
  if (!same) throw Error(name_ + ": was written to while it was being staged");
}

Staging::Staging(const StageList& list, std::string folder, Nodes& nodes)
    : Staging(list, std::move(folder), nodes, 0, nodes.count()) {}

Staging::Staging(const StageList& list, std::string folder, Nodes& nodes, std::uint32_t node)
    : Staging(list, std::move(folder), nodes, node, 1) {}

Staging::Staging(const StageList& list, std::string folder, Nodes& nodes, std::uint32_t first,
                 std::size_t count)
    : list_(list),
      folder_(std::move(folder)),
      nodes_(nodes),
      first_(first),
      states_(count),
      hashes_(list.size()),
      is_wanted_hash_(list.size()),
      looking_(count) {
  progress_.nodes = count;
  for (const StageSource& source : list)
    progress_.files += source.item.kind == protocol::StageKind::file ? 1 : 0;
}

void Staging::begin() {
  begun_ = true;
  if (list_.empty()) return;
  protocol::Stage order{folder_, {}};
  for (const StageSource& source : list_) order.items.push_back(source.item);
  std::vector<std::uint32_t> nodes(states_.size());
  std::iota(nodes.begin(), nodes.end(), first_);
  nodes_.send(std::move(nodes), std::move(order));
}

bool Staging::take(std::uint32_t node, const protocol::Message& message) {
  Node& state = states_.at(node - first_);
  if (const auto* present = std::get_if<protocol::StagePresent>(&message)) {
    take_present(node, *present);
  } else if (const auto* taken = std::get_if<protocol::StageTaken>(&message)) {
    take_taken(node, *taken);
  } else if (std::holds_alternative<protocol::Staged>(message)) {
    if (state.state != State::settling) throw protocol::Error("Staged before all was sent");
    ++progress_.nodes_done;
    state.state = State::done;
  } else {
    return false;
  }
  return true;
}

void Staging::take_taken(std::uint32_t node, const protocol::StageTaken& taken) {
  Node& state = states_[node - first_];
  if (state.parts_on_their_way == 0 || taken.bytes > state.bytes_on_their_way)
    throw protocol::Error("StageTaken of more than was sent");
  --state.parts_on_their_way;
  state.bytes_on_their_way -= taken.bytes;
  progress_.bytes_sent += taken.bytes;
  fill(node - first_);
  send_to_next();
}

void Staging::take_present(std::uint32_t node, const protocol::StagePresent& present) {
  Node& state = states_[node - first_];
  if (!begun_ || state.state != State::looking || present.hashes.size() != list_.size())
    throw protocol::Error("StagePresent of other things than it was told of");
  state.state = State::waiting;
  state.hashes.reserve(list_.size());
  for (const std::string& hash : present.hashes) state.hashes.push_back(first_digits(hash));
  for (std::uint32_t item = 0; item < list_.size(); ++item) {
    if (state.hashes[item] == 0 || is_wanted_hash_[item]) continue;
    is_wanted_hash_[item] = true;
    wanted_hashes_.push_back(item);
  }
  --looking_;
  decide_if_all_known();
}

void Staging::tick() {
  if (!reading()) return;
  const std::uint32_t item = wanted_hashes_[hashing_];
  try {
    if (!hash_) hash_.emplace(list_[item].file);
    if (!hash_->advance()) return;
  } catch (const std::system_error& error) {
    throw Error(error.what());
  }
  hashes_[item] = hash_->hex();
  hash_.reset();
  ++hashing_;
  decide_if_all_known();
}

// Decides for all nodes at once, so that the total is known before the first byte is sent.
void Staging::decide_if_all_known() {
  if (looking_ > 0 || reading()) return;
  for (Node& node : states_) decide(node);
  send_to_next();
}

void Staging::decide(Node& node) {
  for (std::uint32_t item = static_cast<std::uint32_t>(list_.size()); item-- > 0;) {
    if (list_[item].item.kind != protocol::StageKind::file) continue;
    if (node.hashes[item] != 0 && node.hashes[item] == first_digits(hashes_[item])) {
      ++progress_.files_kept;
    } else {
      node.wanted.push_back(item);
      progress_.bytes_due += list_[item].item.size;
    }
  }
  node.hashes = {};
}

void Staging::send_to_next() {
  while (sending_ < most_nodes && next_ < states_.size()) {
    ++sending_;
    states_[next_].state = State::sending;
    fill(next_++);
  }
}

void Staging::fill(std::size_t index) {
  Node& node = states_[index];
  const std::uint32_t number = first_ + static_cast<std::uint32_t>(index);
  while (node.state == State::sending && !node.wanted.empty() && node.parts_on_their_way < most_parts) {
    const std::uint32_t item = node.wanted.back();
    if (!node.file) node.file.emplace(list_[item]);
    protocol::StagePart part = node.file->next(item);
    ++node.parts_on_their_way;
    node.bytes_on_their_way += part.bytes.size();
    nodes_.send(number, std::move(part));
    if (!node.file->ended()) continue;
    node.file.reset();
    node.wanted.pop_back();
  }
  if (node.state != State::sending || !node.wanted.empty() || node.parts_on_their_way > 0) return;
  node.state = State::settling;
  nodes_.send(number, protocol::StageEnd{});
  --sending_;
}

}  // namespace adarun::launcher
