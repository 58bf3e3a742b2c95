// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/process.h"
#include "launcher/transport/loop/link.h"
#include "launcher/transport/reach/reach.h"

namespace adarun::launcher {

/// A program started on this machine, with one socket as its stdin and stdout. It has its own session and is
/// not killed when the link closes; close() reaps it.
class PipeLink : public Link {
 public:
  /// Where its stderr goes: to ours, or into memory for status_text(); read() and write() drop the older part
  /// of that.
  enum class Stderr { ours, kept };

  /// `argv[0]` without '/' is looked up in PATH. The program gets the limit of open files that the user had
  /// before `files` raised it.
  PipeLink(const std::vector<std::string>& argv, Stderr where, const base::FileLimit& files);

  int fd() const override { return socket_.get(); }
  short wanted() const override;
  bool open() override { return true; }
  std::size_t read(std::span<char> buffer) override;
  std::size_t write(std::string_view bytes) override;
  bool is_acknowledged() const override { return true; }  ///< No network is between.
  bool ended() const override { return ended_; }
  std::string status_text() override;
  bool close() override;

  /// Whether the program has exited: its status is known from then on. Neither this nor signal() may be
  /// called once close() has returned true.
  bool has_exited() const;

  /// Sends a signal to the program and to what it has started in its session's first group.
  void signal(int number) const;

 private:
  off_t said() const;
  void forget_old_words();
  std::string kept_words() const;

  base::FileDescriptor socket_;
  base::FileDescriptor words_;  ///< Memory file with its stderr; none if that is ours.
  off_t forgotten_ = 0;         ///< Bytes of stderr that were dropped.
  pid_t child_ = -1;
  bool ended_ = false;
  bool blocked_ = false;
};

/// An agent for each host on this machine, whatever the hosts are called; all have the address 127.0.0.1.
std::shared_ptr<const Reach> local_reach();

}  // namespace adarun::launcher
