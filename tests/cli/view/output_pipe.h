// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/file_descriptor.h"
#include "cli/console/background_output.h"

namespace adarun::cli {

/// An output whose stdout is a pipe, which the test reads.
class OutputPipe {
 public:
  OutputPipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("pipe");
    reading_ = base::FileDescriptor(ends[0]);
    writing_ = base::FileDescriptor(ends[1]);
    fcntl(writing_.get(), F_SETPIPE_SZ, most_bytes);
    output_.emplace(writing_.get());
  }

  BackgroundOutput& output() { return *output_; }

  /// What was printed since the last call; less than 1 MiB.
  std::string printed() {
    output_->drain(output_->out(), [] { return true; });
    const char end = '\0';  // So that read() does not block.
    if (write(writing_.get(), &end, 1) != 1) return "nothing can be written";
    std::string bytes(most_bytes, '\0');
    const ssize_t size = read(reading_.get(), bytes.data(), bytes.size());
    bytes.resize(static_cast<std::size_t>(size) - 1);
    return bytes;
  }

 private:
  static constexpr int most_bytes = 1 << 20;

  base::FileDescriptor reading_;
  base::FileDescriptor writing_;
  std::optional<BackgroundOutput> output_;
};

}  // namespace adarun::cli
