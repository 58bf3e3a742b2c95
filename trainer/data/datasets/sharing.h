// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adasum/communicators/communicator.h"

namespace adarun::trainer {

/// Immutable bytes of a data set: this rank's own, or shared by all ranks of its node. Copies refer to the
/// same bytes.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::vector<std::uint8_t> own);
  /// `bytes` must be valid as long as `owner` exists.
  Bytes(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}

  std::span<const std::uint8_t> get() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  auto begin() const { return bytes_.begin(); }
  auto end() const { return bytes_.end(); }
  std::uint8_t operator[](std::size_t index) const { return bytes_[index]; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::shared_ptr<const void> owner_;
};

/// Decides which ranks read data that is the same on all. In this class, each rank reads for itself.
class Sharing {
 public:
  using Read = std::function<std::vector<std::uint8_t>()>;

  virtual ~Sharing() = default;

  /// Call this before once(), with where this rank would read. Throws Error (refused), on all of them, if
  /// ranks of which one reads for the others name different folders.
  virtual void check_folder(const std::string& /*folder*/) const {}

  /// The bytes that `read` returns, the same on every rank. Throws what `read` throws.
  virtual Bytes once(const Read& read) const { return Bytes(read()); }
};

/// One rank of a node reads, and the others access its memory. If memory cannot be shared, or if that rank
/// fails to read, the others read too.
class NodeSharing : public Sharing {
 public:
  /// `node`: the ranks of one node.
  explicit NodeSharing(std::unique_ptr<adasum::Communicator> node) : node_(std::move(node)) {}

  adasum::Communicator& node() const { return *node_; }

  /// Both are collective over the node.
  void check_folder(const std::string& folder) const override;
  Bytes once(const Read& read) const override;

 private:
  Bytes shared(const Read& read, std::vector<std::uint8_t> mine, std::size_t size) const;

  std::unique_ptr<adasum::Communicator> node_;
};

}  // namespace adarun::trainer
