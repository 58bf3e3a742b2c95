// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// "login shell of ada": see Link::step().
inline constexpr std::string_view login_shell_step = "login shell";

/// One stream of bytes to the agent of one node. Used by one thread; nothing here blocks. Every function
/// throws Error if the link is broken, with a reason of one line that does not name the node.
class Link {
 public:
  virtual ~Link() = default;

  /// What to poll: a descriptor (-1: none yet, call again soon) and the events wanted.
  virtual int fd() const = 0;
  virtual short wanted() const = 0;

  /// Continues to connect; true once the stream is open.
  virtual bool open() = 0;

  /// The current step until the agent answers, in a word or two; the same text for the whole step. It begins
  /// with `login_shell_step` while a login shell has not begun to run the command.
  virtual std::string_view step() const { return "start the agent"; }

  /// Events while connecting that are worth a line in a log, each returned once; call it while and after the
  /// link opens.
  virtual std::vector<std::string> take_remarks() { return {}; }

  /// Reads bytes from the agent: returns how many, 0 if there are none now.
  virtual std::size_t read(std::span<char> buffer) = 0;

  /// Writes bytes to the agent: returns how many were taken, 0 if there is no room now. A broken link is
  /// reported by read(), after all bytes that came before.
  virtual std::size_t write(std::string_view bytes) = 0;

  /// Whether the node's kernel acknowledges what it is sent, so that it runs and can be reached, whatever its
  /// agent does. False also where this link cannot tell.
  virtual bool is_acknowledged() const { return false; }

  /// Passes on more of what write() has taken. read() and write() do so, too: call it where neither is
  /// called.
  virtual void flush() {}

  /// Whether the agent's side has ended the stream; call it right after read() has returned 0.
  virtual bool ended() const = 0;

  /// Whether any further link to the node would end as this one did; call it once this one has ended.
  virtual bool ended_for_good() { return false; }

  /// What is known of why it ended, or of what it still waits for: exit status, text on stderr.
  virtual std::string status_text() = 0;

  /// Closes the link; nothing else may be called from then on. True once nothing is left to be done, such as
  /// a process to reap; call it again until then.
  virtual bool close() { return true; }
};

/// Appends a piece to a text of which the last `most_bytes` are kept: why a program failed comes last, behind
/// whatever it printed before.
inline void append_to_end(std::string& text, std::string_view piece, std::size_t most_bytes) {
  text += piece;
  if (text.size() > most_bytes) text.erase(0, text.size() - most_bytes);
}

/// Makes another link to a node, on which `command` (program and arguments) is run.
using Relink = std::function<std::unique_ptr<Link>(const std::vector<std::string>& command)>;

/// How a loop reaches a node.
struct NodeLink {
  std::string node;  ///< Its name, for messages.
  std::unique_ptr<Link> link;
  Relink again = nullptr;  ///< Empty: a node whose link breaks is lost.
};

/// Links that are no longer used, until close() of each has finished: it may have a process to reap. Used by
/// one thread.
class ClosingLinks {
 public:
  /// Adds a link; null is ignored.
  void add(std::unique_ptr<Link> link);

  /// Calls close() of each once. Never blocks.
  void advance();

  /// Blocks until all are closed, for `most_time` at most; the others are left as they are.
  void finish(std::chrono::milliseconds most_time);

 private:
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace adarun::launcher
