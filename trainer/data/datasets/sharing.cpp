// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/sharing.h"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <system_error>

#include "adasum/shared_memory/shared_memory.h"
#include "trainer/base/collective.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

/// The same for each name of a folder.
std::string whole_name(const std::string& folder) {
  std::error_code error;
  const auto name = std::filesystem::weakly_canonical(std::filesystem::absolute(folder + "/", error), error);
  return error ? folder : name.string();
}

}  // namespace

Bytes::Bytes(std::vector<std::uint8_t> own) {
  const auto kept = std::make_shared<const std::vector<std::uint8_t>>(std::move(own));
  bytes_ = *kept;
  owner_ = kept;
}

void NodeSharing::check_folder(const std::string& folder) const {
  const bool same = text_of_first_rank(whole_name(folder), *node_) == whole_name(folder);
  const std::string of_first = text_of_first_rank(folder, *node_);
  const auto rank = [this](int on_node) { return "rank " + std::to_string(node_->world_rank(on_node)); };
  const std::string problem =
      first_text(same ? ""
                      : rank(node_->rank()) + ": --data-path " + folder + ": " + rank(0) +
                            ", which reads for all ranks of its node, has " + of_first,
                 *node_);
  if (!problem.empty()) throw Error(problem + ": wanted the same folder", Exit::refused);
}

Bytes NodeSharing::once(const Read& read) const {
  if (node_->size() == 1) return Bytes(read());
  constexpr std::int64_t failed = -1;
  std::vector<std::uint8_t> mine;
  std::array<std::int64_t, 1> size = {failed};
  std::exception_ptr error;
  if (node_->rank() == 0) {
    try {
      mine = read();
      size[0] = std::ssize(mine);
    } catch (...) {
      error = std::current_exception();
    }
  }
  node_->broadcast(std::as_writable_bytes(std::span(size)), 0);
  if (error) std::rethrow_exception(error);
  if (size[0] == failed) return Bytes(read());
  return shared(read, std::move(mine), static_cast<std::size_t>(size[0]));
}

Bytes NodeSharing::shared(const Read& read, std::vector<std::uint8_t> mine, std::size_t size) const {
  const bool first = node_->rank() == 0;
  const std::shared_ptr<const adasum::SharedMemory> memory =
      adasum::SharedMemory::make(*node_, first ? size : 0);
  if (!memory) return Bytes(first ? std::move(mine) : read());
  const std::span<std::byte> all = memory->of(0).first(size);
  if (first) std::ranges::copy(std::as_bytes(std::span(mine)), all.begin());
  std::array<double, 1> written = {};
  node_->sum(std::span<double>(written));
  return {{reinterpret_cast<const std::uint8_t*>(all.data()), size}, memory};
}

}  // namespace adarun::trainer
