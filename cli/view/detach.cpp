// SPDX-License-Identifier: Apache-2.0
#include "cli/view/detach.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "base/output_folder.h"
#include "base/signals.h"
#include "base/system_text.h"
#include "cli/arguments/command.h"

namespace adarun::cli {
namespace {

constexpr int status_signal = 128;
constexpr std::string_view start_word = "started ";

// The detached process, to which signals are forwarded. A pid_t is an int.
volatile std::sig_atomic_t detached_child = 0;

void pass_on(int number) {
  const int saved = errno;
  if (const pid_t child = detached_child; child > 0) kill(child, number);
  errno = saved;
}

void forward_interrupts(pid_t child) {
  detached_child = child;
  struct sigaction action {};
  action.sa_handler = pass_on;
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    if (!base::is_ignored(number)) sigaction(number, &action, nullptr);
}

// Messages of the detached process: "id ID OUTPUT", then "started LOG_DIR".
struct StartReport {
  std::string id;
  std::string output;
  std::string log_dir;
  bool started = false;
};

StartReport listen(int report) {
  StartReport told;
  std::string text;
  std::array<char, 4096> block{};
  while (!told.started) {
    const ssize_t size = read(report, block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(size));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line) && !lines.eof();) {
      if (line.starts_with(start_word)) {
        told.started = true;
        told.log_dir = line.substr(start_word.size());
      }
      if (line.rfind("id ", 0) == 0) {
        const std::size_t space = line.find(' ', 3);
        told.id = line.substr(3, space - 3);
        told.output = line.substr(space + 1);
      }
    }
  }
  return told;
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : status_signal + WTERMSIG(status);
}

// A job of which no attempt has begun has only its output in the index, which is printed by then.
void forget_unrecorded(const std::filesystem::path& output) {
  const std::filesystem::path folder = output.parent_path();
  if (access((folder / "job.json").c_str(), F_OK) == 0 || errno != ENOENT) return;
  unlink(output.c_str());
  rmdir(folder.c_str());
}

int work_alone(base::Log& log, const std::function<int(DetachChannel&)>& work, base::FileDescriptor report) {
  setsid();
  DetachChannel detach_channel(std::move(report));
  try {
    return work(detach_channel);
  } catch (const ExitError& error) {
    log.error(error.what());
    return error.status();
  } catch (const std::exception& error) {
    log.error(error.what());
    return exit_could_not_start;
  }
}

}  // namespace

void DetachChannel::leave_terminal(const std::string& job_id, const std::string& output) {
  const std::filesystem::path path(output);
  const base::OutputFolder folder(path.parent_path());
  const base::FileDescriptor file =
      folder.open_file(path.filename(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, S_IRUSR | S_IWUSR);
  const base::FileDescriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!file || !null)
    throw std::runtime_error(output + ": cannot write what the job prints: " + base::system_text(errno));
  std::fflush(nullptr);
  dup2(null.get(), STDIN_FILENO);
  dup2(file.get(), STDOUT_FILENO);
  dup2(file.get(), STDERR_FILENO);
  tell("id " + job_id + " " + output);
}

void DetachChannel::all_started(const std::string& log_dir) {
  tell(std::string(start_word) + log_dir);
  report_.reset();
}

void DetachChannel::tell(const std::string& line) {
  const std::string text = line + "\n";
  // If the foreground process is gone, stop reporting.
  if (report_ && write(report_.get(), text.data(), text.size()) < 0) report_.reset();
}

int detach(base::Log& log, const std::string& name, const std::function<int(DetachChannel&)>& work) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("cannot make a pipe: " + base::system_text(errno));
  base::FileDescriptor reading(ends[0]);
  base::FileDescriptor writing(ends[1]);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot make a process: " + base::system_text(errno));
  if (child == 0) {
    reading.reset();
    std::signal(SIGPIPE, SIG_IGN);
    const int status = work_alone(log, work, std::move(writing));
    std::fflush(nullptr);
    _exit(status);
  }
  writing.reset();
  forward_interrupts(child);
  const StartReport told = listen(reading.get());
  if (told.started) {
    detached_child = 0;  // Who has read the id may close the terminal: that is not for the job.
    std::printf("%s\n", told.id.c_str());
    std::fprintf(stderr,
                 "adarun: all ranks have started; logs in %s/; continue with adarun attach|status|stop %s\n",
                 told.log_dir.c_str(), (name.empty() ? told.id : name).c_str());
    return exit_done;
  }
  const int status = status_of(child);
  detached_child = 0;  // Its number may soon be that of another process.
  if (told.output.empty()) return status;
  std::cerr << std::ifstream(told.output, std::ios::binary).rdbuf();
  forget_unrecorded(told.output);
  return status;
}

}  // namespace adarun::cli
