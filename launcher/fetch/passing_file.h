// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/file_descriptor.h"
#include "launcher/fetch/arrival.h"

namespace adarun::launcher {

/// Where a file of a node is kept while it is looked at: a file without a name, in the folder for temporary
/// ones, which is gone with this object however the program ends. Comes again and again as it grows.
class PassingFile : public Arrival {
 public:
  /// Throws Error.
  PassingFile();

  Known known() override { return {size_bytes_, ""}; }
  void take(std::uint64_t offset, std::string_view bytes) override;
  Arrived finish(const protocol::Fetched& fetched) override;

  /// Where it can be read.
  std::filesystem::path path() const;

  /// From its first byte on, please.
  void forget() { size_bytes_ = 0; }

 private:
  base::FileDescriptor file_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace adarun::launcher
