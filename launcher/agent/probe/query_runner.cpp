// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/probe/query_runner.h"

#include <dirent.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/ranks/descendants.h"
#include "launcher/agent/ranks/exec_error.h"
#include "launcher/agent/ranks/network_interface.h"

namespace adarun::launcher::agent {
namespace {

using protocol::Answer;
using protocol::Outcome;
using protocol::Query;
using protocol::unanswered;

// "hccn_tool -i 0 -ip -g", for messages. A script is none of their words.
std::string words(const protocol::Query& query) {
  constexpr std::size_t longest_word = 100;
  std::string text;
  for (const std::string& word : query.argv) {
    const bool is_script = word.size() > longest_word || word.find('\n') != std::string::npos;
    text += (text.empty() ? "" : " ") + (is_script ? "..." : word);
  }
  return text;
}

std::string not_within(const protocol::Query& query) {
  const bool whole = query.deadline_ms % 1000 == 0;
  return " within " + std::to_string(whole ? query.deadline_ms / 1000 : query.deadline_ms) +
         (whole ? " s" : " ms");
}

Answer refused(const Query& query, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return unanswered(query.id, missing ? Outcome::not_found : Outcome::failed,
                    query.path + ": " + base::system_text(error));
}

Answer too_much(const Query& query) {
  return unanswered(query.id, Outcome::too_much,
                    query.path + ": more than " + std::to_string(query.limit_bytes) + " bytes");
}

Answer read_file(const Query& query) {
  // O_NONBLOCK: opening a pipe without a writer would block.
  const base::FileDescriptor file(::open(query.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return refused(query, errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return refused(query, errno);
  if (!S_ISREG(facts.st_mode))
    return unanswered(query.id, Outcome::failed, query.path + ": is no regular file");
  Answer answer;
  answer.id = query.id;
  std::array<char, 64U << 10U> block;  // NOLINT: filled by read
  for (;;) {
    const ssize_t size = ::read(file.get(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return refused(query, errno);
    if (size == 0) return answer;
    answer.out.append(block.data(), static_cast<std::size_t>(size));
    if (answer.out.size() > query.limit_bytes) return too_much(query);
  }
}

Answer list_folder(const Query& query) {
  const base::Directory folder(::opendir(query.path.c_str()));
  if (!folder) return refused(query, errno);
  Answer answer;
  answer.id = query.id;
  std::size_t bytes = 0;
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT: this DIR is ours alone
    const std::string& name = answer.names.emplace_back(entry->d_name);
    bytes += name.size();
    if (name == "." || name == "..") answer.names.pop_back();
    if (bytes > query.limit_bytes) return too_much(query);
  }
  std::sort(answer.names.begin(), answer.names.end());
  return answer;
}

Answer own_addresses(const Query& query) {
  std::array<char, 257> name{};
  ifaddrs* list = nullptr;
  if (::gethostname(name.data(), name.size() - 1) != 0 || ::getifaddrs(&list) != 0)
    return unanswered(query.id, Outcome::failed, "the node's addresses: " + base::system_text(errno));
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  Answer answer;
  answer.id = query.id;
  answer.out = name.data();
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    const std::string text = address_text(each->ifa_addr);
    if (!text.empty()) answer.names.push_back(text);
  }
  return answer;
}

// The answer to a query that needs no program.
Answer node_fact(const Query& query) {
  if (query.question == protocol::Question::read) return read_file(query);
  if (query.question == protocol::Question::list) return list_folder(query);
  if (query.question == protocol::Question::addresses) return own_addresses(query);
  return unanswered(query.id, Outcome::failed, "a question that this adarun-agent does not know");
}

}  // namespace

void QueryRunner::take(protocol::Query query, Clock::time_point now) {
  if (query.question != protocol::Question::run) return answers_.push_back(node_fact(query));
  if (query.argv.empty()) return refuse(query, Outcome::failed, "no program given");
  const Clock::time_point deadline = now + std::chrono::milliseconds{query.deadline_ms};
  waiting_.push_back({std::move(query), deadline});
}

void QueryRunner::watch(Poll& poll) {
  if (!running_) return;
  Running& now = *running_;
  if (now.child.report) {
    poll.watch(now.child.report.get(), POLLIN, [this] { read_report(); });
  } else if (!now.answered) {
    poll.watch(now.child.out.get(), POLLIN, [this] { read(running_->child.out, running_->answer.out); });
    poll.watch(now.child.err.get(), POLLIN, [this] { read(running_->child.err, running_->answer.err); });
  }
  if (now.answered) return;
  poll.until(now.order.deadline);
  if (now.reaped_at) poll.until(*now.reaped_at + linger);
}

bool QueryRunner::reaped(pid_t pid, int status, Clock::time_point now) {
  if (!running_ || running_->child.pid != pid) return false;
  running_->reaped_at = now;
  running_->answer.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  running_->answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return true;
}

void QueryRunner::tick(Clock::time_point now) {
  settle(now);
  while (!running_ && !waiting_.empty()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (now >= next.deadline)
      refuse(next.query, Outcome::too_late,
             words(next.query) + ": " + std::string(protocol::no_turn) + not_within(next.query));
    else
      start(std::move(next));
  }
}

void QueryRunner::start(Waiting order) {
  Program program{order.query.argv, environment_.assignments(), "", environment_.path(),
                  protocol::Stdout::pipe};
  try {
    Child child = spawn(program);
    running_ = Running{std::move(order), std::move(program), std::move(child)};
    running_->answer.id = running_->order.query.id;
  } catch (const Error& error) {
    refuse(order.query, Outcome::failed, words(order.query) + ": " + error.what());
  }
}

void QueryRunner::read_report() {
  Running& now = *running_;
  bool ready = false;
  const std::optional<ExecError> exec_error = take_exec_error(now.child.report, ready);
  if (!exec_error) return;
  const protocol::Failed failed = explain("", now.program, *exec_error);
  answer(failed.failure == protocol::StartFailure::not_found ? Outcome::not_found : Outcome::failed,
         failed.message);
}

void QueryRunner::read(base::FileDescriptor& from, std::string& into) {
  std::array<char, 16U << 10U> block;  // NOLINT: filled by read
  const ssize_t size = ::read(from.get(), block.data(), block.size());
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return from.reset();
  into.append(block.data(), static_cast<std::size_t>(size));
}

void QueryRunner::settle(Clock::time_point now) {
  if (!running_) return;
  Running& run = *running_;
  const protocol::Query& query = run.order.query;
  const bool all_read = !run.child.report && !run.child.out && !run.child.err;
  if (run.answered) {
    // Only its end is still awaited.
  } else if (run.answer.out.size() + run.answer.err.size() > query.limit_bytes) {
    answer(Outcome::too_much,
           words(query) + ": wrote more than " + std::to_string(query.limit_bytes) + " bytes");
  } else if (run.reaped_at && (all_read || now >= *run.reaped_at + linger)) {
    answer(Outcome::answered, "");
  } else if (now >= run.order.deadline) {
    answer(Outcome::too_late, words(query) + ": has not ended" + not_within(query));
  }
  if (!run.answered || !run.reaped_at) return;
  signal_group(SIGKILL, run.child.pid);
  running_.reset();
}

// A process that still runs is killed; the next one starts only after it is reaped.
void QueryRunner::answer(Outcome outcome, const std::string& reason) {
  Running& run = *running_;
  run.answered = true;
  if (!run.reaped_at) {
    ::kill(-run.child.pid, SIGKILL);
  }
  if (outcome == Outcome::not_found || outcome == Outcome::failed)
    return refuse(run.order.query, outcome, reason);
  const std::size_t limit = run.order.query.limit_bytes;
  run.answer.out.resize(std::min(run.answer.out.size(), limit));
  run.answer.err.resize(std::min(run.answer.err.size(), limit - run.answer.out.size()));
  run.answer.outcome = outcome;
  run.answer.reason = reason;
  answers_.push_back(std::move(run.answer));
}

void QueryRunner::refuse(const protocol::Query& query, Outcome outcome, const std::string& reason) {
  answers_.push_back(unanswered(query.id, outcome, reason));
}

}  // namespace adarun::launcher::agent
