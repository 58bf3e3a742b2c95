// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/jump_host.h"

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/signals.h"
#include "launcher/base/error.h"
#include "launcher/transport/ssh/forwarding.h"
#include "launcher/transport/ssh/ssh_handshake.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::milliseconds beat{100};
// Shorter than the first try to get back to a node.
constexpr std::chrono::seconds longest_silence{2};
constexpr int most_reads = 64;  // Of 4 KiB each, before the bytes are passed on.
constexpr std::chrono::milliseconds time_to_deliver{500};

}  // namespace

// A host that others are reached through: one SSH session, on its own thread, carries the connections to all
// of them. It connects when the first one is requested. Thread-safe; nothing blocks, and destroying it ends
// all of its connections.
class JumpHost {
 public:
  // `name` is for messages. Fails if it is not connected within `connect_timeout`.
  JumpHost(std::string name, Credentials credentials, MakeDial make_dial,
           std::chrono::milliseconds connect_timeout)
      : name_(std::move(name)),
        connect_timeout_(connect_timeout),
        handshake_(std::move(credentials), std::move(make_dial)),
        wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (!wake_) throw Error("cannot make an event descriptor");
  }
  ~JumpHost() {
    stopping_ = true;
    eventfd_write(wake_.get(), 1);
    if (thread_.joinable()) thread_.join();
  }

  // Requests a connection from the jump host to an sshd, by a name or address that the jump host knows.
  std::shared_ptr<Tunnel> open(const std::string& hostname, int port) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw Error("cannot make a pair of sockets");
    auto tunnel = std::make_shared<Tunnel>();
    tunnel->hostname = hostname;
    tunnel->port = port;
    tunnel->from = name_;
    tunnel->near = base::FileDescriptor(ends[0]);
    tunnel->far = base::FileDescriptor(ends[1]);
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw Error(failure_);
    wanted_.push_back(tunnel);
    eventfd_write(wake_.get(), 1);
    if (!thread_.joinable()) thread_ = base::start_quiet_thread([this] { run(); });
    return tunnel;
  }

  // Whether it has failed: from now on open() throws.
  bool broken() const {
    const std::lock_guard lock(mutex_);
    return !failure_.empty();
  }

  // Whether a connection that was requested is not there after a while in which nothing was heard from the
  // jump host: another session may be (the network may have forgotten this one).
  bool silent() const { return silent_; }

  // What the jump host itself still waits for, in one line; empty: nothing.
  std::string status_text() const {
    const std::lock_guard lock(mutex_);
    return waits_for_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void run() {
    try {
      if (connect()) carry();
    } catch (const std::exception& error) {
      fail_all("the jump host " + name_ + ": " + error.what());
    }
  }

  bool connect() {
    const auto deadline = Clock::now() + connect_timeout_;
    while (!stopping_) {
      if (handshake_.advance()) {
        const std::lock_guard lock(mutex_);
        waits_for_.clear();
        return true;
      }
      const std::string words = handshake_.status_text();
      const std::string why = words.empty() ? "" : ": " + words;
      if (Clock::now() >= deadline)
        throw Error("no connection within " + base::describe(connect_timeout_) + why);
      {
        const std::lock_guard lock(mutex_);
        waits_for_ = "the jump host " + name_ + " is not connected yet" + why;
      }
      wait(beat);
    }
    return false;
  }

  void carry() {
    const std::unique_ptr<ssh_event_struct, decltype(&ssh_event_free)> event(ssh_event_new(),
                                                                             &ssh_event_free);
    if (!event || ssh_event_add_session(event.get(), handshake_.session()) != SSH_OK)
      throw Error("ssh: out of memory");
    while (!stopping_) {
      take_wanted();
      pass_on(event.get());
      wait(beat);
      note_silence();
    }
    const auto deadline = Clock::now() + time_to_deliver;
    while (!deliver(event.get()) && Clock::now() < deadline) wait(beat);
  }

  void pass_on(ssh_event_struct* event) {
    for (int i = 0; i < most_reads && ssh_event_dopoll(event, 0) == SSH_OK; ++i) continue;
    if (ssh_is_connected(handshake_.session()) == 0)
      throw Error("connection lost: " + last_error(handshake_.session()));
    std::erase_if(carried_, [](Carried& each) { return !each.forwarding->advance(each.readable); });
  }

  // What was said to nodes just before the end: an agent that does not get it stays for its lease.
  bool deliver(ssh_event_struct* event) {
    for (Carried& each : carried_) each.readable = true;
    pass_on(event);
    const bool is_sent = ssh_blocking_flush(handshake_.session(), 0) != SSH_AGAIN;  // Does not wait.
    return is_sent &&
           std::ranges::none_of(carried_, [](const Carried& each) { return each.forwarding->holds_back(); });
  }

  void note_silence() {
    const Clock::time_point before = Clock::now() - longest_silence;
    silent_ = std::any_of(carried_.begin(), carried_.end(), [&](const Carried& each) {
      return !each.forwarding->is_open() && each.begun < before && heard_ < each.begun;
    });
  }

  void take_wanted() {
    const std::lock_guard lock(mutex_);
    for (std::shared_ptr<Tunnel>& tunnel : wanted_)
      carried_.push_back(
          {std::make_unique<Forwarding>(handshake_.session(), std::move(tunnel), channels_++), Clock::now()});
    wanted_.clear();
  }  // NOLINT: `carried_` owns the forwardings; clang's analyzer takes the growth of a vector for a leak

  void wait(std::chrono::milliseconds longest) {
    std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}, {handshake_.fd(), handshake_.wanted(), 0}};
    for (const Carried& each : carried_) {  // poll() reports a hang-up even where nothing is wanted.
      const short wanted = each.forwarding->wanted();
      polled.push_back({wanted == 0 ? -1 : each.forwarding->fd(), wanted, 0});
    }
    poll(polled.data(), polled.size(), static_cast<int>(longest.count()));
    if ((polled[1].revents & POLLIN) != 0) heard_ = Clock::now();
    for (std::size_t i = 0; i < carried_.size(); ++i)
      carried_[i].readable = (polled[i + 2].revents & ~POLLOUT) != 0;
    eventfd_t ignored = 0;
    eventfd_read(wake_.get(), &ignored);
  }

  void fail_all(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    failure_ = reason;
    for (const Carried& each : carried_) each.forwarding->fail(reason);
    carried_.clear();
    for (const std::shared_ptr<Tunnel>& each : wanted_) {
      each->fail(reason);
      each->far.reset();
    }
    wanted_.clear();
  }

  const std::string name_;
  const std::chrono::milliseconds connect_timeout_;
  SshHandshake handshake_;
  base::FileDescriptor wake_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Tunnel>> wanted_;  // Not yet taken by the thread.
  std::string waits_for_;
  std::string failure_;  // Why open() throws; empty: it does not.
  struct Carried {
    std::unique_ptr<Forwarding> forwarding;
    Clock::time_point begun;
    bool readable = false;  // According to the last poll.
  };
  std::vector<Carried> carried_;
  Clock::time_point heard_;  // When there was last something to read.
  std::atomic<bool> silent_ = false;
  int channels_ = 0;  // How many were opened so far.
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

namespace {

// A connection through a jump host, as a dial.
class TunnelDial : public Dial {
 public:
  TunnelDial(std::shared_ptr<JumpHost> jump, const std::string& hostname, int port)
      : jump_(std::move(jump)), tunnel_(jump_->open(hostname, port)) {}

  // Connected once the sshd's first bytes have arrived, or the connection has ended.
  bool advance() override {
    pollfd polled{tunnel_->near.get(), POLLIN, 0};
    if (poll(&polled, 1, 0) == 0) return false;
    const std::string failure = tunnel_->failure();
    if (!failure.empty()) throw Error(failure);
    return true;
  }

  int fd() const override { return tunnel_->near.get(); }
  short wanted() const override { return POLLIN; }
  base::FileDescriptor take() override { return std::move(tunnel_->near); }

  std::string status_text() const override {
    std::string text = tunnel_->failure();
    if (text.empty()) text = jump_->status_text();
    return text.empty() && tunnel_->near ? silence() : text;
  }

 private:
  std::string silence() const {
    if (tunnel_->is_open()) return "its sshd takes connections, but says nothing";
    return tunnel_->hostname + " port " + std::to_string(tunnel_->port) + " does not answer, as seen from " +
           tunnel_->from + " (is the host up, is there a firewall?)";
  }

  std::shared_ptr<JumpHost> jump_;
  std::shared_ptr<Tunnel> tunnel_;
};

}  // namespace

Dials::Dials(std::shared_ptr<const LocatedHosts> hosts, std::chrono::milliseconds connect_timeout)
    : hosts_(std::move(hosts)), connect_timeout_(connect_timeout) {}

MakeDial Dials::to(const Hop& hop) {
  if (hop.before)
    return [jump = jump_host(*hop.before), hostname = hop.credentials.settings.hostname,
            port = hop.credentials.settings.port]() -> std::unique_ptr<Dial> {
      return std::make_unique<TunnelDial>(jump, hostname, port);
    };
  return [place = hosts_->places.at(&hop)] {
    if (place.addresses.empty()) throw Error(place.reason_without_name());
    return std::make_unique<AddressDial>(place.addresses);
  };
}

// A jump host that has failed or is silent is replaced by a new one; connections through the old one stay.
// Where it is silent, one that leads to it may be, and not have been asked since.
std::shared_ptr<JumpHost> Dials::jump_host(const Hop& hop) {
  std::shared_ptr<JumpHost>& jump = jumps_[&hop];
  if (jump && jump->silent())
    for (const Hop* before = hop.before.get(); before != nullptr; before = before->before.get())
      jumps_.erase(before);
  if (!jump || jump->broken() || jump->silent())
    jump = std::make_shared<JumpHost>(hop.name, hop.credentials, to(hop), connect_timeout_);
  return jump;
}

}  // namespace adarun::launcher
