// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// One stream of bytes to the agent of one node. Used by one thread; nothing here blocks. Every function
/// throws Error where the link is broken, with a reason of one line that does not name the node.
class Link {
 public:
  virtual ~Link() = default;

  /// What to poll: a descriptor (-1: none yet, call again soon) and the events wanted.
  virtual int fd() const = 0;
  virtual short wanted() const = 0;

  /// Goes on with connecting; true once the stream is open.
  virtual bool open() = 0;

  /// What open() is about: a word or two, the same for as long as one step goes on.
  virtual std::string_view step() const { return "start the agent"; }

  /// What has happened on the way that is worth a line in a log, each once; asked while and after it opens.
  virtual std::vector<std::string> take_remarks() { return {}; }

  /// Bytes from the agent: how many were read, 0 where there are none now.
  virtual std::size_t read(std::span<char> buffer) = 0;

  /// Bytes to the agent: how many were taken, 0 where there is no room now. What is broken is for read() to
  /// say, behind all that came before.
  virtual std::size_t write(std::string_view bytes) = 0;

  /// Whether the agent's side has ended the stream; asked right after read() gave 0.
  virtual bool ended() const = 0;

  /// Whether any further link there would end as this one did; asked once it has ended.
  virtual bool ended_for_good() { return false; }

  /// What is known of why it ended, or of what it still waits for: exit status, words on stderr.
  virtual std::string status_text() = 0;

  /// Closes the link; nothing else is called from then on. True once nothing is left to be done, such as a
  /// process to reap; until then it is called again.
  virtual bool close() { return true; }
};

}  // namespace adarun::launcher
