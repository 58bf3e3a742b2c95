// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_reach.h"

#include <libssh/libssh.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/shell_word.h"
#include "launcher/base/error.h"
#include "launcher/transport/loop/link.h"
#include "launcher/transport/reach/agent_source.h"
#include "launcher/transport/reach/upload_link.h"
#include "launcher/transport/ssh/jump_host.h"
#include "launcher/transport/ssh/located_hosts.h"
#include "launcher/transport/ssh/ssh_handshake.h"

namespace adarun::launcher {
namespace {

LocatedHosts locate_in(const std::vector<Host>& hosts, const SshOptions& options,
                       std::chrono::milliseconds deadline, Reach::Unknown unknown) {
  LocatedHosts located = locate_hosts(hosts, options, deadline);
  if (unknown == Reach::Unknown::refused) located.require_all();
  return located;
}

// Before anything is connected, and in a dry run too. Most hosts have the same lists: each is tried once.
void require_algorithms(const LocatedHosts& located) {
  std::set<std::string> tried;
  for (const std::shared_ptr<const Hop>& last : located.hops)
    for (const Hop* hop = last.get(); hop != nullptr; hop = hop->before.get()) {
      const SshSettings& settings = hop->credentials.settings;
      std::string lines;
      for (const AlgorithmList* each : {&settings.key_exchange, &settings.ciphers, &settings.macs,
                                        &settings.host_key_algorithms, &settings.accepted_keys})
        lines += each->line + "\n";
      if (tried.insert(lines).second) require_known_algorithms(settings);
    }
}

std::vector<HostPlace> places_in(const LocatedHosts& located) {
  const std::vector<std::string> addresses = located.addresses();
  std::vector<HostPlace> places;
  for (std::size_t i = 0; i < located.hops.size(); ++i) {
    const Hop& hop = *located.hops[i];
    const SshSettings& settings = hop.credentials.settings;
    places.push_back({settings.user, settings.port, addresses[i], located.reason_of(i), settings.jumps, {}});
    if (hop.before) continue;
    for (const SocketAddress& address : located.place_of(i).addresses)
      places.back().addresses.push_back(address.text());
  }
  return places;
}

constexpr std::size_t most_stderr_bytes = 4096;  // Kept for status_text().
constexpr int most_pieces = 16;                  // Per call.
constexpr int most_pieces_of_the_end = 1024;     // Of stderr, for status_text().

// The agent at the far end of one SSH session with one channel. Constructed by the main thread, then used
// only by the I/O thread. The session frees its channel.
class SshLink : public Link {
 public:
  // `command` is run by the login shell on the node.
  SshLink(Credentials credentials, MakeDial make_dial, std::string command)
      : shell_step_(std::string(login_shell_step) + " of " + credentials.settings.user),
        handshake_(std::move(credentials), std::move(make_dial)),
        command_(std::move(command)) {}

  int fd() const override { return handshake_.fd(); }
  short wanted() const override { return handshake_.wanted(); }
  std::vector<std::string> take_remarks() override { return handshake_.take_remarks(); }

  bool open() override {
    if (state_ == State::logging_in && handshake_.advance()) state_ = State::opening_channel;
    if (state_ == State::opening_channel && open_channel()) state_ = State::executing;
    if (state_ == State::executing && execute()) state_ = State::open;
    if (state_ == State::opening_channel || state_ == State::executing) require_connection();
    return state_ == State::open;
  }

  std::string_view step() const override {
    if (state_ == State::logging_in) return handshake_.step_name();
    return state_ == State::opening_channel ? std::string_view("open channel") : shell_step_;
  }

  // libssh reads 4 KiB from the socket at a time, and returns nothing until it has a whole packet of up to 32
  // KiB.
  std::size_t read(std::span<char> buffer) override {
    for (int pieces = 0; pieces < most_pieces; ++pieces) {
      if (const std::size_t size = read_piece(buffer); size > 0) return size;
      if (!has_more()) break;
    }
    read_stderr(most_pieces);  // It may also receive what is to be read here.
    return read_piece(buffer);
  }

  std::size_t write(std::string_view bytes) override {
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), 256U << 10U));
    const int written = ssh_channel_write(channel_, bytes.data(), size);
    return written < 0 ? 0 : static_cast<std::size_t>(written);
  }

  // Nothing is being sent again, nor is room being asked for in vain. Not known behind a jump host, whose
  // socket is a pair of ours.
  bool is_acknowledged() const override {
    tcp_info facts{};
    socklen_t size = sizeof facts;
    return getsockopt(fd(), IPPROTO_TCP, TCP_INFO, &facts, &size) == 0 && facts.tcpi_retransmits == 0 &&
           facts.tcpi_probes == 0;
  }

  void flush() override {
    ssh_blocking_flush(handshake_.session(), 0);  // Does not wait.
  }

  bool ended() const override {
    return ssh_channel_is_eof(channel_) != 0 || ssh_is_connected(handshake_.session()) == 0;
  }

  std::string status_text() override {
    if (channel_ == nullptr) return handshake_.status_text();
    read_stderr(most_pieces_of_the_end);
    const int status = ssh_channel_get_exit_status(channel_);
    std::string words = stderr_;
    if (status > 0) words = "exit status " + std::to_string(status) + (words.empty() ? "" : ": ") + words;
    return words;
  }

 private:
  // logging_in -> opening_channel: the session is logged in.
  // opening_channel -> executing: it has a channel.
  // executing -> open: the node has begun to run the command.
  enum class State { logging_in, opening_channel, executing, open };

  bool open_channel() {
    if (channel_ == nullptr) channel_ = ssh_channel_new(handshake_.session());
    if (channel_ == nullptr) throw Error("ssh: out of memory");
    const int result = ssh_channel_open_session(channel_);
    if (result == SSH_AGAIN) return false;
    check(result, "no SSH channel");
    return true;
  }

  bool execute() {
    const int result = ssh_channel_request_exec(channel_, command_.c_str());
    if (result == SSH_AGAIN) return false;
    check(result, "SSH refused to run the agent");
    return true;
  }

  std::size_t read_piece(std::span<char> buffer) {
    const int size =
        ssh_channel_read_nonblocking(channel_, buffer.data(), static_cast<std::uint32_t>(buffer.size()), 0);
    if (size == SSH_EOF || size == SSH_AGAIN) return 0;
    if (size < 0) throw Error("connection lost: " + why_broken());
    return static_cast<std::size_t>(size);
  }

  bool has_more() const {
    int waiting = 0;
    return ioctl(fd(), FIONREAD, &waiting) == 0 && waiting > 0;
  }

  void read_stderr(int most) {
    std::array<char, 1024> buffer{};
    for (int pieces = 0; pieces < most; ++pieces) {
      const int size = ssh_channel_read_nonblocking(channel_, buffer.data(), buffer.size(), 1);
      if (size <= 0) return;
      append_to_end(stderr_, {buffer.data(), static_cast<std::size_t>(size)}, most_stderr_bytes);
    }
  }

  // libssh waits without end for the answer of an sshd that has hung up.
  void require_connection() const {
    if (ssh_is_connected(handshake_.session()) == 0)
      throw Error("its sshd hung up after the login: " + why_broken());
  }

  void check(int result, const char* what) const {
    if (result == SSH_OK) return;
    require_connection();
    throw Error(std::string(what) + ": " + why_broken());
  }

  std::string why_broken() const {
    const std::string words = handshake_.status_text();
    return words.empty() ? last_error(handshake_.session()) : words;
  }

  const std::string shell_step_;
  SshHandshake handshake_;
  std::string command_;
  ssh_channel_struct* channel_ = nullptr;
  State state_ = State::logging_in;
  std::string stderr_;  // Its end.
};

class SshReach : public Reach {
 public:
  std::string name() const override { return "ssh"; }

  std::string text(const ReachOptions& options) const override {
    return "over SSH, at most " + std::to_string(options.fanout) + " at once";
  }

  std::string text_of(const Host& /*host*/, const HostPlace& place,
                      const ReachOptions& /*options*/) const override {
    std::string jumps;
    for (const std::string& jump : place.jumps) jumps += (jumps.empty() ? "-J " : ",") + jump;
    return "ssh " + jumps + (jumps.empty() ? "" : " ") + "-p " + std::to_string(place.port) + " " +
           place.user + "@" + (place.address.empty() ? "? (" + place.reason + ")" : place.address);
  }

  Targets locate(const std::vector<Host>& hosts, const ReachOptions& options,
                 Unknown unknown) const override {
    LocatedHosts located = locate_in(hosts, options.ssh, options.connect_timeout, unknown);
    require_algorithms(located);
    Targets targets{located.addresses(), places_in(located), located.notes};
    targets.located = std::make_shared<const LocatedHosts>(std::move(located));
    return targets;
  }

  std::vector<NodeLink> links(const std::vector<Host>& hosts, const Targets& targets,
                              const ReachOptions& options, const base::FileLimit& /*files*/) const override {
    const auto source = std::make_shared<const AgentSource>(agent_source(options.agent));
    const std::string command = agent_call(*source);
    const auto dials = std::make_shared<Dials>(targets.located, options.connect_timeout);
    std::vector<NodeLink> links;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const std::shared_ptr<const Hop>& hop = targets.located->hops[i];
      const auto link = [dials, hop](const std::string& words) {
        return std::make_unique<SshLink>(hop->credentials, dials->to(*hop), words);
      };
      links.push_back({hosts[i].name, std::make_unique<UploadLink>(link(command), source),
                       [link](const std::vector<std::string>& words) {
                         return link("exec " + base::shell_words(words));
                       }});
    }
    return links;
  }
};

}  // namespace

std::shared_ptr<const Reach> ssh_reach() {
  return std::make_shared<const SshReach>();
}

Targets locate_without_ssh(const std::vector<Host>& hosts, const std::string& config_file,
                           std::chrono::milliseconds deadline, Reach::Unknown unknown) {
  SshOptions options;
  options.config_file = config_file;
  const LocatedHosts located = locate_in(hosts, options, deadline, unknown);
  Targets targets{located.addresses()};
  for (HostPlace& place : places_in(located))
    targets.places.push_back({"", 0, place.address, place.reason, {}, std::move(place.addresses)});
  return targets;
}

}  // namespace adarun::launcher
