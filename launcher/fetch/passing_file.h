// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/file_descriptor.h"
#include "launcher/fetch/arrival.h"

namespace adarun::launcher {

/// A temporary copy of a node's file, for reading it: an unnamed file in the folder for temporary files,
/// removed with this object however the program ends. It can be fetched repeatedly as it grows.
class PassingFile : public Arrival {
 public:
  /// Throws Error.
  PassingFile();

  Known known() override { return {size_bytes_, ""}; }
  void take(std::uint64_t offset, std::string_view bytes) override;
  Arrived finish(const protocol::Fetched& fetched) override;

  /// The path to read it from.
  std::filesystem::path path() const;

  /// Another file has the name on the node: the next fetch starts at the first byte, and who reads the path
  /// finds another file there. Throws Error.
  void forget();

 private:
  base::FileDescriptor file_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace adarun::launcher
