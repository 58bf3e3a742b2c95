// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/measurements.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <string>

#include "base/describe.h"
#include "base/system_text.h"
#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/base/own_process.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/links/link_server.h"
#include "launcher/agent/links/node_speed.h"
#include "launcher/agent/links/tcp.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {
namespace {

using protocol::Answer;
using protocol::Outcome;
using protocol::Query;
using protocol::Question;

constexpr std::size_t most_workers = 4;
constexpr std::size_t most_answer_bytes = 16U << 10U;
constexpr int most_descriptors = 65'536;

void close_range_of(int first, int last) {
  if (first > last) return;
  if (::close_range(static_cast<unsigned>(first), static_cast<unsigned>(last), 0) == 0) return;
  for (int fd = first; fd <= std::min(last, most_descriptors); ++fd)
    ::close(fd);  // A kernel before Linux 5.9.
}

// Closes all descriptors above stderr but these two.
void keep_only(int a, int b) {
  const int low = std::min(a, b);
  const int high = std::max(a, b);
  close_range_of(STDERR_FILENO + 1, low - 1);
  close_range_of(std::max(STDERR_FILENO, low) + 1, high - 1);
  close_range_of(high + 1, std::numeric_limits<int>::max());
}

Answer answer_of(const std::function<Answer()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return protocol::unanswered(0, Outcome::failed, error.what());
  }
}

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

// Forks a process that does `work` and ends. It leads its own process group, has default signal handling,
// keeps no descriptor of the agent above stderr but `kept` (-1: none), and is killed when the calling thread
// ends. An exception of `work` is an answer that failed, with its message. Throws agent::Error if no process
// can be created. `result` gets the answer as a frame, then end of file; it is non-blocking. The caller is
// single-threaded: unlike a program, the child allocates memory.
Measurements::Worker Measurements::fork_worker(const std::function<Answer()>& work, int kept) {
  Pipe pipe = make_pipe();
  set_nonblocking(pipe.read.get());
  const pid_t agent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw Error("a process: " + base::system_text(errno));
  if (pid > 0) {
    ::setpgid(pid, pid);  // The child does the same; the second call changes nothing.
    return {pid, std::move(pipe.read)};
  }
  ::setpgid(0, 0);
  end_with_parent(agent);
  reset_signals();
  unblock_signals();
  keep_only(pipe.write.get(), kept);
  try {
    const std::string frame = protocol::encode(answer_of(work));
    const ssize_t written = ::write(pipe.write.get(), frame.data(), frame.size());
    ::_exit(written == static_cast<ssize_t>(frame.size()) ? 0 : 1);
  } catch (...) {
    ::_exit(1);
  }
}

bool Measurements::is_for(Question question) {
  return question == Question::listen || question == Question::link || question == Question::speed;
}

void Measurements::take(const Query& query, Clock::time_point now) {
  try {
    query.question == Question::listen ? listen(query) : start(query, now);
  } catch (const Error& error) {
    answers_.push_back(protocol::unanswered(query.id, Outcome::failed, error.what()));
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
  Worker worker = fork_worker(work_for(query));
  worker.query = query;
  worker.deadline = now + std::chrono::milliseconds(query.deadline_ms);
  workers_.push_back(std::move(worker));
}

void Measurements::watch(Poll& poll) {
  for (const Worker& worker : workers_) {
    const pid_t pid = worker.pid;
    if (worker.result) poll.watch(worker.result.get(), POLLIN, [this, pid] { read(pid); });
    if (!worker.answered) poll.until(worker.deadline);
  }
}

// Reads all that the process has written so far.
void Measurements::read(pid_t pid) {
  const auto worker = find(pid);
  if (worker == workers_.end()) return;
  std::array<char, 4096> bytes;  // NOLINT: filled by read
  while (worker->result) {
    const ssize_t size = ::read(worker->result.get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0 || worker->frame.size() > most_answer_bytes) return worker->result.reset();
    worker->frame.append(bytes.data(), static_cast<std::size_t>(size));
  }
}

std::vector<Measurements::Worker>::iterator Measurements::find(pid_t pid) {
  return std::find_if(workers_.begin(), workers_.end(),
                      [pid](const Worker& each) { return each.pid == pid; });
}

bool Measurements::reaped(pid_t pid) {
  if (pid == server_) {
    server_ = -1;
    return true;
  }
  const auto worker = find(pid);
  if (worker == workers_.end()) return false;
  read(pid);
  if (!worker->answered) answer(*worker, Outcome::answered, "");
  workers_.erase(worker);
  return true;
}

void Measurements::tick(Clock::time_point now) {
  for (Worker& worker : workers_) {
    if (worker.answered || now < worker.deadline) continue;
    answer(worker, Outcome::too_late,
           "not measured within " + base::describe(std::chrono::milliseconds(worker.query.deadline_ms)));
    ::kill(-worker.pid, SIGKILL);
  }
}

// `answered`: by what the process has said.
void Measurements::answer(Worker& worker, Outcome outcome, const std::string& reason) {
  worker.answered = true;
  Answer answer;
  answer.outcome = outcome;
  answer.reason = reason;
  if (outcome == Outcome::answered) {
    protocol::FrameReader reader(protocol::Opening::frame, protocol::Sender::agent);
    reader.feed(worker.frame);
    if (const auto message = reader.next()) {
      answer = std::get<Answer>(*message);
    } else {
      answer.outcome = Outcome::failed;
      answer.reason = "the process that measures has failed";
    }
  }
  answer.id = worker.query.id;
  answers_.push_back(std::move(answer));
}

}  // namespace adarun::launcher::agent
