// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/file_limit.h"
#include "launcher/transport/loop/link.h"

namespace adarun::launcher {

/// A program started on this machine, its stdin and stdout one socket. The program has a session of its own,
/// and is left to end by itself when the link goes; close() reaps it.
class PipeLink : public Link {
 public:
  /// Where its stderr goes: with ours, or into memory, for status_text(), of which read() and write() drop
  /// what is old.
  enum class Stderr { ours, kept };

  /// The program gets the limit of open files that the user had before `files`.
  PipeLink(const std::vector<std::string>& argv, Stderr where, const base::FileLimit& files);

  int fd() const override { return socket_.get(); }
  short wanted() const override;
  bool open() override { return true; }
  std::size_t read(std::span<char> buffer) override;
  std::size_t write(std::string_view bytes) override;
  bool ended() const override { return ended_; }
  std::string status_text() override;
  bool close() override;

 private:
  off_t said() const;
  void forget_old_words();
  std::string kept_words() const;

  base::FileDescriptor socket_;
  base::FileDescriptor words_;  ///< What is kept of its stderr; none where that is ours.
  off_t forgotten_ = 0;         ///< How far what it said is dropped.
  pid_t child_ = -1;
  bool ended_ = false;
  bool blocked_ = false;
};

}  // namespace adarun::launcher
