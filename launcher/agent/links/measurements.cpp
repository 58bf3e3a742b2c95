// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/measurements.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <functional>

#include "base/describe.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/links/link_exchange.h"
#include "launcher/agent/links/link_server.h"
#include "launcher/agent/links/node_speed.h"
#include "launcher/agent/links/tcp.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {
namespace {

// The number that the other side sends, with a newline.
std::uint64_t reported_rate(const base::FileDescriptor& connection) {
  constexpr std::size_t most_digits = 20;
  std::string text;
  for (char byte = 0;; text += byte) {
    receive_all(connection, &byte, 1);
    if (byte == '\n' || text.size() == most_digits) break;
  }
  std::uint64_t rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size()) throw Error("the other side reports no rate");
  return rate;
}

}  // namespace

std::vector<std::uint64_t> measure_link(const std::string& address, std::uint16_t port,
                                        const std::string& secret) {
  const auto begin = [&](LinkExchange exchange) {
    base::FileDescriptor connection = connect_to(address, port);
    send_all(connection, secret + static_cast<char>(exchange));
    return connection;
  };
  const std::uint64_t round_trip = round_trip_ns(begin(LinkExchange::echo));
  base::FileDescriptor out = begin(LinkExchange::send);
  send_until_answer(out);
  const std::uint64_t sent = reported_rate(out);
  out.reset();
  const std::uint64_t received = receive_rate(begin(LinkExchange::receive));
  return {round_trip, sent, received};
}

namespace {

using protocol::Answer;
using protocol::Outcome;
using protocol::Query;
using protocol::Question;

constexpr std::size_t most_workers = 4;
constexpr std::size_t most_answer_bytes = 16U << 10U;

// The argument of `query` at `index`, a number from 1 to `most`.
template <typename Number>
Number number_in(const Query& query, std::size_t index, Number most) {
  const std::string text = index < query.argv.size() ? query.argv[index] : "";
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 1 || number > most)
    throw Error("\"" + text + "\": not a number from 1 to " + std::to_string(most));
  return number;
}

std::string address_in(const Query& query) {
  if (query.argv.empty()) throw Error("no address given");
  if (query.secret.size() != link_secret_bytes) throw Error("no secret given");
  return query.argv.front();
}

// What a process of its own does to answer.
std::function<Answer()> work_for(const Query& query) {
  constexpr std::size_t most_processes = 4096;
  const auto with_numbers = [](std::vector<std::uint64_t> numbers) {
    Answer answer;
    answer.numbers = std::move(numbers);
    return answer;
  };
  if (query.question == Question::speed)
    return [=, processes = number_in<std::size_t>(query, 0, most_processes)] {
      return with_numbers(measure_node_speed(processes));
    };
  return [=, address = address_in(query), port = number_in<std::uint16_t>(query, 1, 65'535),
          secret = query.secret] { return with_numbers(measure_link(address, port, secret)); };
}

}  // namespace

bool Measurements::is_for(Question question) {
  return question == Question::listen || question == Question::link || question == Question::speed;
}

void Measurements::take(const Query& query, Clock::time_point now) {
  try {
    query.question == Question::listen ? listen(query) : start(query, now);
  } catch (const Error& error) {
    refuse(query, error.what());
  }
}

void Measurements::listen(const Query& query) {
  if (server_ > 0) throw Error("a port for links is open already");
  const base::FileDescriptor listening = listen_on(address_in(query));
  Answer answer;
  answer.id = query.id;
  answer.numbers = {port_of(listening)};
  const auto serve = [&listening, &query] {
    serve_links(listening, query.secret);
    return Answer{};
  };
  server_ = fork_worker(serve, listening.get()).pid;
  answers_.push_back(std::move(answer));
}

void Measurements::start(const Query& query, Clock::time_point now) {
  if (workers_.size() >= most_workers) throw Error("too much is measured at once");
  workers_.push_back(
      {query, now + std::chrono::milliseconds(query.deadline_ms), fork_worker(work_for(query)), "", false});
}

void Measurements::watch(Poll& poll) {
  for (const Working& working : workers_) {
    const pid_t pid = working.worker.pid;
    if (working.worker.result) poll.watch(working.worker.result.get(), POLLIN, [this, pid] { read(pid); });
    if (!working.answered) poll.until(working.deadline);
  }
}

// Reads all that the process has written so far.
void Measurements::read(pid_t pid) {
  const auto working = find(pid);
  if (working == workers_.end()) return;
  std::array<char, 4096> bytes;  // NOLINT: filled by read
  while (working->worker.result) {
    const ssize_t size = ::read(working->worker.result.get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0 || working->frame.size() > most_answer_bytes) return working->worker.result.reset();
    working->frame.append(bytes.data(), static_cast<std::size_t>(size));
  }
}

std::vector<Measurements::Working>::iterator Measurements::find(pid_t pid) {
  return std::find_if(workers_.begin(), workers_.end(),
                      [pid](const Working& each) { return each.worker.pid == pid; });
}

bool Measurements::reaped(pid_t pid) {
  if (pid == server_) {
    server_ = -1;
    return true;
  }
  const auto working = find(pid);
  if (working == workers_.end()) return false;
  read(pid);
  if (!working->answered) answer(*working, Outcome::answered, "");
  workers_.erase(working);
  return true;
}

void Measurements::tick(Clock::time_point now) {
  for (Working& working : workers_) {
    if (working.answered || now < working.deadline) continue;
    answer(working, Outcome::too_late,
           "not measured within " + base::describe(std::chrono::milliseconds(working.query.deadline_ms)));
    ::kill(-working.worker.pid, SIGKILL);
  }
}

// `answered`: by what the process has said.
void Measurements::answer(Working& working, Outcome outcome, const std::string& reason) {
  working.answered = true;
  Answer answer;
  answer.outcome = outcome;
  answer.reason = reason;
  if (outcome == Outcome::answered) {
    protocol::FrameReader reader(protocol::Opening::frame, protocol::Sender::agent);
    reader.feed(working.frame);
    if (const auto message = reader.next()) {
      answer = std::get<Answer>(*message);
    } else {
      answer.outcome = Outcome::failed;
      answer.reason = "the process that measures has failed";
    }
  }
  answer.id = working.query.id;
  answers_.push_back(std::move(answer));
}

void Measurements::refuse(const Query& query, const std::string& reason) {
  Answer& answer = answers_.emplace_back();
  answer.id = query.id;
  answer.outcome = Outcome::failed;
  answer.reason = reason;
}

}  // namespace adarun::launcher::agent
