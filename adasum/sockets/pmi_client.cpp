// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/pmi_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <sstream>
#include <system_error>
#include <utility>

#include "adasum/types/error.h"

namespace adasum::sockets {
namespace {

constexpr std::size_t most_line_bytes = 65'536;
constexpr int most_ranks = 1 << 20;
constexpr std::string_view members_line = "adarun_members";

// Of "0-2,4": 0, 1, 2, 4.
std::vector<int> ranks_in(std::string_view text) {
  std::vector<int> ranks;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    int first = 0;
    const char* const end = range.data() + range.size();
    auto [next, error] = std::from_chars(range.data(), end, first);
    int last = first;
    if (error == std::errc() && next != end && *next == '-') {
      const auto second = std::from_chars(next + 1, end, last);
      next = second.ptr;
      error = second.ec;
    }
    const bool ascends = first >= 0 && first <= last && (ranks.empty() || ranks.back() < first);
    if (error != std::errc() || next != end || !ascends || last >= most_ranks)
      throw Error("PMI: a list of ranks that is none");
    for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
  }
  return ranks;
}

class NoAnswer : public Error {
 public:
  NoAnswer() : Error("PMI: no answer from what started this rank") {}
};

void wait_for(int descriptor, short events, const Deadline& deadline) {
  pollfd ready{descriptor, events, 0};
  if (::poll(&ready, 1, deadline.left_ms()) == 0) throw NoAnswer();
}

}  // namespace

PmiClient::PmiClient(int descriptor, std::chrono::milliseconds timeout)
    : descriptor_(descriptor), timeout_(timeout) {
  ask("cmd=init pmi_version=1 pmi_subversion=1\n", "response_to_init");
  name_ = value(ask("cmd=get_my_kvsname\n", "my_kvsname"), "kvsname");
}

void PmiClient::put(std::string_view key, std::string_view its_value) {
  ask("cmd=put kvsname=" + name_ + " key=" + std::string(key) + " value=" + std::string(its_value) + "\n",
      "put_result");
}

void PmiClient::barrier(std::chrono::milliseconds timeout) {
  try {
    ask("cmd=barrier_in\n", "barrier_out", timeout);
  } catch (const NoAnswer&) {
    throw Error("PMI: not all ranks of the job came within " + std::to_string(timeout.count()) + " ms");
  }
}

std::string PmiClient::get(std::string_view key) {
  return value(ask("cmd=get kvsname=" + name_ + " key=" + std::string(key) + "\n", "get_result"), "value");
}

void PmiClient::stay_on() {
  ask("cmd=adarun_stay_on\n", "adarun_stay_on_result");
}

void PmiClient::listen_at(const Endpoint& endpoint) {
  ask("cmd=adarun_listen_at endpoint=" + to_text(endpoint) + "\n", "adarun_listen_at_result");
}

PmiClient::Members PmiClient::members_after(std::uint64_t known, std::chrono::milliseconds timeout) {
  const Deadline deadline(timeout);
  while (members_.generation <= known || has_line()) {
    const Answer line = read_answer(deadline);
    if (value(line, "cmd") != members_line) throw Error("PMI: wanted members, not " + value(line, "cmd"));
    take_members(line);
  }
  return members_;
}

void PmiClient::finalize() {
  ask("cmd=finalize\n", "finalize_ack");
}

void PmiClient::lose_peer(std::uint64_t generation) {
  send("cmd=adarun_lost_peer generation=" + std::to_string(generation) + "\n", Deadline(timeout_));
}

void PmiClient::send(const std::string& request, const Deadline& deadline) const {
  for (std::size_t sent = 0; sent < request.size();) {
    const ssize_t count =
        ::send(descriptor_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EINTR) {
      wait_for(descriptor_, POLLOUT, deadline);
    } else {
      throw Error("PMI: what started this rank is gone");
    }
  }
}

PmiClient::Answer PmiClient::ask(const std::string& request, std::string_view answer,
                                 std::chrono::milliseconds timeout) {
  const Deadline deadline(timeout);
  send(request, deadline);
  Answer pairs = read_answer(deadline);
  for (; value(pairs, "cmd") == members_line; pairs = read_answer(deadline)) take_members(pairs);
  if (value(pairs, "cmd") != answer) throw Error("PMI: wanted " + std::string(answer) + " as an answer");
  const auto status = pairs.find("rc");
  if (status != pairs.end() && status->second != "0")
    throw Error("PMI: " + std::string(answer) + ": refused");
  return pairs;
}

PmiClient::Answer PmiClient::read_answer(const Deadline& deadline) {
  Answer pairs;
  std::istringstream line(read_line(deadline));
  for (std::string word; line >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) pairs.emplace(word.substr(0, equals), word.substr(equals + 1));
  }
  return pairs;
}

void PmiClient::take_members(const Answer& line) {
  Members members;
  const std::string& generation = value(line, "generation");
  const auto end =
      std::from_chars(generation.data(), generation.data() + generation.size(), members.generation);
  if (end.ec != std::errc()) throw Error("PMI: members without a generation");
  members.ranks = ranks_in(value(line, "ranks"));
  if (!members.ranks.empty()) {
    const std::vector<int> root = ranks_in(value(line, "root"));
    if (root.size() != 1 || !std::ranges::binary_search(members.ranks, root[0]))
      throw Error("PMI: members without a root");
    members.root = root[0];
    members.at = parse_endpoint(value(line, "at"));
  }
  if (members.generation > members_.generation) members_ = std::move(members);
}

std::string PmiClient::read_line(const Deadline& deadline) {
  while (true) {
    const std::size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (unread_.size() > most_line_bytes) throw Error("PMI: a line without an end");
    wait_for(descriptor_, POLLIN, deadline);
    std::array<char, 1024> bytes{};
    const ssize_t count = ::recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
      throw Error("PMI: what started this rank is gone");
    if (count > 0) unread_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

const std::string& PmiClient::value(const Answer& answer, std::string_view key) {
  const auto pair = answer.find(key);
  if (pair == answer.end()) throw Error("PMI: an answer without " + std::string(key));
  return pair->second;
}

}  // namespace adasum::sockets
