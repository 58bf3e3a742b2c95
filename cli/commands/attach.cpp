// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/clean_text.h"
#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "cli/arguments/job_name.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/commands.h"
#include "cli/console/user_input.h"
#include "cli/jobs/find_job.h"

namespace adarun::cli {
namespace {

constexpr const char* attach_examples = R"(
Ctrl-C leaves the job alone again, and says at which byte of its output that was.

Examples:
  adarun attach                                   the only job that runs, from its first byte
  adarun attach 20261121-104502 --from 81920      a job by its id, its beginning or its name, from there on
  adarun attach 20261121-104502 --tail 20         from the last 20 lines on

Exit status: the job's when it has ended, 0 after Ctrl-C, 125 where its supervisor is gone, 130 after Ctrl-C where the
terminal takes nothing in, 141 where nobody reads the output any more.)";

constexpr std::chrono::milliseconds beat{100};
constexpr int exit_nobody_reads = 128 + SIGPIPE;
constexpr std::size_t block_bytes = 64U << 10U;

struct AttachOptions {
  std::string job;
  std::optional<std::uint64_t> from;
  std::optional<std::uint64_t> tail;
};

// Reads the output file of a detached job, which may be growing.
class JobOutput {
 public:
  explicit JobOutput(const JobFile& job) : path_(job.supervisor.output()) {
    file_ = base::FileDescriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file_) throw ExitError(exit_failed, path_ + ": cannot read this file: " + base::system_text(errno));
  }

  std::uint64_t at() const { return at_; }

  void go_to(std::uint64_t byte) {
    if (byte > size())
      throw ExitError(exit_usage, "--from " + std::to_string(byte) + ": the output has " +
                                      std::to_string(size()) + " bytes so far");
    at_ = byte;
  }

  void go_to_last_lines(std::uint64_t lines) {
    std::array<char, block_bytes> block{};
    std::uint64_t begin = size();
    std::uint64_t found = 0;
    at_ = 0;
    for (std::uint64_t end = begin; end > 0; end = begin) {
      begin = end > block.size() ? end - block.size() : 0;
      const ssize_t got = pread(file_.get(), block.data(), end - begin, static_cast<off_t>(begin));
      for (ssize_t i = got - 1; i >= 0; --i)
        if (block[static_cast<std::size_t>(i)] == '\n' && found++ == lines) {
          at_ = begin + static_cast<std::uint64_t>(i) + 1;
          return;
        }
      if (got <= 0) return;
    }
  }

  /// Copies new output to stdout, as far as it has room soon; returns false if there is none. Throws
  /// ExitError if the reader of stdout is gone.
  bool copy() {
    std::array<char, PIPE_BUF> block;  // A pipe that has room takes as much as this without blocking.
    const ssize_t got = pread(file_.get(), block.data(), block.size(), static_cast<off_t>(at_));
    if (got < 0) throw ExitError(exit_failed, path_ + ": cannot read this file: " + base::system_text(errno));
    if (got == 0) return false;
    pollfd room{STDOUT_FILENO, POLLOUT, 0};
    if (poll(&room, 1, static_cast<int>(beat.count())) <= 0) return true;
    const ssize_t put = write(STDOUT_FILENO, block.data(), static_cast<std::size_t>(got));
    if (put < 0 && errno == EPIPE) throw ExitError(exit_nobody_reads, "nobody reads the output any more");
    if (put < 0 && errno != EINTR && errno != EAGAIN)
      throw ExitError(exit_failed, "stdout: " + base::system_text(errno));
    at_ += static_cast<std::uint64_t>(std::max<ssize_t>(put, 0));
    return true;
  }

 private:
  std::uint64_t size() const {
    struct stat facts {};
    return fstat(file_.get(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
  }

  std::string path_;
  base::FileDescriptor file_;
  std::uint64_t at_ = 0;
};

int report_end(const JobFile& job) {
  const JobFile end = last_run_of(job);
  if (end.status) return *end.status;
  std::fprintf(stderr,
               "adarun: %s: its supervisor is gone; the agents end its ranks within the lease, and keep what "
               "they could not deliver: adarun logs %s --collect\n",
               end.title().c_str(), base::clean_line(end.id).c_str());
  return exit_could_not_start;
}

int follow_job(const JobFile& job, JobOutput& output) {
  std::signal(SIGPIPE, SIG_IGN);
  UserInput input(UserInput::Keys::leave);
  while (true) {
    const bool over = launcher::is_gone(job.supervisor);
    const bool more = output.copy();
    if (over && !more) return report_end(job);
    if (input.wait(more ? std::chrono::milliseconds(0) : beat) == UserInput::Event::none) continue;
    std::fprintf(stderr, "\nadarun: %s continues; to see the rest: adarun attach %s --from %llu\n",
                 job.title().c_str(), job.called().c_str(), static_cast<unsigned long long>(output.at()));
    return exit_done;
  }
}

int run_attach(const AttachOptions& options) {
  const JobFile job = find_job_here(options.job);
  if (!job.supervisor.detached)
    throw ExitError(exit_failed, job.title() +
                                     ": was not started with --detach and prints to its own terminal; " +
                                     "adarun logs " + job.called() + " --follow shows what its ranks print");
  JobOutput output(job);
  if (options.from) output.go_to(*options.from);
  if (options.tail) output.go_to_last_lines(*options.tail);
  return follow_job(job, output);
}

}  // namespace

void add_attach(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<AttachOptions>();
  CLI::App* command = app.add_subcommand("attach", "Show what a detached job prints, until it ends");
  add_job_argument(*command, options->job);
  CLI::Option* from =
      add_count(*command, "--from", options->from, "Begin at this byte of the output (default: 0)", "BYTE");
  add_count(*command, "-n,--tail", options->tail, "Begin with the last N lines")->excludes(from);
  command->footer(attach_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_attach(*options); });
}

}  // namespace adarun::cli
