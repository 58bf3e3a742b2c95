// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "adasum/communicators/communicator.h"

namespace adarun::trainer {

/// Bytes of a data set, which do not change: this rank's own, or those of all ranks of its node. Copies are
/// the same bytes.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::vector<std::uint8_t> own);
  /// `bytes` live as long as `owner`.
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

/// Who reads what ranks have in common. This one: each rank by itself.
class Sharing {
 public:
  using Read = std::function<std::vector<std::uint8_t>()>;

  virtual ~Sharing() = default;

  /// What `read` gives, which is the same on every rank. Throws what that throws.
  virtual Bytes once(const Read& read) const { return Bytes(read()); }
};

/// One rank of a node reads, and all of them see its memory. Where they cannot, or where it fails, the others
/// read too.
class NodeSharing : public Sharing {
 public:
  /// The ranks of one node.
  explicit NodeSharing(std::unique_ptr<adasum::Communicator> node) : node_(std::move(node)) {}

  /// Collective over the node.
  Bytes once(const Read& read) const override;

 private:
  Bytes shared(const Read& read, std::vector<std::uint8_t> mine, std::size_t size) const;

  std::unique_ptr<adasum::Communicator> node_;
};

}  // namespace adarun::trainer
