// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/transport/loop/link.h"
#include "launcher/transport/ssh/ssh_handshake.h"

namespace adarun::launcher {

/// Appends a piece to a text of which the last `most_bytes` are kept: why a program failed comes last, behind
/// whatever it printed before.
inline void append_to_end(std::string& text, std::string_view piece, std::size_t most_bytes) {
  text += piece;
  if (text.size() > most_bytes) text.erase(0, text.size() - most_bytes);
}

/// The agent at the far end of one SSH session with one channel. Constructed by the main thread, then used
/// only by the I/O thread.
class SshLink : public Link {
 public:
  /// `command` is run by the login shell on the node.
  SshLink(Credentials credentials, MakeDial make_dial, std::string command);
  ~SshLink() override;
  SshLink(const SshLink&) = delete;
  SshLink& operator=(const SshLink&) = delete;

  int fd() const override { return handshake_.fd(); }
  short wanted() const override { return handshake_.wanted(); }
  bool open() override;
  std::string_view step() const override;
  std::vector<std::string> take_remarks() override { return handshake_.take_remarks(); }
  std::size_t read(std::span<char> buffer) override;
  std::size_t write(std::string_view bytes) override;
  bool is_acknowledged() const override;
  void flush() override;
  bool ended() const override;
  std::string status_text() override;

 private:
  /// logging_in -> opening_channel: the session is logged in.
  /// opening_channel -> executing: it has a channel.
  /// executing -> open: the node has begun to run the command.
  enum class State { logging_in, opening_channel, executing, open };

  bool open_channel();
  bool execute();
  std::size_t read_piece(std::span<char> buffer);
  bool has_more() const;
  void read_stderr(int most);
  void check(int result, const char* what) const;
  std::string why_broken() const;

  SshHandshake handshake_;
  std::string command_;
  ssh_channel_struct* channel_ = nullptr;
  State state_ = State::logging_in;
  std::string stderr_;  ///< Its end.
};

}  // namespace adarun::launcher
